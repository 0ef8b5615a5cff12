/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * What libplace counted. Conventions are those of place.h: structures begin with their size, 0 or a
 * negative errno value, MT-safe.
 */
#ifndef LIBPLACE_STATS_H
#define LIBPLACE_STATS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One thread since it was registered or first handed work over. Where there is little to decide
 * libplace looks at samples only, so the first two are then a fraction of what happened.
 */
struct place_thread_stats {
	uint32_t size;
	uint32_t held;	    /* 1: it is bound to a CPU as half of a pair now */
	uint64_t turns;	    /* messages of other threads consumed */
	uint64_t published; /* messages published: writes, posts, signals, wakes */
	uint64_t binds;	    /* times it was bound as half of a pair */
	uint64_t wakers;    /* distinct threads whose messages it consumed, roughly */
	uint32_t paused;    /* 1: between place_pause() and place_resume() */
	uint32_t pinned;    /* 1: its affinity is the program's, it is never moved */
};

/*
 * Fills *STATS for the calling thread. 0, -EINVAL: NULL or its size. -ESRCH: it is not registered
 * and was never observed. -ENOTCONN. Makes no system call; async-signal-safe.
 */
int place_thread_stats_get(struct place_thread_stats *stats);

/* Sums over the threads of this process that are registered or handed work over, and live. */
struct place_process_stats {
	uint32_t size;
	uint32_t threads;
	uint32_t held; /* bound as half of a pair now */
	uint32_t reserved;
	uint64_t turns;
	uint64_t published;
	uint64_t binds;
};

/* Fills *STATS. 0, -EINVAL: NULL or its size. -ENOTCONN. Looks at up to 4096 slots; one system
 * call. Async-signal-safe. */
int place_process_stats_get(struct place_process_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
