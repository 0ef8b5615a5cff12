// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
#include "apply/pair_view.h"

#include "apply/bind.h"
#include "base/clock.h"
#include "decide/handoff.h"
#include "decide/hints.h"
#include "domain/pair.h"
#include "observe/turn.h"

enum { LOAD_FRESH_MS = 500 };

/*
 * Load of others on CPU, as far as it is known: the sample must be fresh, and not reach back to
 * when TASK did not hand off yet, since what it used then counts as somebody else's.
 */
static uint32_t outside_load(struct pl_segment *seg, int cpu, const struct pl_task *task,
			     uint64_t now_ns)
{
	uint64_t since = pl_get(&task->since_ns);

	if (now_ns - pl_get(&seg->load_ns) > LOAD_FRESH_MS * PL_NS_PER_MS || !since ||
	    pl_get(&seg->load_from_ns) < since)
		return 0;
	return pl_get(&seg->load[cpu].outside);
}

static void view_hold(const struct pl_task *task, pl_task_id other, struct pl_side *s)
{
	s->other_pct = pl_turn_other_pct(task, other);
	s->pinned = pl_get(&task->pinned);
	s->rt = pl_get(&task->rt);
}

static void view_side(struct pl_segment *seg, const struct pl_task *task, pl_task_id other,
		      uint64_t now_ns, struct pl_side *s)
{
	const struct pl_machine *m = pl_seg_machine(seg);
	int cpu = pl_get(&task->cpu);

	*s = (struct pl_side){.cpu = cpu};
	s->turns = pl_get(&task->turns);
	s->strays = pl_get(&task->strays);
	s->slept_pct = pl_get(&task->slept);
	s->util = pl_hints_util(pl_get(&task->hints), pl_get(&task->util));
	s->wakee_flips = pl_get(&task->wakee_flips);
	s->distinct_wakees = pl_get(&task->nr_wakees);
	s->partner_is_other = pl_get(&task->partner) == other;
	view_hold(task, other, s);
	s->nr_pairs = pl_pair_count_on(seg, (uint32_t)cpu);
	if (!pl_machine_has(m, cpu))
		return;
	s->capacity = m->cpu[cpu].capacity;
	s->outside = outside_load(seg, cpu, task, now_ns);
}

bool pl_pair_view(struct pl_segment *seg, const struct pl_task *w, const struct pl_task *p,
		  uint64_t now_ns, struct pl_pair_view *v)
{
	const struct pl_machine *m = pl_seg_machine(seg);
	const struct pl_side *sw = &v->side[0], *sp = &v->side[1];
	bool known;

	view_side(seg, w, pl_get(&p->id), now_ns, &v->side[0]);
	view_side(seg, p, pl_get(&w->id), now_ns, &v->side[1]);
	known = sw->capacity && sp->capacity;
	v->side[0].may_use_other_cpu = pl_may_use(0, sp->cpu);
	v->side[1].may_use_other_cpu = pl_may_use(pl_get(&p->tid), sw->cpu);
	v->llc_cpus = (uint32_t)pl_machine_llc_size(m, sw->cpu);
	v->share_llc = known && m->cpu[sw->cpu].llc == m->cpu[sp->cpu].llc;
	v->smt = pl_seg_machine_ready(seg) && m->smt > 1;
	v->direct = pl_member.env.pair_mode == PL_PAIR_DIRECT || pl_handoff_stacks(seg);
	return known;
}

void pl_pair_view_hold(const struct pl_task *w, const struct pl_task *p, struct pl_pair_view *v)
{
	view_hold(w, pl_get(&p->id), &v->side[0]);
	view_hold(p, pl_get(&w->id), &v->side[1]);
}
