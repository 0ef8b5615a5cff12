/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * R4 and R4s: when two tasks are a reciprocal pair, where it is held, and when it ends. Pure.
 * Whether holding it pays is decided by measurement: decide/verify.h.
 */
#ifndef PL_DECIDE_RECIPROCAL_H
#define PL_DECIDE_RECIPROCAL_H

#include <stdbool.h>
#include <stdint.h>

#include "domain/segment.h"

/* What is known of one side when its partner's turn window ends. */
struct pl_side {
	int cpu;		  /* where it ran at its last turn */
	uint32_t turns;		  /* alternating turns with the other side in a row */
	uint32_t strays;	  /* turns from the other side that did not alternate */
	uint32_t other_pct;	  /* percent of its recent turns that came from others */
	uint32_t slept_pct;	  /* voluntary switches over turns of its last window */
	uint32_t util;		  /* of its last window, 0..1024 */
	uint32_t wakee_flips;	  /* R3 */
	uint32_t distinct_wakees; /* of the last second or two */
	bool partner_is_other;	  /* the task it alternates with is the other side */
	bool pinned;		  /* its affinity belongs to the program */
	bool rt;		  /* RT or DEADLINE */
	bool may_use_other_cpu;	  /* the other side's CPU is in its mask */
	/* Of its CPU. */
	uint32_t capacity; /* 1..1024 */
	uint32_t outside;  /* load of others there, 0..1024 */
	uint32_t nr_pairs; /* pairs held or being verified there */
};

struct pl_pair_view {
	struct pl_side side[2]; /* [0] is the waker W: the one whose window ended */
	uint32_t llc_cpus;
	bool share_llc;
	bool smt;    /* the machine has cores with siblings */
	bool direct; /* --pair=direct: stack on one CPU on SMT, too */
};

struct pl_pair_plan {
	int cpu;
	int other_cpu;	 /* as good by all that is known (capacity, load), else -1 */
	bool whole_core; /* bind to the core of cpu instead of cpu alone */
	bool try_apart;	 /* two CPUs may serve it better than what the kernel makes of it */
};

/*
 * R4 entry. PL_REASON_NONE with *PLAN filled in when the two are to be tried as a pair; otherwise
 * why not (*PLAN untouched). "Not apart" and "not yet 32 turns" answer PL_REASON_NO_TURN.
 */
enum pl_reason pl_reciprocal_entry(const struct pl_pair_view *v, struct pl_pair_plan *plan);

/* A pair that the program named is verified by its first probe, this long after it was formed. */
#define PL_NAMED_PROBE_NS 100000000ull

/*
 * The same for two tasks of which the program says that they are a pair: they are held from the
 * start, wherever they run, without the 32 turns, the sleeps and the utilization. What remains of
 * the rule is what pl_reciprocal_hold() asks, both masks, and that no third task is there. A
 * capacity of 0 is one that is not known yet.
 */
enum pl_reason pl_reciprocal_named(const struct pl_pair_view *v, struct pl_pair_plan *plan);

/* R4 hold: PL_REASON_NONE to go on, else why the pair ends. Looks at both sides' partners, class,
 * affinity. */
enum pl_reason pl_reciprocal_hold(const struct pl_pair_view *v);

/*
 * R4 release by a third task: OUTSIDE is the load of others on the pair's CPU, IDLEST_BUSY the load
 * of the idlest other CPU that both may use (1024 when there is none).
 */
bool pl_reciprocal_crowded(uint32_t outside, uint32_t idlest_busy);

/* R4 release without a turn: both sides used CPU since the last look and no turn was made. */
bool pl_reciprocal_lapsed(uint32_t turns, const uint64_t cpu_ns[2], uint64_t wall_ns);

#endif
