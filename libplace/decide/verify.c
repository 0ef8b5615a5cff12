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

static bool together_pays(const struct pl_slices *s)
{
	uint32_t worse = min_u32(s->rate[1], s->rate[3]), better = max_u32(s->rate[1], s->rate[3]);

	if (is_no_better(s->rate[0], s->stacked & 1, worse, MARGIN_PCT) &&
	    is_no_better(s->rate[2], s->stacked & 4, worse, MARGIN_PCT))
		return true;
	return s->two_places && is_no_better(s->rate[0], s->stacked & 1, better, SAME_PLACE_PCT) &&
	       is_no_better(s->rate[2], s->stacked & 4, better, SAME_PLACE_PCT);
}

enum pl_hold pl_verify_formation(const struct pl_slices *s)
{
	if (together_pays(s))
		return PL_HOLD_TOGETHER;
	if (s->third_is_apart && !(s->stacked & 4) &&
	    beats_by(s->rate[2], max_u32(s->rate[1], s->rate[3]), MARGIN_PCT) &&
	    beats_by(s->rate[2], s->rate[0], SAME_PLACE_PCT))
		return PL_HOLD_APART;
	return PL_HOLD_WIDE;
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
