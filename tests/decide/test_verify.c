// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R4 verification: slices wide, together, wide or apart, together.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decide/verify.h"

static enum pl_hold formed(const uint32_t rate[4], uint32_t stacked, bool two_places)
{
	struct pl_slices s = {.stacked = stacked, .two_places = two_places};

	for (int i = 0; i < 4; i++)
		s.rate[i] = rate[i];
	return pl_verify_formation(&s);
}

static enum pl_hold formed_with_apart(const uint32_t rate[4], uint32_t stacked)
{
	struct pl_slices s = {.stacked = stacked, .two_places = true, .third_is_apart = true};

	for (int i = 0; i < 4; i++)
		s.rate[i] = rate[i];
	return pl_verify_formation(&s);
}

static void both_on_slices_must_win(void **state)
{
	assert_int_equal(formed((uint32_t[]){100, 105, 100, 105}, 0, false), PL_HOLD_TOGETHER);
	assert_int_equal(formed((uint32_t[]){100, 104, 100, 200}, 0, false), PL_HOLD_WIDE);
	assert_int_equal(formed((uint32_t[]){100, 200, 195, 200}, 0, false), PL_HOLD_WIDE);
	assert_int_equal(formed((uint32_t[]){200, 100, 200, 100}, 0, false), PL_HOLD_WIDE);
	assert_int_equal(formed((uint32_t[]){30000, 380000, 29000, 390000}, 0, false),
			 PL_HOLD_TOGETHER);
}

static void stacked_off_slices_need_not_be_beaten(void **state)
{
	/* The kernel had both on one CPU anyway: hold, so that it stays so. */
	assert_int_equal(formed((uint32_t[]){100, 101, 100, 99}, 1 | 4, false), PL_HOLD_TOGETHER);
	assert_int_equal(formed((uint32_t[]){110, 100, 100, 100}, 1 | 4, false), PL_HOLD_TOGETHER);
	/* But not against a better rate. */
	assert_int_equal(formed((uint32_t[]){115, 100, 100, 100}, 1 | 4, false), PL_HOLD_WIDE);
	/* One stacked, one spread and slower: both speak for the pair. */
	assert_int_equal(formed((uint32_t[]){258, 257, 84, 259}, 1, false), PL_HOLD_TOGETHER);
	assert_int_equal(formed((uint32_t[]){84, 257, 258, 259}, 4, false), PL_HOLD_TOGETHER);
	/* And one stacked slice of the two proves nothing. */
	assert_int_equal(formed((uint32_t[]){100, 101, 100, 101}, 1, false), PL_HOLD_WIDE);
	assert_int_equal(formed((uint32_t[]){100, 101, 100, 101}, 4, false), PL_HOLD_WIDE);
}

static void a_probe_lets_go_only_for_a_better_rate(void **state)
{
	assert_true(pl_verify_probe(100, 100));
	assert_true(pl_verify_probe(100, 104));
	assert_false(pl_verify_probe(100, 105));
	assert_true(pl_verify_probe(380000, 30000));
	assert_false(pl_verify_probe(0, 100));
}

static void probes_thin_out(void **state)
{
	assert_int_equal(pl_verify_probe_after_ns(0), 1000000000ull);
	assert_int_equal(pl_verify_probe_after_ns(1), 2000000000ull);
	assert_int_equal(pl_verify_probe_after_ns(6), 64000000000ull);
	assert_int_equal(pl_verify_probe_after_ns(600), 64000000000ull);
}

static void no_overflow_at_large_rates(void **state)
{
	assert_int_equal(
		formed((uint32_t[]){4000000000u, 4294967295u, 4000000000u, 4294967295u}, 0, false),
		PL_HOLD_TOGETHER);
	assert_true(pl_verify_probe(4294967295u, 4294967295u));
}

static void the_better_of_two_places_may_do_alone(void **state)
{
	const uint32_t slow_first[] = {110, 100, 110, 130}, close[] = {100, 104, 100, 114};

	assert_int_equal(formed(slow_first, 0, false), PL_HOLD_WIDE);
	assert_int_equal(formed(slow_first, 0, true), PL_HOLD_TOGETHER);
	assert_int_equal(formed(close, 0, true), PL_HOLD_WIDE);
	assert_int_equal(pl_verify_place(slow_first), 1);
	assert_int_equal(pl_verify_place((uint32_t[]){0, 100, 0, 104}), 0);
	assert_int_equal(pl_verify_place((uint32_t[]){0, 100, 0, 105}), 1);
	assert_int_equal(pl_verify_place((uint32_t[]){0, 100, 0, 50}), 0);
}

static void apart_must_beat_both_others(void **state)
{
	/* Rounds of 17.6 us on one CPU, 8.8 on two, 19 as the kernel moves them about. */
	assert_int_equal(formed_with_apart((uint32_t[]){52, 57, 114, 57}, 0), PL_HOLD_APART);
	/* The kernel does as well: no hold is needed. */
	assert_int_equal(formed_with_apart((uint32_t[]){100, 57, 114, 57}, 0), PL_HOLD_WIDE);
	assert_int_equal(formed_with_apart((uint32_t[]){100, 57, 115, 57}, 0), PL_HOLD_APART);
	/* The kernel stacks them. */
	assert_int_equal(formed_with_apart((uint32_t[]){57, 57, 114, 57}, 1), PL_HOLD_APART);
	/* One CPU is the best. */
	assert_int_equal(formed_with_apart((uint32_t[]){45, 136, 45, 130}, 0), PL_HOLD_TOGETHER);
	assert_int_equal(formed_with_apart((uint32_t[]){136, 136, 45, 130}, 1), PL_HOLD_TOGETHER);
	/* Hardly better than one CPU: neither. */
	assert_int_equal(formed_with_apart((uint32_t[]){50, 100, 104, 100}, 0), PL_HOLD_WIDE);
	assert_int_equal(formed_with_apart((uint32_t[]){50, 90, 105, 100}, 0), PL_HOLD_APART);
	/* It was ordered, but not so: nothing was measured. */
	assert_int_equal(formed_with_apart((uint32_t[]){52, 57, 114, 57}, 4), PL_HOLD_WIDE);
	/* A wide slice is none that can be held. */
	assert_int_equal(formed((uint32_t[]){52, 57, 114, 57}, 0, true), PL_HOLD_WIDE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_on_slices_must_win),
		cmocka_unit_test(apart_must_beat_both_others),
		cmocka_unit_test(stacked_off_slices_need_not_be_beaten),
		cmocka_unit_test(the_better_of_two_places_may_do_alone),
		cmocka_unit_test(a_probe_lets_go_only_for_a_better_rate),
		cmocka_unit_test(probes_thin_out),
		cmocka_unit_test(no_overflow_at_large_rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
