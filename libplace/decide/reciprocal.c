// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R4, R4s: entry, hold and release of a reciprocal pair.
#include "decide/reciprocal.h"

#include "decide/fits.h"
#include "decide/wake_affine.h"
#include "decide/wakee_flips.h"

enum {
	ENTRY_TURNS = 32,
	PARTNER_TURNS = 8, /* the other side's row may be shorter: not each turn is seen there */
	ENTRY_SLEPT_PCT = 50,
	/* Above 1.5 CPUs stacking never won; between 1.2 and that, verification decides. */
	ENTRY_UTIL_SUM = 1536,
	OTHER_PARTNER_PCT = 10,
	BUSY_OUTSIDE = 256, /* a quarter of a CPU over 100 ms: a third task, not a timer */
	IDLE_BUSY = 102,    /* "idle": below 10 % */
	LAPSED_SHARE = 10,  /* each side used at least a tenth of the wall time */
};

static bool sides_alternate(const struct pl_pair_view *v)
{
	const struct pl_side *w = &v->side[0], *p = &v->side[1];

	return w->partner_is_other && p->partner_is_other && w->turns >= ENTRY_TURNS &&
	       p->turns >= PARTNER_TURNS && w->strays <= w->turns && p->strays <= p->turns;
}

/*
 * The larger capacity, else the less loaded, else what wake-affine says of a sync wake-up. Then the
 * two are equal by all that is known (*EQUAL), and verification may try both.
 */
static int target(const struct pl_pair_view *v, bool *equal)
{
	const struct pl_side *w = &v->side[0], *p = &v->side[1];
	uint32_t wl = w->outside + 1024 * w->nr_pairs, pl = p->outside + 1024 * p->nr_pairs;
	struct pl_wake_affine in = {
		.this_cpu = w->cpu,
		.prev_cpu = p->cpu,
		.sync = true,
		.share_llc = v->share_llc,
		.this_nr_running = 1,
		.this_capacity = w->capacity,
		.prev_capacity = p->capacity,
	};

	*equal = false;
	if (pl_capacity_greater(w->capacity, p->capacity))
		return 0;
	if (pl_capacity_greater(p->capacity, w->capacity))
		return 1;
	/* Less than a third task's worth apart is noise of a 100 ms sample. */
	if (wl > pl + BUSY_OUTSIDE)
		return 1;
	if (pl > wl + BUSY_OUTSIDE)
		return 0;
	*equal = true;
	return pl_wake_affine(&in) == w->cpu ? 0 : 1;
}

enum pl_reason pl_reciprocal_hold(const struct pl_pair_view *v)
{
	for (int i = 0; i < 2; i++) {
		if (v->side[i].rt)
			return PL_REASON_SCHED_CLASS;
		if (v->side[i].pinned)
			return PL_REASON_AFFINITY;
		if (v->side[i].other_pct > OTHER_PARTNER_PCT)
			return PL_REASON_OTHER_PARTNER;
	}
	return PL_REASON_NONE;
}

enum pl_reason pl_reciprocal_entry(const struct pl_pair_view *v, struct pl_pair_plan *plan)
{
	const struct pl_side *w = &v->side[0], *p = &v->side[1], *at;
	enum pl_reason why = pl_reciprocal_hold(v);
	uint32_t sum = w->util + p->util;
	bool equal;
	int at_side;

	if (!sides_alternate(v) || w->cpu == p->cpu)
		return PL_REASON_NO_TURN;
	if (why != PL_REASON_NONE)
		return why;
	if (w->slept_pct + p->slept_pct < 2 * ENTRY_SLEPT_PCT)
		return PL_REASON_BUSY;
	if ((uint64_t)sum * 1024 > (uint64_t)ENTRY_UTIL_SUM * w->capacity)
		return PL_REASON_BUSY;
	if (pl_wake_wide(w->wakee_flips, p->wakee_flips, v->llc_cpus) ||
	    pl_wake_hub(w->distinct_wakees, v->llc_cpus) ||
	    pl_wake_hub(p->distinct_wakees, v->llc_cpus))
		return PL_REASON_OTHER_PARTNER;
	at_side = target(v, &equal);
	at = &v->side[at_side];
	if (!w->may_use_other_cpu || !p->may_use_other_cpu)
		return PL_REASON_AFFINITY;
	if (at->outside >= BUSY_OUTSIDE)
		return PL_REASON_THIRD_TASK;
	plan->cpu = at->cpu;
	plan->other_cpu = equal ? v->side[!at_side].cpu : -1;
	plan->whole_core = v->smt && !v->direct;
	plan->try_apart = equal && !plan->whole_core;
	return PL_REASON_NONE;
}

enum pl_reason pl_reciprocal_named(const struct pl_pair_view *v, struct pl_pair_plan *plan)
{
	enum pl_reason why = pl_reciprocal_hold(v);
	bool equal;
	int side;

	if (why != PL_REASON_NONE)
		return why;
	side = target(v, &equal);
	/* The better CPU, else the other one. */
	for (int i = 0; i < 2; i++, side = !side) {
		const struct pl_side *at = &v->side[side], *comes = &v->side[!side];

		if (!comes->may_use_other_cpu) {
			why = PL_REASON_AFFINITY;
		} else if (at->outside >= BUSY_OUTSIDE) {
			why = PL_REASON_THIRD_TASK;
		} else {
			plan->cpu = at->cpu;
			plan->other_cpu = -1;
			plan->try_apart = false;
			plan->whole_core = v->smt && !v->direct;
			return PL_REASON_NONE;
		}
	}
	return why;
}

bool pl_reciprocal_crowded(uint32_t outside, uint32_t idlest_busy)
{
	return outside >= BUSY_OUTSIDE && idlest_busy < IDLE_BUSY;
}

bool pl_reciprocal_lapsed(uint32_t turns, const uint64_t cpu_ns[2], uint64_t wall_ns)
{
	return turns == 0 && wall_ns && cpu_ns[0] * LAPSED_SHARE >= wall_ns &&
	       cpu_ns[1] * LAPSED_SHARE >= wall_ns;
}
