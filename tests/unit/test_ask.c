// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Refused calls are limited for the process, also where many threads ask at once.
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <cmocka.h>

#include "apply/ask.h"
#include "base/sys.h"
#include "helper/helper.h"

enum { NR_THREADS = 32, NR_ROUNDS = 100, CANNOT = 100 };

static _Atomic uint32_t nr_refused;
static pthread_barrier_t barrier;

static int set_up(void **state)
{
	pl_set(&pl_member.nr_denied, 0);
	return 0;
}

static void test_calls_going_on_count(void **state)
{
	for (int i = 0; i < PL_MAX_DENIED; i++)
		assert_true(pl_ask_begin());
	assert_false(pl_ask_begin());
	assert_false(pl_ask_is_over());
	pl_ask_end(false);
	assert_true(pl_ask_begin());
	assert_false(pl_ask_begin());
	pl_ask_end(true);
	assert_false(pl_ask_begin());
	pl_ask_end(false);
	pl_ask_end(false);
	assert_false(pl_ask_is_over());
	assert_int_equal(pl_get(&pl_member.nr_denied), 1);
}

static void test_refusals_end_it(void **state)
{
	for (int i = 0; i < PL_MAX_DENIED; i++) {
		assert_false(pl_ask_is_over());
		assert_true(pl_ask_begin());
		pl_ask_end(true);
	}
	assert_true(pl_ask_is_over());
	assert_false(pl_ask_begin());
}

/* A child of fork has the call of its parent's that it came amidst no more. */
static void test_an_end_without_beginning(void **state)
{
	pl_ask_end(false);
	assert_int_equal(pl_get(&pl_member.nr_denied), 0);
	pl_ask_end(true);
	assert_int_equal(pl_get(&pl_member.nr_denied), 1);
}

static void *ask_for_long(void *arg)
{
	struct pl_cpumask all;

	(void)arg;
	pl_cpumask_fill(&all);
	for (int i = 0; i < NR_ROUNDS; i++) {
		long ret;

		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			pl_set(&pl_member.nr_denied, 0);
		pthread_barrier_wait(&barrier);
		ret = pl_ask_mask(0, &all, false);
		if (ret < 0)
			atomic_fetch_add(&nr_refused, 1);
	}
	return NULL;
}

static bool refuse_from_now_on(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0;
}

/* 0 when there were as many refusals in each round as there may be. */
static int ask_in_sandbox(void)
{
	pthread_t thread[NR_THREADS];

	if (!refuse_from_now_on())
		return CANNOT;
	pthread_barrier_init(&barrier, NULL, NR_THREADS);
	for (int i = 0; i < NR_THREADS; i++)
		if (pthread_create(&thread[i], NULL, ask_for_long, NULL) != 0)
			return CANNOT + 1;
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(thread[i], NULL);
	return pl_get(&nr_refused) == PL_MAX_DENIED * NR_ROUNDS ? 0 : 1;
}

static void test_many_threads_are_refused_three_times(void **state)
{
	int status = -1;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(ask_in_sandbox());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT) {
		helper_skipped("no seccomp");
		return;
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_calls_going_on_count, set_up),
		cmocka_unit_test_setup(test_refusals_end_it, set_up),
		cmocka_unit_test_setup(test_an_end_without_beginning, set_up),
		cmocka_unit_test_setup(test_many_threads_are_refused_three_times, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
