// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// A program whose threads are moved about by the balancer, on a machine that the test describes:
// what it forks has its own mask, and calls that need a process of one thread find one.
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/sys.h"
#include "helper/helper.h"
#include "preload/own_segment.h"

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2u
#endif

enum {
	NR_FORKS = 6,
	NR_THREADS = 50,
	BURN_MS = 300, /* less than the balancer leaves a mask in force */
	FLIP_MS = 15,
	LIMIT_MS = 20000,
	NR_CALLS = 5000,
};

static cpu_set_t whole;
static struct pl_segment *seg;

static int64_t cpu_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Of the kernel itself: no hook sees the question. */
static bool is_whole(pid_t tid)
{
	cpu_set_t now;

	CPU_ZERO(&now);
	return pl_sys3(SYS_sched_getaffinity, tid, sizeof(now), &now) > 0 &&
	       CPU_EQUAL(&now, &whole);
}

/* The model in which the first CPU is the smaller one, or the second. */
static void publish(bool first)
{
	uint32_t n = pl_get(&seg->machine_ready) + 1;
	struct pl_machine *m = &seg->machine[n & 1];
	uint16_t core = 0;

	memset(m, 0, sizeof(*m));
	for (int c = 0; c < CPU_SETSIZE; c++) {
		bool small = first == (core == 0);

		if (!CPU_ISSET(c, &whole))
			continue;
		m->cpu[c].core = m->cpu[c].cluster = core++;
		m->cpu[c].capacity = m->cpu[c].actual = small ? 400 : 1024;
		m->cpu[c].class = small;
		m->nr_cpu_ids = (uint16_t)(c + 1);
	}
	m->asymmetric = 1;
	pl_machine_finish(m);
	pl_set_release(&seg->machine_ready, n);
}

static bool balancer_is_there(void *unused)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *e;
	bool found = false;

	(void)unused;
	while (dir && (e = readdir(dir))) {
		char path[300], name[32] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", e->d_name);
		f = fopen(path, "re");
		if (f && fgets(name, sizeof(name), f) && strcmp(name, "place-balancer\n") == 0)
			found = true;
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool ready(void)
{
	if (!seg && helper_preload())
		helper_skipped("needs a new IPC namespace and two CPUs");
	return seg || !helper_preload();
}

/*
 * A handler of the program's that takes its time between the hook and the kernel's fork. The
 * balancer may not look meanwhile; that it leaves the thread alone then is for
 * unit/test_balancer.c.
 */
static void burn(void)
{
	int64_t until = cpu_now_ms() + BURN_MS;

	while (cpu_now_ms() < until)
		;
}

struct forker {
	_Atomic bool done;
	unsigned int nr_narrow, nr_failed, nr_moved;
};

/*
 * Runs on until the balancer has narrowed this thread, so that the fork that follows is one of a
 * thread that the balancer has a reason to narrow. False when it has not by then.
 */
static bool burn_until_narrow(void)
{
	int64_t until = own_now_ms() + LIMIT_MS;

	while (own_now_ms() < until)
		if (!is_whole(0))
			return true;
	return false;
}

static void *fork_often(void *arg)
{
	struct forker *f = arg;

	for (int i = 0; i < NR_FORKS; i++) {
		int status = -1;
		pid_t pid;

		if (seg && !burn_until_narrow())
			break;
		f->nr_moved++;
		pid = fork();
		if (pid == 0)
			_exit(is_whole(0) ? 0 : 1);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
			f->nr_failed++;
		else
			f->nr_narrow += WEXITSTATUS(status) != 0;
	}
	atomic_store(&f->done, true);
	return NULL;
}

static void child_has_the_whole_mask(void **state)
{
	struct forker f = {0};
	pthread_t thread;

	(void)state;
	if (!ready())
		return;
	assert_int_equal(pthread_atfork(burn, NULL, NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, fork_often, &f), 0);
	if (seg)
		assert_true(own_poll(balancer_is_there, NULL, LIMIT_MS));
	for (int i = 0; !atomic_load(&f.done); i++) {
		if (seg)
			publish(i & 1);
		own_pause_ms(FLIP_MS);
	}
	pthread_join(thread, NULL);
	assert_int_equal(f.nr_moved, NR_FORKS);
	assert_int_equal(f.nr_failed, 0);
	assert_int_equal(f.nr_narrow, 0);
}

static void *say_tid(void *arg)
{
	*(pid_t *)arg = gettid();
	return NULL;
}

static bool has_ended(void *tid)
{
	return tgkill(getpid(), *(pid_t *)tid, 0) != 0;
}

/* A process of one thread again, as far as the program can know. */
static void thread_comes_and_goes(void)
{
	pthread_t thread;
	pid_t tid = 0;

	assert_int_equal(pthread_create(&thread, NULL, say_tid, &tid), 0);
	pthread_join(thread, NULL);
	/* It is joined before the kernel has counted it off. */
	assert_true(own_poll(has_ended, &tid, LIMIT_MS));
}

/* With this flag unshare() has no effect, and fails where there is another thread. */
static void single_thread_for_unshare(void **state)
{
	(void)state;
	if (!ready())
		return;
	for (int i = 0; i < NR_THREADS; i++) {
		thread_comes_and_goes();
		assert_int_equal(unshare(CLONE_THREAD), 0);
		thread_comes_and_goes();
		assert_int_equal(syscall(SYS_unshare, CLONE_THREAD), 0);
	}
}

/* Whoever shares the descriptors keeps a pipe open that the program closed. */
static void nobody_keeps_descriptors(int (*close_unshared)(int))
{
	struct pollfd end = {.events = POLLIN};
	int fds[2];

	thread_comes_and_goes();
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	end.fd = fds[0];
	if (close_unshared(fds[1]) != 0) {
		close(fds[0]);
		close(fds[1]);
		helper_skipped("needs close_range()");
		return;
	}
	assert_int_equal(poll(&end, 1, LIMIT_MS), 1);
	assert_int_not_equal(end.revents & POLLHUP, 0);
	close(fds[0]);
}

static int by_syscall(int fd)
{
	return (int)syscall(436, fd, fd, CLOSE_RANGE_UNSHARE); /* the same number everywhere */
}

static void closed_by_syscall(void **state)
{
	(void)state;
	if (ready())
		nobody_keeps_descriptors(by_syscall);
}

#if __GLIBC_PREREQ(2, 34)
static int by_function(int fd)
{
	return close_range((unsigned int)fd, (unsigned int)fd, CLOSE_RANGE_UNSHARE);
}

static void closed_by_function(void **state)
{
	(void)state;
	if (ready())
		nobody_keeps_descriptors(by_function);
}
#endif

static int set_up(void **state)
{
	int fds[2];
	char c = 'x';

	(void)state;
	CPU_ZERO(&whole);
	if (sched_getaffinity(0, sizeof(whole), &whole) != 0 || pipe2(fds, O_CLOEXEC) != 0)
		return -1;
	if (!helper_preload() || CPU_COUNT(&whole) != 2 || !own_namespace())
		return 0;
	/* A handoff makes the segment; the first calls may be left out. */
	for (int i = 0; i < NR_CALLS && !(seg = own_segment()); i++)
		if (write(fds[1], &c, 1) != 1 || read(fds[0], &c, 1) != 1)
			return -1;
	close(fds[0]);
	close(fds[1]);
	if (!seg)
		return -1;
	/* The test is the keeper. */
	pl_set(&seg->keeper_pid, (uint32_t)getpid());
	pl_set(&seg->try_ns, UINT64_MAX / 2);
	publish(true);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(child_has_the_whole_mask),
		cmocka_unit_test(single_thread_for_unshare),
		cmocka_unit_test(closed_by_syscall),
#if __GLIBC_PREREQ(2, 34)
		cmocka_unit_test(closed_by_function),
#endif
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
