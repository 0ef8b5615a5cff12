// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R3, wakee flips and wide wakers.
#include "decide/wakee_flips.h"

enum { FLIPS_DECAY_S = 1 };

void pl_record_wakee(struct pl_flips *waker, uint32_t wakee, uint64_t now_ns)
{
	if (now_ns - waker->decayed_ns > FLIPS_DECAY_S * 1000000000ull) {
		waker->flips /= 2;
		waker->decayed_ns = now_ns;
	}
	if (waker->last_wakee != wakee) {
		waker->last_wakee = wakee;
		waker->flips++;
	}
}

bool pl_wake_wide(uint32_t waker_flips, uint32_t wakee_flips, uint32_t llc_cpus)
{
	uint64_t large = waker_flips, small = wakee_flips;

	if (large < small) {
		large = wakee_flips;
		small = waker_flips;
	}
	return small >= llc_cpus && large >= small * llc_cpus;
}

bool pl_wake_hub(uint32_t distinct_wakees, uint32_t llc_cpus)
{
	return distinct_wakees > llc_cpus;
}
