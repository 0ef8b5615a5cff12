// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * The end of threads and of the process: destructors of keys lock, signal, write, start threads and
 * set their key again, as often as POSIX says; a program gets all keys the C library has; main may
 * end before its threads; exit() may come while threads are in any call.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <limits.h>

#include "helper/baseline.h"
#include "preload/pingpong.h"

enum { NR_THREADS = 16, NR_EXITING = 8, NR_EXITS = 8 };

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	pthread_key_t key;
	int fds[2];
	_Atomic int nr_runs, nr_threads;
} d = {.mutex = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER};

static void *nothing(void *arg)
{
	atomic_fetch_add(&d.nr_threads, 1);
	return arg;
}

/* Value: rounds left. */
static void destructor(void *value)
{
	uintptr_t left = (uintptr_t)value;
	pthread_t thread;

	atomic_fetch_add(&d.nr_runs, 1);
	pthread_mutex_lock(&d.mutex);
	pthread_cond_broadcast(&d.cond);
	pthread_mutex_unlock(&d.mutex);
	if (write(d.fds[1], "x", 1) != 1)
		abort();
	if (left == 4 && pthread_create(&thread, NULL, nothing, NULL) == 0)
		pthread_join(thread, NULL);
	if (left > 1)
		pthread_setspecific(d.key, (void *)(left - 1));
}

static void *with_value(void *unused)
{
	char c;

	pthread_setspecific(d.key, (void *)4);
	/* Something handed over, so that the thread is known. */
	for (int i = 0; i < 300; i++)
		if (write(d.fds[1], "y", 1) != 1 || read(d.fds[0], &c, 1) != 1)
			abort();
	return unused;
}

static void destructors_run_in_all_rounds(void **state)
{
	pthread_t threads[NR_THREADS];
	size_t nr_bytes = 0;
	char c[4096];
	ssize_t n;

	assert_int_equal(pipe(d.fds), 0);
	assert_int_equal(pthread_key_create(&d.key, destructor), 0);
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, with_value, NULL), 0);
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(d.nr_runs, NR_THREADS * 4);
	assert_int_equal(d.nr_threads, NR_THREADS);
	close(d.fds[1]);
	while ((n = read(d.fds[0], c, sizeof(c))) > 0)
		nr_bytes += (size_t)n;
	assert_int_equal(nr_bytes, NR_THREADS * 4);
	close(d.fds[0]);
	assert_int_equal(pthread_key_delete(d.key), 0);
}

static int count_keys(void)
{
	static pthread_key_t keys[PTHREAD_KEYS_MAX + 1];
	struct pingpong *pp = pingpong_new();
	int before = 0, n = 0;

	dlerror(); /* until 2.34 a key belongs to the first lookup of the process, as libplace's */
	while (before < PTHREAD_KEYS_MAX / 2 && pthread_key_create(&keys[before], NULL) == 0)
		before++;
	pingpong_start(pp);
	own_pause_ms(200);
	while (n + before <= PTHREAD_KEYS_MAX && pthread_key_create(&keys[before + n], NULL) == 0)
		n++;
	printf("%d keys\n", before + n);
	return pingpong_stop(pp);
}

static void *go_on(void *arg)
{
	struct pingpong *pp = arg;

	own_pause_ms(500);
	pingpong_stop(pp);
	puts("the last thread ends");
	return NULL;
}

static int main_ends_first(void)
{
	struct pingpong *pp = pingpong_new();
	pthread_t thread;

	pingpong_start(pp);
	pthread_create(&thread, NULL, go_on, pp);
	pthread_exit(NULL);
}

/* Threads in all sorts of calls when the process ends. */
static int exit_amidst(void)
{
	struct pingpong *pp[NR_EXITING / 2];

	for (int i = 0; i < NR_EXITING / 2; i++) {
		pp[i] = pingpong_new();
		pingpong_start(pp[i]);
	}
	own_pause_ms(20);
	puts("exit");
	exit(0);
}

static void same(const char *mode)
{
	const char *argv[] = {helper_self(), mode, NULL};

	assert_true(helper_same(argv, NULL));
}

static void all_keys_are_there(void **state)
{
	same("keys");
}

static void main_may_end_first(void **state)
{
	same("main");
}

static void exit_may_come_at_any_time(void **state)
{
	for (int i = 0; i < NR_EXITS; i++)
		same("exit");
}

static void thread_locals_of_cxx_are_destroyed(void **state)
{
	static const char source[] =
		"#include <atomic>\n#include <cstdio>\n#include <mutex>\n#include <thread>\n"
		"#include <condition_variable>\n#include <unistd.h>\n"
		"static std::atomic<int> runs; static std::mutex m; static std::condition_variable "
		"c;\n"
		"static int fds[2];\n"
		"struct L { int n = 0; ~L() { std::lock_guard<std::mutex> l(m); c.notify_all();\n"
		"	runs++; if (write(fds[1], \"x\", 1) != 1) _exit(2); } };\n"
		"static thread_local L local;\n"
		"int main() {\n"
		"	if (pipe(fds)) return 1;\n"
		"	for (int i = 0; i < 50; i++) {\n"
		"		std::thread t([] { char b; local.n++; for (int k = 0; k < 200; "
		"k++)\n"
		"			if (write(fds[1], \"y\", 1) != 1 || read(fds[0], &b, 1) != "
		"1)\n"
		"				_exit(3); });\n"
		"		t.join();\n	}\n"
		"	std::printf(\"%d\\n\", runs.load());\n"
		"	return 0; }\n";
	const char *cxx[] = {"c++", "-pthread", NULL};
	char *dir = helper_dir(), exe[PATH_MAX];
	const char *argv[] = {exe, NULL};

	assert_non_null(dir);
	snprintf(exe, sizeof(exe), "%s/local", dir);
	if (helper_compile(dir, "local", source, cxx))
		assert_true(helper_same(argv, NULL));
	helper_remove(dir);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(destructors_run_in_all_rounds),
		cmocka_unit_test(all_keys_are_there),
		cmocka_unit_test(main_may_end_first),
		cmocka_unit_test(exit_may_come_at_any_time),
		cmocka_unit_test(thread_locals_of_cxx_are_destroyed),
	};

	if (argc > 1 && strcmp(argv[1], "keys") == 0)
		return count_keys();
	if (argc > 1 && strcmp(argv[1], "main") == 0)
		return main_ends_first();
	if (argc > 1)
		return exit_amidst();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
