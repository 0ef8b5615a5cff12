// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Hints in a word, and the pair that a program names (R4).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "decide/hints.h"
#include "decide/reciprocal.h"

static void test_zero_says_nothing(void **state)
{
	struct pl_hints h = pl_hints_unpack(0);

	assert_int_equal(h.umin, 0);
	assert_int_equal(h.umax, 1024);
	assert_int_equal(h.class, PL_CLASS_THROUGHPUT);
	assert_false(h.trust);
	for (uint32_t u = 0; u <= 1024; u++)
		assert_int_equal(pl_hints_util(0, u), u);
}

static void test_round_trip(void **state)
{
	static const uint32_t value[] = {0, 1, 511, 1023, 1024};

	for (int i = 0; i < 5; i++)
		for (int k = 0; k < 5; k++)
			for (int c = 0; c < 3; c++)
				for (int trust = 0; trust < 2; trust++) {
					struct pl_hints in = {.umin = value[i],
							      .umax = value[k],
							      .class = (enum pl_thread_class)c,
							      .trust = trust};
					struct pl_hints out = pl_hints_unpack(pl_hints_pack(&in));

					assert_int_equal(out.umin, in.umin);
					assert_int_equal(out.umax, in.umax);
					assert_int_equal(out.class, in.class);
					assert_int_equal(out.trust, in.trust);
				}
}

/* A word that somebody else wrote is in range all the same. */
static void test_any_word(void **state)
{
	uint32_t word = 1;

	for (int i = 0; i < 100000; i++) {
		struct pl_hints h = pl_hints_unpack(word);

		assert_true(h.umin <= 1024 && h.umax <= 1024);
		assert_true(h.class <= PL_CLASS_BACKGROUND);
		assert_true(pl_hints_util(word, 1024) <= 1024);
		word = word * 1664525u + 1013904223u;
	}
}

static uint32_t util(uint32_t umin, uint32_t umax, uint32_t u)
{
	struct pl_hints h = {.umin = umin, .umax = umax};

	return pl_hints_util(pl_hints_pack(&h), u);
}

static void test_minimum_raises_and_maximum_caps(void **state)
{
	assert_int_equal(util(300, 1024, 100), 300);
	assert_int_equal(util(300, 1024, 400), 400);
	assert_int_equal(util(0, 200, 900), 200);
	assert_int_equal(util(0, 200, 100), 100);
	/* R1: the minimum counts as the smaller of both. */
	assert_int_equal(util(600, 300, 100), 300);
}

static void test_ranks(void **state)
{
	assert_true(pl_class_rank(PL_CLASS_LATENCY) > pl_class_rank(PL_CLASS_THROUGHPUT));
	assert_true(pl_class_rank(PL_CLASS_THROUGHPUT) > pl_class_rank(PL_CLASS_BACKGROUND));
}

/* Two sides of which nothing is known but where they are. */
static struct pl_pair_view two(int cpu_w, int cpu_p)
{
	struct pl_side w = {.cpu = cpu_w, .capacity = 1024, .may_use_other_cpu = true}, p = w;

	p.cpu = cpu_p;
	return (struct pl_pair_view){.side = {w, p}, .llc_cpus = 8, .share_llc = true};
}

static void assert_at(const struct pl_pair_view *v, int cpu, bool whole_core)
{
	struct pl_pair_plan plan = {.cpu = -7};

	assert_int_equal(pl_reciprocal_named(v, &plan), PL_REASON_NONE);
	assert_int_equal(plan.cpu, cpu);
	assert_int_equal(plan.whole_core, whole_core);
	assert_int_equal(plan.other_cpu, -1);
}

static void assert_refused(const struct pl_pair_view *v, enum pl_reason why)
{
	struct pl_pair_plan plan = {.cpu = -7};

	assert_int_equal(pl_reciprocal_named(v, &plan), why);
	assert_int_equal(plan.cpu, -7);
}

/* No turns, no sleeps, both computing: the program knows better. */
static void test_named_needs_no_history(void **state)
{
	struct pl_pair_view v = two(1, 3);
	struct pl_pair_plan plan;

	v.side[0].util = v.side[1].util = 1024;
	assert_int_equal(pl_reciprocal_entry(&v, &plan), PL_REASON_NO_TURN);
	assert_at(&v, 1, false);
	v = two(2, 2); /* not apart */
	assert_at(&v, 2, false);
}

static void test_named_place(void **state)
{
	struct pl_pair_view v = two(1, 3);

	v.side[1].capacity = 1024;
	v.side[0].capacity = 500;
	assert_at(&v, 3, false);
	v = two(1, 3);
	v.side[0].outside = 300;
	assert_at(&v, 3, false);
	v = two(1, 3);
	v.smt = true;
	assert_at(&v, 1, true);
	v.direct = true;
	assert_at(&v, 1, false);
	/* The machine is not read yet. */
	v = two(1, 3);
	v.side[0].capacity = v.side[1].capacity = 0;
	assert_at(&v, 1, false);
}

static void test_named_keeps_to_masks(void **state)
{
	struct pl_pair_view v = two(1, 3);

	v.side[1].may_use_other_cpu = false; /* so W goes to P's CPU */
	assert_at(&v, 3, false);
	v.side[0].may_use_other_cpu = false;
	assert_refused(&v, PL_REASON_AFFINITY);
}

static void test_named_is_still_refused(void **state)
{
	struct pl_pair_view v = two(1, 3);

	v.side[1].pinned = true;
	assert_refused(&v, PL_REASON_AFFINITY);
	v = two(1, 3);
	v.side[0].rt = true;
	assert_refused(&v, PL_REASON_SCHED_CLASS);
	v = two(1, 3);
	v.side[0].other_pct = 11;
	assert_refused(&v, PL_REASON_OTHER_PARTNER);
	v = two(1, 3);
	v.side[0].outside = v.side[1].outside = 256;
	assert_refused(&v, PL_REASON_THIRD_TASK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zero_says_nothing),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_any_word),
		cmocka_unit_test(test_minimum_raises_and_maximum_caps),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_named_needs_no_history),
		cmocka_unit_test(test_named_place),
		cmocka_unit_test(test_named_keeps_to_masks),
		cmocka_unit_test(test_named_is_still_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
