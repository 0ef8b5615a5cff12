// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The child runner of the tests: captured output, exit status, environment, time limit.
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "helper/helper.h"

static void run_shell(struct helper_child *c, const char *script, int expect)
{
	const char *argv[] = {"sh", "-c", script, NULL};

	c->argv = argv;
	assert_int_equal(helper_child_run(c), expect);
}

static void test_output_and_status(void **state)
{
	struct helper_child c = {.input = "ping"};

	run_shell(&c, "cat; echo pong >&2; exit 3", 0);
	assert_string_equal(c.out, "ping");
	assert_string_equal(c.err, "pong\n");
	assert_true(helper_child_exited(&c, 3));
	helper_child_free(&c);
}

static void test_large_streams(void **state)
{
	/* More than any pipe holds, on three streams at once. */
	enum { SIZE = 3 << 20 };
	char *input = malloc(SIZE + 1);
	struct helper_child c = {.input = input};

	memset(input, 'x', SIZE);
	input[SIZE] = '\0';
	run_shell(&c, "tee /dev/stderr", 0);
	assert_int_equal(c.out_len, SIZE);
	assert_int_equal(c.err_len, SIZE);
	helper_child_free(&c);
	free(input);
}

static void test_environment(void **state)
{
	const char *const env[] = {"A=1 2", "HOME", NULL};
	struct helper_child c = {.env = env, .preload = ""};

	run_shell(&c, "echo \"$A.${HOME-none}.${LD_PRELOAD-none}\"", 0);
	assert_string_equal(c.out, "1 2.none.none\n");
	helper_child_free(&c);
}

static void test_signal(void **state)
{
	struct helper_child c = {0};

	run_shell(&c, "kill -TERM $$", 0);
	assert_true(WIFSIGNALED(c.status));
	assert_int_equal(WTERMSIG(c.status), SIGTERM);
	helper_child_free(&c);
}

static void test_time_limit(void **state)
{
	struct helper_child c = {.timeout_ms = 100};

	run_shell(&c, "echo before; sleep 100", -ETIMEDOUT);
	assert_true(c.timed_out);
	assert_string_equal(c.out, "before\n");
	helper_child_free(&c);
}

static void test_descendant_does_not_delay(void **state)
{
	struct helper_child c = {.timeout_ms = 20000};

	/* Its pid lets us end it afterwards. */
	run_shell(&c, "sleep 100 & echo $!", 0);
	assert_false(c.timed_out);
	assert_int_equal(kill(atoi(c.out), SIGKILL), 0);
	helper_child_free(&c);
}

static void test_no_such_program(void **state)
{
	const char *argv[] = {"/nonexistent/program", NULL};
	struct helper_child c = {.argv = argv};

	assert_int_equal(helper_child_run(&c), -ENOENT);
	helper_child_free(&c);
}

static void *failing_thread(void *arg)
{
	helper_expect((struct helper_failure *)arg, 1 + 1 == 2);
	helper_expect((struct helper_failure *)arg, 1 + 1 == 3);
	helper_expect((struct helper_failure *)arg, 1 + 1 == 4);
	return NULL;
}

static void test_failure_of_a_thread(void **state)
{
	struct helper_failure f = {0};
	pthread_t t;

	helper_assert_no_failure(&f);
	assert_int_equal(pthread_create(&t, NULL, failing_thread, &f), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	assert_int_equal(f.taken, 1);
	assert_string_equal(f.what, "1 + 1 == 3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output_and_status),
		cmocka_unit_test(test_large_streams),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_time_limit),
		cmocka_unit_test(test_descendant_does_not_delay),
		cmocka_unit_test(test_no_such_program),
		cmocka_unit_test(test_failure_of_a_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
