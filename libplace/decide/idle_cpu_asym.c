// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R7 and R8: the idle search on an asymmetric machine.
#include "decide/fits.h"
#include "decide/idle_cpu.h"
#include "decide/scan.h"

/* Ranks of the table, the lower the better; preferred and fitting is not ranked but taken. */
enum {
	RANK_UMIN_PREFERRED = -4,
	RANK_SMALL_PREFERRED = -3,
	RANK_FITS_SHARED = -2,
	RANK_UMIN_SHARED = -1,
	RANK_SMALL_SHARED = 0,
	RANK_NONE = 1,
};

static const enum pl_why why_of_rank[] = {
	PL_WHY_UMIN_PREFERRED, PL_WHY_SMALL_PREFERRED, PL_WHY_FITS_SHARED,
	PL_WHY_UMIN_SHARED,    PL_WHY_SMALL_SHARED,
};

static int rank_of(int fits, bool preferred)
{
	if (fits < 0)
		return preferred ? RANK_UMIN_PREFERRED : RANK_UMIN_SHARED;
	if (fits > 0)
		return RANK_FITS_SHARED;
	return preferred ? RANK_SMALL_PREFERRED : RANK_SMALL_SHARED;
}

static int fits(const struct pl_snapshot *s, const struct pl_request *r, int cpu)
{
	struct pl_cpu_capacity c = {
		.arch = s->machine->cpu[cpu].capacity,
		.actual = s->machine->cpu[cpu].actual,
		.capacity = pl_snapshot_capacity(s, cpu),
	};

	return pl_util_fits_cpu(r->util, r->umin, r->umax, &c);
}

static void take(const struct pl_snapshot *s, const struct pl_request *r, int cpu, enum pl_why why,
		 struct pl_choice *out)
{
	if (pl_cpumask_has(&s->idle_core, cpu))
		cpu = pl_core_representative(s, cpu, r->allowed);
	pl_choice_take(out, cpu, why);
}

void pl_idle_cpu_by_rank(const struct pl_snapshot *s, const struct pl_request *r, int llc,
			 bool has_idle_core, struct pl_choice *out)
{
	const struct pl_cpu *cpus = s->machine->cpu;
	bool all_preferred = s->machine->smt <= 1 || !has_idle_core;
	int best = RANK_NONE, best_cpu = -1;
	uint32_t best_capacity = 0;
	struct pl_scan scan;

	pl_choice_init(out);
	pl_scan_init(&scan, s, &s->idle, r->allowed, r->target);
	for (int cpu = pl_scan_next(&scan); cpu >= 0; cpu = pl_scan_next(&scan)) {
		bool preferred = all_preferred || pl_cpumask_has(&s->idle_core, cpu);
		uint32_t capacity;
		int fit, rank;

		if (llc >= 0 && cpus[cpu].llc != llc)
			continue;
		fit = fits(s, r, cpu);
		if (fit > 0 && preferred) {
			take(s, r, cpu, PL_WHY_FITS_PREFERRED, out);
			return;
		}
		rank = rank_of(fit, preferred);
		capacity = fit < 0 ? cpus[cpu].actual : pl_snapshot_capacity(s, cpu);
		if (rank < best || (rank == best && capacity > best_capacity)) {
			if (best_cpu >= 0)
				pl_choice_reject(out, best_cpu,
						 rank < best ? PL_WHY_WORSE_RANK
							     : PL_WHY_LESS_CAPACITY);
			best = rank;
			best_cpu = cpu;
			best_capacity = capacity;
		} else {
			pl_choice_reject(out, cpu,
					 rank > best ? PL_WHY_WORSE_RANK : PL_WHY_LESS_CAPACITY);
		}
	}
	out->hint_stale = has_idle_core && best > RANK_SMALL_PREFERRED;
	if (best_cpu < 0)
		out->why = PL_WHY_NO_IDLE;
	else
		take(s, r, best_cpu, why_of_rank[best - RANK_UMIN_PREFERRED], out);
}

/* The CPU itself when it shares the target's LLC, is idle (on SMT: its core) and large enough. */
static bool try_cpu(const struct pl_snapshot *s, const struct pl_request *r, int cpu,
		    enum pl_why why, struct pl_choice *out)
{
	const struct pl_cpumask *idle = s->machine->smt > 1 ? &s->idle_core : &s->idle;

	if (!pl_snapshot_share_llc(s, cpu, r->target) || !pl_snapshot_allows(s, cpu, r->allowed) ||
	    !pl_cpumask_has(idle, cpu) || fits(s, r, cpu) <= 0)
		return false;
	take(s, r, cpu, why, out);
	return true;
}

void pl_idle_cpu_asymmetric(const struct pl_snapshot *s, const struct pl_request *r,
			    struct pl_choice *out)
{
	pl_choice_init(out);
	if (!pl_machine_has(s->machine, r->target)) {
		out->why = PL_WHY_NOT_ALLOWED;
		return;
	}
	if (try_cpu(s, r, r->target, PL_WHY_TARGET_IDLE, out) ||
	    try_cpu(s, r, r->prev, PL_WHY_PREV_IDLE, out) ||
	    try_cpu(s, r, r->recent, PL_WHY_RECENT_IDLE, out))
		return;
	pl_idle_cpu_by_rank(s, r, -1, s->asym.has_idle_core, out);
	if (out->cpu < 0 && pl_snapshot_allows(s, r->target, r->allowed))
		pl_choice_take(out, r->target, PL_WHY_TARGET);
}
