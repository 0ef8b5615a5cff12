// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The seven kinds of channel. Each does what an ordinary program would write for that primitive;
// the message is one byte (eight for an eventfd).
#include "bench/channel.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/bench.h"

static const char *const kind_names[BENCH_NR_KINDS] = {
	[BENCH_PIPE] = "pipe", [BENCH_FUTEX] = "futex",	    [BENCH_COND] = "cond",
	[BENCH_SEM] = "sem",   [BENCH_EVENTFD] = "eventfd", [BENCH_UNIX] = "unix",
	[BENCH_TCP] = "tcp",
};

const char *bench_kind_name(enum bench_kind kind)
{
	return kind_names[kind];
}

bool bench_kind_parse(const char *name, enum bench_kind *out)
{
	for (int i = 0; i < BENCH_NR_KINDS; i++) {
		if (strcmp(name, kind_names[i]) == 0) {
			*out = (enum bench_kind)i;
			return true;
		}
	}
	return false;
}

void bench_futex_wait(_Atomic uint32_t *word, uint32_t while_equal, bool processes)
{
	int op = processes ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE;

	if (syscall(SYS_futex, word, op, while_equal, NULL, NULL, 0) && errno != EAGAIN &&
	    errno != EINTR)
		bench_die("futex wait: %s", strerror(errno));
}

void bench_futex_wake(_Atomic uint32_t *word, int nr, bool processes)
{
	int op = processes ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE;

	if (syscall(SYS_futex, word, op, nr, NULL, NULL, 0) < 0)
		bench_die("futex wake: %s", strerror(errno));
}

/* A connected pair of TCP sockets on the loopback device. */
static int tcp_pair(int sv[2])
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(addr);
	int one = 1, ret = -1;
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	sv[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || sv[0] < 0)
		goto out;
	if (bind(listener, (struct sockaddr *)&addr, sizeof(addr)) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&addr, &len) ||
	    connect(sv[0], (struct sockaddr *)&addr, sizeof(addr)))
		goto out;
	sv[1] = accept(listener, NULL, NULL);
	if (sv[1] < 0 || setsockopt(sv[0], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) ||
	    setsockopt(sv[1], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		goto out;
	ret = 0;
out:
	if (listener >= 0)
		close(listener);
	return ret;
}

static void open_sync(struct bench_lane *lane, bool processes)
{
	int shared = processes ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
	pthread_mutexattr_t ma;
	pthread_condattr_t ca;

	pthread_mutexattr_init(&ma);
	pthread_mutexattr_setpshared(&ma, shared);
	pthread_mutex_init(&lane->mutex, &ma);
	pthread_mutexattr_destroy(&ma);
	pthread_condattr_init(&ca);
	pthread_condattr_setpshared(&ca, shared);
	pthread_cond_init(&lane->cond, &ca);
	pthread_condattr_destroy(&ca);
	sem_init(&lane->sem, processes, 0);
}

static int open_fds(struct bench_chan *ch)
{
	int fd[2] = {-1, -1}, ret = 0;

	switch (ch->kind) {
	case BENCH_PIPE:
	case BENCH_EVENTFD:
		for (int s = 0; s < 2 && ret == 0; s++) {
			if (ch->kind == BENCH_PIPE)
				ret = pipe(fd);
			else
				ret = (fd[0] = fd[1] = eventfd(0, 0)) < 0 ? -1 : 0;
			ch->lane[s].rfd = fd[0];
			ch->lane[s].wfd = fd[1];
		}
		return ret;
	case BENCH_UNIX:
	case BENCH_TCP:
		ret = ch->kind == BENCH_TCP ? tcp_pair(fd)
					    : socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
		for (int s = 0; s < 2; s++) {
			ch->lane[s].wfd = fd[s];
			ch->lane[s].rfd = fd[1 - s];
		}
		return ret;
	default:
		return 0;
	}
}

void bench_chan_open(struct bench_chan *ch, enum bench_kind kind, bool processes)
{
	memset(ch, 0, sizeof(*ch));
	ch->kind = kind;
	ch->processes = processes;
	for (int s = 0; s < 2; s++) {
		ch->lane[s].rfd = ch->lane[s].wfd = -1;
		open_sync(&ch->lane[s], processes);
	}
	if (open_fds(ch))
		bench_die("cannot open a %s: %s", kind_names[kind], strerror(errno));
}

void bench_chan_close(const struct bench_chan *ch)
{
	for (int s = 0; s < 2; s++) {
		if (ch->lane[s].rfd >= 0)
			close(ch->lane[s].rfd);
		/* Two pipes have four descriptors, everything else has two. */
		if (ch->kind == BENCH_PIPE)
			close(ch->lane[s].wfd);
	}
}

void bench_chan_keep(const struct bench_chan *ch, int side)
{
	if (ch->kind == BENCH_EVENTFD || ch->lane[side].rfd < 0)
		return;
	close(ch->lane[side].rfd);
	if (ch->kind == BENCH_PIPE)
		close(ch->lane[1 - side].wfd);
}

void bench_chan_post(struct bench_chan *ch, int side)
{
	struct bench_lane *lane = &ch->lane[side];
	uint64_t msg = 1;
	size_t len = ch->kind == BENCH_EVENTFD ? sizeof(msg) : 1;

	switch (ch->kind) {
	case BENCH_FUTEX:
		atomic_store(&lane->word, 1);
		bench_futex_wake(&lane->word, 1, ch->processes);
		return;
	case BENCH_COND:
		pthread_mutex_lock(&lane->mutex);
		lane->full = true;
		pthread_mutex_unlock(&lane->mutex);
		pthread_cond_signal(&lane->cond);
		return;
	case BENCH_SEM:
		sem_post(&lane->sem);
		return;
	default:
		while (write(lane->wfd, &msg, len) != (ssize_t)len) {
			if (errno != EINTR)
				bench_die("%s: cannot write: %s", kind_names[ch->kind],
					  strerror(errno));
		}
	}
}

void bench_chan_wait(struct bench_chan *ch, int side)
{
	struct bench_lane *lane = &ch->lane[1 - side];
	uint64_t msg;
	size_t len = ch->kind == BENCH_EVENTFD ? sizeof(msg) : 1;
	ssize_t n;

	switch (ch->kind) {
	case BENCH_FUTEX:
		while (!atomic_exchange(&lane->word, 0))
			bench_futex_wait(&lane->word, 0, ch->processes);
		return;
	case BENCH_COND:
		pthread_mutex_lock(&lane->mutex);
		while (!lane->full)
			pthread_cond_wait(&lane->cond, &lane->mutex);
		lane->full = false;
		pthread_mutex_unlock(&lane->mutex);
		return;
	case BENCH_SEM:
		while (sem_wait(&lane->sem)) {
			if (errno != EINTR)
				bench_die("sem_wait: %s", strerror(errno));
		}
		return;
	default:
		while ((n = read(lane->rfd, &msg, len)) != (ssize_t)len) {
			if (n == 0)
				bench_die("%s: the partner is gone", kind_names[ch->kind]);
			if (errno != EINTR)
				bench_die("%s: cannot read: %s", kind_names[ch->kind],
					  strerror(errno));
		}
	}
}
