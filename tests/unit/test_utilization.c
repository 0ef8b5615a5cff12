// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The fading average: half-life, limits, the estimate, and what counts as CPU-bound.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "observe/utilization.h"

#define MS 1000000ull

static void test_half_life(void **state)
{
	struct pl_util u = {0};

	pl_util_add(&u, 32 * MS, 32 * MS);
	assert_in_range(u.avg, 511, 513);
	pl_util_add(&u, 32 * MS, 32 * MS);
	assert_in_range(u.avg, 767, 769);
	pl_util_add(&u, 64 * MS, 0);
	assert_in_range(u.avg, 191, 193);
}

static void test_steps_do_not_matter(void **state)
{
	struct pl_util fine = {0}, coarse = {0};

	for (int i = 0; i < 100; i++)
		pl_util_add(&fine, 1 * MS, MS / 2);
	pl_util_add(&coarse, 100 * MS, 50 * MS);
	assert_in_range(fine.avg, coarse.avg - 20, coarse.avg + 20);
}

static void test_limits(void **state)
{
	struct pl_util u = {0};

	pl_util_add(&u, 0, 5 * MS); /* no time, no share */
	assert_int_equal(u.avg, 0);
	pl_util_add(&u, 3600000 * MS, 7200000 * MS); /* clocks differ a little */
	assert_int_equal(u.avg, 1024);
	pl_util_add(&u, 3600000 * MS, 0);
	assert_int_equal(u.avg, 0);
}

static void test_estimate_outlasts_a_pause(void **state)
{
	struct pl_util u = {0};
	uint32_t top;

	pl_util_add(&u, 200 * MS, 200 * MS);
	top = u.avg;
	assert_true(top > 1000);
	assert_int_equal(u.est, top);
	pl_util_add(&u, 200 * MS, 0);
	assert_true(u.avg < 20);
	assert_int_equal(pl_util_need(&u), top);
	/* A quarter of the difference a second. */
	pl_util_add(&u, 800 * MS, 0);
	assert_in_range(u.est, top * 3 / 4 - 8, top * 3 / 4 + 8);
	for (int i = 0; i < 40; i++)
		pl_util_add(&u, 1000 * MS, 0);
	assert_int_equal(u.est, 0);
}

static void test_cpu_bound(void **state)
{
	struct pl_util u = {0};

	for (int ms = 0; ms < 70; ms += 10)
		pl_util_add(&u, 10 * MS, 10 * MS);
	assert_in_range(u.avg, 750, 800);
	assert_false(pl_util_is_cpu_bound(&u));
	for (int ms = 0; ms < 100; ms += 10)
		pl_util_add(&u, 10 * MS, 10 * MS);
	assert_true(pl_util_is_cpu_bound(&u));
	pl_util_add(&u, 20 * MS, 0);
	assert_false(pl_util_is_cpu_bound(&u));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_half_life), cmocka_unit_test(test_steps_do_not_matter),
		cmocka_unit_test(test_limits),	  cmocka_unit_test(test_estimate_outlasts_a_pause),
		cmocka_unit_test(test_cpu_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
