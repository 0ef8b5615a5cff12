/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* R4 verification: turns per second with and without. Pure. */
#ifndef PL_DECIDE_VERIFY_H
#define PL_DECIDE_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

/* A slice counts when it is this long and saw this many turns. */
#define PL_SLICE_NS    20000000ull
#define PL_SLICE_TURNS 200u

/*
 * RATE holds turns per second of the slices off, on, off, on; bit i of STACKED says that slice i
 * ran with both members on one CPU. True: hold the pair. That is when each off-slice was beaten by
 * both on-slices by 5 % or more, or ran on one CPU anyway and is not better by more than what two
 * slices of one placement differ (15 %). TWO_PLACES: the on-slices were made on different CPUs, and
 * the better one alone will do when it wins by 15 %.
 */
bool pl_verify_formation(const uint32_t rate[4], uint32_t stacked, bool two_places);

/* Which on-slice of RATE (0: the first, 1: the second) was made on the better CPU: the first unless
 * the second won by 5 %. */
int pl_verify_place(const uint32_t rate[4]);

/*
 * One off-slice during a hold against the on-slice before it. False: let the pair go, the off-slice
 * was better by 5 % or more.
 */
bool pl_verify_probe(uint32_t rate_on, uint32_t rate_off);

/* Time until the next probe after N of them: 1, 2, 4 .. 64 s. */
uint64_t pl_verify_probe_after_ns(uint32_t n);

#endif
