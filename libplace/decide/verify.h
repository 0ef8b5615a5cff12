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

/* How the members of a pair are bound. */
enum pl_hold {
	PL_HOLD_WIDE = 0, /* not at all: the kernel chooses */
	PL_HOLD_TOGETHER, /* both to one CPU */
	PL_HOLD_APART,	  /* each to its own */
};

struct pl_slices {
	uint32_t rate[4];    /* turns per second: wide, together, wide or apart, together */
	uint32_t stacked;    /* bit i: slice i ran with both members on one CPU */
	bool two_places;     /* the slices "together" were made on different CPUs */
	bool third_is_apart; /* slice 2: each member bound to its own CPU, not wide */
};

/*
 * How to hold the pair; wide: not at all.
 *
 * Together when slices 0 and 2 were each beaten by both slices "together" by 5 % or more, or ran on
 * one CPU anyway and are not better by more than what two slices of one placement differ (15 %).
 * With two_places the better one alone will do when it wins by 15 %.
 *
 * Apart when that beats together by 5 % and what the kernel did by 15 %: the kernel moves a pair
 * about for which two CPUs are best, and a pair that it leaves where it is best needs no hold.
 */
enum pl_hold pl_verify_formation(const struct pl_slices *s);

/* Which on-slice of RATE (0: the first, 1: the second) was made on the better CPU: the first unless
 * the second won by 5 %. */
int pl_verify_place(const uint32_t rate[4]);

/*
 * One slice of another kind during a hold "together" against the slice before it. False: it was
 * better by 5 % or more.
 */
bool pl_verify_probe(uint32_t rate_on, uint32_t rate_off);

/* Time until the next probe after N of them: 1, 2, 4 .. 64 s. */
uint64_t pl_verify_probe_after_ns(uint32_t n);

#endif
