/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * One look of the balancer at the threads of its process: how much they ran and where (observe),
 * the plan (decide/balance.h), and the moves. Runs in a thread without thread-local storage.
 */
#ifndef PL_APPLY_SWEEP_H
#define PL_APPLY_SWEEP_H

#include "domain/segment.h"

struct pl_sweep_result {
	uint32_t nr_moves; /* masks changed */
	uint32_t nr_new;   /* threads seen for the first time */
	uint64_t next_ns;  /* when the first narrowed mask is to be given back, from now; 0: none */
	bool off;	   /* switched off: all masks are given back */
	bool idle;	   /* nobody has run since the last look, all are inside hooked waits */
};

/* Looks once, at NOW_NS. For the balancer alone. */
void pl_sweep(struct pl_segment *seg, uint64_t now_ns, struct pl_sweep_result *r);

/* Gives all masks back, and the claims. For the balancer, before it ends. */
void pl_sweep_give_back(void);

#endif
