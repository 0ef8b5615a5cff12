// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R2 from literals: classes in each mode, which source counts, core types, caps and priorities.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "decide/fits.h"
#include "machine/capacity.h"
#include "machine/core_type.h"

#define GROUP PL_CAPACITY_GROUP
#define EXACT PL_CAPACITY_EXACT

enum { MAX = 12 };

static struct pl_machine m;
static struct pl_raw raw;

/* NR CPUs, THREADS neighbours in number a core. */
static void new_machine(int nr, int threads)
{
	memset(&m, 0, sizeof(m));
	memset(&raw, 0, sizeof(raw));
	m.nr_cpu_ids = (uint16_t)nr;
	for (int c = 0; c < nr; c++)
		m.cpu[c] = (struct pl_cpu){.core = (uint16_t)(c / threads),
					   .cluster = (uint16_t)(c / threads),
					   .capacity = 1024};
	pl_machine_finish(&m);
}

/* The first values of KEY; a list ends with 0. */
static void put(enum pl_raw_key key, const unsigned int *values)
{
	for (int c = 0; values[c]; c++)
		pl_raw_put(&raw, key, c, values[c]);
}

#define PUT(key, ...) put((key), (const unsigned int[]){__VA_ARGS__, 0})

static void assert_capacities(const unsigned int *expected)
{
	for (int c = 0; expected[c]; c++)
		if (m.cpu[c].capacity != expected[c])
			fail_msg("CPU %d: capacity %u, not %u", c, m.cpu[c].capacity, expected[c]);
	assert_true(pl_machine_is_valid(&m));
}

#define ASSERT_CAPACITIES(...) assert_capacities((const unsigned int[]){__VA_ARGS__, 0})

static void test_groups(void **state)
{
	static const struct {
		enum pl_capacity_mode mode;
		uint16_t value[MAX];
		int nr_classes;
		uint16_t capacity[MAX];
	} cases[] = {
		{GROUP, {1024, 1024}, 1, {1024, 1024}},
		/* 1024 is greater than 972, not than 973. */
		{GROUP, {1024, 973}, 1, {1024, 1024}},
		{GROUP, {1024, 972}, 2, {1024, 972}},
		/* A class is measured from its largest, not from neighbour to neighbour. */
		{GROUP, {1024, 990, 973, 972, 930, 924}, 2, {1024, 1024, 1024, 972, 972, 972}},
		{GROUP, {1024, 990, 973, 972, 930, 923}, 3, {1024, 1024, 1024, 972, 972, 923}},
		/* Five values of a machine with two kinds of core. */
		{GROUP, {718, 997, 731, 1017, 1024}, 2, {731, 1024, 731, 1024, 1024}},
		{EXACT, {718, 997, 731, 1017, 1024}, 5, {718, 997, 731, 1017, 1024}},
		{EXACT, {1024, 1023, 1024}, 2, {1024, 1023, 1024}},
		{EXACT, {7, 7}, 1, {7, 7}},
		{GROUP, {250, 250, 620, 1024}, 3, {250, 250, 620, 1024}},
		{PL_CAPACITY_PACKING, {250, 1000, 1024}, 2, {250, 1024, 1024}},
		{PL_CAPACITY_OFF, {250, 1000, 1024}, 1, {1024, 1024, 1024}},
		/* Absent CPUs have no class; the smallest capacities there are. */
		{GROUP, {0, 1024, 0, 1}, 2, {0, 1024, 0, 1}},
		{GROUP, {2, 1}, 2, {2, 1}},
		{GROUP, {0, 0}, 0, {0, 0}},
		/* Above 1024 is as 1024. */
		{EXACT, {1025, 1024, 65535}, 1, {1024, 1024, 1024}},
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		uint8_t class[MAX];
		uint16_t capacity[MAX];
		int n = pl_capacity_group(cases[i].value, MAX, cases[i].mode, class, capacity);

		if (n != cases[i].nr_classes ||
		    memcmp(capacity, cases[i].capacity, sizeof(capacity)) != 0)
			fail_msg("case %zu: %d classes, capacities %u %u %u %u %u %u %u", i, n,
				 capacity[0], capacity[1], capacity[2], capacity[3], capacity[4],
				 capacity[5], capacity[6]);
	}
}

/* What holds of every grouping, whatever the values. */
static void test_groups_properties(void **state)
{
	enum { NR = 64 };
	unsigned int seed = 1;

	for (int round = 0; round < 3000; round++) {
		enum pl_capacity_mode mode = (enum pl_capacity_mode)(round % 4);
		uint16_t v[NR], capacity[NR];
		uint8_t class[NR];
		unsigned int width = 1u << (rand_r(&seed) % 11);
		int nr;

		for (int i = 0; i < NR; i++)
			v[i] = (uint16_t)(1024 - rand_r(&seed) % width);
		nr = pl_capacity_group(v, NR, mode, class, capacity);
		for (int i = 0; i < NR; i++) {
			assert_in_range(class[i], 0, nr - 1);
			assert_in_range(capacity[i], v[i], 1024);
			if (mode == PL_CAPACITY_EXACT)
				assert_int_equal(capacity[i], v[i]);
			else if (mode != PL_CAPACITY_OFF)
				assert_false(pl_capacity_greater(capacity[i], v[i]));
			for (int j = 0; j < NR; j++) {
				assert_int_equal(class[i] == class[j], capacity[i] == capacity[j]);
				if (v[i] > v[j])
					assert_true(class[i] <= class[j]);
				if (class[i] < class[j])
					assert_true(capacity[i] > capacity[j]);
				if (class[i] < class[j] && mode == PL_CAPACITY_GROUP)
					assert_true(pl_capacity_greater(capacity[i], v[j]));
			}
		}
	}
}

/* More values than classes have numbers. */
static void test_many_classes(void **state)
{
	static uint16_t v[1024], capacity[1024];
	static uint8_t class[1024];

	for (int i = 0; i < 1024; i++)
		v[i] = (uint16_t)(i + 1);
	assert_int_equal(pl_capacity_group(v, 1024, PL_CAPACITY_EXACT, class, capacity), 256);
	assert_int_equal(class[1023], 0);
	assert_int_equal(class[0], 255);
	assert_int_equal(capacity[0], 1024 - 255);
}

static void fill_with(int source, enum pl_capacity_mode mode)
{
	pl_capacity_fill(&m, &raw, mode);
	assert_int_equal(m.capacity_source, source);
	assert_int_equal(m.capacity_mode, mode);
}

static void test_no_source(void **state)
{
	new_machine(4, 1);
	fill_with(PL_CAPACITY_EQUAL, GROUP);
	ASSERT_CAPACITIES(1024, 1024, 1024, 1024);
	assert_false(m.asymmetric);
	assert_int_equal(m.nr_classes, 1);
}

static void test_first_that_differs(void **state)
{
	new_machine(2, 1);
	PUT(PL_RAW_BASE_FREQ, 2000000, 1000000);
	fill_with(PL_CAPACITY_FREQ, GROUP);
	ASSERT_CAPACITIES(1024, 512);
	PUT(PL_RAW_MAX_FREQ, 4000000, 3000000);
	fill_with(PL_CAPACITY_FREQ, GROUP);
	ASSERT_CAPACITIES(1024, 768);
	PUT(PL_RAW_KIND, 4000, 1000);
	fill_with(PL_CAPACITY_KIND, GROUP);
	ASSERT_CAPACITIES(1024, 256);
	PUT(PL_RAW_NOMINAL_FREQ, 1000, 2000);
	fill_with(PL_CAPACITY_NOMINAL, GROUP);
	ASSERT_CAPACITIES(512, 1024);
	raw.kind[0] = 1;
	raw.kind[1] = 2;
	PUT(PL_RAW_PERF, 40, 30);
	fill_with(PL_CAPACITY_PERF, GROUP);
	ASSERT_CAPACITIES(1024, 768);
	PUT(PL_RAW_CAPACITY, 1024, 1024);
	fill_with(PL_CAPACITY_PERF, GROUP); /* equal values tell nothing apart */
	PUT(PL_RAW_CAPACITY, 512, 1024);
	fill_with(PL_CAPACITY_ARCH, GROUP);
	ASSERT_CAPACITIES(512, 1024);
}

static void test_scaled(void **state)
{
	new_machine(3, 1);
	PUT(PL_RAW_CAPACITY, 1025, 234, 234); /* more than 1024 occurs */
	fill_with(PL_CAPACITY_ARCH, GROUP);
	ASSERT_CAPACITIES(1024, 233, 233);
	PUT(PL_RAW_CAPACITY, 500, 250, 250); /* the largest may be offline */
	fill_with(PL_CAPACITY_ARCH, GROUP);
	ASSERT_CAPACITIES(1024, 512, 512);
	PUT(PL_RAW_CAPACITY, 1 << 20, 1, 1);
	fill_with(PL_CAPACITY_ARCH, GROUP);
	ASSERT_CAPACITIES(1024, 1, 1);
}

static void test_siblings(void **state)
{
	new_machine(4, 2);
	PUT(PL_RAW_CAPACITY, 1024, 512, 1000, 800);
	fill_with(PL_CAPACITY_ARCH, EXACT);
	ASSERT_CAPACITIES(655, 655, 1024, 1024);
	/* One good sibling is enough. */
	PUT(PL_RAW_CAPACITY, 512, 512, 1024);
	raw.v[PL_RAW_CAPACITY][3].state = PL_RAW_UNREADABLE;
	fill_with(PL_CAPACITY_ARCH, EXACT);
	ASSERT_CAPACITIES(512, 512, 1024, 1024);
	/* They differ inside cores only. */
	PUT(PL_RAW_CAPACITY, 512, 1024, 1024, 512);
	fill_with(PL_CAPACITY_EQUAL, EXACT);
}

/* Values that cannot be: the source as a whole is passed over. */
static void test_absurd(void **state)
{
	static const uint64_t absurd[] = {0, (1 << 20) + 1, 1ull << 31, UINT64_MAX};

	for (size_t i = 0; i < PL_ARRAY_SIZE(absurd); i++) {
		new_machine(2, 1);
		PUT(PL_RAW_CAPACITY, 1024, 512);
		pl_raw_put(&raw, PL_RAW_CAPACITY, 1, absurd[i]);
		assert_int_equal(raw.v[PL_RAW_CAPACITY][1].state, PL_RAW_ABSURD);
		assert_int_equal(raw.v[PL_RAW_CAPACITY][1].value, absurd[i]);
		PUT(PL_RAW_MAX_FREQ, 3000000, 1500000);
		fill_with(PL_CAPACITY_FREQ, GROUP);
		ASSERT_CAPACITIES(1024, 512);
	}
	/* kHz are judged as MHz. */
	new_machine(1, 1);
	pl_raw_put(&raw, PL_RAW_MAX_FREQ, 0, 5000000);
	assert_int_equal(raw.v[PL_RAW_MAX_FREQ][0].state, PL_RAW_GOOD);
	pl_raw_put(&raw, PL_RAW_MAX_FREQ, 0, 999);
	assert_int_equal(raw.v[PL_RAW_MAX_FREQ][0].state, PL_RAW_ABSURD);
}

static void test_verdicts(void **state)
{
	static uint32_t v[PL_MAX_CPUS];

	new_machine(2, 1);
	assert_int_equal(pl_capacity_values(&m, &raw, PL_CAPACITY_ARCH, v), PL_SOURCE_ABSENT);
	pl_raw_put(&raw, PL_RAW_CAPACITY, 1, 512);
	assert_int_equal(pl_capacity_values(&m, &raw, PL_CAPACITY_ARCH, v), PL_SOURCE_PARTIAL);
	assert_int_equal(v[1], 512);
	pl_raw_put(&raw, PL_RAW_CAPACITY, 0, 512);
	assert_int_equal(pl_capacity_values(&m, &raw, PL_CAPACITY_ARCH, v), PL_SOURCE_EQUAL);
	pl_raw_put(&raw, PL_RAW_CAPACITY, 0, 511);
	assert_int_equal(pl_capacity_values(&m, &raw, PL_CAPACITY_ARCH, v), PL_SOURCE_DIFFERS);
	assert_int_equal(v[0], 511);
}

/* Favoured cores of one type: a rank, no capacity. */
static void test_one_core_type(void **state)
{
	new_machine(8, 1);
	PUT(PL_RAW_PERF, 166, 236, 176, 186, 196, 206, 216, 226);
	fill_with(PL_CAPACITY_EQUAL, GROUP);
	assert_false(m.asymmetric);
	assert_int_equal(m.cpu[0].priority, 166);
	assert_int_equal(m.cpu[1].priority, 236);
	fill_with(PL_CAPACITY_EQUAL, EXACT);
	assert_int_equal(m.nr_classes, 1);
	/* Equal ranks are none. */
	PUT(PL_RAW_PERF, 166, 166, 166, 166, 166, 166, 166, 166);
	fill_with(PL_CAPACITY_EQUAL, GROUP);
	assert_int_equal(m.cpu[1].priority, 0);
}

/* Two threads on some cores, one on others, and values clearly apart. */
static void test_core_types_by_threads(void **state)
{
	new_machine(6, 1);
	m.cpu[1].core = m.cpu[0].core;
	m.cpu[3].core = m.cpu[2].core = 1;
	m.cpu[4].core = 2;
	m.cpu[5].core = 3;
	for (int c = 0; c < 6; c++)
		m.cpu[c].cluster = m.cpu[c].core;
	pl_machine_finish(&m);
	PUT(PL_RAW_PERF, 64, 64, 67, 67, 39, 39);
	fill_with(PL_CAPACITY_PERF, GROUP);
	ASSERT_CAPACITIES(1024, 1024, 1024, 1024, 596, 596);
	assert_true(m.asymmetric);
	assert_int_equal(m.nr_classes, 2);
	assert_int_equal(m.cpu[0].priority, 64);
	assert_int_equal(m.cpu[2].priority, 67);
	fill_with(PL_CAPACITY_PERF, EXACT); /* still one class in a type */
	assert_int_equal(m.nr_classes, 2);
	/* A sibling offline makes no type where the values lie among each other. */
	PUT(PL_RAW_PERF, 166, 166, 236, 236, 196, 206);
	fill_with(PL_CAPACITY_EQUAL, GROUP);
	/* Nor does it where AMD's files say that the values are ranks. */
	PUT(PL_RAW_PERF, 236, 236, 226, 226, 176, 166);
	PUT(PL_RAW_PREFCORE, 236, 236, 226, 226, 176, 166);
	fill_with(PL_CAPACITY_EQUAL, GROUP);
	assert_int_equal(m.cpu[5].priority, 166);
}

static void test_core_type_signs(void **state)
{
	struct pl_core_types types;

	new_machine(3, 1);
	PUT(PL_RAW_PERF, 64, 45, 26);
	pl_core_types_find(&m, &raw, &types);
	assert_int_equal(types.nr, 1);
	raw.pmu[0] = 1;
	raw.pmu[1] = raw.pmu[2] = 2;
	pl_core_types_find(&m, &raw, &types);
	assert_int_equal(types.nr, 2);
	assert_int_equal(types.of[1], types.of[2]);
	assert_int_equal(types.perf[types.of[1]], 45);
	/* Signs add up. */
	raw.kind[0] = 1;
	raw.kind[1] = 2;
	raw.kind[2] = 3;
	pl_core_types_find(&m, &raw, &types);
	assert_int_equal(types.nr, 3);
	/* Kinds that are one per capacity are no sign. */
	raw.kind_is_capacity = 1;
	pl_core_types_find(&m, &raw, &types);
	assert_int_equal(types.nr, 2);
	/* The design of a core, not its revision. */
	new_machine(3, 1);
	PUT(PL_RAW_PERF, 64, 45, 45);
	raw.midr[0] = 0x410fd850;
	raw.midr[1] = 0x410fd871;
	raw.midr[2] = 0x411fd870;
	pl_core_types_find(&m, &raw, &types);
	assert_int_equal(types.nr, 2);
	assert_int_equal(types.of[1], types.of[2]);
	/* So many signs that they mean nothing. */
	new_machine(PL_MAX_CORE_TYPES + 1, 1);
	for (int c = 0; c <= PL_MAX_CORE_TYPES; c++)
		raw.kind[c] = (uint8_t)(c + 1);
	pl_core_types_find(&m, &raw, &types);
	assert_int_equal(types.nr, 1);
}

static void test_below_nominal_is_ignored(void **state)
{
	new_machine(2, 1);
	raw.kind[0] = 1;
	raw.kind[1] = 2;
	PUT(PL_RAW_PERF, 100, 50);
	raw.v[PL_RAW_PERF][1].state = PL_RAW_CONTRADICTS;
	PUT(PL_RAW_NOMINAL_FREQ, 2000, 1500);
	fill_with(PL_CAPACITY_NOMINAL, GROUP);
	ASSERT_CAPACITIES(1024, 768);
}

static void test_capped(void **state)
{
	new_machine(4, 1);
	PUT(PL_RAW_CAPACITY, 1024, 512, 1024, 1024);
	PUT(PL_RAW_MAX_FREQ, 4000000, 4000000, 4000000, 4000000);
	PUT(PL_RAW_SCALING_MAX, 2000000, 1000000, 5000000, 4000000);
	fill_with(PL_CAPACITY_ARCH, GROUP);
	ASSERT_CAPACITIES(1024, 512, 1024, 1024);
	assert_int_equal(m.cpu[0].actual, 512);
	assert_int_equal(m.cpu[1].actual, 128);
	assert_int_equal(m.cpu[2].actual, 1024);
	assert_int_equal(m.cpu[3].actual, 1024);
	raw.v[PL_RAW_SCALING_MAX][0].state = PL_RAW_UNREADABLE;
	fill_with(PL_CAPACITY_ARCH, GROUP);
	assert_int_equal(m.cpu[0].actual, 1024);
	pl_raw_put(&raw, PL_RAW_SCALING_MAX, 1, 1000);
	fill_with(PL_CAPACITY_ARCH, GROUP);
	assert_int_equal(m.cpu[1].actual, 1); /* never none */
	fill_with(PL_CAPACITY_ARCH, PL_CAPACITY_OFF);
	assert_int_equal(m.cpu[1].capacity, 1024);
}

static void test_priority(void **state)
{
	new_machine(2, 1);
	PUT(PL_RAW_PERF, 200, 210);
	PUT(PL_RAW_AMD_PERF, 166, 196);
	PUT(PL_RAW_PREFCORE, 231, 236);
	fill_with(PL_CAPACITY_EQUAL, GROUP);
	assert_int_equal(m.cpu[0].priority, 231);
	raw.v[PL_RAW_PREFCORE][0].state = PL_RAW_UNREADABLE; /* half a ranking is none */
	fill_with(PL_CAPACITY_EQUAL, GROUP);
	assert_int_equal(m.cpu[0].priority, 166);
	PUT(PL_RAW_AMD_PERF, 255, 255);
	fill_with(PL_CAPACITY_EQUAL, GROUP);
	assert_int_equal(m.cpu[0].priority, 200);
	PUT(PL_RAW_PREFCORE, 1 << 20, 5);
	fill_with(PL_CAPACITY_EQUAL, GROUP);
	assert_int_equal(m.cpu[0].priority, UINT16_MAX);
}

/* What packing goes by where nothing ranks CPUs: the differences that one class hides. */
static void test_packing(void **state)
{
	new_machine(3, 1);
	PUT(PL_RAW_CAPACITY, 990, 1024, 500);
	fill_with(PL_CAPACITY_ARCH, PL_CAPACITY_PACKING);
	ASSERT_CAPACITIES(1024, 1024, 500);
	assert_int_equal(m.cpu[0].priority, 990);
	assert_int_equal(m.cpu[1].priority, 1024);
	fill_with(PL_CAPACITY_ARCH, GROUP);
	assert_int_equal(m.cpu[0].priority, 0);
}

static void test_modes_again(void **state)
{
	static struct pl_machine first;

	new_machine(4, 1);
	PUT(PL_RAW_CAPACITY, 1024, 1000, 500, 490);
	fill_with(PL_CAPACITY_ARCH, GROUP);
	first = m;
	fill_with(PL_CAPACITY_ARCH, EXACT);
	ASSERT_CAPACITIES(1024, 1000, 500, 490);
	assert_int_equal(m.nr_classes, 4);
	fill_with(PL_CAPACITY_ARCH, PL_CAPACITY_OFF);
	ASSERT_CAPACITIES(1024, 1024, 1024, 1024);
	assert_false(m.asymmetric);
	fill_with(PL_CAPACITY_ARCH, GROUP);
	assert_memory_equal(&m, &first, sizeof(m));
}

static void test_mode_names(void **state)
{
	static const char *const names[] = {"group", "exact", "packing", "off"};
	enum pl_capacity_mode mode = PL_CAPACITY_OFF;

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		assert_true(pl_capacity_mode_parse(names[i], &mode));
		assert_int_equal(mode, i);
		assert_string_equal(pl_capacity_mode_name(mode), names[i]);
	}
	assert_true(pl_capacity_mode_parse("auto", &mode));
	assert_int_equal(mode, GROUP);
	mode = PL_CAPACITY_EXACT;
	assert_false(pl_capacity_mode_parse("", &mode));
	assert_false(pl_capacity_mode_parse("groups", &mode));
	assert_int_equal(mode, EXACT);
	assert_string_equal(pl_capacity_mode_name((enum pl_capacity_mode)9), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_groups_properties),
		cmocka_unit_test(test_many_classes),
		cmocka_unit_test(test_no_source),
		cmocka_unit_test(test_first_that_differs),
		cmocka_unit_test(test_scaled),
		cmocka_unit_test(test_siblings),
		cmocka_unit_test(test_absurd),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_one_core_type),
		cmocka_unit_test(test_core_types_by_threads),
		cmocka_unit_test(test_core_type_signs),
		cmocka_unit_test(test_below_nominal_is_ignored),
		cmocka_unit_test(test_capped),
		cmocka_unit_test(test_priority),
		cmocka_unit_test(test_packing),
		cmocka_unit_test(test_modes_again),
		cmocka_unit_test(test_mode_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
