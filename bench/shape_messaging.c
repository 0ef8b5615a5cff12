// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Shape "messaging", with the meaning of hackbench: groups of senders and receivers; each sender
// sends a number of messages to each receiver of its group, over a socket or pipe that a receiver
// shares with all its senders. A tenth of the messages go first, unmeasured.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/shapes.h"

#define MAX_BYTES   4096
#define WARMUP_PART 10

struct messaging_area {
	pthread_barrier_t warm; /* everybody has sent and received the first tenth */
	int rfd[BENCH_MAX_WORKERS / 2];
	int wfd[BENCH_MAX_WORKERS / 2];
	struct messaging_line {
		uint64_t begin_ns, end_ns;
		uint64_t messages; /* received, measured part */
	} __attribute__((aligned(BENCH_LINE))) line[BENCH_MAX_WORKERS];
};

static void send_one(int fd, const char *message, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = write(fd, message + done, len - done);

		if (n < 0 && errno != EINTR)
			bench_die("cannot send a message: %s", strerror(errno));
		done += n > 0 ? (size_t)n : 0;
	}
}

static void receive_one(int fd, char *message, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = read(fd, message + done, len - done);

		if (n == 0)
			bench_die("the senders are gone");
		if (n < 0 && errno != EINTR)
			bench_die("cannot receive a message: %s", strerror(errno));
		done += n > 0 ? (size_t)n : 0;
	}
}

/* LOOPS rounds as member MEMBER of GROUP: the first half of a group sends, the second receives. */
static uint64_t take_part(struct messaging_area *a, int group, int member, int loops)
{
	size_t len = (size_t)shape_opts.bytes;
	int fds = shape_opts.fds, first = group * fds;
	char message[MAX_BYTES] = {0};
	uint64_t received = 0;

	if (member >= fds) {
		for (; received < (uint64_t)loops * (uint64_t)fds; received++)
			receive_one(a->rfd[first + member - fds], message, len);
		return received;
	}
	for (int i = 0; i < loops; i++) {
		for (int r = 0; r < fds; r++)
			send_one(a->wfd[first + r], message, len);
	}
	return 0;
}

static void messaging_worker(struct bench_team *t, int k)
{
	struct messaging_area *a = t->area;
	struct messaging_line *me = &a->line[k];
	int size = 2 * shape_opts.fds, warm = (shape_opts.loops + WARMUP_PART - 1) / WARMUP_PART;
	struct bench_usage base;

	bench_ready(t);
	take_part(a, k / size, k % size, warm);
	pthread_barrier_wait(&a->warm);
	base = bench_usage();
	me->begin_ns = pl_now_ns();
	me->messages = take_part(a, k / size, k % size, shape_opts.loops);
	me->end_ns = pl_now_ns();
	bench_usage_store(&t->sh->slot[k], base);
}

static int messaging_tasks(void)
{
	return 2 * shape_opts.fds * shape_opts.groups;
}

static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void messaging_prepare(struct bench_team *t)
{
	struct messaging_area *a = t->area;
	pthread_barrierattr_t attr;

	if (messaging_tasks() > BENCH_MAX_WORKERS)
		bench_usage_die("%d groups of %d are %d tasks: at most %d", shape_opts.groups,
				2 * shape_opts.fds, messaging_tasks(), BENCH_MAX_WORKERS);
	allow_descriptors();
	for (int i = 0; i < shape_opts.groups * shape_opts.fds; i++) {
		int fd[2], err;

		if (shape_opts.kind == BENCH_PIPE)
			err = pipe(fd);
		else
			err = socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
		if (err)
			bench_die("cannot make channel %d: %s", i, strerror(errno));
		a->rfd[i] = fd[0];
		a->wfd[i] = fd[1];
	}
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&a->warm, &attr, (unsigned int)messaging_tasks());
	pthread_barrierattr_destroy(&attr);
}

static void messaging_report(const struct bench_team *t)
{
	const struct messaging_area *a = t->area;
	uint64_t begin = UINT64_MAX, end = 0, messages = 0;
	double elapsed;

	for (int k = 0; k < t->nr; k++) {
		begin = a->line[k].begin_ns < begin ? a->line[k].begin_ns : begin;
		end = a->line[k].end_ns > end ? a->line[k].end_ns : end;
		messages += a->line[k].messages;
	}
	elapsed = (double)(end - begin) / 1e9;
	printf("messages %llu\n", (unsigned long long)messages);
	printf("elapsed_s %.6f\n", elapsed);
	printf("messages_per_s %.2f\n", (double)messages / elapsed);
	bench_print_usage(t, "message", (double)messages);
}

const struct shape shape_messaging = {
	.name = "messaging",
	.area = sizeof(struct messaging_area),
	.nr_tasks = messaging_tasks,
	.prepare = messaging_prepare,
	.worker = messaging_worker,
	.report = messaging_report,
};
