// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R12: literals, and the reference on random machines.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decide/energy.h"
#include "decide/random_case.h"
#include "decide/reference.h"

static struct pl_machine m;
static struct pl_snapshot s;
static struct pl_request r;
static struct pl_choice choice;
static struct ref ref;
static uint16_t util[8];

/* Two clusters without SMT: CPUs 0-3 of capacity 512, 4-7 of 1024. */
static int setup(void **state)
{
	memset(&m, 0, sizeof(m));
	memset(&s, 0, sizeof(s));
	memset(util, 0, sizeof(util));
	m.nr_cpu_ids = 8;
	m.asymmetric = 1;
	for (int c = 0; c < 8; c++)
		m.cpu[c] = (struct pl_cpu){.core = (uint16_t)c,
					   .cluster = (uint16_t)(c / 4),
					   .capacity = c < 4 ? 512 : 1024,
					   .actual = c < 4 ? 512 : 1024};
	pl_machine_finish(&m);
	s.machine = &m;
	s.util = util;
	pl_cpumask_fill(&s.idle);
	pl_snapshot_finish(&s);
	r = (struct pl_request){.target = 0, .prev = 7, .util = 200, .umax = 1024};
	return 0;
}

static void assert_energy(int cpu, enum pl_why why)
{
	pl_select_energy(&s, &r, NULL, &choice);
	assert_int_equal(choice.cpu, cpu);
	assert_int_equal(choice.why, why);
}

static void the_small_cluster_costs_less(void **state)
{
	assert_energy(0, PL_WHY_ENERGY);
	r.util = 600; /* does not fit there */
	assert_energy(7, PL_WHY_ENERGY);
	/* The big cluster runs that fast anyway: no more energy than a raise of the small one. */
	r.util = 200;
	util[4] = 400;
	assert_energy(7, PL_WHY_ENERGY);
	r.prev = 5;
	util[5] = 250; /* 450 then, above 400; CPU 6 stays below */
	assert_energy(6, PL_WHY_ENERGY);
}

static void most_spare_capacity_within_a_domain(void **state)
{
	r.prev = -1;
	util[0] = 40;
	util[1] = 30;
	util[2] = 5;
	util[3] = 20;
	assert_energy(2, PL_WHY_ENERGY);
}

static void idle_cores_first(void **state)
{
	for (int c = 0; c < 8; c++)
		m.cpu[c].core = (uint16_t)(c / 2);
	pl_machine_finish(&m);
	pl_snapshot_finish(&s);
	r.prev = -1;
	util[0] = 60; /* the idle core's first CPU, although 2 has more room */
	pl_snapshot_set_busy(&s, 3);
	assert_energy(0, PL_WHY_ENERGY);
	pl_snapshot_set_busy(&s, 1); /* partly busy ones as fallback */
	util[1] = util[3] = 100;
	assert_energy(2, PL_WHY_ENERGY);
}

static void above_80_percent_another_rule_decides(void **state)
{
	util[7] = 819;
	assert_energy(4, PL_WHY_ENERGY); /* runs as fast for CPU 7 anyway */
	util[7] = 820;
	assert_energy(-1, PL_WHY_OVERUTILIZED);
}

static void fits_nowhere(void **state)
{
	r.util = 1024;
	assert_energy(-1, PL_WHY_TOO_SMALL);
}

/* Domains of the caller's: the same ones in another order of CPUs. */
static void domains_of_the_caller(void **state)
{
	static const uint16_t order[] = {7, 6, 5, 4, 3, 2, 1, 0};
	static const struct pl_range range[] = {{0, 4}, {4, 4}};
	const struct pl_freq_domains domains = {order, range, 2};

	r.prev = -1;
	pl_select_energy(&s, &r, &domains, &choice);
	assert_int_equal(choice.cpu, 3);
}

static void equals_the_reference(void **state)
{
	uint32_t chosen = 0;

	case_seed(12);
	for (int i = 0; i < NR_CASES; i++) {
		struct pl_choice again;

		case_next();
		/* Else hardly a machine is below 80 %. */
		for (int c = 0; c < rc.machine.nr_cpu_ids; c++)
			rc.util[c] /= case_chance(1) ? 1 : 5;
		rc.request.util /= 2;
		ref_read(&ref);
		memset(&choice, 0, sizeof(choice));
		pl_select_energy(&rc.snapshot, &rc.request, NULL, &choice);
		if (ref.n <= 64) /* the reference is cubic */
			assert_int_equal(choice.cpu, ref_r12(&ref));
		memset(&again, 0, sizeof(again));
		pl_select_energy(&rc.snapshot, &rc.request, NULL, &again);
		assert_memory_equal(&again, &choice, sizeof(again));
		assert_true(choice.cpu < 0 || ref.allowed[choice.cpu]);
		chosen += choice.cpu >= 0;
	}
	assert_true(chosen > NR_CASES / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_small_cluster_costs_less, setup),
		cmocka_unit_test_setup(most_spare_capacity_within_a_domain, setup),
		cmocka_unit_test_setup(idle_cores_first, setup),
		cmocka_unit_test_setup(above_80_percent_another_rule_decides, setup),
		cmocka_unit_test_setup(fits_nowhere, setup),
		cmocka_unit_test_setup(domains_of_the_caller, setup),
		cmocka_unit_test(equals_the_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
