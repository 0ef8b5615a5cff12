// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R11: occupancy, the preferred LLC, the test for a move, communicating sets.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "decide/aggregate.h"
#include "decide/random_case.h"

#define MS 1000000ull

static struct pl_machine m;
static uint64_t ns[8];
static struct pl_occupancy o;
static struct pl_aggr_limits limits;

/* Four LLCs of five cores each, without SMT. */
static int setup(void **state)
{
	memset(&m, 0, sizeof(m));
	memset(ns, 0, sizeof(ns));
	m.nr_cpu_ids = 20;
	for (int c = 0; c < 20; c++)
		m.cpu[c] = (struct pl_cpu){.core = (uint16_t)c,
					   .cluster = (uint16_t)c,
					   .llc = (uint16_t)(c / 5),
					   .capacity = 1024,
					   .actual = 1024};
	pl_machine_finish(&m);
	o = (struct pl_occupancy){.ns = ns, .nr_llcs = 4};
	limits = (struct pl_aggr_limits){.nr_threads = 3, .nr_running = 3, .tolerance = 1};
	return 0;
}

static void occupancy_is_halved_every_epoch(void **state)
{
	pl_occupancy_add(&o, 1, 8000, 100 * MS);
	assert_int_equal(ns[1], 8000);
	pl_occupancy_add(&o, 1, 1000, 109 * MS); /* the same epoch */
	assert_int_equal(ns[1], 9000);
	pl_occupancy_add(&o, 1, 100, 110 * MS);
	assert_int_equal(ns[1], 4600);
	pl_occupancy_age(&o, 130 * MS);
	assert_int_equal(ns[1], 1150);
	pl_occupancy_age(&o, 120 * MS); /* a late caller changes nothing */
	assert_int_equal(ns[1], 1150);
	pl_occupancy_age(&o, 10000 * MS);
	assert_int_equal(ns[1], 0);
	pl_occupancy_add(&o, 4, 100, 10000 * MS); /* no such LLC */
	pl_occupancy_add(&o, -1, 100, 10000 * MS);
	for (int i = 0; i < 8; i++)
		assert_int_equal(ns[i], 0);
}

static void assert_preferred(int llc)
{
	assert_int_equal(pl_aggregate_preferred(&o, &m, &limits, 100 * MS), llc);
}

static void switched_only_to_more_than_twice_as_much(void **state)
{
	assert_preferred(-1); /* nothing ran */
	pl_occupancy_add(&o, 2, 1000, 100 * MS);
	assert_preferred(2);
	pl_occupancy_add(&o, 0, 2000, 100 * MS);
	assert_preferred(2); /* twice is not more than twice */
	pl_occupancy_add(&o, 0, 1, 100 * MS);
	assert_preferred(0);
}

static void no_preference(void **state)
{
	struct pl_aggr_limits usual = limits;

	pl_occupancy_add(&o, 2, 1000000, 100 * MS);
	assert_preferred(2);
	limits.nr_threads = 1;
	assert_preferred(-1);
	limits = usual;
	limits.nr_running = 4; /* 80 % of five cores */
	assert_preferred(-1);
	limits = usual;
	limits.memory_policy = true;
	assert_preferred(-1);
	limits = usual;
	limits.llc_bytes = 1000;
	limits.resident_bytes = 1000;
	assert_preferred(2);
	limits.resident_bytes = 1001;
	assert_preferred(-1);
	limits.tolerance = 2;
	assert_preferred(2);
	limits = usual;
	assert_int_equal(pl_aggregate_preferred(&o, &m, &limits, 150 * MS), 2);
	assert_int_equal(pl_aggregate_preferred(&o, &m, &limits, 160 * MS), -1);
	m.nr_llcs = 1;
	assert_preferred(-1);
}

static void the_move_test(void **state)
{
	/* Capacity 1000 each; "over" is above 500 on SMT, above 750 without. */
	static const struct {
		uint32_t util, from, to;
		bool from_preferred, to_preferred, smt;
		enum pl_aggr_verdict verdict;
	} row[] = {
		{100, 300, 200, false, true, true, PL_AGGR_ALLOW},
		{100, 700, 450, false, true, true, PL_AGGR_IGNORE}, /* 600 and 550: both over */
		{100, 300, 450, false, true, true, PL_AGGR_REFUSE}, /* 550 over, above 1.2 * 200 */
		{100, 300, 450, false, true, false, PL_AGGR_ALLOW}, /* not over 75 % */
		{100, 300, 400, false, true, true, PL_AGGR_ALLOW},  /* 500 is not over */
		{10, 500, 491, false, true, true, PL_AGGR_ALLOW},   /* over, within 1.2 * 490 */
		{100, 400, 100, true, false, true, PL_AGGR_REFUSE}, /* the preferred is not over */
		{100, 700, 100, true, false, true, PL_AGGR_ALLOW},  /* 600 over, above 1.2 * 200 */
		{100, 700, 400, true, false, true, PL_AGGR_REFUSE}, /* 600 is 1.2 * 500 */
		{100, 701, 400, true, false, true, PL_AGGR_ALLOW},
		{100, 701, 400, true, false, false, PL_AGGR_REFUSE},
		{100, 100, 100, false, false, true, PL_AGGR_IGNORE},
		{100, 50, 100, false, true, true, PL_AGGR_ALLOW}, /* a source that reads less */
	};

	for (unsigned int i = 0; i < PL_ARRAY_SIZE(row); i++) {
		struct pl_llc_load from = {row[i].from, 1000}, to = {row[i].to, 1000};

		assert_int_equal(pl_aggregate_move(row[i].util, &from, &to, row[i].from_preferred,
						   row[i].to_preferred, row[i].smt),
				 row[i].verdict);
	}
}

/* From the wording, once more. */
static enum pl_aggr_verdict naive_move(int64_t u, int64_t from, int64_t from_cap, int64_t to,
				       int64_t to_cap, int way, bool smt)
{
	int64_t limit = smt ? 50 : 75;
	bool from_over, to_over;

	from = from > u ? from - u : 0;
	to += u;
	from_over = from * 100 > from_cap * limit;
	to_over = to * 100 > to_cap * limit;
	if (way == 0 || (from_over && to_over))
		return PL_AGGR_IGNORE;
	if (way > 0 && to_over && to * 10 > from * 12)
		return PL_AGGR_REFUSE;
	if (way < 0 && (!from_over || from * 10 <= to * 12))
		return PL_AGGR_REFUSE;
	return PL_AGGR_ALLOW;
}

static void the_move_test_equals_the_wording(void **state)
{
	case_seed(17);
	for (int i = 0; i < NR_CASES; i++) {
		uint32_t u = case_random(1025);
		struct pl_llc_load from = {case_random(9000), 1024 * (1 + case_random(8))};
		struct pl_llc_load to = {case_random(9000), 1024 * (1 + case_random(8))};
		int way = (int)case_random(3) - 1;
		bool smt = case_chance(50);

		assert_int_equal(pl_aggregate_move(u, &from, &to, way<0, way> 0, smt),
				 naive_move(u, (int64_t)from.util, (int64_t)from.capacity,
					    (int64_t)to.util, (int64_t)to.capacity, way, smt));
	}
}

static void edges_make_sets(void **state)
{
	static const struct pl_edge edge[] = {
		{5, 3, 100}, {3, 1, 5000}, {0, 2, 99}, {4, 9, 1000}, {6, 6, 1000}, {7, 6, 100},
	};
	static const uint16_t expect[] = {0, 1, 2, 1, 4, 1, 6, 6};
	uint16_t group[8];

	pl_communicating_sets(edge, PL_ARRAY_SIZE(edge), group, 8);
	assert_memory_equal(group, expect, sizeof(expect));
	pl_communicating_sets(edge, 0, group, 8);
	for (uint16_t i = 0; i < 8; i++)
		assert_int_equal(group[i], i);
}

/* Two threads are in one set exactly when a walk over strong edges leads from one to the other. */
static void sets_equal_a_walk(void **state)
{
	enum { N = 12 };

	case_seed(18);
	for (int i = 0; i < NR_CASES / 4; i++) {
		struct pl_edge edge[16];
		uint32_t nr = case_random(16);
		bool linked[N][N] = {{false}};
		uint16_t group[N];

		for (uint32_t e = 0; e < nr; e++) {
			edge[e].a = (uint16_t)case_random(N);
			edge[e].b = (uint16_t)case_random(N);
			edge[e].turns = 80 + case_random(60);
			if (edge[e].turns >= 100)
				linked[edge[e].a][edge[e].b] = linked[edge[e].b][edge[e].a] = true;
		}
		for (int k = 0; k < N; k++)
			for (int a = 0; a < N; a++)
				for (int b = 0; b < N; b++)
					linked[a][b] = linked[a][b] || a == b ||
						       (linked[a][k] && linked[k][b]);
		pl_communicating_sets(edge, nr, group, N);
		for (int a = 0; a < N; a++)
			for (int b = 0; b < N; b++)
				assert_int_equal(group[a] == group[b], linked[a][b]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(occupancy_is_halved_every_epoch, setup),
		cmocka_unit_test_setup(switched_only_to_more_than_twice_as_much, setup),
		cmocka_unit_test_setup(no_preference, setup),
		cmocka_unit_test(the_move_test),
		cmocka_unit_test(the_move_test_equals_the_wording),
		cmocka_unit_test(edges_make_sets),
		cmocka_unit_test(sets_equal_a_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
