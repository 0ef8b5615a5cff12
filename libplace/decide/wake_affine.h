/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* R5: the waker's CPU or the wakee's previous one. Pure. */
#ifndef PL_DECIDE_WAKE_AFFINE_H
#define PL_DECIDE_WAKE_AFFINE_H

#include <stdbool.h>
#include <stdint.h>

struct pl_wake_affine {
	int this_cpu; /* the waker's */
	int prev_cpu; /* the wakee's last */
	bool sync;    /* the waker is about to block */
	bool share_llc;
	bool siblings; /* the two CPUs are threads of one core */
	bool this_idle, prev_idle;
	uint32_t this_nr_running;
	uint64_t this_load, prev_load;
	uint64_t waker_load, wakee_load;
	uint32_t this_capacity, prev_capacity;
};

/* The CPU to search around. Asked only when the two differ; equal CPUs are answered as they are. */
int pl_wake_affine(const struct pl_wake_affine *in);

#endif
