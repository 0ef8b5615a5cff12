/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * The balancer's plan: which running threads of a process leave a shared core for an idle one
 * (R6-R8), a core that is too small for them (R9) or the wrong LLC (R11), and what they are bound
 * to there (R16). Pure: applying the plan is apply/'s.
 */
#ifndef PL_DECIDE_BALANCE_H
#define PL_DECIDE_BALANCE_H

#include "decide/hints.h"
#include "decide/reason.h"
#include "decide/smallest_set.h"
#include "decide/snapshot.h"

/* One thread of the process as the balancer sees it. */
struct pl_thread_view {
	int cpu; /* where it runs, or ran last */
	uint32_t util, umin, umax;
	bool running;	       /* in program code, not in a wait */
	bool cpu_bound;	       /* util >= 800 for 100 ms */
	bool pinned;	       /* its affinity is the program's, or it is RT: not moved */
	bool bound;	       /* libplace narrowed it */
	int16_t preferred_llc; /* R11, of its group; -1: none */
	const struct pl_cpumask *allowed; /* narrower than the snapshot's; NULL: that one */
	enum pl_thread_class class;	  /* what the program says it is for */
	enum pl_set bound_to;		  /* when bound, to what; PL_SET_NONE: not known */
};

struct pl_balance_input {
	const struct pl_thread_view *thread;
	uint32_t nr_threads;
	const uint16_t *outside;	  /* by CPU, load of others 0..1024; NULL: none */
	const struct pl_cpumask *claimed; /* CPUs where claims of others run; NULL: none */
};

#define PL_NR_MOVES 64

/*
 * One thread's move. Where the set holds the CPU on which the thread is now, the mask of the set
 * alone would leave it there: bind it to choice.cpu first, then to the set (PL_SET_NONE: to the
 * program's own mask).
 */
struct pl_move {
	uint32_t thread;	 /* index into the input's thread[] */
	enum pl_set set;	 /* what it stays bound to */
	bool chained;		 /* an earlier move of this plan makes the core idle */
	struct pl_choice choice; /* cpu -1 with PL_WHY_GIVE_BACK: no move, only the mask is widened
				    to the set around its present CPU */
};

/* What a plan needs besides; kept by the caller, its content matters only during the call. */
struct pl_balance_work {
	uint16_t on_cpu[PL_MAX_CPUS]; /* running threads of the process by CPU */
	struct pl_cpumask others;     /* CPUs with outside load or claims of others */
	struct pl_cpumask freed;      /* CPUs that a move of the plan left */
};

struct pl_plan {
	uint32_t nr_moves;
	bool full; /* more moves were wanted than the plan holds */
	struct pl_move move[PL_NR_MOVES];
	struct pl_balance_work work;
};

/*
 * Fills PLAN. S gives machine, allowed and capacity; its idle set and derived part are computed
 * here from the input, so they need not be filled in, and describe the state after the moves when
 * this returns.
 *
 * Moves are to be applied in their order: every target core is entirely idle once the moves before
 * it are made, and no two threads end on one core. A plan for the state that this one leads to is
 * empty (unless it was full). A thread has one move; a second one, and chained moves, come only
 * where a thread that moved to a larger core or its preferred LLC left a core that another had
 * been waiting for. Who cannot keep the order may drop chained moves: the next plan has them.
 */
void pl_balance(struct pl_snapshot *s, const struct pl_balance_input *in, struct pl_plan *plan);

#endif
