// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// tools/bench/judge.c from literals: when a bar fails, passes, or stays open.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/bench/judge.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static void test_median(void **state)
{
	const double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, gaps[] = {NAN, 5, NAN, 1, 3};
	const double none[] = {NAN};

	NEAR(pl_judge_median(odd, 3), 2);
	NEAR(pl_judge_median(even, 4), 2.5);
	NEAR(pl_judge_median(gaps, 5), 3);
	NEAR(odd[0], 3); /* the input keeps its order */
	assert_true(isnan(pl_judge_median(none, 1)));
	assert_true(isnan(pl_judge_median(NULL, 0)));
}

static void test_min_max(void **state)
{
	const double v[] = {NAN, 5, 1, 3};

	NEAR(pl_judge_min(v, 4), 1);
	NEAR(pl_judge_max(v, 4), 5);
	assert_true(isnan(pl_judge_min(v, 1)));
}

/* A drift that both share does not widen the interval: that is what pairing is for. */
static void test_paired_ratio_ignores_drift(void **state)
{
	const double b[] = {10, 20, 40, 80, 160, 20, 10, 5, 10};
	double a[9];
	struct pl_interval iv;

	for (int i = 0; i < 9; i++)
		a[i] = 2 * b[i];
	assert_true(pl_judge_ratio(a, b, 9, &iv));
	NEAR(iv.mid, 2);
	NEAR(iv.lo, 2);
	NEAR(iv.hi, 2);
	assert_int_equal(iv.n, 9);
	assert_true(pl_judge_is_narrow(&iv));
}

static void test_ratio_interval_covers_the_middle(void **state)
{
	const double a[] = {1.0, 1.2, 0.9, 1.1, 1.05, 0.95, 1.3, 0.8, 1.0};
	const double b[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
	struct pl_interval iv, again;

	assert_true(pl_judge_ratio(a, b, 9, &iv));
	NEAR(iv.mid, 1.0);
	assert_true(iv.lo >= 0.8 && iv.lo < 1.0);
	assert_true(iv.hi > 1.0 && iv.hi <= 1.3);
	assert_false(pl_judge_is_narrow(&iv));
	assert_true(pl_judge_ratio(a, b, 9, &again));
	NEAR(iv.lo, again.lo);
	NEAR(iv.hi, again.hi);
}

static void test_ratio_leaves_out_what_failed(void **state)
{
	const double a[] = {2, NAN, 2, 2, 2, 2, 0, 9}, b[] = {1, 1, 1, 1, 1, 1, 1, -1};
	const double nothing[] = {NAN, NAN};
	struct pl_interval iv = {.mid = 7};

	assert_true(pl_judge_ratio(a, b, 8, &iv));
	assert_int_equal(iv.n, 5);
	NEAR(iv.mid, 2);
	iv.mid = 7;
	assert_false(pl_judge_ratio(nothing, b, 2, &iv));
	NEAR(iv.mid, 7); /* untouched on failure */
}

/* Four pairs are too few: whatever they say, no bar fails. */
static void test_few_pairs_fail_nothing(void **state)
{
	const double a[] = {9, 9, 9, 9}, b[] = {1, 1, 1, 1};
	struct pl_interval iv;

	assert_true(pl_judge_ratio(a, b, 4, &iv));
	NEAR(iv.mid, 9);
	assert_int_equal(pl_judge_bar(&iv, 1.05, true), PL_BAR_OPEN);
	assert_false(pl_judge_is_settled(&iv, 1.05, true));
}

static void test_difference(void **state)
{
	const double a[] = {5, 6, 7, 8, 9}, b[] = {5, 5, 5, 5, 5};
	struct pl_interval iv;

	assert_true(pl_judge_difference(a, b, 5, &iv));
	NEAR(iv.mid, 2);
	assert_true(iv.lo >= 0 && iv.hi <= 4);
}

static void test_bar(void **state)
{
	const struct pl_interval iv = {.mid = 1.06, .lo = 1.04, .hi = 1.08, .n = 9};

	/* time: the bar is an upper limit */
	assert_int_equal(pl_judge_bar(&iv, 1.10, true), PL_BAR_PASS);
	assert_int_equal(pl_judge_bar(&iv, 1.05, true), PL_BAR_OPEN);
	assert_int_equal(pl_judge_bar(&iv, 1.03, true), PL_BAR_FAIL);
	/* rate: the bar is a lower limit */
	assert_int_equal(pl_judge_bar(&iv, 1.00, false), PL_BAR_PASS);
	assert_int_equal(pl_judge_bar(&iv, 1.05, false), PL_BAR_OPEN);
	assert_int_equal(pl_judge_bar(&iv, 1.10, false), PL_BAR_FAIL);
}

static void test_settled(void **state)
{
	const struct pl_interval narrow = {.mid = 1.06, .lo = 1.04, .hi = 1.08, .n = 9};
	const struct pl_interval wide = {.mid = 0.5, .lo = 0.3, .hi = 0.8, .n = 9};

	assert_true(pl_judge_is_settled(&narrow, 1.05, true));
	assert_true(pl_judge_is_settled(&narrow, NAN, true));
	/* wide, but wherever the truth lies in it the bar holds */
	assert_true(pl_judge_is_settled(&wide, 1.05, true));
	/* a bar is not failed early: that would favour the unlucky draw */
	assert_false(pl_judge_is_settled(&wide, 0.2, true));
	assert_false(pl_judge_is_settled(&wide, 0.5, true));
	assert_false(pl_judge_is_settled(&wide, NAN, true));
}

static struct pl_interval interval(double lo, double mid, double hi, size_t n)
{
	return (struct pl_interval){mid, lo, hi, n};
}

static enum pl_outcome outcome(double lo, double mid, double hi, size_t n, bool lower)
{
	struct pl_interval iv = interval(lo, mid, hi, n);

	return pl_judge_outcome(&iv, lower);
}

/* What lies within the noise is no win, however good its middle looks. */
static void test_noise_is_no_win(void **state)
{
	assert_int_equal(outcome(0.4, 0.5, 1.01, 9, true), PL_NO_DIFFERENCE);
	assert_int_equal(outcome(0.99, 3, 9, 9, false), PL_NO_DIFFERENCE);
	assert_int_equal(outcome(0.9, 1, 1.1, 9, true), PL_NO_DIFFERENCE);
	assert_int_equal(outcome(1, 1, 1, 9, true), PL_NO_DIFFERENCE);
	assert_int_equal(outcome(0.4, 0.5, 0.6, 9, true), PL_BETTER);
	assert_int_equal(outcome(0.4, 0.5, 0.6, 9, false), PL_WORSE);
	assert_int_equal(outcome(1.1, 1.2, 1.3, 9, true), PL_WORSE);
	assert_int_equal(outcome(1.1, 1.2, 1.3, 9, false), PL_BETTER);
	assert_int_equal(outcome(1.1, 1.2, 1.3, PL_JUDGE_MIN_PAIRS - 1, false), PL_TOO_FEW);
}

static void test_spread(void **state)
{
	const double v[] = {8, NAN, 10, 12};

	NEAR(pl_judge_spread(v, 4), 0.4);
	NEAR(pl_judge_spread(v, 1), 0);
	assert_true(isnan(pl_judge_spread(v + 1, 1)));
}

static void test_class(void **state)
{
	assert_int_equal(pl_judge_class(0.0), PL_RUN_STACKED);
	assert_int_equal(pl_judge_class(0.49), PL_RUN_STACKED);
	assert_int_equal(pl_judge_class(0.5), PL_RUN_SPREAD);
	assert_int_equal(pl_judge_class(NAN), PL_RUN_UNKNOWN);
}

static void test_order_rotates(void **state)
{
	int seen[5][5] = {{0}};

	for (size_t round = 0; round < 5; round++) {
		for (size_t pos = 0; pos < 5; pos++)
			seen[pl_judge_order(round, pos, 5)][pos]++;
	}
	for (int c = 0; c < 5; c++) {
		for (int pos = 0; pos < 5; pos++)
			assert_int_equal(seen[c][pos], 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_min_max),
		cmocka_unit_test(test_paired_ratio_ignores_drift),
		cmocka_unit_test(test_ratio_interval_covers_the_middle),
		cmocka_unit_test(test_ratio_leaves_out_what_failed),
		cmocka_unit_test(test_few_pairs_fail_nothing),
		cmocka_unit_test(test_difference),
		cmocka_unit_test(test_bar),
		cmocka_unit_test(test_settled),
		cmocka_unit_test(test_noise_is_no_win),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_class),
		cmocka_unit_test(test_order_rotates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
