/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* R11: threads that talk to each other share a last-level cache. Pure. */
#ifndef PL_DECIDE_AGGREGATE_H
#define PL_DECIDE_AGGREGATE_H

#include "machine/model.h"

#define PL_AGGR_EPOCH_NS 10000000ull /* occupancy is halved this often */
#define PL_AGGR_TURNS	 100	     /* turns a second from which on an edge makes a group */

/* Run time of one group by LLC. All zero with ns[] and nr_llcs set is a group that never ran. */
struct pl_occupancy {
	uint64_t *ns; /* by LLC number, nr_llcs entries that the caller keeps */
	uint16_t nr_llcs;
	int16_t preferred_plus1; /* the preferred LLC + 1, 0: none so far */
	uint64_t epoch;		 /* of the last halving, in PL_AGGR_EPOCH_NS */
	uint64_t ran_epoch;	 /* in which the group last ran */
};

/* RUN_NS of run time of one thread on LLC, at NOW_NS; halves what is older first. */
void pl_occupancy_add(struct pl_occupancy *o, int llc, uint64_t run_ns, uint64_t now_ns);

/* Halves once for every epoch that has passed. */
void pl_occupancy_age(struct pl_occupancy *o, uint64_t now_ns);

/* What else the choice of a preferred LLC depends on. */
struct pl_aggr_limits {
	uint32_t nr_threads;	 /* of the group */
	uint32_t nr_running;	 /* of these, running */
	uint64_t resident_bytes; /* of the program, 0: not known */
	uint64_t llc_bytes;	 /* of one LLC, 0: not known */
	uint32_t tolerance;	 /* aggr_tolerance: resident set in LLC sizes */
	bool memory_policy;	 /* the program set one that speaks against it */
};

/*
 * The preferred LLC of the group at NOW_NS, or -1 for none. The largest occupancy, but the former
 * one until another is more than twice as large. None for: one LLC; one thread; no run for 5
 * epochs; running threads at 80 % of the LLC's cores; a resident set above the LLC times the
 * tolerance; a memory policy.
 */
int pl_aggregate_preferred(struct pl_occupancy *o, const struct pl_machine *m,
			   const struct pl_aggr_limits *l, uint64_t now_ns);

enum pl_aggr_verdict {
	PL_AGGR_IGNORE = 0, /* the preference says nothing about this move */
	PL_AGGR_ALLOW,
	PL_AGGR_REFUSE,
};

/* Utilization and capacity summed over an LLC's CPUs. */
struct pl_llc_load {
	uint64_t util;
	uint64_t capacity;
};

/*
 * The test for a move of a task of utilization UTIL from one LLC to another, both loads taken with
 * the task still in the source. TO_PREFERRED: the target is the preferred LLC; FROM_PREFERRED: the
 * source is. SMT: "over" is 50 % of an LLC, else 75 %.
 */
enum pl_aggr_verdict pl_aggregate_move(uint32_t util, const struct pl_llc_load *from,
				       const struct pl_llc_load *to, bool from_preferred,
				       bool to_preferred, bool smt);

/* An edge of the wake graph; turns are halved every second by who counts them. */
struct pl_edge {
	uint16_t a, b;	/* thread numbers */
	uint32_t turns; /* a second */
};

/*
 * Communicating sets: GROUP[i] becomes the lowest number among the threads that thread i is
 * connected with by edges of at least PL_AGGR_TURNS. GROUP has NR_THREADS entries; edges with
 * other numbers are ignored. O(edges * log threads) or so.
 */
void pl_communicating_sets(const struct pl_edge *edge, uint32_t nr_edges, uint16_t *group,
			   uint32_t nr_threads);

#endif
