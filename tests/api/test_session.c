// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place_start() and place_stop(): counting, options, misuse, forks.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "api/api.h"
#include "libplace/version.h"

static void test_version(void **state)
{
	assert_string_equal(place_version(), PLACE_VERSION);
}

static void test_nothing_before_start(void **state)
{
	struct place_machine m = {.size = sizeof(m)};
	struct place_process_stats p = {.size = sizeof(p)};
	struct place_handoff h = {.size = sizeof(h)};
	struct place_hints hints = {.size = sizeof(hints)};

	assert_int_equal(place_is_started(), api_preloaded());
	assert_int_equal(place_stop(), -EALREADY);
	if (api_preloaded())
		return;
	assert_int_equal(place_thread_register(0), -ENOTCONN);
	assert_int_equal(place_thread_unregister(), -ENOTCONN);
	assert_int_equal(place_thread_release(), -ENOTCONN);
	assert_int_equal(place_pause(), -ENOTCONN);
	assert_int_equal(place_resume(), -ENOTCONN);
	assert_int_equal(place_wake(&m), -ENOTCONN);
	assert_int_equal(place_wait_begin(&m), -ENOTCONN);
	assert_int_equal(place_wait_end(&m, 0), -ENOTCONN);
	assert_int_equal(place_machine_get(&m), -ENOTCONN);
	assert_int_equal(place_cpu_distance(0, 0), -ENOTCONN);
	assert_int_equal(place_handoff_cost(0, 0, &h), -ENOTCONN);
	assert_int_equal(place_thread_pair(1, 0), -ENOTCONN);
	assert_int_equal(place_thread_hint(&hints), -ENOTCONN);
	assert_int_equal(place_set_event_callback(NULL, NULL), -ENOTCONN);
	assert_int_equal(place_process_stats_get(&p), -ENOTCONN);
	/* A question makes no member of a process. */
	assert_null(own_segment());
}

static void test_start_counts(void **state)
{
	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(place_is_started(), 1);
	assert_int_equal(place_stop(), 0);
	assert_int_equal(place_is_started(), 1);
	assert_int_equal(place_stop(), 0);
	assert_int_equal(place_is_started(), api_preloaded());
	assert_int_equal(place_stop(), -EALREADY);
}

static void test_stop_leaves(void **state)
{
	struct place_process_stats p = {.size = sizeof(p)};

	for (int i = 0; i < 3; i++) {
		assert_int_equal(place_start(NULL), 0);
		assert_int_equal(place_process_stats_get(&p), 0);
		assert_int_equal(p.threads, 1);
		assert_int_equal(place_stop(), 0);
		assert_int_equal(place_process_stats_get(&p), api_error_unstarted());
	}
}

static void test_bad_options(void **state)
{
	struct {
		struct place_options known;
		uint32_t later;
	} o = {.known = {.size = sizeof(o)}};

	assert_int_equal(place_start(&o.known), 0); /* of a later version, asking nothing new */
	assert_int_equal(place_stop(), 0);
	o.later = 1;
	assert_int_equal(place_start(&o.known), -E2BIG);
	o.known.size = sizeof(uint32_t);
	assert_int_equal(place_start(&o.known), -EINVAL);
	o.known.size = sizeof(o.known);
	o.known.reserved = 1;
	assert_int_equal(place_start(&o.known), -EINVAL);
	o.known.reserved = 0;
	o.known.policy = PLACE_POLICY_OBSERVE + 1;
	assert_int_equal(place_start(&o.known), -EINVAL);
	o.known.policy = 0;
	o.known.pair_mode = PLACE_PAIR_DIRECT + 1;
	assert_int_equal(place_start(&o.known), -EINVAL);
	assert_int_equal(place_stop(), -EALREADY);
}

/* The first decides; who comes later and wants the same, or nothing, is welcome. */
static void test_two_with_options(void **state)
{
	struct place_options observe = {.size = sizeof(observe), .policy = PLACE_POLICY_OBSERVE};
	struct place_options place = {.size = sizeof(place), .policy = PLACE_POLICY_AUTO};
	struct place_options direct = {.size = sizeof(direct), .pair_mode = PLACE_PAIR_DIRECT};

	if (api_preloaded()) {
		assert_int_equal(place_start(&observe), -EBUSY);
		assert_int_equal(place_start(&place), 0);
		assert_int_equal(place_stop(), 0);
		return;
	}
	assert_int_equal(place_start(&observe), 0);
	assert_int_equal(place_start(&observe), 0);
	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(place_start(&place), -EBUSY);
	assert_int_equal(place_start(&direct), -EBUSY);
	for (int i = 0; i < 3; i++)
		assert_int_equal(place_stop(), 0);
	/* Nobody is left: the next one decides. */
	assert_int_equal(place_start(&direct), 0);
	assert_int_equal(place_start(&observe), -EBUSY);
	assert_int_equal(place_start(&place), 0);
	assert_int_equal(place_stop(), 0);
	assert_int_equal(place_stop(), 0);
}

static bool child_starts_anew(void)
{
	struct place_process_stats p = {.size = sizeof(p)};
	int object = 0;

	return place_stop() == -EALREADY && place_thread_unregister() < 0 &&
	       place_wait_end(&object, 1) == (api_preloaded() ? -EALREADY : -ENOTCONN) &&
	       place_resume() == (api_preloaded() ? -EALREADY : -ENOTCONN) &&
	       place_start(NULL) == 0 && place_process_stats_get(&p) == 0 && p.threads == 1 &&
	       place_stop() == 0 && place_stop() == -EALREADY;
}

static void test_after_fork(void **state)
{
	int object = 0;

	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(place_pause(), 0);
	assert_int_equal(place_wait_begin(&object), 0);
	assert_true(api_in_child(child_starts_anew));
	/* The parent goes on. */
	assert_int_equal(place_wait_end(&object, 1), 0);
	assert_int_equal(place_resume(), 0);
	assert_int_equal(place_stop(), 0);
}

static void *start_and_stop(void *arg)
{
	struct helper_failure *f = arg;

	for (int i = 0; i < 50; i++) {
		struct place_process_stats p = {.size = sizeof(p)};

		if (!helper_expect(f, place_start(NULL) == 0))
			break;
		helper_expect(f, place_process_stats_get(&p) == 0 && p.threads >= 1);
		helper_expect(f, place_stop() == 0);
	}
	return NULL;
}

/* As a program and several libraries would, each for itself. */
static void test_many_independent_users(void **state)
{
	struct helper_failure f = {0};
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, start_and_stop, &f), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	helper_assert_no_failure(&f);
	assert_int_equal(place_stop(), -EALREADY);
}

static void test_kept_off(void **state)
{
	const char *const off[] = {"LIBPLACE=0", NULL};
	const char *argv[] = {"/proc/self/exe", "off", NULL};
	char self[4096];
	struct helper_child c = {.argv = argv, .env = off};
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	assert_true(n > 0);
	self[n] = '\0';
	argv[0] = self;
	assert_int_equal(helper_child_run(&c), 0);
	assert_true(helper_child_exited(&c, 0));
	helper_child_free(&c);
}

static int run_kept_off(void)
{
	int object = 0;

	return place_start(NULL) == -EPERM && place_stop() == -EALREADY &&
			       place_is_started() == 0 && place_wake(&object) == -ENOTCONN &&
			       place_pause() == -ENOTCONN
		       ? 0
		       : 1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version),	     cmocka_unit_test(test_nothing_before_start),
		cmocka_unit_test(test_start_counts), cmocka_unit_test(test_stop_leaves),
		cmocka_unit_test(test_bad_options),  cmocka_unit_test(test_two_with_options),
		cmocka_unit_test(test_after_fork),   cmocka_unit_test(test_many_independent_users),
		cmocka_unit_test(test_kept_off),
	};

	if (argc > 1)
		return run_kept_off();
	if (!own_namespace()) {
		printf("1..0 # SKIP needs root for a namespace of its own\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, own_keeper_end);
}
