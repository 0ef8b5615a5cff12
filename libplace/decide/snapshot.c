// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R8, R14, R15: what follows from a snapshot's given part.
#include "decide/snapshot.h"

enum { BUDGET_PCT = 117, FAR_AWAY = 256 };

uint32_t pl_scan_budget(uint32_t nr, uint32_t util)
{
	uint64_t x;

	if (util > 1024)
		util = 1024;
	x = (uint64_t)util * util * BUDGET_PCT * BUDGET_PCT / (10000ull * 1024);
	return (uint32_t)((uint64_t)nr * (1024 - (x < 1024 ? x : 1024)) / 1024);
}

static uint16_t budget_of(const struct pl_snapshot *s, uint32_t nr, uint64_t util_sum)
{
	return s->scan_budget && nr ? (uint16_t)pl_scan_budget(nr, (uint32_t)(util_sum / nr))
				    : PL_NO_BUDGET;
}

/* Looks at one core, entries I and following of order[], as far as the LLC goes. */
static bool core_is_idle(const struct pl_snapshot *s, const struct pl_range *core)
{
	for (int i = 0; i < core->nr; i++)
		if (!pl_cpumask_has(&s->idle, s->machine->order[core->first + i]))
			return false;
	return core->nr > 0;
}

static void mark_core(struct pl_snapshot *s, const struct pl_range *core, bool idle)
{
	for (int i = 0; i < core->nr; i++) {
		int cpu = s->machine->order[core->first + i];

		if (idle)
			pl_cpumask_add(&s->idle_core, cpu);
		else
			pl_cpumask_del(&s->idle_core, cpu);
	}
}

static const struct pl_range *core_of(const struct pl_snapshot *s, int cpu)
{
	return &s->machine->core[s->machine->cpu[cpu].core];
}

/* Returns the sum of utilizations. */
static uint64_t finish_llc(struct pl_snapshot *s, int llc)
{
	const struct pl_machine *m = s->machine;
	const struct pl_range *r = &m->llc[llc];
	struct pl_domain_state d = {.nr_cpus = r->nr};
	uint64_t util = 0;

	for (int i = r->first; i < r->first + r->nr; i++) {
		const struct pl_range *core = core_of(s, m->order[i]);

		d.nr_busy += !pl_cpumask_has(&s->idle, m->order[i]);
		util += pl_snapshot_util(s, m->order[i]);
		if (core->first == i) { /* its first CPU */
			bool idle = core_is_idle(s, core);

			d.nr_idle_cores += idle;
			mark_core(s, core, idle);
		}
	}
	d.has_idle_core = d.nr_idle_cores > 0;
	d.budget = budget_of(s, r->nr, util);
	s->llc[llc] = d;
	return util;
}

void pl_snapshot_finish(struct pl_snapshot *s)
{
	const struct pl_machine *m = s->machine;
	struct pl_domain_state d = {.nr_cpus = m->nr_online};
	uint64_t util = 0;

	for (int w = 0; w < PL_MASK_LONGS; w++)
		for (unsigned long left = s->idle.bits[w]; left; left &= left - 1) {
			int cpu = w * PL_LONG_BITS + __builtin_ctzl(left);

			if (!pl_machine_has(m, cpu))
				pl_cpumask_del(&s->idle, cpu);
		}
	pl_cpumask_zero(&s->idle_core);
	for (int llc = 0; llc < m->nr_llcs; llc++) {
		util += finish_llc(s, llc);
		d.nr_busy += s->llc[llc].nr_busy;
		d.nr_idle_cores += s->llc[llc].nr_idle_cores;
	}
	d.has_idle_core = d.nr_idle_cores > 0;
	d.budget = budget_of(s, m->nr_online, util);
	s->asym = d;
}

void pl_snapshot_finish_llc(struct pl_snapshot *s, int llc)
{
	if (llc >= 0 && llc < s->machine->nr_llcs)
		finish_llc(s, llc);
}

static void count_idle_core(struct pl_domain_state *d, int by)
{
	d->nr_idle_cores = (uint16_t)(d->nr_idle_cores + by);
	if (by > 0)
		d->has_idle_core = true;
	else if (!d->nr_idle_cores)
		d->has_idle_core = false;
}

void pl_snapshot_set_busy(struct pl_snapshot *s, int cpu)
{
	struct pl_domain_state *llc;

	if (!pl_machine_has(s->machine, cpu) || !pl_cpumask_has(&s->idle, cpu))
		return;
	llc = &s->llc[s->machine->cpu[cpu].llc];
	pl_cpumask_del(&s->idle, cpu);
	llc->nr_busy++;
	s->asym.nr_busy++;
	if (!pl_cpumask_has(&s->idle_core, cpu))
		return;
	mark_core(s, core_of(s, cpu), false);
	count_idle_core(llc, -1);
	count_idle_core(&s->asym, -1);
}

void pl_snapshot_set_idle(struct pl_snapshot *s, int cpu)
{
	struct pl_domain_state *llc;

	if (!pl_machine_has(s->machine, cpu) || pl_cpumask_has(&s->idle, cpu))
		return;
	llc = &s->llc[s->machine->cpu[cpu].llc];
	pl_cpumask_add(&s->idle, cpu);
	llc->nr_busy--;
	s->asym.nr_busy--;
	if (!core_is_idle(s, core_of(s, cpu)))
		return;
	mark_core(s, core_of(s, cpu), true);
	count_idle_core(llc, 1);
	count_idle_core(&s->asym, 1);
}

void pl_snapshot_take_core(struct pl_snapshot *s, int cpu)
{
	const struct pl_range *core;

	if (!pl_machine_has(s->machine, cpu))
		return;
	core = core_of(s, cpu);
	for (int i = 0; i < core->nr; i++)
		pl_snapshot_set_busy(s, s->machine->order[core->first + i]);
}

void pl_snapshot_clear_hint(struct pl_snapshot *s, int cpu)
{
	s->asym.has_idle_core = false;
	if (pl_machine_has(s->machine, cpu))
		s->llc[s->machine->cpu[cpu].llc].has_idle_core = false;
}

int pl_core_representative(const struct pl_snapshot *s, int cpu, const struct pl_cpumask *allowed)
{
	const struct pl_range *core;

	if (!pl_machine_has(s->machine, cpu))
		return -1;
	core = core_of(s, cpu);
	for (int i = 0; i < core->nr; i++) {
		int c = s->machine->order[core->first + i];

		if (pl_snapshot_allows(s, c, allowed))
			return c;
	}
	return -1;
}

uint32_t pl_node_distance(const struct pl_machine *m, int from, int to)
{
	uint16_t a, b;

	if (!pl_machine_has(m, from) || !pl_machine_has(m, to))
		return 0;
	a = m->cpu[from].node;
	b = m->cpu[to].node;
	if (a == b)
		return 0;
	return a < PL_MAX_NODES && b < PL_MAX_NODES && m->distance[a][b] ? m->distance[a][b]
									 : FAR_AWAY;
}
