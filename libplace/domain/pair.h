/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Life of a pair slot: claimed by a leader, released by anybody, freed by the keeper. */
#ifndef PL_DOMAIN_PAIR_H
#define PL_DOMAIN_PAIR_H

#include "domain/segment.h"

/*
 * Claims a pair slot and puts the tasks A (leads) and B into it, state PL_PAIR_VERIFY, members
 * wide. Returns the slot's number + 1, or 0 when there is none or one of the two is in a pair
 * already. MT-safe; no system call.
 */
uint32_t pl_pair_claim(struct pl_segment *seg, pl_task_id a, pl_task_id b, uint32_t cpu,
		       bool whole_core);

/*
 * Ends PAIR: members are told to widen, the reason goes to the run's log. Only the first of several
 * callers has an effect; true for that one. MT-safe, no system call.
 */
bool pl_pair_release(struct pl_segment *seg, struct pl_pair *pair, enum pl_reason reason);

/* Orders the members of PAIR to be bound or wide; no effect once it is released. MT-safe. */
void pl_pair_command(struct pl_pair *pair, bool bound);

/* Marks PAIR held, each member on its own CPU if APART: verification passed, its rates are in the
 * slot. */
void pl_pair_held(struct pl_segment *seg, struct pl_pair *pair, bool apart);

/* Gives a released slot back; its members no longer name it. Only the keeper calls this. */
void pl_pair_free(struct pl_segment *seg, struct pl_pair *pair);

/* True while the pair is neither free nor released. */
static inline bool pl_pair_is_live(const struct pl_pair *pair)
{
	uint32_t s = pl_get_acquire(&pair->state);

	return s == PL_PAIR_VERIFY || s == PL_PAIR_HELD || s == PL_PAIR_PROBE;
}

/* Number of pairs that are held or being verified on CPU. */
unsigned int pl_pair_count_on(struct pl_segment *seg, uint32_t cpu);

#endif
