// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Programs bound to any version of a name get the behaviour of that version. True of the C library
 * alone, and to stay true with the preload object.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "abi_versions.h"

#define NR_TURNS 20000
#define GUARD	 0x5a

/* Two threads that take turns. The condition variable ends where its ABI says, then the guard. */
struct game {
	const struct abi_threads *abi;
	pthread_mutex_t mutex;
	unsigned int turn;
	int error; /* first error of the second thread */
	unsigned char before[64];
	union {
		pthread_cond_t cond;
		unsigned char bytes[sizeof(pthread_cond_t) + 64];
	};
};

static int play(struct game *g, unsigned int side)
{
	int ret = pthread_mutex_lock(&g->mutex);

	while (!ret && g->turn < NR_TURNS) {
		if (g->turn % 2 == side) {
			g->turn++;
			ret = side ? g->abi->signal(&g->cond) : g->abi->broadcast(&g->cond);
		} else {
			ret = g->abi->wait(&g->cond, &g->mutex);
		}
	}
	return ret ? ret : pthread_mutex_unlock(&g->mutex);
}

static void *second(void *arg)
{
	struct game *g = arg;

	g->error = play(g, 1);
	return g;
}

static void check_guards(const struct game *g)
{
	for (size_t i = 0; i < sizeof(g->before); i++)
		assert_int_equal(g->before[i], GUARD);
	for (size_t i = g->abi->cond_size; i < sizeof(g->bytes); i++)
		assert_int_equal(g->bytes[i], GUARD);
}

static void each_generation_hands_over(void **state)
{
	for (size_t i = 0; i < abi_nr_threads; i++) {
		struct game g = {.abi = &abi_threads[i], .mutex = PTHREAD_MUTEX_INITIALIZER};
		struct timespec past = {.tv_sec = 1};
		pthread_t thread;
		void *result;

		print_message("# %s\n", g.abi->name);
		memset(g.before, GUARD, sizeof(g.before));
		memset(g.bytes, GUARD, sizeof(g.bytes));
		memset(g.bytes, 0, g.abi->cond_size);

		assert_int_equal(pthread_mutex_lock(&g.mutex), 0);
		assert_int_equal(g.abi->timedwait(&g.cond, &g.mutex, &past), ETIMEDOUT);
		assert_int_equal(pthread_mutex_unlock(&g.mutex), 0);

		assert_int_equal(g.abi->create(&thread, NULL, second, &g), 0);
		assert_int_equal(play(&g, 0), 0);
		assert_int_equal(pthread_join(thread, &result), 0);
		assert_ptr_equal(result, &g);
		assert_int_equal(g.error, 0);
		assert_int_equal(g.turn, NR_TURNS);
		check_guards(&g);
		assert_int_equal(g.abi->destroy(&g.cond), 0);
	}
}

#if defined(__x86_64__)
/* A file that has neither a format nor "#!": the old version runs it by the shell. */
static void spawn_of_a_file_without_format(void **state)
{
	char path[] = "/tmp/place-noformat-XXXXXX";
	char *argv[] = {path, NULL};
	int fd = mkstemp(path);
	int old_ret, new_ret, status = -1;
	pid_t pid = -1;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "exit 7\n", 7), 7);
	assert_int_equal(fchmod(fd, 0700), 0);
	assert_int_equal(close(fd), 0);
	old_ret = abi_calls.spawn_2_2_5(&pid, path, NULL, NULL, argv, environ);
	if (!old_ret)
		waitpid(pid, &status, 0);
	new_ret = abi_calls.spawn_2_15(&pid, path, NULL, NULL, argv, environ);
	unlink(path);
	assert_int_equal(old_ret, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_int_equal(new_ret, ENOEXEC);
}

/* The old calls have no length: they mean the whole cpu_set_t, and touch nothing behind it. */
static void affinity_calls_without_length(void **state)
{
	struct {
		cpu_set_t set;
		unsigned char after[64];
	} old;
	cpu_set_t set;

	memset(&old, GUARD, sizeof(old));
	CPU_ZERO(&set);
	assert_int_equal(abi_calls.getaffinity_2_3_4(0, sizeof(set), &set), 0);
	assert_true(CPU_COUNT(&set) > 0);
	assert_int_equal(abi_calls.getaffinity_2_3_3(0, &old.set), 0);
	assert_memory_equal(&old.set, &set, sizeof(set));
	assert_int_equal(abi_calls.setaffinity_2_3_3(0, &old.set), 0);

	memset(&old.set, GUARD, sizeof(old.set));
	assert_int_equal(abi_calls.thread_getaffinity_2_3_3(pthread_self(), &old.set), 0);
	assert_memory_equal(&old.set, &set, sizeof(set));
	assert_int_equal(abi_calls.thread_setaffinity_2_3_3(pthread_self(), &old.set), 0);
	memset(&old.set, GUARD, sizeof(old.set));
	assert_int_equal(abi_calls.thread_getaffinity_2_3_4(pthread_self(), sizeof(set), &old.set),
			 0);
	assert_memory_equal(&old.set, &set, sizeof(set));
	assert_int_equal(abi_calls.thread_setaffinity_2_3_4(pthread_self(), sizeof(set), &old.set),
			 0);
	for (size_t i = 0; i < sizeof(old.after); i++)
		assert_int_equal(old.after[i], GUARD);

	CPU_ZERO(&set);
	assert_int_equal(abi_calls.setaffinity_2_3_3(0, &set), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(abi_calls.thread_setaffinity_2_3_3(pthread_self(), &set), EINVAL);
}

/* The first timers were known by small numbers; later ones by pointers, which need more room. */
static void timers_with_an_int_for_id(void **state)
{
	struct sigevent none = {.sigev_notify = SIGEV_NONE};
	struct {
		int id;
		unsigned char after[60];
	} timer;

	if (!abi_calls.timer_create_2_2_5)
		return;
	memset(&timer, GUARD, sizeof(timer));
	assert_int_equal(abi_calls.timer_create_2_2_5(CLOCK_MONOTONIC, &none, &timer.id), 0);
	assert_in_range(timer.id, 0, 255);
	for (size_t i = 0; i < sizeof(timer.after); i++)
		assert_int_equal(timer.after[i], GUARD);
	assert_int_equal(abi_calls.timer_delete_2_2_5(timer.id), 0);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_generation_hands_over),
#if defined(__x86_64__)
		cmocka_unit_test(spawn_of_a_file_without_format),
		cmocka_unit_test(affinity_calls_without_length),
		cmocka_unit_test(timers_with_an_int_for_id),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
