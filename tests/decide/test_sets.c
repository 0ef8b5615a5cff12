// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R13, the balancer's own mask, and R16, the smallest set.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decide/balancer_place.h"
#include "decide/random_case.h"
#include "decide/reference.h"
#include "decide/smallest_set.h"

static struct pl_machine m;
static struct pl_snapshot s;
static struct pl_cpumask mask;
static struct ref ref;

/* 8 CPUs, cores of neighbours, LLCs of 4 CPUs, one node; 6 and 7 isolated. */
static int setup(void **state)
{
	memset(&m, 0, sizeof(m));
	memset(&s, 0, sizeof(s));
	m.nr_cpu_ids = 8;
	for (int c = 0; c < 8; c++)
		m.cpu[c] = (struct pl_cpu){.core = (uint16_t)(c / 2),
					   .cluster = (uint16_t)(c / 2),
					   .llc = (uint16_t)(c / 4),
					   .capacity = 1024,
					   .actual = 1024};
	m.cpu[6].flags = m.cpu[7].flags = PL_CPU_ISOLATED;
	pl_machine_finish(&m);
	s.machine = &m;
	pl_cpumask_fill(&s.idle);
	pl_snapshot_finish(&s);
	return 0;
}

static void assert_mask(const char *bits)
{
	for (int c = 0; bits[c]; c++)
		assert_int_equal(pl_cpumask_has(&mask, c), bits[c] == '1');
	assert_false(pl_cpumask_has(&mask, 8));
}

static void balancer_goes_to_idle_housekeeping_cores(void **state)
{
	pl_snapshot_set_busy(&s, 0);
	assert_int_equal(pl_balancer_mask(&s, &mask), PL_BALANCER_IDLE_CORES);
	assert_mask("00111100");
	pl_snapshot_set_busy(&s, 3);
	pl_snapshot_set_busy(&s, 4);
	assert_int_equal(pl_balancer_mask(&s, &mask), PL_BALANCER_IDLE_CPUS);
	assert_mask("01100100"); /* the isolated core is idle, but not for us */
	for (int c = 0; c < 6; c++)
		pl_snapshot_set_busy(&s, c);
	assert_int_equal(pl_balancer_mask(&s, &mask), PL_BALANCER_ANYWHERE);
	assert_mask("11111111");
}

static void balancer_stays_within_the_program(void **state)
{
	struct pl_cpumask allowed;

	pl_cpumask_zero(&allowed);
	pl_cpumask_add(&allowed, 1);
	pl_cpumask_add(&allowed, 6);
	s.allowed = &allowed;
	assert_int_equal(pl_balancer_mask(&s, &mask), PL_BALANCER_IDLE_CORES);
	assert_mask("01000000");
	pl_snapshot_set_busy(&s, 1);
	assert_int_equal(pl_balancer_mask(&s, &mask), PL_BALANCER_ANYWHERE);
	assert_mask("01000010");
}

static void balancer_equals_the_reference(void **state)
{
	static bool out[REF_MAX];

	case_seed(13);
	for (int i = 0; i < NR_CASES; i++) {
		case_next();
		ref_read(&ref);
		assert_int_equal(pl_balancer_mask(&rc.snapshot, &mask), ref_r13(&ref, out));
		for (int c = 0; c < ref.n; c++)
			assert_int_equal(pl_cpumask_has(&mask, c), out[c]);
	}
}

static void core_then_llc_then_node(void **state)
{
	struct pl_cpumask allowed;

	assert_int_equal(pl_smallest_set(&s, 2, PL_SET_CORE, NULL), PL_SET_CORE);
	pl_set_mask(&s, 2, PL_SET_CORE, NULL, &mask);
	assert_mask("00110000");
	assert_int_equal(pl_smallest_set(&s, 2, PL_SET_LLC, NULL), PL_SET_LLC);
	/* One CPU of the core is no set. */
	pl_cpumask_fill(&allowed);
	pl_cpumask_del(&allowed, 3);
	assert_int_equal(pl_smallest_set(&s, 2, PL_SET_CORE, &allowed), PL_SET_LLC);
	pl_set_mask(&s, 2, PL_SET_LLC, &allowed, &mask);
	assert_mask("11100000");
	/* The node is all there is: nothing to bind. */
	assert_int_equal(pl_smallest_set(&s, 2, PL_SET_NODE, NULL), PL_SET_NONE);
	pl_set_mask(&s, 2, PL_SET_NONE, &allowed, &mask);
	assert_mask("11101111");
	assert_int_equal(pl_smallest_set(&s, -1, PL_SET_CORE, NULL), PL_SET_NONE);
}

/* The CPU itself only where what is wider than the core mixes kinds of cores. */
static void one_cpu_among_other_cores(void **state)
{
	struct pl_cpumask allowed;

	assert_int_equal(pl_set_to_hold(&s, 2, PL_SET_CORE, NULL), PL_SET_CORE);
	/* One CPU of core 1 beside both of core 0. */
	pl_cpumask_fill(&allowed);
	pl_cpumask_del(&allowed, 3);
	assert_int_equal(pl_set_to_hold(&s, 2, PL_SET_CORE, &allowed), PL_SET_CPU);
	pl_set_mask(&s, 2, PL_SET_CPU, &allowed, &mask);
	assert_mask("00100000");
	assert_int_equal(pl_set_to_hold(&s, 2, PL_SET_LLC, &allowed), PL_SET_LLC);
	/* One CPU of each: equal cores of one CPU. */
	pl_cpumask_del(&allowed, 1);
	assert_int_equal(pl_set_to_hold(&s, 2, PL_SET_CORE, &allowed), PL_SET_LLC);
	m.cpu[2].capacity = m.cpu[2].actual = 500;
	assert_int_equal(pl_set_to_hold(&s, 2, PL_SET_CORE, &allowed), PL_SET_CPU);
	/* Nothing else is allowed: nothing to bind. */
	pl_cpumask_zero(&allowed);
	pl_cpumask_add(&allowed, 2);
	assert_int_equal(pl_set_to_hold(&s, 2, PL_SET_CORE, &allowed), PL_SET_NONE);
	assert_int_equal(pl_set_to_hold(&s, -1, PL_SET_CORE, NULL), PL_SET_NONE);
	pl_set_mask(&s, 2, PL_SET_CPU, NULL, &mask);
	assert_mask("00100000");
}

static void sets_equal_the_reference(void **state)
{
	static bool out[REF_MAX];

	case_seed(14);
	for (int i = 0; i < NR_CASES; i++) {
		enum pl_set least, set;
		int cpu, nr = 0;

		case_next();
		ref_read(&ref);
		least = PL_SET_CORE + case_random(3);
		cpu = case_cpu();
		set = pl_smallest_set(&rc.snapshot, cpu, least, rc.request.allowed);
		assert_int_equal(set, ref_r16(&ref, cpu, (int)least, out));
		pl_set_mask(&rc.snapshot, cpu, set, rc.request.allowed, &mask);
		for (int c = 0; c < ref.n; c++) {
			assert_int_equal(pl_cpumask_has(&mask, c), out[c]);
			nr += out[c];
		}
		assert_true(set == PL_SET_NONE || nr > 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(balancer_goes_to_idle_housekeeping_cores, setup),
		cmocka_unit_test_setup(balancer_stays_within_the_program, setup),
		cmocka_unit_test(balancer_equals_the_reference),
		cmocka_unit_test_setup(core_then_llc_then_node, setup),
		cmocka_unit_test_setup(one_cpu_among_other_cores, setup),
		cmocka_unit_test(sets_equal_the_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
