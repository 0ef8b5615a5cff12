// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Questions to the flat machine model, from literals and from nonsense.
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "machine/model.h"

/* One CPU of node 0. */
#define CPU(core_, llc_, capacity_)                                                                \
	{                                                                                          \
		.core = (core_), .cluster = (core_), .llc = (llc_), .capacity = (capacity_)        \
	}

/* CPUs 0 and 4 are a core, as are 1 and 5; 2 has lost its sibling 6, and 3 its sibling 7. */
static struct pl_machine smt = {
	.nr_cpu_ids = 8,
	.cpu =
		{
			CPU(0, 0, 1024),
			CPU(1, 0, 1024),
			CPU(2, 1, 1024),
			CPU(3, 1, 1024),
			CPU(0, 0, 1024),
			CPU(1, 0, 1024),
			CPU(2, 1, 0),
			CPU(3, 1, 0),
		},
};

static void assert_core(const struct pl_machine *m, int cpu, int other)
{
	struct pl_cpumask expect, got;

	pl_cpumask_zero(&expect);
	pl_cpumask_add(&expect, cpu);
	pl_cpumask_add(&expect, other);
	pl_machine_core_mask(m, cpu, &got);
	assert_true(pl_cpumask_equal(&got, &expect));
}

static void test_has(void **state)
{
	for (int c = 0; c < 8; c++)
		assert_int_equal(pl_machine_has(&smt, c), c < 6);
	assert_false(pl_machine_has(&smt, -1));
	assert_false(pl_machine_has(&smt, 8));
	assert_false(pl_machine_has(&smt, INT_MIN));
	assert_false(pl_machine_has(&smt, INT_MAX));
}

static void test_core_mask(void **state)
{
	assert_core(&smt, 0, 4);
	assert_core(&smt, 5, 1);
	/* CPUs without an online sibling and an offline CPU are each alone. */
	assert_core(&smt, 2, 2);
	assert_core(&smt, 3, 3);
	assert_core(&smt, 6, 6);
}

static void test_core_mask_outside(void **state)
{
	const int cpus[] = {-1, INT_MIN, PL_MAX_CPUS, INT_MAX};
	struct pl_cpumask m;

	for (size_t i = 0; i < PL_ARRAY_SIZE(cpus); i++) {
		pl_machine_core_mask(&smt, cpus[i], &m);
		assert_int_equal(pl_cpumask_weight(&m), 0);
	}
}

static void test_llc_size(void **state)
{
	assert_int_equal(pl_machine_llc_size(&smt, 0), 4);
	assert_int_equal(pl_machine_llc_size(&smt, 5), 4);
	assert_int_equal(pl_machine_llc_size(&smt, 2), 2);
	/* At least 1, also where there is no such CPU. */
	assert_int_equal(pl_machine_llc_size(&smt, 6), 1);
	assert_int_equal(pl_machine_llc_size(&smt, 8), 1);
	assert_int_equal(pl_machine_llc_size(&smt, -1), 1);
	assert_int_equal(pl_machine_llc_size(&smt, INT_MAX), 1);
}

/* Every core, cluster and LLC is one range of order[], whatever the numbers of its CPUs. */
static void test_finish(void **state)
{
	static const uint16_t order[] = {0, 4, 1, 5, 2, 3};

	assert_int_equal(smt.nr_online, 6);
	assert_int_equal(smt.nr_cores, 4);
	assert_int_equal(smt.nr_llcs, 2);
	assert_int_equal(smt.smt, 2);
	assert_int_equal(smt.cpu[4].nr_siblings, 2);
	assert_int_equal(smt.cpu[2].nr_siblings, 1);
	assert_memory_equal(smt.order, order, sizeof(order));
	assert_int_equal(smt.core[1].first, 2);
	assert_int_equal(smt.core[1].nr, 2);
	assert_int_equal(smt.llc[1].first, 4);
	assert_int_equal(smt.llc[1].nr, 2);
}

/* Two cores of a cluster, a core beside it; node numbers above those whose distances are kept. */
static void test_finish_domains(void **state)
{
	static struct pl_machine m = {
		.nr_cpu_ids = 3,
		.cpu =
			{
				{.core = 0, .cluster = 0, .node = 0, .capacity = 1024},
				{.core = 1, .cluster = 1, .node = 73, .capacity = 500, .class = 1},
				{.core = 2, .cluster = 0, .node = PL_NO_ID, .capacity = 1024},
			},
	};
	static const uint16_t order[] = {0, 2, 1};

	pl_machine_finish(&m);
	assert_true(pl_machine_is_valid(&m));
	assert_memory_equal(m.order, order, sizeof(order));
	assert_int_equal(m.nr_clusters, 2);
	assert_int_equal(m.cluster[0].first, 0);
	assert_int_equal(m.cluster[0].nr, 2);
	assert_int_equal(m.cluster[1].nr, 1);
	assert_int_equal(m.nr_nodes, 2);
	assert_int_equal(m.nr_classes, 2);
	m.cpu[0].class = 2;
	assert_false(pl_machine_is_valid(&m));
}

static void test_valid(void **state)
{
	static struct pl_machine m;

	assert_true(pl_machine_is_valid(&smt));
	m.nr_cpu_ids = PL_MAX_CPUS;
	m.cpu[PL_MAX_CPUS - 1] = (struct pl_cpu)CPU(0, 0, 1);
	pl_machine_finish(&m);
	assert_true(pl_machine_is_valid(&m));
}

static void test_hostile_is_invalid(void **state)
{
	static struct pl_machine m;

	assert_false(pl_machine_is_valid(&m)); /* all zero: nobody wrote it yet */
	m = smt;
	m.nr_cpu_ids = 0;
	assert_false(pl_machine_is_valid(&m));
	m.nr_cpu_ids = PL_MAX_CPUS + 1;
	assert_false(pl_machine_is_valid(&m));
	m.nr_cpu_ids = UINT16_MAX;
	assert_false(pl_machine_is_valid(&m));
	m = smt;
	m.cpu[5].capacity = 1025;
	assert_false(pl_machine_is_valid(&m));
	m.cpu[5].capacity = UINT16_MAX;
	assert_false(pl_machine_is_valid(&m));
	m = smt;
	m.order[2] = 8;
	assert_false(pl_machine_is_valid(&m));
	m = smt;
	m.llc[0].nr = 7;
	assert_false(pl_machine_is_valid(&m));
	m = smt;
	m.cpu[5].core = 4;
	assert_false(pl_machine_is_valid(&m));
	m = smt;
	for (int c = 0; c < 8; c++)
		m.cpu[c].capacity = 0;
	assert_false(pl_machine_is_valid(&m));
	/* A CPU above nr_cpu_ids does not count. */
	m.cpu[9].capacity = 1024;
	assert_false(pl_machine_is_valid(&m));
}

/* The sanitizer builds see a read outside the model. */
static void test_nonsense_does_no_harm(void **state)
{
	const int cpus[] = {INT_MIN, -1, 0, 1, 4094, 4095, 4096, 65535, INT_MAX};
	static struct pl_machine m;
	unsigned int seed = 1;

	for (int round = 0; round < 200; round++) {
		unsigned char *bytes = (unsigned char *)&m;

		for (size_t i = 0; i < sizeof(m); i++)
			bytes[i] = (unsigned char)rand_r(&seed);
		pl_machine_is_valid(&m);
		for (size_t i = 0; i < PL_ARRAY_SIZE(cpus); i++) {
			struct pl_cpumask mask;

			pl_machine_core_mask(&m, cpus[i], &mask);
			assert_int_equal(pl_cpumask_has(&mask, cpus[i]),
					 cpus[i] >= 0 && cpus[i] < PL_MAX_CPUS);
			assert_in_range(pl_machine_llc_size(&m, cpus[i]), 1, PL_MAX_CPUS);
		}
	}
}

static int finish(void **state)
{
	pl_machine_finish(&smt);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_has),
		cmocka_unit_test(test_core_mask),
		cmocka_unit_test(test_core_mask_outside),
		cmocka_unit_test(test_llc_size),
		cmocka_unit_test(test_finish),
		cmocka_unit_test(test_finish_domains),
		cmocka_unit_test(test_valid),
		cmocka_unit_test(test_hostile_is_invalid),
		cmocka_unit_test(test_nonsense_does_no_harm),
	};

	return cmocka_run_group_tests(tests, finish, NULL);
}
