// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * POSIX gives out the lowest free descriptor, so a number means something new as soon as it is
 * closed, in whatever way that was: what is then handed over through it arrives whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/pingpong.h"

enum { NR_ROUNDS = 5000, NR_BYTES = 1 << 20, NR_FDS = 4 };

/* Two threads that live through all ways of closing: what they know of a number is from before. */
static struct {
	pthread_barrier_t step;
	struct helper_failure failure;
	int there[2], back[2]; /* as pipe() has it */
	int from, to;	       /* the pipe of the flow */
	uint32_t seed, sum[2];
	bool quit; /* written between two steps */
} world;

static bool own; /* the IPC namespace is ours */

static uint32_t next(uint32_t *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 24;
}

static uint32_t add(uint32_t sum, const unsigned char *at, size_t n)
{
	while (n--)
		sum = (sum ^ *at++) * 16777619;
	return sum;
}

static void send_all(void)
{
	static unsigned char data[NR_BYTES];
	uint32_t x = world.seed;
	size_t done = 0;

	for (size_t i = 0; i < NR_BYTES; i++)
		data[i] = (unsigned char)next(&x);
	world.sum[0] = add(0, data, NR_BYTES);
	while (done < NR_BYTES) {
		size_t part = 1 + done % 5000;
		ssize_t n = write(world.to, data + done,
				  part < NR_BYTES - done ? part : NR_BYTES - done);

		if (!helper_expect(&world.failure, n > 0))
			break;
		done += (size_t)n;
	}
	helper_expect(&world.failure, close(world.to) == 0);
}

/* Until the end of the file. */
static void receive_all(void)
{
	unsigned char part[4096];
	size_t done = 0;
	ssize_t n;

	world.sum[1] = 0;
	while ((n = read(world.from, part, sizeof(part))) > 0) {
		world.sum[1] = add(world.sum[1], part, (size_t)n);
		done += (size_t)n;
	}
	helper_expect(&world.failure, n == 0);
	helper_expect(&world.failure, done == NR_BYTES);
	helper_expect(&world.failure, close(world.from) == 0);
}

static void *side_main(void *arg)
{
	bool first = arg == &world.there;

	for (;;) {
		int in;

		pthread_barrier_wait(&world.step);
		if (world.quit)
			return NULL;
		in = first ? world.back[0] : world.there[0];
		for (int i = 0; i < NR_ROUNDS; i++) {
			unsigned char byte = i & 0x7f;

			if (first)
				helper_expect(&world.failure, pingpong_put(world.there[1], byte));
			helper_expect(&world.failure, pingpong_get(in) == byte);
			if (!first)
				helper_expect(&world.failure, pingpong_put(world.back[1], byte));
		}
		pthread_barrier_wait(&world.step);
		pthread_barrier_wait(&world.step);
		if (first)
			send_all();
		else
			receive_all();
		pthread_barrier_wait(&world.step);
	}
}

/* Ways to close the descriptors of FD. These are the last that were opened, without a gap. */

static void by_close(const int fd[NR_FDS])
{
	for (int i = 0; i < NR_FDS; i++)
		assert_int_equal(close(fd[i]), 0);
}

static void by_fclose(const int fd[NR_FDS])
{
	for (int i = 0; i < NR_FDS; i++) {
		FILE *file = fdopen(fd[i], i % 2 ? "w" : "r");

		assert_non_null(file);
		assert_int_equal(fclose(file), 0);
	}
}

static void by_syscall(const int fd[NR_FDS])
{
	for (int i = 0; i < NR_FDS; i++)
		assert_int_equal(syscall(SYS_close, fd[i]), 0);
}

static void by_syscall_range(const int fd[NR_FDS])
{
	assert_int_equal(syscall(436 /* close_range */, fd[0], fd[NR_FDS - 1], 0), 0);
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
static void by_close_range(const int fd[NR_FDS])
{
	assert_int_equal(close_range((unsigned int)fd[0], (unsigned int)fd[NR_FDS - 1], 0), 0);
}

static void by_closefrom(const int fd[NR_FDS])
{
	closefrom(fd[0]);
}
#endif

/* Opens the pipe of the flow at the numbers of FD. With SHIFT, a reading end was a writing one. */
static void reopen(const int fd[NR_FDS], bool shift)
{
	int flow[2], lower = shift ? dup(STDERR_FILENO) : -1;

	assert_int_equal(pipe(flow), 0);
	assert_int_equal(flow[0], fd[shift]);
	assert_int_equal(flow[1], fd[1 + shift]);
	world.from = flow[0];
	world.to = flow[1];
	if (lower >= 0)
		close(lower);
}

/* A pipe that is opened meanwhile goes over FD, which are never free. */
static void by_dup2(const int fd[NR_FDS], bool shift)
{
	int flow[2];

	assert_int_equal(pipe(flow), 0);
	world.from = fd[shift];
	world.to = fd[1 + shift];
	assert_int_equal(dup2(flow[0], world.from), world.from);
	assert_int_equal(dup2(flow[1], world.to), world.to);
	close(flow[0]);
	close(flow[1]);
	for (int i = 0; i < NR_FDS; i++)
		if (fd[i] != world.from && fd[i] != world.to)
			close(fd[i]);
}

static void arrives_whole(void (*close_all)(const int fd[NR_FDS]))
{
	for (int shift = 0; shift < 2; shift++) {
		int fd[NR_FDS];

		assert_int_equal(pipe(world.there), 0);
		assert_int_equal(pipe(world.back), 0);
		memcpy(fd, world.there, sizeof(world.there));
		memcpy(fd + 2, world.back, sizeof(world.back));
		assert_int_equal(fd[NR_FDS - 1] - fd[0], NR_FDS - 1);
		world.seed++;
		pthread_barrier_wait(&world.step); /* rounds */
		pthread_barrier_wait(&world.step);
		if (close_all) {
			close_all(fd);
			reopen(fd, shift);
		} else {
			by_dup2(fd, shift);
		}
		pthread_barrier_wait(&world.step); /* flow */
		pthread_barrier_wait(&world.step);
		assert_int_equal(world.sum[0], world.sum[1]);
		helper_assert_no_failure(&world.failure);
	}
}

#define WAY(way)                                                                                   \
	static void after_##way(void **state)                                                      \
	{                                                                                          \
		arrives_whole(by_##way);                                                           \
	}

WAY(close)
WAY(fclose)
WAY(syscall)
WAY(syscall_range)
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
WAY(close_range)
WAY(closefrom)
#endif

static void after_dup2(void **state)
{
	arrives_whole(NULL);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_close),
		cmocka_unit_test(after_fclose),
		cmocka_unit_test(after_syscall),
		cmocka_unit_test(after_syscall_range),
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
		cmocka_unit_test(after_close_range),
		cmocka_unit_test(after_closefrom),
#endif
		cmocka_unit_test(after_dup2),
	};
	pthread_t thread[2];
	int failed;

	own = own_namespace();
	pthread_barrier_init(&world.step, NULL, 3);
	pthread_create(&thread[0], NULL, side_main, &world.there);
	pthread_create(&thread[1], NULL, side_main, &world.back);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (!failed) { /* else the threads may be anywhere */
		world.quit = true;
		pthread_barrier_wait(&world.step);
		for (int i = 0; i < 2; i++)
			pthread_join(thread[i], NULL);
	}
	if (own)
		own_keeper_end(NULL);
	return failed;
}
