// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R4 verification by throughput; latency is no judge (it improves where the round gets slower).
#include "decide/verify.h"

enum {
	MARGIN_PCT = 5,
	/* Two slices of one placement differed by up to 11 % where measured. */
	SAME_PLACE_PCT = 15,
	MAX_DOUBLINGS = 6,
};

static bool beats_by(uint32_t a, uint32_t b, uint32_t pct)
{
	return (uint64_t)a * 100 >= (uint64_t)b * (100 + pct);
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/*
 * The kernel may stack the pair in one off-slice and spread it in the other, so each is judged by
 * what it was.
 */
static bool is_no_better(uint32_t off, bool stacked, uint32_t on, uint32_t margin_pct)
{
	return beats_by(on, off, margin_pct) || (stacked && !beats_by(off, on, SAME_PLACE_PCT));
}

bool pl_verify_formation(const uint32_t rate[4], uint32_t stacked, bool two_places)
{
	uint32_t worse = min_u32(rate[1], rate[3]), better = max_u32(rate[1], rate[3]);

	if (is_no_better(rate[0], stacked & 1, worse, MARGIN_PCT) &&
	    is_no_better(rate[2], stacked & 4, worse, MARGIN_PCT))
		return true;
	return two_places && is_no_better(rate[0], stacked & 1, better, SAME_PLACE_PCT) &&
	       is_no_better(rate[2], stacked & 4, better, SAME_PLACE_PCT);
}

int pl_verify_place(const uint32_t rate[4])
{
	return beats_by(rate[3], rate[1], MARGIN_PCT);
}

bool pl_verify_probe(uint32_t rate_on, uint32_t rate_off)
{
	return !beats_by(rate_off, rate_on, MARGIN_PCT);
}

uint64_t pl_verify_probe_after_ns(uint32_t n)
{
	return 1000000000ull << (n < MAX_DOUBLINGS ? n : MAX_DOUBLINGS);
}
