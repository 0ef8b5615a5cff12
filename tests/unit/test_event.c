// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The callback for events: what is told of which state, and that nobody is inside once it is
// removed.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "domain/pair.h"
#include "domain/thread.h"
#include "helper/helper.h"
#include "observe/event.h"
#include "observe/hook.h"

static struct pl_segment seg;
static struct place_event last;
static uint32_t nr_told;

static void note(const struct place_event *e, void *arg)
{
	assert_ptr_equal(arg, &seg);
	last = *e;
	nr_told++;
	errno = 99;
}

/* The thread is bound to CPU 3 as half of the held pair 1. */
static int set_up(void **state)
{
	struct pl_task *task = &seg.task[5];

	memset(&seg, 0, sizeof(seg));
	pl_member.seg = &seg;
	pl_set(&task->pair, 1);
	pl_set(&seg.pair[0].state, PL_PAIR_HELD);
	pl_set(&seg.pair[0].since_ns, 1000);
	pl_tls.task = task;
	pl_tls.bound = 1;
	pl_tls.bound_cpu = 3;
	pl_tls.told_pair = 0;
	pl_tls.thread = NULL;
	nr_told = 0;
	return pl_event_set(note, &seg);
}

static int tear_down(void **state)
{
	pl_tls.task = NULL;
	pl_tls.bound = 0;
	pl_tls.thread = NULL;
	return pl_event_set(NULL, NULL);
}

static void tell(uint32_t nr, uint32_t type, int32_t cpu)
{
	errno = 5;
	pl_hook_events(&pl_tls);
	assert_int_equal(errno, 5);
	assert_int_equal(nr_told, nr);
	if (!nr)
		return;
	assert_int_equal(last.type, type);
	assert_int_equal(last.cpu, cpu);
	assert_int_equal(last.size, sizeof(last));
}

static void test_a_hold_is_told_once(void **state)
{
	tell(1, PLACE_EVENT_HELD, 3);
	tell(1, PLACE_EVENT_HELD, 3);
	/* A probe, during which it is wide, is part of it. */
	pl_set(&seg.pair[0].state, PL_PAIR_PROBE);
	pl_tls.bound = 0;
	tell(1, PLACE_EVENT_HELD, 3);
}

static void test_verification_is_no_hold(void **state)
{
	pl_set(&seg.pair[0].state, PL_PAIR_VERIFY);
	tell(0, 0, 0);
	pl_set(&seg.pair[0].state, PL_PAIR_HELD);
	pl_tls.bound = 0; /* held, but not yet here */
	tell(0, 0, 0);
	pl_tls.bound = 1;
	tell(1, PLACE_EVENT_HELD, 3);
}

static void test_a_release_is_told_with_its_reason(void **state)
{
	tell(1, PLACE_EVENT_HELD, 3);
	pl_set(&seg.pair[0].reason, PL_REASON_THIRD_TASK);
	pl_set(&seg.pair[0].state, PL_PAIR_RELEASED);
	pl_tls.bound = 0;
	tell(2, PLACE_EVENT_RELEASED, -1);
	assert_string_equal(last.why, "a third task on the CPU");
	tell(2, PLACE_EVENT_RELEASED, -1);
}

/* Released and held anew between two looks: both are told. */
static void test_another_hold_in_the_same_slot(void **state)
{
	tell(1, PLACE_EVENT_HELD, 3);
	pl_set(&seg.pair[0].since_ns, 2000);
	pl_tls.bound_cpu = 4;
	tell(3, PLACE_EVENT_HELD, 4);
}

static void test_numbers_of_a_hostile_segment(void **state)
{
	tell(1, PLACE_EVENT_HELD, 3);
	pl_set(&seg.task[5].pair, UINT32_MAX);
	pl_set(&seg.pair[0].reason, UINT32_MAX);
	tell(2, PLACE_EVENT_RELEASED, -1);
	assert_non_null(last.why);
}

static void test_moves(void **state)
{
	static struct pl_thread th;

	pl_tls.bound = 0;
	pl_tls.thread = &th;
	pl_tls.told_moves = 0;
	tell(0, 0, 0);
	pl_set(&th.moved_to, 6);
	pl_set(&th.nr_moves, 2);
	tell(1, PLACE_EVENT_MOVED, 6);
	tell(1, PLACE_EVENT_MOVED, 6);
}

static void test_not_inside_libplace(void **state)
{
	pl_tls.busy = 1;
	tell(0, 0, 0);
	pl_tls.busy = 0;
	tell(1, PLACE_EVENT_HELD, 3);
}

static _Atomic uint32_t live, done, nr_calls;

static void expects_to_be_live(const struct place_event *e, void *arg)
{
	for (int i = 0; i < 10; i++) {
		helper_expect((struct helper_failure *)arg, atomic_load(&live) == 1);
		sched_yield();
	}
	atomic_fetch_add(&nr_calls, 1);
}

/* Told of the end of a pair that was never there, over and over. */
static void *is_told(void *unused)
{
	while (!atomic_load(&done)) {
		pl_tls.told_pair = 1;
		pl_hook_events(&pl_tls);
	}
	return NULL;
}

static void test_nobody_is_inside_after_removal(void **state)
{
	struct helper_failure f = {0};
	pthread_t t[3];

	memset(&seg, 0, sizeof(seg));
	pl_member.seg = &seg;
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&t[i], NULL, is_told, NULL), 0);
	for (int i = 0; i < 40; i++) {
		uint32_t before = atomic_load(&nr_calls);

		atomic_store(&live, 1);
		assert_int_equal(pl_event_set(expects_to_be_live, &f), 0);
		while (atomic_load(&nr_calls) == before)
			sched_yield();
		assert_int_equal(pl_event_set(NULL, NULL), 0);
		atomic_store(&live, 0);
	}
	atomic_store(&done, 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	helper_assert_no_failure(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_hold_is_told_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_verification_is_no_hold, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_release_is_told_with_its_reason, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_another_hold_in_the_same_slot, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_numbers_of_a_hostile_segment, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_moves, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_not_inside_libplace, set_up, tear_down),
		cmocka_unit_test(test_nobody_is_inside_after_removal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
