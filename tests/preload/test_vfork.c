// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * vfork returns twice on one stack: whatever stands between the program and the C library must
 * leave that stack alone. To be built without optimisation, with -O2 and with
 * -fstack-protector-all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_CALLS   500
#define NR_THREADS 4

static unsigned int checksum(const volatile unsigned char *bytes, size_t n)
{
	unsigned int sum = 1;

	while (n--)
		sum = sum * 31 + *bytes++;
	return sum;
}

/* One call, the child running PATH; 0, or what went wrong. */
__attribute__((noinline)) static int call_vfork(char *path, int expected, unsigned int seed)
{
	volatile unsigned char stack[4096];
	volatile unsigned int before, round = seed;
	char *argv[] = {path, NULL};
	char *env[] = {NULL};
	int status;
	pid_t pid;

	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = (unsigned char)(i * 7 + seed);
	before = checksum(stack, sizeof(stack));
	pid = vfork();
	if (pid == 0) {
		execve(path, argv, env);
		_exit(127);
	}
	if (pid < 0)
		return 1;
	if (checksum(stack, sizeof(stack)) != before || round != seed)
		return 2;
	if (waitpid(pid, &status, 0) != pid)
		return 3;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != expected)
		return 4;
	return 0;
}

static int call_many(unsigned int n)
{
	char present[] = "/bin/true", absent[] = "/nonexistent/program";
	int error = 0;

	for (unsigned int i = 0; i < n && !error; i++)
		error = i % 2 ? call_vfork(absent, 127, i) : call_vfork(present, 0, i);
	return error;
}

static void *caller(void *arg)
{
	return (void *)(intptr_t)call_many(NR_CALLS / NR_THREADS);
}

static void from_the_main_thread(void **state)
{
	assert_int_equal(call_many(NR_CALLS), 0);
}

static void from_several_threads(void **state)
{
	pthread_t threads[NR_THREADS];
	void *error;

	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, caller, NULL), 0);
	for (int i = 0; i < NR_THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &error), 0);
		assert_null(error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_the_main_thread),
		cmocka_unit_test(from_several_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
