// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
#include "decide/others.h"

enum {
	NOISE = 256,	/* less is a difference of two readings */
	MINE_MIN = 102, /* a CPU of which we used a tenth is one of ours */
};

uint64_t pl_others_total(uint64_t busy, uint64_t own)
{
	return busy >= own + NOISE ? busy - own : 0;
}

uint16_t pl_others_on(uint64_t load, uint64_t mine, uint64_t total)
{
	load = load > mine ? load - mine : 0;
	load = load < total ? load : total;
	if (mine >= MINE_MIN && load < NOISE)
		return 0;
	return (uint16_t)(load < 1024 ? load : 1024);
}
