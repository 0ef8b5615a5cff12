// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R4 and R4s: entry, place, hold and release of a pair, from literals.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decide/reciprocal.h"

/* A pair that enters: every test changes one thing. */
static struct pl_pair_view entering(void)
{
	struct pl_side side = {.turns = 32,
			       .slept_pct = 100,
			       .util = 300,
			       .partner_is_other = true,
			       .may_use_other_cpu = true,
			       .capacity = 1024};
	struct pl_pair_view v = {.side = {side, side}, .llc_cpus = 2, .share_llc = true};

	v.side[0].cpu = 0;
	v.side[1].cpu = 1;
	return v;
}

static enum pl_reason entry(const struct pl_pair_view *v, struct pl_pair_plan *plan)
{
	*plan = (struct pl_pair_plan){.cpu = -1};
	return pl_reciprocal_entry(v, plan);
}

static void alternating_sleepers_enter_on_the_wakers_cpu(void **state)
{
	struct pl_pair_view v = entering();
	struct pl_pair_plan plan;

	assert_int_equal(entry(&v, &plan), PL_REASON_NONE);
	assert_int_equal(plan.cpu, 0);
	assert_int_equal(plan.other_cpu, 1); /* equal by all that is known: to be tried, too */
	assert_false(plan.whole_core);
}

static void nothing_enters_before_32_turns_or_together(void **state)
{
	struct pl_pair_view v = entering();
	struct pl_pair_plan plan;

	v.side[0].turns = 31;
	assert_int_equal(entry(&v, &plan), PL_REASON_NO_TURN);
	assert_int_equal(plan.cpu, -1);
	v = entering();
	v.side[1].cpu = 0;
	assert_int_equal(entry(&v, &plan), PL_REASON_NO_TURN);
	v = entering();
	v.side[1].partner_is_other = false; /* a ring: the wakee wakes somebody else */
	assert_int_equal(entry(&v, &plan), PL_REASON_NO_TURN);
	v = entering();
	v.side[0].strays = 33; /* a stream with an answer now and then */
	assert_int_equal(entry(&v, &plan), PL_REASON_NO_TURN);
}

static void half_of_the_turns_must_sleep(void **state)
{
	struct pl_pair_view v = entering();
	struct pl_pair_plan plan;

	v.side[0].slept_pct = 49;
	v.side[1].slept_pct = 50;
	assert_int_equal(entry(&v, &plan), PL_REASON_BUSY);
	v.side[0].slept_pct = 50;
	assert_int_equal(entry(&v, &plan), PL_REASON_NONE);
}

static void computing_sides_do_not_enter(void **state)
{
	struct pl_pair_view v = entering();
	struct pl_pair_plan plan;

	v.side[0].util = v.side[1].util = 768; /* 1.5 CPUs: the end of the grey zone */
	assert_int_equal(entry(&v, &plan), PL_REASON_NONE);
	v.side[1].util = 769;
	assert_int_equal(entry(&v, &plan), PL_REASON_BUSY);
	v = entering();
	v.side[0].capacity = v.side[1].capacity = 300; /* of one CPU of that capacity */
	v.side[0].util = v.side[1].util = 226;
	assert_int_equal(entry(&v, &plan), PL_REASON_BUSY);
}

static void the_place_is_capacity_then_load_then_waker(void **state)
{
	struct pl_pair_view v = entering();
	struct pl_pair_plan plan;

	v.side[0].capacity = 400;
	v.side[0].util = v.side[1].util = 100;
	assert_int_equal(entry(&v, &plan), PL_REASON_NONE);
	assert_int_equal(plan.cpu, 1);
	assert_int_equal(plan.other_cpu, -1);
	v = entering();
	v.side[0].nr_pairs = 1; /* another pair is there already */
	assert_int_equal(entry(&v, &plan), PL_REASON_NONE);
	assert_int_equal(plan.cpu, 1);
	assert_int_equal(plan.other_cpu, -1);
	v = entering();
	v.side[0].outside = 257;
	assert_int_equal(entry(&v, &plan), PL_REASON_NONE);
	assert_int_equal(plan.cpu, 1);
	v.side[0].outside = 200; /* less than a third task apart: equal */
	assert_int_equal(entry(&v, &plan), PL_REASON_NONE);
	assert_int_equal(plan.cpu, 0);
}

static void a_busy_place_is_refused(void **state)
{
	struct pl_pair_view v = entering();
	struct pl_pair_plan plan;

	v.side[0].outside = 1000; /* a hog beside the waker: go to the other CPU */
	assert_int_equal(entry(&v, &plan), PL_REASON_NONE);
	assert_int_equal(plan.cpu, 1);
	v.side[1].outside = 1000; /* hogs on both */
	assert_int_equal(entry(&v, &plan), PL_REASON_THIRD_TASK);
}

static void hubs_pinned_and_rt_are_left_alone(void **state)
{
	struct pl_pair_view v = entering();
	struct pl_pair_plan plan;

	v.side[0].wakee_flips = 4;
	v.side[1].wakee_flips = 2;
	assert_int_equal(entry(&v, &plan), PL_REASON_OTHER_PARTNER);
	v = entering();
	v.side[1].distinct_wakees = 3;
	assert_int_equal(entry(&v, &plan), PL_REASON_OTHER_PARTNER);
	v = entering();
	v.side[1].other_pct = 11;
	assert_int_equal(entry(&v, &plan), PL_REASON_OTHER_PARTNER);
	assert_int_equal(pl_reciprocal_hold(&v), PL_REASON_OTHER_PARTNER);
	v.side[1].other_pct = 10;
	assert_int_equal(pl_reciprocal_hold(&v), PL_REASON_NONE);
	v.side[0].pinned = true;
	assert_int_equal(entry(&v, &plan), PL_REASON_AFFINITY);
	assert_int_equal(pl_reciprocal_hold(&v), PL_REASON_AFFINITY);
	v = entering();
	v.side[1].rt = true;
	assert_int_equal(pl_reciprocal_hold(&v), PL_REASON_SCHED_CLASS);
	v = entering();
	v.side[1].may_use_other_cpu = false;
	assert_int_equal(entry(&v, &plan), PL_REASON_AFFINITY);
}

static void sleeping_is_no_condition_of_the_hold(void **state)
{
	struct pl_pair_view v = entering();

	v.side[0].slept_pct = v.side[1].slept_pct = 0;
	v.side[0].util = v.side[1].util = 1024;
	assert_int_equal(pl_reciprocal_hold(&v), PL_REASON_NONE);
}

static void smt_takes_the_core_unless_told_direct(void **state)
{
	struct pl_pair_view v = entering();
	struct pl_pair_plan plan;

	v.smt = true;
	assert_int_equal(entry(&v, &plan), PL_REASON_NONE);
	assert_true(plan.whole_core);
	v.direct = true;
	assert_int_equal(entry(&v, &plan), PL_REASON_NONE);
	assert_false(plan.whole_core);
}

static void release_by_a_third_task_needs_an_idle_cpu(void **state)
{
	assert_true(pl_reciprocal_crowded(256, 101));
	assert_false(pl_reciprocal_crowded(255, 0));
	assert_false(pl_reciprocal_crowded(1024, 102));
	assert_false(pl_reciprocal_crowded(1024, 1024));
}

static void release_without_a_turn_needs_cpu_time_of_both(void **state)
{
	const uint64_t look = 10000000;

	assert_true(pl_reciprocal_lapsed(0, (uint64_t[]){5000000, 5000000}, look));
	assert_true(pl_reciprocal_lapsed(0, (uint64_t[]){1000000, 9000000}, look));
	assert_false(pl_reciprocal_lapsed(0, (uint64_t[]){0, 10000000}, look));
	assert_false(pl_reciprocal_lapsed(0, (uint64_t[]){0, 0}, look));
	assert_false(pl_reciprocal_lapsed(1, (uint64_t[]){5000000, 5000000}, look));
	assert_false(pl_reciprocal_lapsed(0, (uint64_t[]){5, 5}, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alternating_sleepers_enter_on_the_wakers_cpu),
		cmocka_unit_test(nothing_enters_before_32_turns_or_together),
		cmocka_unit_test(half_of_the_turns_must_sleep),
		cmocka_unit_test(computing_sides_do_not_enter),
		cmocka_unit_test(the_place_is_capacity_then_load_then_waker),
		cmocka_unit_test(a_busy_place_is_refused),
		cmocka_unit_test(hubs_pinned_and_rt_are_left_alone),
		cmocka_unit_test(sleeping_is_no_condition_of_the_hold),
		cmocka_unit_test(smt_takes_the_core_unless_told_direct),
		cmocka_unit_test(release_by_a_third_task_needs_an_idle_cpu),
		cmocka_unit_test(release_without_a_turn_needs_cpu_time_of_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
