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

/* Whether the plan has moved thread I so far, and where the thread is after that. */
bool pl_balance_moved(const struct pl_balance *b, uint32_t i);
int pl_balance_cpu(const struct pl_balance *b, uint32_t i);

/*
 * The idle core for thread I, which shares its own: of its preferred LLC, else of its present one,
 * else of the nearest (of equals the one with most idle cores), by R7's table and never worse by it
 * than what another LLC offers; R11 may refuse an LLC. A CPU-bound thread asks for the largest.
 * False when there is none.
 */
bool pl_balance_idle_core(const struct pl_balance *b, uint32_t i, struct pl_choice *out);

/*
 * The largest idle core in the preferred LLC of thread I, which is in another; false when it is
 * smaller than the present one, there is none, or R11's test does not ask for the move.
 */
bool pl_balance_aggregate(const struct pl_balance *b, uint32_t i, struct pl_choice *out);

#endif
