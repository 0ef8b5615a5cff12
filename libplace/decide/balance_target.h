/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Where a thread of a plan in the making would go; inner part of decide/balance.c. Pure. */
#ifndef PL_DECIDE_BALANCE_TARGET_H
#define PL_DECIDE_BALANCE_TARGET_H

#include "decide/balance.h"

/* A plan in the making. */
struct pl_balance {
	struct pl_snapshot *s;
	const struct pl_balance_input *in;
	struct pl_plan *plan;
	struct pl_balance_work *work;
};

/* The plan's last move of thread I so far, or NULL, and where the thread is after that. */
struct pl_move *pl_balance_move(const struct pl_balance *b, uint32_t i);
int pl_balance_cpu(const struct pl_balance *b, uint32_t i);

/* Who else is on a core where a thread of the process runs. */
struct pl_company {
	uint32_t same;	   /* threads and others on the thread's CPU itself */
	uint32_t sibling;  /* and on its siblings */
	uint32_t outside;  /* the largest outside load on the core, 0..1024 */
	bool only_outside; /* no thread and no claim: outside load at most */
};

/* The company of a thread on CPU. */
struct pl_company pl_balance_company(const struct pl_balance *b, int cpu);

/*
 * The idle core for thread I, which shares its own with C: of its preferred LLC, else of its
 * present one, else of the nearest (of equals the one with most idle cores), by R7's table and
 * never worse by it than what another LLC offers; R11 may refuse an LLC. A CPU-bound thread asks
 * for the largest, as does one to which the core it asked for would leave no more than its own.
 * False when no core leaves it more by R1's capacity_greater.
 */
bool pl_balance_idle_core(const struct pl_balance *b, uint32_t i, const struct pl_company *c,
			  struct pl_choice *out);

/*
 * The largest idle core in the preferred LLC of thread I, which is in another; false when it is
 * smaller than the present one, there is none, or R11's test does not ask for the move.
 */
bool pl_balance_aggregate(const struct pl_balance *b, uint32_t i, struct pl_choice *out);

#endif
