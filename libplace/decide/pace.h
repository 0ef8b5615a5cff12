/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* R16: how long a narrowed mask is held, and when the balancer looks next. Times in ns. Pure. */
#ifndef PL_DECIDE_PACE_H
#define PL_DECIDE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define PL_PACE_MIN_NS	4000000ull    /* between two looks, at least */
#define PL_PACE_MAX_NS	1000000000ull /* and at most */
#define PL_PACE_NR_FAST 2	      /* looks at the shortest period after a change */

/* How long a thread at this level keeps a narrowed mask: 400 ms, twice as long a level. */
uint64_t pl_hold_ns(uint32_t level);

/*
 * The level of a thread that is narrowed at NOW_NS and was at LEVEL before: one more, up to 7
 * (51 s), where its mask was given back at GIVEN_NS (0: never) less than two such holds ago, since
 * the kernel put it back where it was; else 0.
 */
uint32_t pl_hold_level(uint32_t level, uint64_t given_ns, uint64_t now_ns);

/* The balancer's, between two looks. */
struct pl_pace {
	uint64_t period_ns; /* the last one */
	uint32_t nr_fast;   /* short ones still to come */
};

/*
 * Time to the next look: short after a change, then 20 ms, 40 ms .. 1 s. DUE_NS: when a mask is to
 * be given back, from now; 0: none.
 */
uint64_t pl_pace_next(struct pl_pace *p, bool changed, uint64_t due_ns);

#endif
