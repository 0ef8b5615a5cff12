// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R16.
#include "decide/pace.h"

#define HOLD_NS	  400000000ull
#define STEADY_NS 20000000ull

enum { MAX_LEVEL = 7 };

uint64_t pl_hold_ns(uint32_t level)
{
	return HOLD_NS << (level < MAX_LEVEL ? level : MAX_LEVEL);
}

uint32_t pl_hold_level(uint32_t level, uint64_t given_ns, uint64_t now_ns)
{
	if (!given_ns || now_ns - given_ns >= 2 * pl_hold_ns(level))
		return 0;
	return level < MAX_LEVEL ? level + 1 : MAX_LEVEL;
}

uint64_t pl_pace_next(struct pl_pace *p, bool changed, uint64_t due_ns)
{
	if (changed)
		p->nr_fast = PL_PACE_NR_FAST;
	if (p->nr_fast) {
		p->nr_fast--;
		return p->period_ns = PL_PACE_MIN_NS;
	}
	p->period_ns = p->period_ns < STEADY_NS ? STEADY_NS : p->period_ns * 2;
	if (p->period_ns > PL_PACE_MAX_NS)
		p->period_ns = PL_PACE_MAX_NS;
	/* A mask is given back in time. */
	if (due_ns && due_ns < p->period_ns)
		p->period_ns = due_ns;
	return p->period_ns;
}
