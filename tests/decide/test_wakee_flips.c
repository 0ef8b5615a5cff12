// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R3: flips count changes of wakee, decay once a second, and mark hubs as wide.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decide/wakee_flips.h"

#define S 1000000000ull

static void flips_count_changes_only(void **state)
{
	struct pl_flips w = {.decayed_ns = 10 * S};

	pl_record_wakee(&w, 7, 10 * S);
	assert_int_equal(w.flips, 1);
	pl_record_wakee(&w, 7, 10 * S + 1);
	assert_int_equal(w.flips, 1);
	pl_record_wakee(&w, 8, 10 * S + 2);
	pl_record_wakee(&w, 7, 10 * S + 3);
	assert_int_equal(w.flips, 3);
	assert_int_equal(w.last_wakee, 7);
}

static void flips_halve_once_however_long_ago(void **state)
{
	struct pl_flips w = {.last_wakee = 7, .flips = 40, .decayed_ns = 10 * S};

	pl_record_wakee(&w, 7, 11 * S); /* exactly a second: not more than a second */
	assert_int_equal(w.flips, 40);
	pl_record_wakee(&w, 7, 11 * S + 1);
	assert_int_equal(w.flips, 20);
	pl_record_wakee(&w, 7, 100 * S);
	assert_int_equal(w.flips, 10);
	pl_record_wakee(&w, 9, 200 * S); /* halved first, then counted */
	assert_int_equal(w.flips, 6);
}

static void wide_needs_both_conditions(void **state)
{
	assert_false(pl_wake_wide(100, 3, 4)); /* the smaller is below the LLC */
	assert_false(pl_wake_wide(15, 4, 4));  /* the larger is below the product */
	assert_true(pl_wake_wide(16, 4, 4));
	assert_true(pl_wake_wide(4, 16, 4)); /* either way round */
	assert_true(pl_wake_wide(UINT32_MAX, UINT32_MAX / 2, 2));
	assert_false(pl_wake_wide(UINT32_MAX, UINT32_MAX, UINT32_MAX)); /* no overflow */
}

static void a_hub_has_more_wakees_than_the_llc_cpus(void **state)
{
	assert_false(pl_wake_hub(2, 2));
	assert_true(pl_wake_hub(3, 2));
	assert_false(pl_wake_hub(16, 64));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flips_count_changes_only),
		cmocka_unit_test(flips_halve_once_however_long_ago),
		cmocka_unit_test(wide_needs_both_conditions),
		cmocka_unit_test(a_hub_has_more_wakees_than_the_llc_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
