/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * R11 for the threads of this process: which of them talk to each other, and which last-level cache
 * each of those sets prefers.
 */
#ifndef PL_OBSERVE_WAKEGRAPH_H
#define PL_OBSERVE_WAKEGRAPH_H

#include "decide/balance.h"
#include "domain/segment.h"

#define PL_GRAPH_THREADS 256 /* of more threads no graph is made */

/* One thread for pl_wakegraph_prefer(). */
struct pl_graph_node {
	pl_task_id id;	 /* 0: it never handed work over */
	uint32_t number; /* the same in every call, below PL_MAX_NUMBER */
	uint64_t run_ns; /* CPU time since the last call */
};

#define PL_MAX_NUMBER 1024

/*
 * Fills in preferred_llc of the NR views, whose threads are NODE[]. MEMORY_POLICY: the program set
 * one of its own. For the balancer alone: the past is kept here. Reads tasks of the segment, trusts
 * nothing in them.
 */
void pl_wakegraph_prefer(struct pl_segment *seg, const struct pl_machine *m,
			 const struct pl_graph_node *node, struct pl_thread_view *view, uint32_t nr,
			 bool memory_policy, uint64_t now_ns);

#endif
