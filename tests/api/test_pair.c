// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place_thread_pair(): a pair that the program names is held from the start, and ends as any other.
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "api/api.h"

/* Two sides that hand a turn to and fro until somebody is content. */
struct match {
	_Atomic uint32_t at, over;
	_Atomic int32_t tid[2];
	unsigned int flags;
	bool both_name;
	bool (*content)(struct match *m, uint32_t side);
	struct helper_failure f;
	uint64_t binds; /* of side 0 before */
	int64_t deadline_ms;
};

static void wait_turn(struct match *m, uint32_t side)
{
	place_wait_begin(&m->at);
	while (atomic_load(&m->at) % 2 != side)
		sched_yield();
	place_wait_end(&m->at, 1);
}

static void pass_turn(struct match *m)
{
	place_wake(&m->at);
	atomic_fetch_add(&m->at, 1);
}

static void play(struct match *m, uint32_t side)
{
	while (!atomic_load(&m->over)) {
		wait_turn(m, side);
		if (own_now_ms() > m->deadline_ms || (side == 0 && m->content(m, side)))
			atomic_store(&m->over, 1);
		pass_turn(m);
	}
}

static void *other_side(void *arg)
{
	struct match *m = arg;

	helper_expect(&m->f, place_thread_register(0) == 0);
	atomic_store(&m->tid[1], (int32_t)gettid());
	while (!atomic_load(&m->tid[0]))
		sched_yield();
	if (m->both_name)
		helper_expect(&m->f, place_thread_pair(atomic_load(&m->tid[0]), m->flags) == 0);
	play(m, 1);
	return NULL;
}

/* Plays M in a process that has started; side 0 names side 1. */
static void run(struct match *m, pthread_t *t)
{
	m->deadline_ms = own_now_ms() + 20000;
	assert_int_equal(pthread_create(t, NULL, other_side, m), 0);
	while (!atomic_load(&m->tid[1]))
		sched_yield();
	assert_int_equal(place_thread_pair(atomic_load(&m->tid[1]), m->flags), 0);
	atomic_store(&m->tid[0], (int32_t)gettid());
	play(m, 0);
	assert_int_equal(pthread_join(*t, NULL), 0);
	helper_assert_no_failure(&m->f);
}

static struct pl_pair *pair_now(void)
{
	struct pl_segment *seg = own_segment();

	for (uint32_t i = 0; seg && i < PL_NR_PAIRS; i++)
		if (pl_get(&seg->pair[i].state) == PL_PAIR_HELD ||
		    pl_get(&seg->pair[i].state) == PL_PAIR_PROBE)
			return &seg->pair[i];
	return NULL;
}

static bool is_held(struct match *m, uint32_t side)
{
	return api_stats().held == 1;
}

static void test_held_at_once(void **state)
{
	struct match m = {.content = is_held, .flags = PLACE_PAIR_TRUST};
	pthread_t t;

	assert_int_equal(place_start(NULL), 0);
	run(&m, &t);
	assert_in_range(own_now_ms(), 0, m.deadline_ms);
	assert_int_equal(place_stop(), 0);
}

/* Neither sleeps here, and both use a CPU each: such a pair would never be inferred. */
static bool both_are_bound(struct match *m, uint32_t side)
{
	cpu_set_t set;
	struct pl_pair *p = pair_now();
	struct pl_segment *seg = own_segment();

	if (!p)
		return false;
	for (int i = 0; i < 2; i++) {
		const struct pl_task *task = pl_seg_task(seg, pl_get(&p->member[i]));

		if (!task || !pl_get(&task->bound) ||
		    syscall(SYS_sched_getaffinity, pl_get(&task->tid), sizeof(set), &set) < 0 ||
		    !CPU_ISSET(pl_get(&p->cpu[i]), &set))
			return false;
	}
	return true;
}

static void test_both_sides_may_name_each_other(void **state)
{
	struct match m = {.content = both_are_bound, .flags = PLACE_PAIR_TRUST, .both_name = true};
	pthread_t t;

	assert_int_equal(place_start(NULL), 0);
	run(&m, &t);
	assert_in_range(own_now_ms(), 0, m.deadline_ms);
	assert_int_equal(place_stop(), 0);
}

/* Without trust the first comparison comes by itself. */
static bool was_probed(struct match *m, uint32_t side)
{
	struct pl_segment *seg = own_segment();

	for (uint32_t i = 0; i < PL_NR_PAIRS; i++)
		if (pl_get(&seg->pair[i].rate_on) && pl_get(&seg->pair[i].rate_off))
			return true;
	return false;
}

static void test_verified_later(void **state)
{
	struct match m = {.content = was_probed};
	pthread_t t;

	assert_int_equal(place_start(NULL), 0);
	run(&m, &t);
	assert_in_range(own_now_ms(), 0, m.deadline_ms);
	assert_int_equal(place_stop(), 0);
}

/* An affinity of the program wins, before and after. */
static void *pinned_partner(void *arg)
{
	struct match *m = arg;

	helper_expect(&m->f, place_thread_register(PLACE_THREAD_PINNED) == 0);
	atomic_store(&m->tid[1], (int32_t)gettid());
	play(m, 1);
	return NULL;
}

static bool many_turns(struct match *m, uint32_t side)
{
	helper_expect(&m->f, api_stats().held == 0 && api_stats().binds == m->binds);
	return atomic_load(&m->at) > 4000;
}

static void test_pinned_partner_stays(void **state)
{
	struct match m = {.content = many_turns, .flags = PLACE_PAIR_TRUST};
	pthread_t t;

	assert_int_equal(place_start(NULL), 0);
	m.binds = api_stats().binds;
	m.deadline_ms = own_now_ms() + 20000;
	assert_int_equal(pthread_create(&t, NULL, pinned_partner, &m), 0);
	while (!atomic_load(&m.tid[1]))
		sched_yield();
	assert_int_equal(place_thread_pair(atomic_load(&m.tid[1]), m.flags), 0);
	play(&m, 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	helper_assert_no_failure(&m.f);
	assert_int_equal(place_stop(), 0);
}

static bool release_when_held(struct match *m, uint32_t side)
{
	if (!is_held(m, side))
		return false;
	helper_expect(&m->f, place_thread_pair(0, 0) == 0);
	helper_expect(&m->f, api_stats().held == 0);
	return true;
}

static void test_taken_back(void **state)
{
	struct match m = {.content = release_when_held, .flags = PLACE_PAIR_TRUST};
	pthread_t t;

	assert_int_equal(place_start(NULL), 0);
	run(&m, &t);
	assert_in_range(own_now_ms(), 0, m.deadline_ms);
	assert_null(pair_now());
	assert_int_equal(place_stop(), 0);
}

/* Under "observe" nothing is placed, whatever the program says. */
static void test_observe(void **state)
{
	struct place_options o = {.size = sizeof(o), .policy = PLACE_POLICY_OBSERVE};
	struct match m = {.content = many_turns, .flags = PLACE_PAIR_TRUST};
	pthread_t t;

	if (api_preloaded())
		return;
	assert_int_equal(place_start(&o), 0);
	run(&m, &t);
	assert_int_equal(place_stop(), 0);
}

static void test_misuse(void **state)
{
	assert_int_equal(place_thread_pair(1, 0), api_preloaded() ? 0 : -ENOTCONN);
	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(place_thread_pair(-1, 0), -EINVAL);
	assert_int_equal(place_thread_pair((int32_t)gettid(), 0), -EINVAL);
	assert_int_equal(place_thread_pair(1, 2), -EINVAL);
	assert_int_equal(place_thread_pair(INT32_MAX, 0), -ENXIO);
	assert_int_equal(place_thread_pair(0, 0), 0);
	/* One that never was a task, and never agrees: nothing comes of it. */
	assert_int_equal(place_thread_pair(1, 0), 0);
	assert_int_equal(api_stats().held, 0);
	assert_int_equal(place_thread_pair(0, 0), 0);
	assert_int_equal(place_stop(), 0);
}

static bool child_named_nobody(void)
{
	struct pl_segment *seg = own_segment();

	if (place_start(NULL) != 0)
		return false;
	for (uint32_t i = 0; i < pl_get(&seg->task_high); i++)
		if (pl_get(&seg->task[i].id) && pl_get(&seg->task[i].pid) == getpid() &&
		    pl_get(&seg->task[i].named))
			return false;
	return place_stop() == 0;
}

static void test_after_fork(void **state)
{
	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(place_thread_pair(1, 0), 0);
	assert_true(api_in_child(child_named_nobody));
	assert_int_equal(place_stop(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_misuse),
		cmocka_unit_test(test_held_at_once),
		cmocka_unit_test(test_both_sides_may_name_each_other),
		cmocka_unit_test(test_verified_later),
		cmocka_unit_test(test_pinned_partner_stays),
		cmocka_unit_test(test_taken_back),
		cmocka_unit_test(test_observe),
		cmocka_unit_test(test_after_fork),
	};

	if (!own_namespace()) {
		printf("1..0 # SKIP needs root for a namespace of its own\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, own_keeper_end);
}
