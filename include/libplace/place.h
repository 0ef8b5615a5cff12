/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * libplace: cooperative thread placement. Most programs need none of this: `place run PROGRAM`, or
 * LD_PRELOAD=libplace-preload.so, acts on an unchanged program. The calls below let a program that
 * links libplace ask what is going on and keep it out of a section.
 *
 * All functions are thread-safe, keep errno, and work with and without the preload object; without
 * it nothing is observed and they answer so.
 */
#ifndef LIBPLACE_PLACE_H
#define LIBPLACE_PLACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library in use, "major.minor.patch"; a static string. Async-signal-safe. */
const char *place_version(void);

/*
 * What libplace counted for the calling thread since it first handed work over. Where there is
 * little to decide it looks at samples only, so the first two are then a fraction of what happened.
 */
struct place_thread_stats {
	uint64_t turns;	    /* messages of other threads consumed */
	uint64_t published; /* messages published: writes, posts, signals, wakes */
	uint64_t binds;	    /* times this thread was bound to a CPU */
	uint32_t held;	    /* 1: it is half of a pair that is held on one CPU now */
};

/*
 * Fills *STATS for the calling thread. Returns 0, -ENOENT when the thread was never observed
 * (*STATS untouched), -EINVAL when STATS is NULL. Makes no system call; async-signal-safe.
 */
int place_thread_stats_get(struct place_thread_stats *stats);

/*
 * Lets the calling thread go: if it is half of a held pair, both get their masks back and the pair
 * is not formed again for a second or more. Returns 0, or -ENOENT when the thread was never
 * observed. A few system calls; async-signal-safe.
 */
int place_thread_release(void);

#ifdef __cplusplus
}
#endif

#endif
