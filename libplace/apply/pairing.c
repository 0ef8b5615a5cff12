// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The pair rule at work, as far as each member goes: entry, the end of a hold, and binding itself
// on its return from a wait. Slices are measured in apply/lead.c; decisions are made in decide/.
#include "apply/pairing.h"

#include <errno.h>

#include "apply/bind.h"
#include "apply/explicit.h"
#include "apply/keeper_start.h"
#include "apply/lead.h"
#include "apply/pair_view.h"
#include "base/clock.h"
#include "base/sys.h"
#include "decide/reciprocal.h"
#include "observe/fd.h"
#include "observe/turn.h"

static int my_side(const struct pl_tls *t, const struct pl_pair *pair)
{
	return pl_get(&pair->member[0]) == t->id ? 0 : 1;
}

static void bind_as_told(struct pl_tls *t, struct pl_pair *pair)
{
	int ret, side = my_side(t, pair);

	if (t->bound)
		return;
	ret = pl_bind_self(t, (int)pl_get(&pair->cpu[side]), pl_get(&pair->whole_core), pair, side);
	if (ret == 0)
		return;
	pl_pair_release(pl_member.seg, pair,
			pl_get(&t->task->pinned) || ret == -EINVAL ? PL_REASON_AFFINITY
								   : PL_REASON_DENIED);
}

static void live_window(struct pl_tls *t, struct pl_segment *seg, struct pl_pair *pair,
			uint64_t now_ns)
{
	const struct pl_task *other = pl_seg_task(seg, pl_get(&pair->member[!my_side(t, pair)]));
	struct pl_pair_view v = {0};
	enum pl_reason why;

	if (!pl_is_watched(seg, now_ns)) {
		/* Nobody would let us go: wide until somebody watches again. */
		pl_widen_self(t);
		t->slice_open = false;
		pl_keeper_ensure(seg, now_ns);
		return;
	}
	if (!other)
		return; /* the keeper ends the pair */
	pl_pair_view_hold(t->task, other, &v);
	why = pl_reciprocal_hold(&v);
	if (why != PL_REASON_NONE) {
		pl_pair_release(seg, pair, why);
		return;
	}
	if (pl_get(&pair->command) & 1)
		bind_as_told(t, pair);
	if (my_side(t, pair) == 0)
		pl_lead(t, seg, pair, now_ns);
}

/* Before a placement that rests on a descriptor, the descriptor is looked at once more. */
static bool queue_is_real(const struct pl_tls *t)
{
	return !t->last_fd ||
	       pl_fd_is_still((int)t->last_fd - 1, pl_get(&t->gate->fd[t->last_fd - 1].in) - 1);
}

/* True when another look soon would find the same: there is no candidate, or it was refused. */
static bool try_entry(struct pl_tls *t, struct pl_segment *seg, uint64_t now_ns)
{
	uint32_t partner = pl_get(&t->task->partner);
	struct pl_task *other = pl_seg_task(seg, partner);
	struct pl_pair_view v;
	struct pl_pair_plan plan;
	enum pl_reason why;

	if (t->named)
		return pl_explicit_entry(t, seg, now_ns);
	if (!other || pl_explicit_is_promised(t->task, other) || pl_get(&other->pair) ||
	    pl_get(&t->task->turns) < PL_WINDOW_TURNS ||
	    pl_get(&other->cpu) == pl_get(&t->task->cpu))
		return true;
	if (pl_get(&t->task->fail_partner) == partner && now_ns < pl_get(&t->task->retry_ns))
		return true;
	/* Somebody must be awake to watch; it also brings the load of the CPUs up to date. */
	if (!pl_is_watched(seg, now_ns)) {
		pl_keeper_ensure(seg, now_ns);
		return false;
	}
	if (!pl_seg_machine_ready(seg) || !pl_pair_view(seg, t->task, other, now_ns, &v))
		return false;
	why = pl_reciprocal_entry(&v, &plan);
	if (why == PL_REASON_NONE && !queue_is_real(t))
		why = PL_REASON_NO_TURN;
	if (why != PL_REASON_NONE) {
		struct pl_run *run = pl_seg_run(seg, pl_get(&t->task->run));

		if (run)
			atomic_fetch_add(&run->refused[why], 1);
		return true;
	}
	if (!pl_pair_claim(seg, t->id, partner, (uint32_t)plan.cpu, plan.whole_core))
		return false;
	t->apart[0] = v.side[0].cpu;
	t->apart[1] = v.side[1].cpu;
	pl_lead_begin(t, &plan);
	return false;
}

static bool is_off(struct pl_segment *seg)
{
	struct pl_proc *proc = pl_seg_proc(seg, pl_member.proc);

	return pl_member.env.policy != PL_POLICY_AUTO || pl_get(&seg->off_all) ||
	       (pl_seg_machine(seg)->kernel_rules & PL_KERNEL_HAS_OTHER && !pl_member.env.force) ||
	       (proc && pl_get(&proc->off)) || pl_get(&pl_member.sandboxed);
}

/* Once a second: a segment that was removed under its key is left for the new one. */
static bool segment_lost(uint64_t now_ns)
{
	uint64_t last = pl_get(&pl_member.checked_ns);

	if (now_ns - last < PL_NS_PER_S ||
	    !atomic_compare_exchange_strong(&pl_member.checked_ns, &last, now_ns))
		return false;
	return pl_segment_is_gone(pl_member.seg_id);
}

bool pl_pairing_window(struct pl_tls *t, uint64_t now_ns)
{
	struct pl_segment *seg = pl_member.seg;
	struct pl_pair *pair = pl_seg_pair(seg, pl_get(&t->task->pair));

	if (segment_lost(now_ns)) {
		if (pair)
			pl_pair_release(seg, pair, PL_REASON_NO_WATCH);
		pl_widen_self(t);
		pl_member_detach(t);
		pl_member_renew();
		return false;
	}
	if (is_off(seg)) {
		if (pair)
			pl_pair_release(seg, pair, PL_REASON_OFF);
		pl_widen_self(t);
		return true;
	}
	if (pair && pl_pair_is_live(pair)) {
		live_window(t, seg, pair, now_ns);
		return pl_get(&pair->state) == PL_PAIR_HELD && t->bound && (t->have & 1);
	}
	if (!pair)
		return try_entry(t, seg, now_ns);
	if (pl_get(&pair->state) == PL_PAIR_FREE) {
		/* Nobody's: what its command says is not for us. */
		pl_widen_self(t);
		pl_set(&t->task->pair, 0);
	}
	return false;
}

/* One of the two, the leader, goes back to where the pair was apart; -1 for the other. */
static int cpu_aside(const struct pl_tls *t, const struct pl_pair *pair)
{
	if (!pair || my_side(t, pair) != 0)
		return -1;
	return t->apart[0] != t->bound_cpu ? t->apart[0] : t->apart[1];
}

void pl_pairing_obey_slow(struct pl_tls *t)
{
	struct pl_segment *seg = pl_member.seg;
	struct pl_pair *pair = pl_seg_pair(seg, pl_get(&t->task->pair));
	uint32_t command = pair ? pl_get_acquire(&pair->command) : 0;

	if (t->busy)
		return;
	t->busy = 1;
	t->have = command;
	if (command & 1) {
		if (pl_is_watched(seg, pl_now_ns()))
			bind_as_told(t, pair);
		/* A release that came while we were binding: undo. */
		if (!(atomic_load(&pair->command) & 1))
			t->have = 0;
	}
	if (!(t->have & 1))
		pl_widen_self_at(t, cpu_aside(t, pair));
	t->busy = 0;
}

void pl_pairing_leave(struct pl_tls *t, enum pl_reason reason)
{
	struct pl_segment *seg = pl_member.seg;
	struct pl_pair *pair;

	if (!t->task || !seg)
		return;
	pair = pl_seg_pair(seg, pl_get(&t->task->pair));
	if (pair)
		pl_pair_release(seg, pair, reason);
	pl_widen_self(t);
}
