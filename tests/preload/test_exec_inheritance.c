// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Whatever way a child is made, and whatever was done to its parent's thread before, the child sees
 * the CPUs the program had at its start. True of the C library alone, and to stay true with the
 * preload object.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define REPORT_FD 9    /* where children write what they see; shells know one digit */
#define NR_ROUNDS 3000 /* of ping-pong before each child */

/* nproc obeys two variables of OpenMP, so the environment is a fixed one. */
#define COMMAND "{ nproc; grep Cpus_allowed_list /proc/self/status; } >&9"

static char sh[] = "/bin/sh", dash_c[] = "-c", command[] = COMMAND;
static char path_variable[] = "PATH=/usr/bin:/bin";
static char *const argv[] = {sh, dash_c, command, NULL};
static char *const env[] = {path_variable, NULL};

static char *put_number(char *out, unsigned int n)
{
	if (n >= 10)
		out = put_number(out, n / 10);
	*out++ = (char)('0' + n % 10);
	return out;
}

/* Writes what COMMAND would to FD. Only calls that a child of fork may make. */
static int report(int fd)
{
	unsigned char mask[8192];
	char status[8192], out[64], *line, *end, *number_end;
	long n = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);
	/* Of the thread: in a process with several, "self" is the main one. */
	int in = open("/proc/thread-self/status", O_RDONLY);
	ssize_t len = read(in, status, sizeof(status) - 1);
	unsigned int cpus = 0;

	close(in);
	if (n <= 0 || len <= 0)
		return 1;
	status[len] = '\0';
	line = strstr(status, "Cpus_allowed_list");
	end = line ? strchr(line, '\n') : NULL;
	if (!end)
		return 1;
	for (long i = 0; i < n; i++)
		cpus += (unsigned int)__builtin_popcount(mask[i]);
	number_end = put_number(out, cpus);
	*number_end++ = '\n';
	if (write(fd, out, (size_t)(number_end - out)) != number_end - out ||
	    write(fd, line, (size_t)(end + 1 - line)) != end + 1 - line)
		return 1;
	return 0;
}

static pid_t by_fork_execv(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execv(sh, argv);
		_exit(127);
	}
	return pid;
}

static pid_t by_fork_execlp(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execlp("sh", sh, dash_c, command, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static pid_t by_fork_execl(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl(sh, sh, dash_c, command, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static pid_t by_fork_execle(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execle(sh, sh, dash_c, command, (char *)NULL, env);
		_exit(127);
	}
	return pid;
}

static pid_t by_fork_execvpe(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execvpe("sh", argv, env);
		_exit(127);
	}
	return pid;
}

static pid_t by_fork_fexecve(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		fexecve(open(sh, O_RDONLY | O_CLOEXEC), argv, env);
		_exit(127);
	}
	return pid;
}

static pid_t by_fork_without_exec(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(report(REPORT_FD));
	return pid;
}

#if __GLIBC_PREREQ(2, 34)
static pid_t by_plain_fork_without_exec(void)
{
	pid_t pid = _Fork();

	if (pid == 0)
		_exit(report(REPORT_FD));
	return pid;
}
#endif

static pid_t by_system_call_number(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(report(REPORT_FD));
	return pid;
}

static pid_t by_vfork_execve(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execve(sh, argv, env);
		_exit(127);
	}
	return pid;
}

static pid_t by_vfork_execlp(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execlp("sh", sh, dash_c, command, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static pid_t by_posix_spawn(void)
{
	pid_t pid;

	return posix_spawn(&pid, sh, NULL, NULL, argv, env) ? -1 : pid;
}

static pid_t by_posix_spawnp(void)
{
	pid_t pid;

	return posix_spawnp(&pid, "sh", NULL, NULL, argv, env) ? -1 : pid;
}

static int clone_child(void *unused)
{
	(void)unused;
	execve(sh, argv, env);
	_exit(127);
}

static pid_t by_clone(void)
{
	static char stack[65536] __attribute__((aligned(16)));

	return clone(clone_child, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
}

/* Those that wait themselves answer 0. */
static pid_t by_system(void)
{
	return system(COMMAND) ? -1 : 0;
}

static pid_t by_popen(void)
{
	FILE *f = popen(COMMAND, "r");

	return !f || pclose(f) ? -1 : 0;
}

static pid_t by_daemon(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (!daemon(1, 1))
			execv(sh, argv);
		_exit(127);
	}
	return pid;
}

static pid_t by_forkpty(void)
{
	int terminal;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

	if (pid == 0) {
		execv(sh, argv);
		_exit(127);
	}
	/* Open until the child has ended: closing it would send SIGHUP. */
	return pid;
}

static void *thread_report(void *unused)
{
	(void)unused;
	return report(REPORT_FD) ? NULL : command;
}

static pid_t by_pthread_create(void)
{
	pthread_t thread;
	void *result;

	if (pthread_create(&thread, NULL, thread_report, NULL) || pthread_join(thread, &result))
		return -1;
	return result ? 0 : -1;
}

static const struct way {
	const char *name;
	pid_t (*start)(void);
} ways[] = {
	{"fork, execv", by_fork_execv},
	{"fork, execl", by_fork_execl},
	{"fork, execlp", by_fork_execlp},
	{"fork, execle", by_fork_execle},
	{"fork, execvpe", by_fork_execvpe},
	{"fork, fexecve", by_fork_fexecve},
	{"fork", by_fork_without_exec},
#if __GLIBC_PREREQ(2, 34)
	{"_Fork", by_plain_fork_without_exec},
#endif
	{"syscall(SYS_clone)", by_system_call_number},
	{"vfork, execve", by_vfork_execve},
	{"vfork, execlp", by_vfork_execlp},
	{"posix_spawn", by_posix_spawn},
	{"posix_spawnp", by_posix_spawnp},
	{"clone, execve", by_clone},
	{"system", by_system},
	{"popen", by_popen},
	{"daemon", by_daemon},
	{"forkpty", by_forkpty},
	{"pthread_create", by_pthread_create},
};

#define NR_WAYS (sizeof(ways) / sizeof(ways[0]))

static char expected[512];	    /* what the main thread saw first of all */
static char seen[NR_WAYS][512];	    /* what the children saw */
static const char *broken[NR_WAYS]; /* what went wrong, else NULL */
static int there[2], back[2];

/* Makes a child by WAY with a pipe as its REPORT_FD, and reads that to the end into OUT. */
static const char *run(const struct way *way, char *out, size_t size)
{
	int fds[2], status = 0;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) || dup2(fds[1], REPORT_FD) != REPORT_FD || close(fds[1]))
		return "no pipe";
	pid = way->start();
	dup2(STDERR_FILENO, REPORT_FD); /* ends our hold on the pipe, not on the number */
	while (pid >= 0 && len < size - 1 && (n = read(fds[0], out + len, size - 1 - len)) > 0)
		len += (size_t)n;
	close(fds[0]);
	if (pid < 0)
		return "not started";
	if (pid > 0 && waitpid(pid, &status, 0) != pid)
		return "not waited for";
	return status ? "failed" : NULL;
}

static void *partner(void *unused)
{
	char c;

	(void)unused;
	while (read(there[0], &c, 1) == 1)
		if (write(back[1], &c, 1) != 1)
			break;
	return NULL;
}

/* A thread that has every reason to be placed, and makes children all the while. */
static void *parent(void *unused)
{
	char c = 0;

	(void)unused;
	for (size_t i = 0; i < NR_WAYS; i++) {
		for (int round = 0; round < NR_ROUNDS; round++)
			if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
				broken[i] = "no partner";
		if (!broken[i])
			broken[i] = run(&ways[i], seen[i], sizeof(seen[i]));
	}
	close(there[1]);
	return NULL;
}

static void children_see_what_the_program_saw(void **state)
{
	pthread_t threads[2];

	assert_int_equal(pipe2(there, O_CLOEXEC), 0);
	assert_int_equal(pipe2(back, O_CLOEXEC), 0);
	assert_int_equal(pthread_create(&threads[0], NULL, partner, NULL), 0);
	assert_int_equal(pthread_create(&threads[1], NULL, parent, NULL), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (size_t i = 0; i < NR_WAYS; i++) {
		if (broken[i])
			fail_msg("%s: %s", ways[i].name, broken[i]);
		if (strcmp(seen[i], expected))
			fail_msg("%s: \"%s\", not \"%s\"", ways[i].name, seen[i], expected);
	}
}

/* The first thing: before there is anything to place. */
static int setup(void **state)
{
	int fds[2];
	ssize_t n;

	unsetenv("OMP_NUM_THREADS");
	unsetenv("OMP_THREAD_LIMIT");
	if (dup2(STDERR_FILENO, REPORT_FD) != REPORT_FD || pipe(fds) || report(fds[1]))
		return -1;
	close(fds[1]);
	n = read(fds[0], expected, sizeof(expected) - 1);
	close(fds[0]);
	return n > 0 ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_see_what_the_program_saw),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
