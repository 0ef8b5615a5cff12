/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* R4s: how far apart two CPUs are, and what the measured cost of a handoff says of a pair. Pure. */
#ifndef PL_DECIDE_HANDOFF_H
#define PL_DECIDE_HANDOFF_H

#include "domain/segment.h"

/* How far apart the online CPUs A and B are. */
static inline enum pl_relation pl_handoff_relation(const struct pl_machine *m, int a, int b)
{
	const struct pl_cpu *x = &m->cpu[a], *y = &m->cpu[b];

	if (a == b)
		return PL_SAME_CPU;
	if (x->core != PL_NO_ID && x->core == y->core)
		return PL_SAME_CORE;
	if (x->llc != PL_NO_ID && x->llc == y->llc)
		return PL_SAME_LLC;
	return x->node == y->node ? PL_SAME_NODE : PL_OTHER_NODE;
}

/* Whether a pair is stacked on one CPU where cores have siblings: both costs are known, and that
 * one is the smaller. MT-safe. */
static inline bool pl_handoff_stacks(const struct pl_segment *seg)
{
	uint32_t cpu = pl_get(&seg->handoff.ns[PL_SAME_CPU]);
	uint32_t core = pl_get(&seg->handoff.ns[PL_SAME_CORE]);

	return cpu && core && cpu < core;
}

#endif
