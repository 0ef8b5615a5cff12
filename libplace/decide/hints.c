// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Hints in one word: minimum in bits 0-10, 1024 less the maximum in 11-21, class in 22-23,
// trust 31.
#include "decide/hints.h"

enum { FULL = 1024, BITS = 11, CLASS_SHIFT = 22, TRUST_SHIFT = 31 };

static uint32_t cut(uint32_t v)
{
	return v < FULL ? v : FULL;
}

uint32_t pl_hints_pack(const struct pl_hints *h)
{
	return cut(h->umin) | (FULL - cut(h->umax)) << BITS |
	       ((uint32_t)h->class & 3) << CLASS_SHIFT | (uint32_t)h->trust << TRUST_SHIFT;
}

struct pl_hints pl_hints_unpack(uint32_t word)
{
	uint32_t class = word >> CLASS_SHIFT & 3, mask = (1u << BITS) - 1;

	return (struct pl_hints){
		.umin = cut(word & mask),
		.umax = FULL - cut(word >> BITS & mask),
		.class = class <= PL_CLASS_BACKGROUND ? (enum pl_thread_class) class
						      : PL_CLASS_THROUGHPUT,
		.trust = word >> TRUST_SHIFT,
	};
}

uint32_t pl_hints_util(uint32_t word, uint32_t util)
{
	struct pl_hints h = pl_hints_unpack(word);

	util = util > h.umin ? util : h.umin;
	return util < h.umax ? util : h.umax;
}

uint32_t pl_class_rank(enum pl_thread_class class)
{
	return class == PL_CLASS_LATENCY ? 2 : class != PL_CLASS_BACKGROUND;
}
