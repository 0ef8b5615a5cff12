/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* R3: how often a waker changes its wakee, and what that makes of it. Pure. */
#ifndef PL_DECIDE_WAKEE_FLIPS_H
#define PL_DECIDE_WAKEE_FLIPS_H

#include <stdbool.h>
#include <stdint.h>

struct pl_flips {
	uint32_t last_wakee; /* task id, 0: none */
	uint32_t flips;
	uint64_t decayed_ns; /* time of the last decay */
};

/* One wake-up of WAKEE at NOW_NS: halves the flips when more than 1 s passed since the last decay
 * (once, however long ago), then counts a change of wakee. */
void pl_record_wakee(struct pl_flips *waker, uint32_t wakee, uint64_t now_ns);

/*
 * True for a hub: a waker with more than LLC_CPUS distinct wakees in the last second (libplace's
 * own addition: nobody wakes a hub, so the smaller flips say nothing of it).
 */
bool pl_wake_hub(uint32_t distinct_wakees, uint32_t llc_cpus);

/*
 * True when waker and wakee have so many partners that drawing them together would crowd an LLC of
 * LLC_CPUS CPUs: the smaller flips reach LLC_CPUS and the larger the product.
 */
bool pl_wake_wide(uint32_t waker_flips, uint32_t wakee_flips, uint32_t llc_cpus);

#endif
