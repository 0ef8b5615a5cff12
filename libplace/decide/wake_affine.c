// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R5, wake-affine.
#include "decide/wake_affine.h"

enum { IMBALANCE_PCT = 117, IMBALANCE_PCT_SIBLINGS = 110 };

static int by_load(const struct pl_wake_affine *in)
{
	uint64_t pct = in->siblings ? IMBALANCE_PCT_SIBLINGS : IMBALANCE_PCT;
	int64_t here = (int64_t)in->this_load, there;

	if (in->sync) {
		if (in->waker_load > in->this_load)
			return in->this_cpu;
		here -= (int64_t)in->waker_load;
	}
	here = (here + (int64_t)in->wakee_load) * 100 * in->prev_capacity;
	there = ((int64_t)in->prev_load - (int64_t)in->wakee_load) *
		(int64_t)(100 + (pct - 100) / 2) * in->this_capacity;
	there += in->sync; /* a tie goes to the waker's CPU when it is about to be free */
	return here < there ? in->this_cpu : in->prev_cpu;
}

int pl_wake_affine(const struct pl_wake_affine *in)
{
	if (in->this_cpu == in->prev_cpu)
		return in->this_cpu;
	if (in->this_idle && in->share_llc)
		return in->prev_idle ? in->prev_cpu : in->this_cpu;
	if (in->sync && in->this_nr_running == 1)
		return in->this_cpu;
	if (in->prev_idle)
		return in->prev_cpu;
	return by_load(in);
}
