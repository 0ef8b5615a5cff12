// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// What a leader makes of the rates that each placement has: members that obey are played by the
// test, and the clock is its own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "apply/lead.h"
#include "helper/helper.h"

static struct pl_segment seg;
static struct pl_tls tls;
static struct pl_task *const task[2] = {&seg.task[10], &seg.task[11]};
static struct pl_pair *pair;
static uint64_t now_ns;

/* Turns per millisecond of each placement. */
static struct {
	uint32_t wide, together[2], apart;
	bool wide_is_stacked;
} rate;

static const struct pl_pair_plan plan = {.cpu = 0, .other_cpu = 1, .try_apart = true};

static void begin(const struct pl_pair_plan *how)
{
	pl_task_id id[2];

	memset(&seg, 0, sizeof(seg));
	memset(&tls, 0, sizeof(tls));
	now_ns = 1000000000;
	for (uint32_t i = 0; i < 2; i++) {
		id[i] = 7u << PL_TASK_BITS | (10 + i);
		pl_set(&task[i]->id, id[i]);
		pl_set(&task[i]->cpu, (uint16_t)i);
		tls.apart[i] = (int)i;
	}
	tls.task = task[0];
	tls.id = id[0];
	pair = pl_seg_pair(&seg, pl_pair_claim(&seg, id[0], id[1], 0, false));
	assert_non_null(pair);
	pl_lead_begin(&tls, how);
}

static bool is_bound(void)
{
	return pl_get(&task[0]->bound) && pl_get(&task[1]->bound);
}

static bool is_apart(void)
{
	return is_bound() && pl_get(&pair->cpu[0]) != pl_get(&pair->cpu[1]);
}

static bool is_together(void)
{
	return is_bound() && pl_get(&pair->cpu[0]) == pl_get(&pair->cpu[1]);
}

/* A millisecond: the members make turns where they are, the leader looks, they obey. */
static void pass_ms(void)
{
	uint32_t turns = rate.wide, cpu[2];

	if (is_together())
		turns = rate.together[pl_get(&pair->cpu[0]) ? 1 : 0];
	else if (is_apart())
		turns = rate.apart;
	for (int i = 0; i < 2; i++)
		cpu[i] = is_bound()		? pl_get(&pair->cpu[i])
			 : rate.wide_is_stacked ? 0
						: (uint32_t)i;
	for (int i = 0; i < 2; i++) {
		pl_set(&task[i]->cpu, (uint16_t)cpu[i]);
		pl_set(&task[i]->pub, pl_get(&task[i]->pub) + turns / 2);
		cpu[i] = pl_get(&pair->cpu[i]);
	}
	now_ns += 1000000;
	pl_lead(&tls, &seg, pair, now_ns);
	/* Whoever gives a mask back compares it with what the slot says. */
	if (is_bound())
		for (int i = 0; i < 2; i++)
			assert_int_equal(pl_get(&pair->cpu[i]), cpu[i]);
	for (int i = 0; i < 2; i++)
		pl_set(&task[i]->bound, pl_get(&pair->command) & 1);
}

static void pass(uint64_t ms)
{
	for (uint64_t i = 0; i < ms; i++)
		pass_ms();
}

static void held_together_on_the_better_cpu(void **state)
{
	rate.wide = 45, rate.together[0] = 100, rate.together[1] = 136, rate.apart = 45;
	begin(&plan);
	pass(100);
	assert_int_equal(pl_get(&pair->state), PL_PAIR_HELD);
	assert_true(is_together());
	assert_int_equal(pl_get(&pair->cpu[0]), 1);
	rate.together[0] = 136, rate.together[1] = 100;
	begin(&plan);
	pass(100);
	assert_int_equal(pl_get(&pair->state), PL_PAIR_HELD);
	assert_int_equal(pl_get(&pair->cpu[0]), 0);
	assert_true(is_together());
}

static void held_apart_where_two_cpus_are_best(void **state)
{
	rate.wide = 52, rate.together[0] = rate.together[1] = 57, rate.apart = 114;
	begin(&plan);
	pass(100);
	assert_int_equal(pl_get(&pair->state), PL_PAIR_HELD);
	assert_true(is_apart());
	assert_int_equal(pl_get(&pair->cpu[0]), 0);
	assert_int_equal(pl_get(&pair->cpu[1]), 1);
	assert_in_range(pl_get(&pair->rate_on), 100000, 120000);
	/* The same again and again, at 1, 2, 4 s. */
	pass(10000);
	assert_int_equal(pl_get(&pair->state), PL_PAIR_HELD);
	assert_true(is_apart());
}

static void not_tried_apart_where_not_planned(void **state)
{
	struct pl_pair_plan no = plan;

	no.try_apart = false;
	rate.wide = 52, rate.together[0] = rate.together[1] = 50, rate.apart = 114;
	begin(&no);
	for (int i = 0; i < 200; i++) {
		pass_ms();
		assert_false(is_apart());
	}
	assert_int_equal(pl_get(&pair->state), PL_PAIR_RELEASED);
	assert_int_equal(pl_get(&pair->reason), PL_REASON_VERIFY);
}

static void let_go_where_the_kernel_does_as_well(void **state)
{
	rate.wide = 110, rate.together[0] = rate.together[1] = 57, rate.apart = 114;
	begin(&plan);
	pass(100);
	assert_int_equal(pl_get(&pair->state), PL_PAIR_RELEASED);
	assert_false(is_bound());
}

static void follows_a_change_of_work(void **state)
{
	rate.wide = 52, rate.together[0] = rate.together[1] = 57, rate.apart = 114;
	begin(&plan);
	pass(100);
	assert_true(is_apart());
	/* No more work between the turns. */
	rate.wide = rate.apart = 45, rate.together[0] = rate.together[1] = 136;
	pass(1200);
	assert_int_equal(pl_get(&pair->state), PL_PAIR_HELD);
	assert_true(is_together());
	/* And back: the second probe at the latest is one of "apart". */
	rate.wide = 52, rate.apart = 114, rate.together[0] = rate.together[1] = 57;
	pass(8000);
	assert_int_equal(pl_get(&pair->state), PL_PAIR_HELD);
	assert_true(is_apart());
}

static void let_go_when_the_kernel_does_better_later(void **state)
{
	rate.wide = 45, rate.together[0] = rate.together[1] = 136, rate.apart = 45;
	begin(&plan);
	pass(100);
	assert_true(is_together());
	rate.wide = 150;
	pass(1200);
	assert_int_equal(pl_get(&pair->state), PL_PAIR_RELEASED);
	assert_int_equal(pl_get(&pair->reason), PL_REASON_VERIFY);
}

static void binds_again_after_a_rest(void **state)
{
	rate.wide = 52, rate.together[0] = rate.together[1] = 57, rate.apart = 114;
	begin(&plan);
	pass(100);
	/* As the watcher does when both sleep. */
	pl_pair_command(pair, false);
	pl_set(&task[0]->bound, 0);
	pl_set(&task[1]->bound, 0);
	pass(3);
	assert_int_equal(pl_get(&pair->state), PL_PAIR_HELD);
	assert_true(is_apart());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(held_together_on_the_better_cpu),
		cmocka_unit_test(held_apart_where_two_cpus_are_best),
		cmocka_unit_test(not_tried_apart_where_not_planned),
		cmocka_unit_test(let_go_where_the_kernel_does_as_well),
		cmocka_unit_test(follows_a_change_of_work),
		cmocka_unit_test(let_go_when_the_kernel_does_better_later),
		cmocka_unit_test(binds_again_after_a_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
