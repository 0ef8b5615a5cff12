// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * POSIX gives the child of a process with threads all calls that are safe in a signal handler,
 * whatever the other threads were in; the C library gives the child of fork(), not that of _Fork()
 * or of a bare clone, threads as well. And the parent's threads do not notice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <semaphore.h>

#include "preload/pingpong.h"

enum { NR_CHILDREN = 100, NR_BYTES = 100, DEADLINE_S = 10 };

/* Two threads and what they hand over with; index of what there are two of: the side that takes. */
struct hammer {
	pthread_t thread[2];
	int pipe[2][2];
	sem_t sem[2];
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int turn;
	_Atomic uint64_t rounds;
};

static struct hammer hammer[2];
static struct helper_failure failure;
static _Atomic int stop;
static bool own; /* the IPC namespace is ours */

static void give(struct hammer *h, int to, unsigned char byte)
{
	helper_expect(&failure, pthread_mutex_lock(&h->mutex) == 0);
	h->turn = to;
	helper_expect(&failure, pthread_cond_signal(&h->cond) == 0);
	helper_expect(&failure, pthread_mutex_unlock(&h->mutex) == 0);
	helper_expect(&failure, sem_post(&h->sem[to]) == 0);
	helper_expect(&failure, pingpong_put(h->pipe[to][1], byte));
}

static int take(struct hammer *h, int self)
{
	helper_expect(&failure, pthread_mutex_lock(&h->mutex) == 0);
	while (h->turn != self)
		helper_expect(&failure, pthread_cond_wait(&h->cond, &h->mutex) == 0);
	h->turn = -1;
	helper_expect(&failure, pthread_mutex_unlock(&h->mutex) == 0);
	helper_expect(&failure, sem_wait(&h->sem[self]) == 0);
	return pingpong_get(h->pipe[self][0]);
}

static void *serve(void *arg)
{
	struct hammer *h = arg;
	unsigned char byte = 0;

	while (byte != PINGPONG_QUIT) {
		byte = atomic_load(&stop) ? PINGPONG_QUIT : (unsigned char)((byte + 1) % 100);
		give(h, 1, byte);
		helper_expect(&failure, take(h, 0) == byte);
		atomic_fetch_add(&h->rounds, 1);
	}
	return NULL;
}

static void *answer(void *arg)
{
	int byte;

	do {
		byte = take(arg, 1);
		helper_expect(&failure, byte >= 0);
		give(arg, 0, (unsigned char)byte);
	} while (byte != PINGPONG_QUIT);
	return NULL;
}

/* What follows runs in the children. */

static int there[2], back[2];

static void *ping(void *arg)
{
	for (int i = 0; i < NR_BYTES; i++)
		if (!pingpong_put(there[1], (unsigned char)i) || pingpong_get(back[0]) != i)
			return arg;
	return NULL;
}

static void *pong(void *arg)
{
	for (int i = 0; i < NR_BYTES; i++)
		if (pingpong_get(there[0]) != i || !pingpong_put(back[1], (unsigned char)i))
			return arg;
	return NULL;
}

static int with_threads(void)
{
	pthread_t thread[2];
	void *bad[2];

	if (pipe(there) || pipe(back) || pthread_create(&thread[0], NULL, pong, &failure) ||
	    pthread_create(&thread[1], NULL, ping, &failure) || pthread_join(thread[0], &bad[0]) ||
	    pthread_join(thread[1], &bad[1]))
		return 2;
	return bad[0] || bad[1] ? 3 : 0;
}

/* Async-signal-safe. */
static int with_grandchild(pid_t (*make)(void))
{
	int status;
	pid_t child;

	if (pipe(there) || pipe(back))
		return 2;
	child = make();
	if (child < 0)
		return 4;
	if (child == 0) {
		alarm(DEADLINE_S);
		_exit(pong(&failure) ? 5 : 0);
	}
	if (ping(&failure))
		return 3;
	return waitpid(child, &status, 0) != child || status != 0 ? 6 : 0;
}

/* And this in the parent. */

static pid_t bare_clone(void)
{
	return (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0l, 0l, 0l, 0l);
}

/* Exit code of CHILD; -1 when it ended otherwise or, within the deadline, did not. */
static int ended(pid_t child)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
	int status;

	if (end.fd < 0)
		return -1;
	if (poll(&end, 1, DEADLINE_S * 2000) != 1) {
		print_error("child %d is still there\n", child);
		kill(child, SIGKILL);
	}
	close(end.fd);
	if (waitpid(child, &status, 0) != child)
		return -1;
	if (WIFSIGNALED(status))
		print_error("child %d ended by signal %d\n", child, WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void children_end_well(pid_t (*make)(void), bool threads)
{
	uint64_t before[2];

	for (int i = 0; i < NR_CHILDREN; i++) {
		pid_t child = make();

		if (child == 0) {
			alarm(DEADLINE_S);
			_exit(threads ? with_threads() : with_grandchild(make));
		}
		assert_true(child > 0);
		assert_int_equal(ended(child), 0);
	}
	for (int i = 0; i < 2; i++)
		before[i] = hammer[i].rounds;
	for (int64_t until = own_now_ms() + DEADLINE_S * 1000l; own_now_ms() < until;) {
		if (hammer[0].rounds > before[0] && hammer[1].rounds > before[1])
			break;
		own_pause_ms(1);
	}
	assert_true(hammer[0].rounds > before[0] && hammer[1].rounds > before[1]);
	helper_assert_no_failure(&failure);
}

static void fork_has_threads(void **state)
{
	children_end_well(fork, true);
}

static void fork_has_a_grandchild(void **state)
{
	children_end_well(fork, false);
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
static void _Fork_has_a_grandchild(void **state)
{
	children_end_well(_Fork, false);
}
#endif

static void bare_clone_has_a_grandchild(void **state)
{
	children_end_well(bare_clone, false);
}

static int set_up(void **state)
{
	own = own_namespace();
	for (int i = 0; i < 2; i++) {
		struct hammer *h = &hammer[i];

		h->turn = -1;
		pthread_mutex_init(&h->mutex, NULL);
		pthread_cond_init(&h->cond, NULL);
		for (int side = 0; side < 2; side++)
			if (pipe2(h->pipe[side], O_CLOEXEC) != 0 || sem_init(&h->sem[side], 0, 0))
				return -1;
		if (pthread_create(&h->thread[0], NULL, serve, h) != 0 ||
		    pthread_create(&h->thread[1], NULL, answer, h) != 0)
			return -1;
	}
	return 0;
}

static int tear_down(void **state)
{
	atomic_store(&stop, 1);
	for (int i = 0; i < 2; i++)
		for (int side = 0; side < 2; side++)
			pthread_join(hammer[i].thread[side], NULL);
	return own ? own_keeper_end(state) : 0;
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(fork_has_threads),
		cmocka_unit_test(fork_has_a_grandchild),
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
		cmocka_unit_test(_Fork_has_a_grandchild),
#endif
		cmocka_unit_test(bare_clone_has_a_grandchild),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
