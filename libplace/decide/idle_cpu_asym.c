// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R7 and R8: the idle search on an asymmetric machine.
#include "decide/fits.h"
#include "decide/idle_cpu.h"
#include "decide/scan.h"

/*
 * The table, turned round so that a higher place is better; what is preferred and fits is not
 * placed but taken. Columns: fits but the least asked for, does not fit, fits.
 */
enum {
	SMALL_SHARED,
	UMIN_SHARED,
	FITS_SHARED,
	SMALL_PREFERRED,
	UMIN_PREFERRED,
	PLACES,
};
static const uint8_t place_of[2][3] = {
	{UMIN_SHARED, SMALL_SHARED, FITS_SHARED},
	{UMIN_PREFERRED, SMALL_PREFERRED, PLACES},
};
static const enum pl_why why_of[PLACES] = {
	PL_WHY_SMALL_SHARED,	PL_WHY_UMIN_SHARED,    PL_WHY_FITS_SHARED,
	PL_WHY_SMALL_PREFERRED, PL_WHY_UMIN_PREFERRED,
};

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

/* A score has the place above and the capacity below: the larger the better. */
static void pass_over(struct pl_choice *out, int cpu, uint32_t score, uint32_t better)
{
	pl_choice_reject(out, cpu,
			 score >> 16 < better >> 16 ? PL_WHY_WORSE_RANK : PL_WHY_LESS_CAPACITY);
}

/* Nothing that was not looked at yet can be better: no CPU is larger, and none larger fits. */
static bool is_final(const struct pl_request *r, uint32_t score)
{
	return score == (SMALL_PREFERRED << 16 | 1024) && !r->umin && r->umax >= 1024;
}

void pl_idle_cpu_by_rank(const struct pl_snapshot *s, const struct pl_request *r, int llc,
			 bool has_idle_core, struct pl_choice *out)
{
	const struct pl_cpu *cpus = s->machine->cpu;
	const struct pl_request q = *r; /* what *OUT cannot alias stays in registers */
	const uint16_t *left = s->capacity;
	bool all_preferred = s->machine->smt <= 1 || !has_idle_core;
	uint64_t seen = 0, seen_before = 0; /* no CPU's: arch is at least 1 */
	uint32_t best = 0, nr = 0;
	int best_cpu = -1;
	struct pl_scan scan;

	pl_choice_init(out);
	pl_scan_init(&scan, s, &s->idle, q.allowed, q.target);
	for (int cpu = pl_scan_next(&scan); cpu >= 0; cpu = pl_scan_next(&scan)) {
		bool preferred = all_preferred | pl_cpumask_has(&s->idle_core, cpu);
		struct pl_cpu_capacity c = {cpus[cpu].capacity, cpus[cpu].actual, 0};
		uint32_t score;
		uint64_t kind;
		int fit, place;

		if (llc >= 0 && cpus[cpu].llc != llc)
			continue;
		c.capacity = left ? left[cpu] : c.actual;
		c.capacity += !c.capacity; /* at least 1 */
		/* CPUs like one of the last two kinds are no better than those were. */
		kind = (uint64_t)c.arch << 48 | (uint64_t)c.actual << 32 | c.capacity << 1 |
		       preferred;
		nr++;
		if (kind == seen || kind == seen_before)
			continue;
		seen_before = seen;
		seen = kind;
		fit = pl_util_fits_cpu(q.util, q.umin, q.umax, &c);
		place = place_of[preferred][fit + 1];
		if (place == PLACES) {
			take(s, r, cpu, PL_WHY_FITS_PREFERRED, out);
			nr--;
			break;
		}
		score = (uint32_t)place << 16 | (fit < 0 ? c.actual : c.capacity);
		if (score > best) {
			if (best_cpu >= 0)
				pass_over(out, best_cpu, best, score);
			best = score;
			best_cpu = cpu;
			if (is_final(&q, best))
				break;
		} else if (out->nr_rejected < PL_NR_REJECTED) {
			pass_over(out, cpu, score, best);
		}
	}
	if (out->cpu < 0 && best_cpu >= 0) {
		take(s, r, best_cpu, why_of[best >> 16], out);
		nr--;
	} else if (out->cpu < 0) {
		out->why = PL_WHY_NO_IDLE;
	}
	out->nr_more = (uint16_t)(nr - out->nr_rejected);
	/* An idle core was assumed, and nothing preferred was found. */
	out->hint_stale =
		has_idle_core && out->why != PL_WHY_FITS_PREFERRED && best >> 16 < SMALL_PREFERRED;
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
