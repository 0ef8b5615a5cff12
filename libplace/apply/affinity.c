// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Affinity calls of the program. Another thread's mask cannot be lent for the length of a call as
// our own can, so its pair ends; it is formed again if the two still alternate.
#include "apply/affinity.h"

#include "apply/bind.h"
#include "apply/narrow.h"
#include "apply/pairing.h"
#include "apply/watch.h"
#include "base/sys.h"

static bool is_self(pid_t tid)
{
	return tid == 0 || (pl_tls.task && tid == pl_get(&pl_tls.task->tid));
}

/* Calls FN for each other task that TID names: a thread of any process, or -1, all of this one. */
static void each_other(pid_t tid, void (*fn)(struct pl_segment *, struct pl_task *))
{
	struct pl_segment *seg = pl_member.seg;
	int32_t pid;
	uint32_t high;

	if (!seg)
		return;
	pid = (int32_t)pl_sys0(SYS_getpid);
	high = pl_get(&seg->task_high);
	for (uint32_t i = 0; i < high && i < PL_NR_TASKS; i++) {
		struct pl_task *task = &seg->task[i];

		if (task != pl_tls.task && pl_get(&task->id) &&
		    (tid == -1 ? pl_get(&task->pid) == pid : pl_get(&task->tid) == tid))
			fn(seg, task);
	}
}

static void let_go(struct pl_segment *seg, struct pl_task *task)
{
	struct pl_pair *pair = pl_seg_pair(seg, pl_get(&task->pair));

	pl_bind_settled(task);
	if (pair && pl_get(&task->bound))
		pl_watch_let_go(seg, pair, PL_REASON_AFFINITY);
}

/* The mark comes first, so that the thread does not touch its mask any more; then it is wide. */
static void pin_coming(struct pl_segment *seg, struct pl_task *task)
{
	uint8_t no = 0;

	atomic_compare_exchange_strong(&task->pinned, &no, PL_PIN_COMING);
	let_go(seg, task);
	pl_set_release(&task->bound, 0);
}

static void pin(struct pl_segment *seg, struct pl_task *task)
{
	(void)seg;
	pl_set(&task->pinned, 1);
}

static void unpin(struct pl_segment *seg, struct pl_task *task)
{
	uint8_t coming = PL_PIN_COMING;

	(void)seg;
	atomic_compare_exchange_strong(&task->pinned, &coming, 0);
}

void pl_affinity_query(pid_t tid)
{
	struct pl_tls *t = pl_member_enter();

	if (!t)
		return;
	if (!is_self(tid)) {
		each_other(tid, let_go);
		pl_narrow_take_tid(tid, false);
		return;
	}
	pl_narrow_take(t->thread);
	pl_widen_self(t);
	t->have = 0;
}

void pl_affinity_change(pid_t tid)
{
	struct pl_tls *t = pl_member_enter();

	if (!t)
		return;
	if (is_self(tid)) {
		pl_narrow_take(t->thread);
		pl_pairing_leave(t, PL_REASON_AFFINITY);
	} else {
		each_other(tid, pin_coming);
		pl_narrow_take_tid(tid, false);
	}
}

void pl_affinity_changed(pid_t tid, bool ok)
{
	struct pl_tls *t = pl_member_enter();

	if (!t)
		return;
	if (!is_self(tid)) {
		each_other(tid, ok ? pin : unpin);
		if (ok)
			pl_narrow_take_tid(tid, true);
		return;
	}
	if (!ok)
		return;
	if (t->thread)
		pl_set(&t->thread->pinned, 1);
	/* A thread that is no task yet must be one now, or the mark would be lost. */
	if (!t->task && !t->busy) {
		t->busy = 1;
		pl_member_attach(t);
		t->busy = 0;
	}
	if (t->task)
		pl_set(&t->task->pinned, 1);
}

static void read_class(struct pl_segment *seg, struct pl_task *task)
{
	(void)seg;
	pl_set(&task->rt, pl_class_is_rt(pl_get(&task->tid)));
}

void pl_affinity_class_changed(pid_t tid)
{
	struct pl_tls *t = pl_member_enter();

	if (!t)
		return;
	if (!is_self(tid))
		each_other(tid, read_class);
	else if (t->task)
		read_class(pl_member.seg, t->task);
}
