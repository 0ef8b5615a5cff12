/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * A segment and a keeper of this test's own: in an IPC namespace that no other program shares, so
 * that tests disturb neither each other nor the user. Needs root; a test is skipped without.
 */
#ifndef PL_TESTS_OWN_SEGMENT_H
#define PL_TESTS_OWN_SEGMENT_H

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "domain/segment.h"

static inline int64_t own_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Looks at a state of another thread or process for which there is no event: every MS ms. */
static inline void own_pause_ms(int ms)
{
	struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000l};

	while (nanosleep(&ts, &ts) != 0 && errno == EINTR)
		;
}

/* True once COND(ARG) holds; false when it did not within MS ms. */
static inline bool own_poll(bool (*cond)(void *), void *arg, int ms)
{
	int64_t until = own_now_ms() + ms;

	do {
		if (cond(arg))
			return true;
		own_pause_ms(2);
	} while (own_now_ms() < until);
	return cond(arg);
}

static int own_mapped_id = -1; /* of the segment that own_segment() mapped last */

/* Leaves for a new IPC namespace. Before the first handoff of the process. */
static inline bool own_namespace(void)
{
	own_mapped_id = -1; /* ids begin anew, too */
	return unshare(CLONE_NEWIPC) == 0;
}

/* Id of the segment of this namespace; -1: none. Only libplace makes any here. */
static inline int own_segment_id(void)
{
	struct shmid_ds ds;
	struct shm_info info;
	int last = shmctl(0, SHM_INFO, (struct shmid_ds *)&info);

	for (int i = 0; i <= last; i++) {
		int id = shmctl(i, SHM_STAT, &ds);

		if (id >= 0 && ds.shm_segsz == sizeof(struct pl_segment) &&
		    !(ds.shm_perm.mode & SHM_DEST))
			return id;
	}
	return -1;
}

/* The segment of this namespace, mapped; NULL when there is none. */
static inline struct pl_segment *own_segment(void)
{
	static struct pl_segment *seg;
	int id = own_segment_id();

	if (id < 0)
		return NULL;
	if (id != own_mapped_id) {
		void *at = shmat(id, NULL, 0);

		if (at == (void *)-1)
			return NULL;
		seg = at;
		own_mapped_id = id;
	}
	return seg;
}

/* The keeper that runs now; 0: none. */
static inline pid_t own_keeper(void)
{
	struct pl_segment *seg = own_segment();
	pid_t pid = seg ? (pid_t)pl_get(&seg->keeper_pid) : 0;

	return pid > 1 && kill(pid, 0) == 0 ? pid : 0;
}

/* Ends the keeper that this test caused, and waits for that. A teardown of cmocka. */
static inline int own_keeper_end(void **state)
{
	struct pl_segment *seg = own_segment();
	uint32_t pid = seg ? pl_get(&seg->keeper_pid) : 0;
	struct pollfd end = {.fd = pid > 1 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1,
			     .events = POLLIN};

	(void)state;
	if (end.fd < 0)
		return 0;
	kill((pid_t)pid, SIGKILL);
	poll(&end, 1, 10000);
	close(end.fd);
	atomic_compare_exchange_strong(&seg->keeper_pid, &pid, 0);
	return 0;
}

#endif
