/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * The task that forms a pair leads it (R4): it gives the commands, measures the slices, and holds
 * or releases the pair by what decide/verify.h says of them.
 */
#ifndef PL_APPLY_LEAD_H
#define PL_APPLY_LEAD_H

#include "decide/reciprocal.h"
#include "domain/member.h"
#include "domain/pair.h"

/* The calling thread has claimed a pair by PLAN; T->apart is set. No system call. */
void pl_lead_begin(struct pl_tls *t, const struct pl_pair_plan *plan);

/* The same for a pair that the program named: PAIR is held from now on, first probed at PROBE_NS.
 */
void pl_lead_named(struct pl_tls *t, struct pl_segment *seg, struct pl_pair *pair,
		   const struct pl_pair_plan *plan, uint64_t probe_ns);

/*
 * At the end of each turn window of the leader, NOW_NS being the present: one step of the life of
 * the live PAIR. No system call; the members obey on their next return from a wait.
 */
void pl_lead(struct pl_tls *t, struct pl_segment *seg, struct pl_pair *pair, uint64_t now_ns);

#endif
