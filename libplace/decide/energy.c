// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R12.
#include "decide/energy.h"

#include "decide/fits.h"

enum { BUSY_PCT = 80 };

/* How good a CPU is within its frequency domain, compared from the first field on. */
struct merit {
	bool idle_core;
	bool fits; /* also the least utilization asked for */
	uint32_t spare;
};

static bool is_better(const struct merit *a, const struct merit *b)
{
	if (a->idle_core != b->idle_core)
		return a->idle_core;
	if (a->fits != b->fits)
		return a->fits;
	return a->spare > b->spare;
}

/* False when the task may not run there, does not fit, or another CPU stands for the core. */
static bool look_at(const struct pl_snapshot *s, const struct pl_request *r, int cpu,
		    struct merit *merit)
{
	struct pl_cpu_capacity c = {
		.arch = s->machine->cpu[cpu].capacity,
		.actual = s->machine->cpu[cpu].actual,
		.capacity = pl_snapshot_capacity(s, cpu),
	};
	uint32_t util = pl_snapshot_util(s, cpu) + r->util;
	int fits;

	if (!pl_snapshot_allows(s, cpu, r->allowed))
		return false;
	merit->idle_core = pl_cpumask_has(&s->idle_core, cpu);
	if (merit->idle_core && pl_core_representative(s, cpu, r->allowed) != cpu)
		return false;
	fits = pl_util_fits_cpu(util, r->umin, r->umax, &c);
	merit->fits = fits > 0;
	merit->spare = util < c.capacity ? c.capacity - util : 0;
	return fits != 0;
}

static bool any_busy(const struct pl_snapshot *s)
{
	for (int i = 0; s->util && i < s->machine->nr_online; i++) {
		int cpu = s->machine->order[i];

		if (s->util[cpu] * 100u > pl_snapshot_capacity(s, cpu) * BUSY_PCT)
			return true;
	}
	return false;
}

/* A frequency domain: its top utilization, what one unit of it costs, and its candidates. */
struct domain {
	uint32_t top;
	uint64_t cost;
	int best; /* -1: none */
	bool has_prev;
};

static void look_at_domain(const struct pl_snapshot *s, const struct pl_request *r, int prev,
			   const uint16_t *order, const struct pl_range *range, struct domain *d)
{
	struct merit best = {0}, merit;
	uint64_t capacity = 0;

	*d = (struct domain){.best = -1};
	for (int i = range->first; i < range->first + range->nr; i++) {
		int cpu = order[i];

		if (!pl_machine_has(s->machine, cpu))
			continue;
		if (pl_snapshot_util(s, cpu) > d->top)
			d->top = pl_snapshot_util(s, cpu);
		if (s->machine->cpu[cpu].capacity > capacity)
			capacity = s->machine->cpu[cpu].capacity;
		d->has_prev = d->has_prev || cpu == prev;
		if (look_at(s, r, cpu, &merit) && (d->best < 0 || is_better(&merit, &best))) {
			best = merit;
			d->best = cpu;
		}
	}
	d->cost = capacity * capacity;
}

static uint64_t delta(const struct pl_snapshot *s, const struct pl_request *r,
		      const struct domain *d, int cpu)
{
	uint32_t util = pl_snapshot_util(s, cpu) + r->util;

	return util > d->top ? (util - d->top) * d->cost : 0;
}

/* Prev as a candidate: the CPU that stands for its core when that is idle. -1: it is none. */
static int prev_candidate(const struct pl_snapshot *s, const struct pl_request *r)
{
	struct merit merit;
	int prev = r->prev;

	if (!pl_snapshot_allows(s, prev, r->allowed))
		return -1;
	if (pl_cpumask_has(&s->idle_core, prev))
		prev = pl_core_representative(s, prev, r->allowed);
	return look_at(s, r, prev, &merit) ? prev : -1;
}

void pl_select_energy(const struct pl_snapshot *s, const struct pl_request *r,
		      const struct pl_freq_domains *domains, struct pl_choice *out)
{
	const struct pl_freq_domains clusters = {s->machine->order, s->machine->cluster,
						 s->machine->nr_clusters};
	uint64_t least = UINT64_MAX, prev_delta = UINT64_MAX;
	int prev, best = -1;

	pl_choice_init(out);
	if (any_busy(s)) {
		out->why = PL_WHY_OVERUTILIZED;
		return;
	}
	if (!domains)
		domains = &clusters;
	prev = prev_candidate(s, r);
	for (int i = 0; i < domains->nr; i++) {
		struct domain d;
		uint64_t more;

		look_at_domain(s, r, prev, domains->order, &domains->range[i], &d);
		if (d.has_prev)
			prev_delta = delta(s, r, &d, prev);
		if (d.best < 0)
			continue;
		more = delta(s, r, &d, d.best);
		if (best >= 0)
			pl_choice_reject(out, more < least ? best : d.best, PL_WHY_MORE_ENERGY);
		if (more < least) {
			least = more;
			best = d.best;
		}
	}
	if (prev >= 0 && prev_delta <= least)
		best = prev;
	if (best >= 0)
		pl_choice_take(out, best, PL_WHY_ENERGY);
	else
		out->why = PL_WHY_TOO_SMALL;
}
