// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Registration, pause and release of threads.
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "api/api.h"

static int start(void **state)
{
	return place_start(NULL);
}

static int stop(void **state)
{
	return place_stop();
}

/* Runs CHECK in a thread of its own. */
static void in_thread(void *(*check)(void *))
{
	struct helper_failure f = {0};
	pthread_t t;

	assert_int_equal(pthread_create(&t, NULL, check, &f), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	helper_assert_no_failure(&f);
}

static void *unregistered(void *arg)
{
	struct place_thread_stats s = {.size = sizeof(s)};
	struct place_select select = {.size = sizeof(select)};
	struct place_choice choice = {.size = sizeof(choice)};
	struct place_hints hints = {.size = sizeof(hints)};
	struct helper_failure *f = arg;

	helper_expect(f, place_thread_unregister() == -EALREADY);
	if (api_preloaded())
		return NULL;
	helper_expect(f, place_thread_stats_get(&s) == -ESRCH);
	helper_expect(f, place_thread_release() == -ESRCH);
	helper_expect(f, place_pause() == -ESRCH);
	helper_expect(f, place_resume() == -ESRCH);
	helper_expect(f, place_wake(f) == -ESRCH);
	helper_expect(f, place_wait_begin(f) == -ESRCH);
	helper_expect(f, place_wait_end(f, 1) == -ESRCH);
	helper_expect(f, place_select_cpu(&select, &choice) == -ESRCH);
	helper_expect(f, place_thread_pair(1, 0) == -ESRCH);
	helper_expect(f, place_thread_hint(&hints) == -ESRCH);
	return NULL;
}

static void test_unregistered_thread(void **state)
{
	in_thread(unregistered);
}

static void *registers_twice(void *arg)
{
	struct place_thread_stats s = {.size = sizeof(s)};
	struct helper_failure *f = arg;

	helper_expect(f, place_thread_register(2) == -EINVAL);
	helper_expect(f, place_thread_register(0) == 0);
	helper_expect(f, place_thread_register(0) == 0);
	helper_expect(f, place_thread_stats_get(&s) == 0);
	helper_expect(f, s.pinned == 0 && s.paused == 0 && s.held == 0);
	helper_expect(f, place_thread_unregister() == 0);
	helper_expect(f, place_thread_release() == 0);
	helper_expect(f, place_thread_unregister() == 0);
	helper_expect(f, place_thread_unregister() == -EALREADY);
	if (!api_preloaded())
		helper_expect(f, place_thread_release() == -ESRCH);
	/* And once more. */
	helper_expect(f, place_thread_register(0) == 0);
	helper_expect(f, place_thread_release() == 0);
	return NULL; /* registered: its end is seen */
}

static void test_registrations_count(void **state)
{
	struct place_process_stats before = {.size = sizeof(before)}, after = before;

	assert_int_equal(place_process_stats_get(&before), 0);
	in_thread(registers_twice);
	assert_int_equal(place_process_stats_get(&after), 0);
	assert_int_equal(after.threads, before.threads);
}

static void *registers_pinned(void *arg)
{
	helper_expect((struct helper_failure *)arg,
		      place_thread_register(PLACE_THREAD_PINNED) == 0);
	helper_expect((struct helper_failure *)arg, api_stats().pinned == 1);
	/* A pause leaves that as it is. */
	helper_expect((struct helper_failure *)arg, place_pause() == 0);
	helper_expect((struct helper_failure *)arg, place_resume() == 0);
	helper_expect((struct helper_failure *)arg, api_stats().pinned == 1);
	return NULL;
}

static void test_pinned(void **state)
{
	in_thread(registers_pinned);
}

static void test_pauses_count(void **state)
{
	assert_int_equal(place_resume(), -EALREADY);
	assert_int_equal(place_pause(), 0);
	assert_int_equal(place_pause(), 0);
	assert_int_equal(place_resume(), 0);
	assert_int_equal(api_stats().paused, 1);
	assert_int_equal(place_resume(), 0);
	assert_int_equal(api_stats().paused, 0);
	assert_int_equal(place_resume(), -EALREADY);
}

/* Set while paused, an affinity is the program's and stays. */
static void *pinned_while_paused(void *arg)
{
	struct helper_failure *f = arg;

	helper_expect(f, place_thread_register(0) == 0);
	helper_expect(f, place_pause() == 0);
	helper_expect(f, place_thread_register(PLACE_THREAD_PINNED) == 0);
	helper_expect(f, place_resume() == 0);
	helper_expect(f, api_stats().pinned == 1);
	return NULL;
}

static void test_pinned_while_paused(void **state)
{
	in_thread(pinned_while_paused);
}

static pthread_barrier_t stopped, go_on;

static void *registered_before_stop(void *arg)
{
	struct helper_failure *f = arg;

	helper_expect(f, place_thread_register(0) == 0);
	pthread_barrier_wait(&stopped);
	pthread_barrier_wait(&go_on);
	/* Another session: that registration is over. */
	helper_expect(f, place_thread_unregister() == -EALREADY);
	if (!api_preloaded())
		helper_expect(f, place_pause() == -ESRCH);
	helper_expect(f, place_thread_register(0) == 0);
	helper_expect(f, place_thread_unregister() == 0);
	return NULL;
}

static void test_stop_unregisters_others(void **state)
{
	struct helper_failure f = {0};
	pthread_t t;

	pthread_barrier_init(&stopped, NULL, 2);
	pthread_barrier_init(&go_on, NULL, 2);
	assert_int_equal(pthread_create(&t, NULL, registered_before_stop, &f), 0);
	pthread_barrier_wait(&stopped);
	assert_int_equal(place_stop(), 0);
	assert_int_equal(place_start(NULL), 0);
	pthread_barrier_wait(&go_on);
	assert_int_equal(pthread_join(t, NULL), 0);
	helper_assert_no_failure(&f);
}

static void test_null_and_sizes(void **state)
{
	struct place_thread_stats t = {.size = sizeof(t) - 1};
	struct place_process_stats p = {.size = sizeof(p) - 1};
	struct {
		struct place_thread_stats known;
		uint64_t later;
	} larger = {.known = {.size = sizeof(larger)}, .later = 7};

	assert_int_equal(place_thread_stats_get(NULL), -EINVAL);
	assert_int_equal(place_process_stats_get(NULL), -EINVAL);
	assert_int_equal(place_thread_stats_get(&t), -EINVAL);
	assert_int_equal(place_process_stats_get(&p), -EINVAL);
	assert_int_equal(place_thread_stats_get(&larger.known), 0);
	assert_int_equal(larger.known.size, sizeof(larger));
	assert_int_equal(larger.later, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_unregistered_thread, start, stop),
		cmocka_unit_test_setup_teardown(test_registrations_count, start, stop),
		cmocka_unit_test_setup_teardown(test_pinned, start, stop),
		cmocka_unit_test_setup_teardown(test_pauses_count, start, stop),
		cmocka_unit_test_setup_teardown(test_pinned_while_paused, start, stop),
		cmocka_unit_test_setup_teardown(test_stop_unregisters_others, start, stop),
		cmocka_unit_test_setup_teardown(test_null_and_sizes, start, stop),
	};

	if (!own_namespace()) {
		printf("1..0 # SKIP needs root for a namespace of its own\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, own_keeper_end);
}
