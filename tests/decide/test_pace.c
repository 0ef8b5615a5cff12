// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// How long masks are held, when the balancer looks, and what load is somebody else's: tables.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "decide/others.h"
#include "decide/pace.h"

#define MS 1000000ull

static void holds_double_while_the_kernel_insists(void **state)
{
	static const struct {
		uint32_t level;
		uint64_t given_ms, now_ms;
		uint32_t next;
		uint64_t hold_ms;
	} row[] = {
		{0, 0, 5000, 0, 400},
		{3, 0, 100, 0, 400},
		{0, 5000, 5000, 1, 800},
		{0, 5000, 5799, 1, 800},
		{0, 5000, 5800, 0, 400},
		{1, 5000, 6599, 2, 1600},
		{1, 5000, 6600, 0, 400},
		{6, 5000, 6000, 7, 51200},
		{7, 5000, 107399, 7, 51200},
		{7, 5000, 107400, 0, 400},
		{UINT32_MAX, 5000, 6000, 7, 51200},
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(row); i++) {
		uint32_t next =
			pl_hold_level(row[i].level, row[i].given_ms * MS, row[i].now_ms * MS);

		assert_int_equal(next, row[i].next);
		assert_int_equal(pl_hold_ns(next), row[i].hold_ms * MS);
	}
}

/* From the start: each row is one look. */
static void looks_become_rare(void **state)
{
	static const struct {
		bool changed;
		uint64_t due_ms, ms;
	} row[] = {
		{false, 0, 4},	  {false, 0, 4},    {false, 0, 20},   {false, 0, 40},
		{false, 0, 80},	  {false, 0, 160},  {false, 0, 320},  {false, 0, 640},
		{false, 0, 1000}, {false, 0, 1000}, {true, 0, 4},     {false, 0, 4},
		{false, 400, 20}, {false, 30, 30},  {false, 100, 60}, {true, 1, 4},
		{true, 0, 4},	  {false, 0, 4},    {false, 0, 20},
	};
	struct pl_pace p = {PL_PACE_MIN_NS, PL_PACE_NR_FAST};

	for (size_t i = 0; i < PL_ARRAY_SIZE(row); i++)
		assert_int_equal(pl_pace_next(&p, row[i].changed, row[i].due_ms * MS),
				 row[i].ms * MS);
}

static void a_quarter_of_a_cpu_is_somebody(void **state)
{
	static const struct {
		uint64_t busy, own, total;
	} row[] = {
		{0, 0, 0},	 {255, 0, 0},	    {256, 0, 256},  {2048, 2000, 0},
		{2048, 1793, 0}, {2048, 1792, 256}, {100, 3000, 0}, {4096, 1024, 3072},
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(row); i++)
		assert_int_equal(pl_others_total(row[i].busy, row[i].own), row[i].total);
}

static void beside_ours_only_what_is_clear(void **state)
{
	static const struct {
		uint64_t load, mine, total;
		int on;
	} row[] = {
		{100, 0, 1000, 100}, {100, 101, 1000, 0},   {356, 101, 1000, 255},
		{356, 102, 1000, 0}, {358, 102, 1000, 256}, {1024, 512, 300, 300},
		{1024, 0, 500, 500}, {1100, 0, 4000, 1024}, {50, 200, 4000, 0},
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(row); i++)
		assert_int_equal(pl_others_on(row[i].load, row[i].mine, row[i].total), row[i].on);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_double_while_the_kernel_insists),
		cmocka_unit_test(looks_become_rare),
		cmocka_unit_test(a_quarter_of_a_cpu_is_somebody),
		cmocka_unit_test(beside_ours_only_what_is_clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
