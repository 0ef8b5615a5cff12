/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* How much of the load of a machine is somebody else's. Pure. All loads in 1024ths of a CPU. */
#ifndef PL_DECIDE_OTHERS_H
#define PL_DECIDE_OTHERS_H

#include <stdint.h>

/* All others together, where BUSY is the whole machine's use and OWN ours in the same time. 0 below
 * a quarter of a CPU: two clocks are compared. */
uint64_t pl_others_total(uint64_t busy, uint64_t own);

/*
 * Load of others on one CPU that was used LOAD in all and by us MINE, 0..1024: at most TOTAL, which
 * is what all others have. Where ours used a tenth of it, less than a quarter is said to be
 * nothing.
 */
uint16_t pl_others_on(uint64_t load, uint64_t mine, uint64_t total);

#endif
