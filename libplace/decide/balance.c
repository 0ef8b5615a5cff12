// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The balancer's plan. Threads hop, one at a time, until no hop gains anything: off shared cores,
// to larger cores, into their LLC. Each hop raises (cores in use, capacity used, threads in their
// preferred LLC) in that order, so this ends.
#include "decide/balance.h"

#include "decide/aggregate.h"
#include "decide/balance_target.h"
#include "decide/fits.h"
#include "decide/idle_cpu.h"
#include "decide/misfit.h"

/* "Idle" is below 10 %. */
static bool is_busy(uint32_t outside)
{
	return outside * 10 >= 1024;
}

static bool is_mine_to_move(const struct pl_balance *b, uint32_t i)
{
	const struct pl_thread_view *t = &b->in->thread[i];

	return t->running && !t->pinned && pl_machine_has(b->s->machine, t->cpu);
}

static void leave(struct pl_balance *b, int cpu)
{
	if (--b->work->on_cpu[cpu] == 0 && !pl_cpumask_has(&b->work->others, cpu))
		pl_snapshot_set_idle(b->s, cpu);
}

static bool was_freed(const struct pl_balance *b, int cpu)
{
	const struct pl_range *core = &b->s->machine->core[b->s->machine->cpu[cpu].core];

	for (int i = core->first; i < core->first + core->nr; i++)
		if (pl_cpumask_has(&b->work->freed, b->s->machine->order[i]))
			return true;
	return false;
}

/* The next entry of the plan; NULL when it is full. */
static struct pl_move *next_move(struct pl_balance *b)
{
	if (b->plan->nr_moves < PL_NR_MOVES)
		return &b->plan->move[b->plan->nr_moves++];
	b->plan->full = true;
	return NULL;
}

/*
 * Thread I hops to the choice. Where it hopped before and the core was idle from the start, its
 * move simply leads there at once. False when the plan is full.
 */
static bool commit(struct pl_balance *b, uint32_t i, const struct pl_choice *choice,
		   enum pl_set least)
{
	int from = pl_balance_cpu(b, i);
	bool chained = was_freed(b, choice->cpu);
	struct pl_move *move = chained ? NULL : pl_balance_move(b, i);

	if (move) {
		enum pl_why why = move->choice.why;

		move->choice = *choice;
		move->choice.why = why;
	} else {
		move = next_move(b);
		if (!move)
			return false;
		move->thread = i;
		move->choice = *choice;
		pl_cpumask_add(&b->work->freed, from);
	}
	move->chained = chained;
	move->set = pl_set_to_hold(b->s, choice->cpu, least, b->in->thread[i].allowed);
	leave(b, from);
	b->work->on_cpu[choice->cpu]++;
	pl_snapshot_set_busy(b->s, choice->cpu);
	return true;
}

/* Who gains most first: by class, then the CPU shared with most, then CPU-bound threads, then the
 * busiest. */
static uint64_t shared_key(const struct pl_balance *b, uint32_t i, const struct pl_company *c)
{
	const struct pl_thread_view *t = &b->in->thread[i];
	uint64_t util = t->util < 1024 ? t->util : 1024;

	return (uint64_t)pl_class_rank(t->class) << 62 |
	       (uint64_t)(2 * c->same + c->sibling) << 44 | (uint64_t)t->cpu_bound << 43 |
	       util << 32 | (UINT32_MAX - i);
}

/* A thread leaves a core it shares for one that is idle. False when there is none to do so. */
static bool hop_off_shared(struct pl_balance *b)
{
	uint64_t last = UINT64_MAX;

	for (;;) {
		struct pl_company c, best_c = {0};
		struct pl_choice choice;
		uint64_t best = 0;
		uint32_t who;

		for (uint32_t i = 0; i < b->in->nr_threads; i++) {
			uint64_t key;

			if (!is_mine_to_move(b, i))
				continue;
			c = pl_balance_company(b, pl_balance_cpu(b, i));
			if (!c.same && !c.sibling)
				continue;
			key = shared_key(b, i, &c);
			if (key < last && key > best) {
				best = key;
				best_c = c;
			}
		}
		if (!best)
			return false;
		last = best;
		who = UINT32_MAX - (uint32_t)best;
		if (pl_balance_idle_core(b, who, &best_c, &choice))
			return commit(b, who, &choice, PL_SET_CORE);
	}
}

static struct pl_request request_of(const struct pl_balance *b, uint32_t i)
{
	const struct pl_thread_view *t = &b->in->thread[i];
	int cpu = pl_balance_cpu(b, i);

	return (struct pl_request){.target = cpu,
				   .prev = cpu,
				   .recent = -1,
				   .util = t->util,
				   .umin = t->umin,
				   .umax = t->umax,
				   .allowed = t->allowed};
}

/*
 * A misfit thread moves to a larger core. The one on the smallest core goes first: the core it
 * leaves is the one that others want least.
 */
static bool hop_to_larger(struct pl_balance *b)
{
	uint64_t last = UINT64_MAX;

	if (!b->s->machine->asymmetric)
		return false;
	for (;;) {
		struct pl_choice choice;
		struct pl_request r;
		uint64_t best = 0;
		uint32_t who;

		for (uint32_t i = 0; i < b->in->nr_threads; i++) {
			uint64_t key;

			if (!is_mine_to_move(b, i) || b->in->thread[i].class == PL_CLASS_BACKGROUND)
				continue;
			r = request_of(b, i);
			key = (uint64_t)(2048 - pl_snapshot_capacity(b->s, r.prev)) << 32 |
			      (UINT32_MAX - i);
			if (key < last && key > best && pl_is_misfit(b->s, &r))
				best = key;
		}
		if (!best)
			return false;
		last = best;
		who = UINT32_MAX - (uint32_t)best;
		r = request_of(b, who);
		pl_misfit_target(b->s, &r, &choice);
		if (choice.cpu >= 0)
			return commit(b, who, &choice, PL_SET_CORE);
	}
}

/* A thread moves to an idle core of its preferred LLC that is no smaller than its own. */
static bool hop_to_preferred(struct pl_balance *b)
{
	for (uint32_t i = 0; i < b->in->nr_threads; i++) {
		struct pl_choice choice;

		if (is_mine_to_move(b, i) && pl_balance_aggregate(b, i, &choice))
			return commit(b, i, &choice, PL_SET_LLC);
	}
	return false;
}

/*
 * A bound thread that still shares its core has nothing from being bound, except to its preferred
 * LLC.
 */
static void give_back(struct pl_balance *b)
{
	for (uint32_t i = 0; i < b->in->nr_threads; i++) {
		const struct pl_thread_view *t = &b->in->thread[i];
		enum pl_set set = PL_SET_NONE;
		struct pl_move *move;
		struct pl_company c;

		if (!t->bound || !is_mine_to_move(b, i) || pl_balance_move(b, i))
			continue;
		c = pl_balance_company(b, t->cpu);
		if (!c.same && !c.sibling)
			continue;
		if (t->preferred_llc == b->s->machine->cpu[t->cpu].llc) {
			if (t->bound_to != PL_SET_CORE && t->bound_to != PL_SET_CPU)
				continue;
			set = pl_smallest_set(b->s, t->cpu, PL_SET_LLC, t->allowed);
		}
		move = next_move(b);
		if (!move)
			return;
		move->thread = i;
		move->set = set;
		move->chained = false;
		pl_choice_init(&move->choice);
		move->choice.why = PL_WHY_GIVE_BACK;
	}
}

/* Idle is what is online and used by nobody. */
static void fill_idle(struct pl_balance *b)
{
	const struct pl_balance_input *in = b->in;
	const struct pl_machine *m = b->s->machine;
	struct pl_balance_work *w = b->work;

	memset(w, 0, sizeof(*w));
	pl_cpumask_zero(&b->s->idle);
	for (uint32_t i = 0; i < in->nr_threads; i++)
		if (in->thread[i].running && pl_machine_has(m, in->thread[i].cpu))
			w->on_cpu[in->thread[i].cpu]++;
	for (int i = 0; i < m->nr_online; i++) {
		int cpu = m->order[i];

		if (!pl_machine_has(m, cpu))
			continue;
		if ((in->outside && is_busy(in->outside[cpu])) ||
		    (in->claimed && pl_cpumask_has(in->claimed, cpu)))
			pl_cpumask_add(&w->others, cpu);
		else if (!w->on_cpu[cpu])
			pl_cpumask_add(&b->s->idle, cpu);
	}
}

void pl_balance(struct pl_snapshot *s, const struct pl_balance_input *in, struct pl_plan *plan)
{
	struct pl_balance b = {.s = s, .in = in, .plan = plan, .work = &plan->work};

	plan->nr_moves = 0;
	plan->full = false;
	fill_idle(&b);
	pl_snapshot_finish(s);
	while (s->asym.nr_idle_cores &&
	       (hop_off_shared(&b) || hop_to_larger(&b) || hop_to_preferred(&b)))
		;
	give_back(&b);
}
