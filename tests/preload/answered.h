/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * A program whose affinity calls are answered by the test instead of the kernel, by notifications
 * of seccomp (Linux 5.5, pidfd_getfd 5.6).
 */
#ifndef PL_TESTS_ANSWERED_H
#define PL_TESTS_ANSWERED_H

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWERED_BY_KERNEL INT64_MIN

/* What thread TID gets for CALL: the result, a negative errno, or ANSWERED_BY_KERNEL. */
typedef int64_t (*answered_fn)(void *arg, pid_t tid, const struct seccomp_data *call);

struct answered {
	bool get, set; /* which calls are asked about; the others are the kernel's */
	answered_fn answer;
	void *arg;
	/* Of answered_run(). */
	int listener, end; /* END: pidfd of the program */
};

static inline void *answered_main(void *arg)
{
	struct answered *a = arg;
	struct pollfd p[] = {{.fd = a->listener, .events = POLLIN},
			     {.fd = a->end, .events = POLLIN}};

	while (poll(p, 2, -1) >= 0 || errno == EINTR) {
		struct seccomp_notif ask = {0};
		struct seccomp_notif_resp say = {0};
		int64_t ret;

		if (p[1].revents)
			break;
		if (!(p[0].revents & POLLIN) ||
		    ioctl(a->listener, SECCOMP_IOCTL_NOTIF_RECV, &ask) != 0)
			continue;
		ret = a->answer(a->arg, (pid_t)ask.pid, &ask.data);
		say.id = ask.id;
		if (ret == ANSWERED_BY_KERNEL)
			say.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		else if (ret < 0)
			say.error = (int32_t)ret;
		else
			say.val = ret;
		ioctl(a->listener, SECCOMP_IOCTL_NOTIF_SEND, &say);
	}
	return NULL;
}

/* In the child: the listener, or negative. */
static inline int answered_ask(const struct answered *a)
{
	/* A number that no call has, for what is not asked about. */
	unsigned int get = a->get ? SYS_sched_getaffinity : UINT32_MAX;
	unsigned int set = a->set ? SYS_sched_setaffinity : UINT32_MAX;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, set, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, get, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &prog);
}

static inline void answered_child(const struct answered *a, char *const argv[], int out, int tell)
{
	int listener = answered_ask(a);

	/* The descriptor ends with exec: the parent says when it has a copy. */
	if (write(tell, &listener, sizeof(listener)) != sizeof(listener) ||
	    read(tell, &listener, 1) != 1)
		_exit(125);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	execv("/proc/self/exe", argv);
	_exit(126);
}

/*
 * Runs this program with ARGV until it ends, and what it says into TEXT. Its wait status. Asserts
 * that it could be set up; include cmocka.h before.
 */
static inline int answered_run(struct answered *a, char *const argv[], char *text, size_t size)
{
	int out[2], tell[2], theirs = -1, status = -1;
	pthread_t thread;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, tell), 0);
	pid = fork();
	if (pid == 0)
		answered_child(a, argv, out[1], tell[1]);
	assert_true(pid > 0);
	close(out[1]);
	close(tell[1]);
	assert_int_equal(read(tell[0], &theirs, sizeof(theirs)), sizeof(theirs));
	a->end = (int)syscall(SYS_pidfd_open, pid, 0);
	assert_true(a->end >= 0);
	a->listener = theirs < 0 ? -1 : (int)syscall(438 /* pidfd_getfd */, a->end, theirs, 0);
	assert_true(a->listener >= 0);
	assert_int_equal(write(tell[0], "", 1), 1);
	close(tell[0]);
	assert_int_equal(pthread_create(&thread, NULL, answered_main, a), 0);
	while (len < size - 1 && (n = read(out[0], text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	close(out[0]);
	waitpid(pid, &status, 0);
	pthread_join(thread, NULL);
	close(a->listener);
	close(a->end);
	return status;
}

#endif
