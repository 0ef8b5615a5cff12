// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R4 verification by throughput; latency is no judge (it improves where the round gets slower).
#include "decide/verify.h"

enum { MARGIN_PCT = 5, MAX_DOUBLINGS = 6 };

static bool beats(uint32_t a, uint32_t b)
{
	return (uint64_t)a * 100 >= (uint64_t)b * (100 + MARGIN_PCT);
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

bool pl_verify_formation(const uint32_t rate[4], uint32_t stacked)
{
	uint32_t on = min_u32(rate[1], rate[3]), off = max_u32(rate[0], rate[2]);
	bool off_stacked = (stacked & 1) && (stacked & 4);

	if (beats(on, off))
		return true;
	return off_stacked && !beats(off, on);
}

bool pl_verify_probe(uint32_t rate_on, uint32_t rate_off)
{
	return !beats(rate_off, rate_on);
}

uint64_t pl_verify_probe_after_ns(uint32_t n)
{
	return 1000000000ull << (n < MAX_DOUBLINGS ? n : MAX_DOUBLINGS);
}
