// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Targets of the balancer's plan.
#include "decide/balance_target.h"

#include "decide/aggregate.h"
#include "decide/fits.h"
#include "decide/idle_cpu.h"

struct pl_move *pl_balance_move(const struct pl_balance *b, uint32_t i)
{
	for (uint32_t n = b->plan->nr_moves; n-- > 0;)
		if (b->plan->move[n].thread == i)
			return &b->plan->move[n];
	return NULL;
}

int pl_balance_cpu(const struct pl_balance *b, uint32_t i)
{
	const struct pl_move *m = pl_balance_move(b, i);

	return m && m->choice.cpu >= 0 ? m->choice.cpu : b->in->thread[i].cpu;
}

static const struct pl_range *core_of(const struct pl_machine *m, int cpu)
{
	return &m->core[m->cpu[cpu].core];
}

struct pl_company pl_balance_company(const struct pl_balance *b, int cpu)
{
	const struct pl_machine *m = b->s->machine;
	const struct pl_range *core = core_of(m, cpu);
	struct pl_company c = {.only_outside = true};

	for (int i = core->first; i < core->first + core->nr; i++) {
		int at = m->order[i];
		uint32_t nr = b->work->on_cpu[at] - (at == cpu);
		uint32_t outside = b->in->outside ? b->in->outside[at] : 0;

		if (nr || (b->in->claimed && pl_cpumask_has(b->in->claimed, at)))
			c.only_outside = false;
		nr += pl_cpumask_has(&b->work->others, at);
		*(at == cpu ? &c.same : &c.sibling) += nr;
		if (outside > c.outside)
			c.outside = outside;
	}
	return c;
}

/* What the place leaves to the thread, in capacity: half of a core that another thread uses. */
static uint32_t left_at(const struct pl_balance *b, int cpu, const struct pl_company *c)
{
	uint32_t capacity = pl_snapshot_capacity(b->s, cpu);

	if (!c->only_outside)
		return capacity / 2;
	return c->outside < 1024 ? capacity * (1024 - c->outside) / 1024 : 0;
}

static bool gains(const struct pl_balance *b, int from, int to, const struct pl_company *now)
{
	struct pl_company then = {.only_outside = true};
	uint32_t outside;
	const struct pl_range *core = core_of(b->s->machine, to);

	for (int i = core->first; b->in->outside && i < core->first + core->nr; i++) {
		outside = b->in->outside[b->s->machine->order[i]];
		if (outside > then.outside)
			then.outside = outside;
	}
	return pl_capacity_greater(left_at(b, to, &then), left_at(b, from, now));
}

static struct pl_llc_load load_of(const struct pl_balance *b, int llc)
{
	const struct pl_machine *m = b->s->machine;
	const struct pl_range *r = &m->llc[llc];
	struct pl_llc_load load = {0};

	for (int i = r->first; i < r->first + r->nr; i++) {
		load.capacity += pl_snapshot_capacity(b->s, m->order[i]);
		load.util += b->in->outside ? b->in->outside[m->order[i]] : 0;
	}
	for (uint32_t i = 0; i < b->in->nr_threads; i++) {
		int cpu = pl_balance_cpu(b, i);

		if (b->in->thread[i].running && pl_machine_has(m, cpu) && m->cpu[cpu].llc == llc)
			load.util += b->in->thread[i].util;
	}
	return load;
}

static enum pl_aggr_verdict verdict(const struct pl_balance *b, uint32_t i, int to_llc)
{
	int llc = b->s->machine->cpu[pl_balance_cpu(b, i)].llc;
	int preferred = b->in->thread[i].preferred_llc;
	struct pl_llc_load from, to;

	if (llc == to_llc || (llc != preferred && to_llc != preferred))
		return PL_AGGR_IGNORE;
	from = load_of(b, llc);
	to = load_of(b, to_llc);
	return pl_aggregate_move(b->in->thread[i].util, &from, &to, llc == preferred,
				 to_llc == preferred, b->s->machine->smt > 1);
}

/* By R7's table; the reasons of idle cores stand in the order of the table. */
static bool is_worse(const struct pl_snapshot *s, const struct pl_choice *a,
		     const struct pl_choice *than)
{
	if (a->why != than->why)
		return a->why > than->why;
	return a->why != PL_WHY_FITS_PREFERRED &&
	       pl_capacity_greater(pl_snapshot_capacity(s, than->cpu),
				   pl_snapshot_capacity(s, a->cpu));
}

/* LLCs in the order in which they are tried, the smallest first. */
static uint64_t llc_key(const struct pl_balance *b, int cpu, int preferred, int llc)
{
	const struct pl_machine *m = b->s->machine;
	uint64_t near = 2;

	if (llc == preferred)
		near = 0;
	else if (llc == m->cpu[cpu].llc)
		near = 1;
	else
		near += pl_node_distance(m, cpu, m->order[m->llc[llc].first]);
	return near << 32 | (uint64_t)(UINT16_MAX - b->s->llc[llc].nr_idle_cores) << 16 |
	       (uint64_t)llc;
}

static int next_llc(const struct pl_balance *b, int cpu, int preferred, uint64_t *last)
{
	uint64_t best = UINT64_MAX;

	for (int llc = 0; llc < b->s->machine->nr_llcs; llc++) {
		uint64_t key;

		if (!b->s->llc[llc].nr_idle_cores)
			continue;
		key = llc_key(b, cpu, preferred, llc);
		if (key >= *last && key < best)
			best = key;
	}
	*last = best + 1;
	return best == UINT64_MAX ? -1 : (int)(best & UINT16_MAX);
}

static bool idle_core_by_rank(const struct pl_balance *b, const struct pl_request *r, int llc,
			      struct pl_choice *out)
{
	pl_idle_cpu_by_rank(b->s, r, llc, true, out);
	return out->cpu >= 0 && pl_cpumask_has(&b->s->idle_core, out->cpu);
}

static bool try_idle_core(const struct pl_balance *b, uint32_t i, const struct pl_request *r,
			  const struct pl_company *c, struct pl_choice *out)
{
	int preferred = b->in->thread[i].preferred_llc, llc;
	struct pl_choice any;
	uint64_t last = 0;

	if (!b->s->asym.nr_idle_cores || !idle_core_by_rank(b, r, -1, &any))
		return false;
	while ((llc = next_llc(b, r->target, preferred, &last)) >= 0) {
		if (!idle_core_by_rank(b, r, llc, out) || is_worse(b->s, out, &any) ||
		    !gains(b, r->target, out->cpu, c) || verdict(b, i, llc) == PL_AGGR_REFUSE)
			continue;
		out->why = PL_WHY_CORE_SHARED;
		return true;
	}
	return false;
}

/* A request that no CPU satisfies: the table then gives the largest. */
static struct pl_request largest(int cpu, const struct pl_cpumask *allowed)
{
	return (struct pl_request){.target = cpu,
				   .prev = cpu,
				   .recent = -1,
				   .util = 1024,
				   .umax = 1024,
				   .allowed = allowed};
}

bool pl_balance_idle_core(const struct pl_balance *b, uint32_t i, const struct pl_company *c,
			  struct pl_choice *out)
{
	const struct pl_thread_view *t = &b->in->thread[i];
	struct pl_request r = largest(pl_balance_cpu(b, i), t->allowed);

	if (!t->cpu_bound) {
		r.util = t->util;
		r.umin = t->umin;
		r.umax = t->umax;
		if (try_idle_core(b, i, &r, c, out))
			return true;
		r = largest(r.target, t->allowed);
	}
	return try_idle_core(b, i, &r, c, out);
}

bool pl_balance_aggregate(const struct pl_balance *b, uint32_t i, struct pl_choice *out)
{
	const struct pl_thread_view *t = &b->in->thread[i];
	int cpu = pl_balance_cpu(b, i);
	struct pl_request r = largest(cpu, t->allowed);

	if (t->preferred_llc < 0 || t->preferred_llc >= b->s->machine->nr_llcs ||
	    t->preferred_llc == b->s->machine->cpu[cpu].llc ||
	    !b->s->llc[t->preferred_llc].nr_idle_cores ||
	    !idle_core_by_rank(b, &r, t->preferred_llc, out) ||
	    pl_snapshot_capacity(b->s, out->cpu) < pl_snapshot_capacity(b->s, cpu) ||
	    verdict(b, i, t->preferred_llc) != PL_AGGR_ALLOW)
		return false;
	out->why = PL_WHY_AGGREGATE;
	return true;
}
