/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * The frozen input of the rules: the machine, what the program may use, which CPUs are idle, and
 * what follows from that for each domain (R8, R14, R15). Larger than a hook's stack: it lives in
 * memory that its caller keeps. Pure; one thread at a time per snapshot.
 */
#ifndef PL_DECIDE_SNAPSHOT_H
#define PL_DECIDE_SNAPSHOT_H

#include "machine/model.h"

#define PL_NO_BUDGET UINT16_MAX

/* R6: how steps 1 to 3 and 5 treat a partly busy core. */
enum pl_idle_mode {
	PL_IDLE_CORE_FIRST = 0, /* default: steps 1-3 want an idle core, step 5 is dropped */
	PL_IDLE_AS_KERNEL,
};

/*
 * R15: what one domain knows of itself. Each LLC has one and the asymmetric domain (all online
 * CPUs) has one of its own, also where the spans are equal.
 */
struct pl_domain_state {
	uint16_t nr_cpus;
	uint16_t nr_busy;
	uint16_t nr_idle_cores;
	uint16_t budget;    /* R14: CPUs a search may look at; PL_NO_BUDGET: all */
	bool has_idle_core; /* the hint: true until a search that trusted it found none */
};

struct pl_snapshot {
	/* Given by the caller. The machine has passed pl_machine_is_valid(). */
	const struct pl_machine *machine;
	const struct pl_cpumask *allowed; /* the program's CPUs; NULL: all */
	const uint16_t *util;		  /* by CPU, 0..1024; NULL: nothing known (0) */
	const uint16_t *capacity; /* by CPU, R1's last kind: actual less steal and interrupt time,
				     1..1024; NULL: actual */
	enum pl_idle_mode idle_mode;
	bool scan_budget; /* --scan=util (R14) */
	/*
	 * By the caller: CPUs on which no claim runs and outside load is below 10 %. CPUs that are
	 * not online are taken out by pl_snapshot_finish().
	 */
	struct pl_cpumask idle;
	/* Derived. */
	struct pl_cpumask idle_core; /* CPUs whose core is entirely idle */
	struct pl_domain_state llc[PL_MAX_CPUS];
	struct pl_domain_state asym;
};

/* Who is to be placed. Fields that a rule does not name are not read by it. */
struct pl_request {
	int target;			  /* the CPU to search around; has to be allowed */
	int prev;			  /* where it ran last, -1: not known */
	int recent;			  /* where it ran before prev, -1: not known */
	uint32_t util, umin, umax;	  /* 0..1024; umax 1024 is no cap */
	const struct pl_cpumask *allowed; /* narrower than the snapshot's; NULL: that one alone */
};

/*
 * Fills in the derived part from the rest: O(online CPUs). To be called after the given part
 * changed.
 */
void pl_snapshot_finish(struct pl_snapshot *s);

/*
 * The same for one LLC: O(its CPUs). Enough for the rules that look at one LLC only (R6); the
 * state of the asymmetric domain and of other LLCs is left as it was. IDLE and idle_core change
 * only for CPUs of the LLC, and IDLE has to hold online CPUs only.
 */
void pl_snapshot_finish_llc(struct pl_snapshot *s, int llc);

/*
 * CPU became busy or idle: brings the derived part up to date, O(siblings). Budgets stay as they
 * are; a core that becomes idle sets the hints, and they go with the last idle core.
 */
void pl_snapshot_set_busy(struct pl_snapshot *s, int cpu);
void pl_snapshot_set_idle(struct pl_snapshot *s, int cpu);

/* All CPUs of CPU's core became busy: what a claimer does that lost the race for it, before it
 * chooses again (R8). O(siblings). */
void pl_snapshot_take_core(struct pl_snapshot *s, int cpu);

/* What a choice with hint_stale asks for: no idle core is assumed any longer in the asymmetric
 * domain and in CPU's LLC (R7). */
void pl_snapshot_clear_hint(struct pl_snapshot *s, int cpu);

/* R14: CPUs that a search may look at in a domain of NR CPUs at mean utilization UTIL (0..1024);
 * 0: the search is refused. */
uint32_t pl_scan_budget(uint32_t nr, uint32_t util);

/*
 * R8: the one CPU that stands for CPU's core: its first that the snapshot and ALLOWED (NULL: no
 * further limit) let be used, whichever sibling the search met; -1 when there is none.
 */
int pl_core_representative(const struct pl_snapshot *s, int cpu, const struct pl_cpumask *allowed);

/* From the node of one CPU to that of another: 0 on one node or where a CPU is not online, 256
 * where the machine does not say. */
uint32_t pl_node_distance(const struct pl_machine *m, int from, int to);

/* Online, in the snapshot's allowed set, and in ALLOWED (NULL: no further limit). */
static inline bool pl_snapshot_allows(const struct pl_snapshot *s, int cpu,
				      const struct pl_cpumask *allowed)
{
	return pl_machine_has(s->machine, cpu) &&
	       (!s->allowed || pl_cpumask_has(s->allowed, cpu)) &&
	       (!allowed || pl_cpumask_has(allowed, cpu));
}

/* As pl_snapshot_allows() for a CPU that is known to be online. */
static inline bool pl_snapshot_allows_online(const struct pl_snapshot *s, int cpu,
					     const struct pl_cpumask *allowed)
{
	unsigned long bit = 1ul << (cpu % PL_LONG_BITS);

	return (!s->allowed || s->allowed->bits[cpu / PL_LONG_BITS] & bit) &&
	       (!allowed || allowed->bits[cpu / PL_LONG_BITS] & bit);
}

/* R1's last kind of capacity of an online CPU, at least 1. */
static inline uint32_t pl_snapshot_capacity(const struct pl_snapshot *s, int cpu)
{
	uint32_t c = s->capacity ? s->capacity[cpu] : s->machine->cpu[cpu].actual;

	return c ? c : 1;
}

static inline uint32_t pl_snapshot_util(const struct pl_snapshot *s, int cpu)
{
	return s->util ? s->util[cpu] : 0;
}

static inline bool pl_snapshot_share_llc(const struct pl_snapshot *s, int a, int b)
{
	return pl_machine_has(s->machine, a) && pl_machine_has(s->machine, b) &&
	       s->machine->cpu[a].llc == s->machine->cpu[b].llc;
}

#endif
