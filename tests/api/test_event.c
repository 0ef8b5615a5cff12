// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place_set_event_callback(): told on the thread concerned, never inside itself, gone when removed.
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "api/api.h"

/* What one thread was told. */
struct told {
	int32_t tid;
	uint32_t held, released, other, wrong_thread, inside;
	int32_t cpu;
	int nested, set_again;
	char why[64];
};

static struct told told[2];
static _Atomic uint32_t at, over;
static _Atomic int32_t tid_of[2];

static void on_event(const struct place_event *e, void *arg)
{
	struct told *t = &told[gettid() == told[1].tid];
	int object;

	t->wrong_thread += arg != told || (gettid() != t->tid);
	if (t->inside++)
		t->nested++;
	if (e->type == PLACE_EVENT_HELD) {
		t->held++;
		t->cpu = e->cpu;
	} else if (e->type == PLACE_EVENT_RELEASED) {
		t->released++;
		snprintf(t->why, sizeof(t->why), "%s", e->why);
	} else {
		t->other++;
	}
	t->set_again += place_set_event_callback(NULL, NULL) == -EDEADLK;
	/* Any function may be called, and tells nothing meanwhile. */
	place_wake(&object);
	place_wait_begin(&object);
	place_wait_end(&object, 1);
	place_thread_release();
	errno = 99;
	t->inside--;
}

static void play(uint32_t side, struct helper_failure *f, bool (*content)(void))
{
	while (!atomic_load(&over)) {
		errno = 5;
		place_wait_begin(&at);
		while (atomic_load(&at) % 2 != side)
			sched_yield();
		place_wait_end(&at, 1);
		helper_expect(f, errno == 5);
		if (side == 0 && content())
			atomic_store(&over, 1);
		place_wake(&at);
		atomic_fetch_add(&at, 1);
	}
}

static struct helper_failure failure;

static void *other_side(void *unused)
{
	helper_expect(&failure, place_thread_register(0) == 0);
	told[1].tid = (int32_t)gettid();
	atomic_store(&tid_of[1], told[1].tid);
	play(1, &failure, NULL);
	return NULL;
}

static int64_t deadline_ms;

/* The release inside the callback ends the pair at once, and that is told at the next wait. */
static bool told_all(void)
{
	return own_now_ms() > deadline_ms || (told[0].held && told[0].released);
}

static void test_held_and_released(void **state)
{
	pthread_t t;

	memset(told, 0, sizeof(told));
	told[0].tid = (int32_t)gettid();
	deadline_ms = own_now_ms() + 20000;
	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(place_set_event_callback(on_event, told), 0);
	assert_int_equal(pthread_create(&t, NULL, other_side, NULL), 0);
	while (!atomic_load(&tid_of[1]))
		sched_yield();
	assert_int_equal(place_thread_pair(atomic_load(&tid_of[1]), PLACE_PAIR_TRUST), 0);
	play(0, &failure, told_all);
	assert_int_equal(pthread_join(t, NULL), 0);
	helper_assert_no_failure(&failure);
	assert_true(told[0].held >= 1 && told[0].released >= 1);
	assert_in_range(told[0].cpu, 0, PL_MAX_CPUS - 1);
	assert_true(told[0].why[0] != '\0');
	for (int i = 0; i < 2; i++) {
		assert_int_equal(told[i].nested, 0);
		assert_int_equal(told[i].wrong_thread, 0);
		assert_int_equal(told[i].set_again,
				 told[i].held + told[i].released + told[i].other);
	}
	assert_int_equal(place_set_event_callback(NULL, NULL), 0);
	assert_int_equal(place_stop(), 0);
}

static void test_misuse(void **state)
{
	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(place_set_event_callback(NULL, NULL), -EALREADY);
	assert_int_equal(place_set_event_callback(on_event, told), 0);
	assert_int_equal(place_set_event_callback(on_event, NULL), -EBUSY);
	assert_int_equal(place_set_event_callback(NULL, NULL), 0);
	assert_int_equal(place_set_event_callback(NULL, NULL), -EALREADY);
	/* The last stop takes it away. */
	assert_int_equal(place_set_event_callback(on_event, told), 0);
	assert_int_equal(place_stop(), 0);
	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(place_set_event_callback(NULL, NULL), -EALREADY);
	assert_int_equal(place_stop(), 0);
}

static bool child_has_none(void)
{
	return place_start(NULL) == 0 && place_set_event_callback(NULL, NULL) == -EALREADY &&
	       place_set_event_callback(on_event, told) == 0 && place_stop() == 0;
}

static void test_after_fork(void **state)
{
	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(place_set_event_callback(on_event, told), 0);
	assert_true(api_in_child(child_has_none));
	assert_int_equal(place_set_event_callback(NULL, NULL), 0);
	assert_int_equal(place_stop(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_misuse),
		cmocka_unit_test(test_held_and_released),
		cmocka_unit_test(test_after_fork),
	};

	if (!own_namespace()) {
		printf("1..0 # SKIP needs root for a namespace of its own\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, own_keeper_end);
}
