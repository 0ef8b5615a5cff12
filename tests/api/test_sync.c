// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place_wake(), place_wait_begin(), place_wait_end(): handoffs that only the program sees.
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "api/api.h"

enum { ROUNDS = 2000 };

/* A turn that is waited for by yielding: no call of libc hands it over. */
struct ball {
	_Atomic uint32_t at;
	struct helper_failure f;
	struct place_thread_stats stats[2];
};

static void play(struct ball *b, uint32_t side)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (!helper_expect(&b->f, place_wait_begin(b) == 0))
			return;
		while (atomic_load(&b->at) != side)
			sched_yield();
		helper_expect(&b->f, place_wait_end(b, 1) == 0);
		helper_expect(&b->f, place_wake(b) == 0);
		atomic_store(&b->at, !side);
	}
	b->stats[side] = api_stats();
}

static void *other_side(void *arg)
{
	struct ball *b = arg;

	if (helper_expect(&b->f, place_thread_register(0) == 0))
		play(b, 1);
	return NULL;
}

static void test_turns_are_counted(void **state)
{
	static struct ball b;
	pthread_t t;

	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(pthread_create(&t, NULL, other_side, &b), 0);
	play(&b, 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	helper_assert_no_failure(&b.f);
	for (int i = 0; i < 2; i++) {
		assert_in_range(b.stats[i].turns, 32, ROUNDS);
		assert_in_range(b.stats[i].published, 32, ROUNDS);
		assert_true(b.stats[i].wakers >= 1);
	}
	assert_int_equal(place_stop(), 0);
}

static void test_misuse(void **state)
{
	int a = 0, b = 0;

	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(place_wake(NULL), -EINVAL);
	assert_int_equal(place_wait_begin(NULL), -EINVAL);
	assert_int_equal(place_wait_end(NULL, 1), -EINVAL);
	assert_int_equal(place_wait_end(&a, 1), -EALREADY);
	assert_int_equal(place_wait_begin(&a), 0);
	assert_int_equal(place_wait_begin(&a), -EBUSY);
	assert_int_equal(place_wait_begin(&b), -EBUSY);
	assert_int_equal(place_wait_end(&b, 1), -EINVAL);
	assert_int_equal(place_wait_end(&a, 0), 0);
	assert_int_equal(place_wait_end(&a, 0), -EALREADY);
	assert_int_equal(place_stop(), 0);
}

static int object;
static volatile sig_atomic_t wrong;

static void handler(int sig)
{
	int saved = errno;

	errno = 77;
	if (place_wake(&object) != 0 || place_wait_begin(&object) != 0 ||
	    place_wait_end(&object, 1) != 0 || place_pause() != 0 || place_resume() != 0 ||
	    errno != 77)
		wrong = 1;
	errno = saved;
}

static void test_in_a_signal_handler(void **state)
{
	struct sigaction action = {.sa_handler = handler}, old;

	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(sigaction(SIGUSR1, &action, &old), 0);
	for (int i = 0; i < 100; i++)
		assert_int_equal(raise(SIGUSR1), 0);
	assert_int_equal(sigaction(SIGUSR1, &old, NULL), 0);
	assert_int_equal(wrong, 0);
	assert_int_equal(place_stop(), 0);
}

/* A stop between the two halves of a wait ends the wait, too. */
static void test_stop_inside_a_wait(void **state)
{
	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(place_wait_begin(&object), 0);
	assert_int_equal(place_stop(), 0);
	if (api_preloaded()) {
		assert_int_equal(place_wait_end(&object, 1), 0);
		return;
	}
	assert_int_equal(place_wait_end(&object, 1), -ENOTCONN);
	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(place_wait_end(&object, 1), -EALREADY);
	assert_int_equal(place_stop(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turns_are_counted),
		cmocka_unit_test(test_misuse),
		cmocka_unit_test(test_in_a_signal_handler),
		cmocka_unit_test(test_stop_inside_a_wait),
	};

	if (!own_namespace()) {
		printf("1..0 # SKIP needs root for a namespace of its own\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, own_keeper_end);
}
