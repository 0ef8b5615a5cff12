// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// bench/hist.c: no time falls between buckets, and a quantile is off by 3 % at most.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench/hist.h"

static struct hist h;

static int empty(void **state)
{
	h = (struct hist){.count = 0};
	return 0;
}

static void each_bucket_begins_where_it_says(void **state)
{
	for (int b = 0; b < HIST_SIZE; b++) {
		uint64_t low = hist_floor(b);

		assert_int_equal(hist_bucket(low), b);
		if (b)
			assert_int_equal(hist_bucket(low - 1), b - 1);
	}
}

static void a_bucket_is_narrow(void **state)
{
	for (int b = HIST_SUB; b < HIST_SIZE - 1; b++) {
		uint64_t low = hist_floor(b), next = hist_floor(b + 1);

		assert_true((next - low) * HIST_SUB <= low);
	}
}

static void the_longest_time_has_a_bucket(void **state)
{
	assert_int_equal(hist_bucket(UINT64_MAX), HIST_SIZE - 1);
	assert_int_equal(hist_bucket(1ull << 40), HIST_SIZE - 1);
}

static void quantiles_of_known_times(void **state)
{
	double q;

	for (uint64_t ns = 1; ns <= 1000; ns++)
		hist_add(&h, ns * 1000);
	assert_int_equal(h.count, 1000);
	q = hist_quantile(&h, 0.5);
	assert_true(q > 485e3 && q <= 500e3);
	q = hist_quantile(&h, 0.99);
	assert_true(q > 960e3 && q <= 990e3);
	assert_true(hist_quantile(&h, 0) <= 1000);
	assert_true(hist_quantile(&h, 1) <= 1000e3 && hist_quantile(&h, 1) > 970e3);
}

static void nothing_has_no_quantile(void **state)
{
	assert_true(hist_quantile(&h, 0.5) == 0);
}

static void merging_adds(void **state)
{
	static struct hist other;

	hist_add(&h, 10);
	hist_add(&other, 20);
	hist_add(&other, 1000000);
	hist_merge(&h, &other);
	assert_int_equal(h.count, 3);
	assert_int_equal(h.bucket[hist_bucket(10)], 1);
	assert_int_equal(h.bucket[hist_bucket(20)], 1);
	assert_int_equal(h.bucket[hist_bucket(1000000)], 1);
	assert_int_equal(other.count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_bucket_begins_where_it_says),
		cmocka_unit_test(a_bucket_is_narrow),
		cmocka_unit_test(the_longest_time_has_a_bucket),
		cmocka_unit_test_setup(quantiles_of_known_times, empty),
		cmocka_unit_test_setup(nothing_has_no_quantile, empty),
		cmocka_unit_test_setup(merging_adds, empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
