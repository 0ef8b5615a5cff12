// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Threads and processes that the C library makes on its own, or that are made in unusual ways, all
 * of them by a thread that hands work over: each sees the CPUs the program had at its start.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <aio.h>
#include <mqueue.h>
#include <netdb.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <threads.h>
#include <wordexp.h>

#include "base/sys.h"
#include "preload/held.h"

static char start_list[256];

/* What a thread born somewhere found; RUNNING until it looked. */
static struct {
	char list[256];
	sem_t looked;
} born;

static void look(void)
{
	mask_list((pid_t)pl_sys0(SYS_gettid), born.list, sizeof(born.list));
	sem_post(&born.looked);
}

static void expect_wide(struct helper_failure *f, const char *who)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	while (sem_timedwait(&born.looked, &until) != 0)
		if (!helper_expect(f, errno == EINTR))
			return;
	if (strcmp(born.list, start_list) != 0)
		fprintf(stderr, "%s: %s, not %s\n", who, born.list, start_list);
	helper_expect(f, strcmp(born.list, start_list) == 0);
}

static void on_value(union sigval v)
{
	(void)v;
	look();
}

static void timer(struct helper_failure *f, void *unused)
{
	struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_value};
	struct itimerspec soon = {.it_value = {.tv_nsec = 1000000}};
	timer_t id;

	(void)unused;
	if (!helper_expect(f, timer_create(CLOCK_MONOTONIC, &e, &id) == 0))
		return;
	helper_expect(f, timer_settime(id, 0, &soon, NULL) == 0);
	expect_wide(f, "timer");
	timer_delete(id);
}

static void message_queue(struct helper_failure *f, void *unused)
{
	struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_value};
	struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = 8};
	char name[64];
	mqd_t mq;

	(void)unused;
	snprintf(name, sizeof(name), "/place-test-%d", getpid());
	mq = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, &attr);
	if (mq == (mqd_t)-1)
		return; /* none in this kernel, or not mounted */
	mq_unlink(name);
	helper_expect(f, mq_notify(mq, &e) == 0);
	helper_expect(f, mq_send(mq, "x", 1, 0) == 0);
	expect_wide(f, "mq_notify");
	mq_close(mq);
}

static void asynchronous_io(struct helper_failure *f, void *unused)
{
	static char byte;
	int fds[2];
	struct aiocb cb = {
		.aio_buf = &byte,
		.aio_nbytes = 1,
		.aio_sigevent = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_value}};

	(void)unused;
	if (!helper_expect(f, pipe(fds) == 0))
		return;
	cb.aio_fildes = fds[0];
	helper_expect(f, aio_read(&cb) == 0);
	helper_expect(f, write(fds[1], "x", 1) == 1);
	expect_wide(f, "aio_read");
	close(fds[0]);
	close(fds[1]);
}

static void list_of_io(struct helper_failure *f, void *unused)
{
	static char byte;
	int fds[2];
	struct aiocb cb = {.aio_buf = &byte, .aio_nbytes = 1, .aio_lio_opcode = LIO_WRITE};
	struct aiocb *list[] = {&cb};
	struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_value};

	(void)unused;
	if (!helper_expect(f, pipe(fds) == 0))
		return;
	cb.aio_fildes = fds[1];
	helper_expect(f, lio_listio(LIO_NOWAIT, list, 1, &e) == 0);
	expect_wide(f, "lio_listio");
	close(fds[0]);
	close(fds[1]);
}

static void look_up(struct helper_failure *f, void *unused)
{
	struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_value};
	struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST};
	struct gaicb ask = {.ar_name = "127.0.0.1", .ar_request = &numeric}, *list[] = {&ask};

	(void)unused;
	helper_expect(f, getaddrinfo_a(GAI_NOWAIT, list, 1, &e) == 0);
	expect_wide(f, "getaddrinfo_a");
	if (ask.ar_result)
		freeaddrinfo(ask.ar_result);
}

static int c11_main(void *unused)
{
	(void)unused;
	look();
	return 5;
}

static void c11(struct helper_failure *f, void *unused)
{
	thrd_t thread;
	int result = 0;

	(void)unused;
	helper_expect(f, thrd_create(&thread, c11_main, NULL) == thrd_success);
	expect_wide(f, "thrd_create");
	helper_expect(f, thrd_join(thread, &result) == thrd_success && result == 5);
}

static void *second_generation(void *unused)
{
	pthread_t thread;

	if (!unused) {
		look();
		return NULL;
	}
	if (pthread_create(&thread, NULL, second_generation, NULL) != 0)
		return NULL;
	pthread_join(thread, NULL);
	return NULL;
}

static void children_of_a_thread(struct helper_failure *f, void *unused)
{
	pthread_t thread;

	(void)unused;
	helper_expect(f, pthread_create(&thread, NULL, second_generation, start_list) == 0);
	expect_wide(f, "second generation");
	pthread_join(thread, NULL);
}

static void expect_line(struct helper_failure *f, int fd, const char *who)
{
	char text[512] = "", expected[320];
	size_t len = 0;
	ssize_t n;

	while (len < sizeof(text) - 1 && (n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	snprintf(expected, sizeof(expected), "Cpus_allowed_list:\t%s\n", start_list);
	if (strcmp(text, expected) != 0)
		fprintf(stderr, "%s: \"%s\", not \"%s\"\n", who, text, expected);
	helper_expect(f, strcmp(text, expected) == 0);
}

static char grep[] = "grep", what[] = "Cpus_allowed_list", where[] = "/proc/self/status";
static char *const grep_argv[] = {grep, what, where, NULL};

static void spawn_with_actions(struct helper_failure *f, void *unused)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int fds[2], status = -1;
	pid_t pid;

	(void)unused;
	if (!helper_expect(f, pipe2(fds, O_CLOEXEC) == 0))
		return;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
	helper_expect(f, posix_spawnp(&pid, grep, &actions, &attr, grep_argv, environ) == 0);
	close(fds[1]);
	expect_line(f, fds[0], "posix_spawn");
	close(fds[0]);
	helper_expect(f, waitpid(pid, &status, 0) == pid && status == 0);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
}

static void word_expansion(struct helper_failure *f, void *unused)
{
	wordexp_t words;

	(void)unused;
	if (!helper_expect(f,
			   wordexp("$(grep Cpus_allowed_list /proc/self/status)", &words, 0) == 0))
		return;
	helper_expect(f, words.we_wordc == 2);
	if (words.we_wordc == 2) {
		if (strcmp(words.we_wordv[1], start_list) != 0)
			fprintf(stderr, "wordexp: %s\n", words.we_wordv[1]);
		helper_expect(f, strcmp(words.we_wordv[1], start_list) == 0);
	}
	wordfree(&words);
}

/* As a server that leaves its terminal: fork, setsid, fork. */
static void double_fork(struct helper_failure *f, void *unused)
{
	int fds[2], status = -1;
	pid_t pid;

	(void)unused;
	if (!helper_expect(f, pipe2(fds, O_CLOEXEC) == 0))
		return;
	pid = fork();
	if (pid == 0) {
		setsid();
		if (fork() == 0) {
			dup2(fds[1], 1);
			execvp(grep, grep_argv);
		}
		_exit(0);
	}
	close(fds[1]);
	expect_line(f, fds[0], "double fork");
	close(fds[0]);
	helper_expect(f, waitpid(pid, &status, 0) == pid && status == 0);
}

/* A thread that becomes another program, as a supervisor's worker may. */
static void *exec_main(void *unused)
{
	(void)unused;
	execvp(grep, grep_argv);
	_exit(127);
}

static void exec_from_a_thread(struct helper_failure *f, void *unused)
{
	int fds[2], status = -1;
	pid_t pid;

	(void)unused;
	if (!helper_expect(f, pipe2(fds, O_CLOEXEC) == 0))
		return;
	pid = fork();
	if (pid == 0) {
		struct pingpong *pp = pingpong_new();
		int64_t until = own_now_ms() + 300;
		pthread_t thread;

		dup2(fds[1], 1);
		pingpong_start(pp);
		while (own_now_ms() < until)
			pingpong_coax(pp);
		pthread_create(&thread, NULL, exec_main, NULL);
		pause();
	}
	close(fds[1]);
	expect_line(f, fds[0], "exec from a thread");
	close(fds[0]);
	helper_expect(f, waitpid(pid, &status, 0) == pid && status == 0);
}

static void namespaces(struct helper_failure *f, void *unused)
{
	int net = open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC);
	int fds[2];
	pid_t pid;

	(void)unused;
	if (!helper_expect(f, pipe2(fds, O_CLOEXEC) == 0))
		return;
	pid = fork();
	if (pid == 0) {
		dup2(fds[1], 1);
		/* Not allowed to everybody; the child is wide either way. */
		if (unshare(CLONE_NEWUTS) == 0)
			setns(net, CLONE_NEWUTS);
		execvp(grep, grep_argv);
		_exit(127);
	}
	close(net);
	close(fds[1]);
	expect_line(f, fds[0], "namespaces");
	close(fds[0]);
	waitpid(pid, NULL, 0);
}

#define BORN(name, work)                                                                           \
	static void name(void **state)                                                             \
	{                                                                                          \
		held_call(false, 1, work, NULL);                                                   \
	}

BORN(threads_of_a_timer, timer)
BORN(threads_of_a_message_queue, message_queue)
BORN(threads_of_asynchronous_io, asynchronous_io)
BORN(threads_of_a_list_of_io, list_of_io)
BORN(threads_of_a_look_up, look_up)
BORN(threads_of_c11, c11)
BORN(threads_of_threads, children_of_a_thread)
BORN(programs_spawned_with_actions, spawn_with_actions)
BORN(programs_of_a_word_expansion, word_expansion)
BORN(daemons, double_fork)
BORN(a_program_that_a_thread_becomes, exec_from_a_thread)
BORN(children_in_other_namespaces, namespaces)

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, pingpong_end)
	static const struct CMUnitTest tests[] = {
		TEST(threads_of_a_timer),
		TEST(threads_of_a_message_queue),
		TEST(threads_of_asynchronous_io),
		TEST(threads_of_a_list_of_io),
		TEST(threads_of_a_look_up),
		TEST(threads_of_c11),
		TEST(threads_of_threads),
		TEST(programs_spawned_with_actions),
		TEST(programs_of_a_word_expansion),
		TEST(daemons),
		TEST(a_program_that_a_thread_becomes),
		TEST(children_in_other_namespaces),
	};

	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	mask_list(getpid(), start_list, sizeof(start_list));
	if (sem_init(&born.looked, 0, 0) != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
