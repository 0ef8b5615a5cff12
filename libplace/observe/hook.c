// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Events other than turns: children, exec, threads, affinity, class, sandbox, identity.
#include "observe/hook.h"

#include "apply/affinity.h"
#include "apply/balancer.h"
#include "apply/bind.h"
#include "apply/narrow.h"
#include "apply/pairing.h"
#include "base/sys.h"
#include "observe/sched_stats.h"

/*
 * Takes the caller's mask from the balancer. Also where calls pass through just now: at exit(), and
 * in a handler that came while a hook was busy.
 */
static void take_own(void)
{
	struct pl_tls *t = &pl_tls;

	if (t->thread && pl_get(&t->gate->epoch) != PL_EPOCH_NONE)
		pl_narrow_take(t->thread);
}

/* Counts a call that needs the thread TID wide, as in pl_hook_affinity_query(). */
static void call_begins(pid_t tid)
{
	struct pl_tls *t = &pl_tls;

	if (tid)
		atomic_fetch_add(&pl_thread_asked, 1);
	else if (t->thread && pl_get(&t->gate->epoch) != PL_EPOCH_NONE)
		atomic_fetch_add(&t->thread->calls, 1);
}

/* May be missed (a handler jumps away) or come too often (in a child of fork). */
static void call_ends(pid_t tid)
{
	struct pl_thread *th = pl_tls.thread;
	_Atomic uint32_t *calls = tid ? &pl_thread_asked : th ? &th->calls : NULL;
	uint32_t n = calls ? pl_get(calls) : 0;

	while (n && !atomic_compare_exchange_weak(calls, &n, n - 1))
		;
}

void pl_hook_before_child(void)
{
	struct pl_tls *t = pl_member_enter();

	take_own();
	if (!t)
		return;
	if (!t->bound)
		return;
	pl_widen_self(t);
	t->have = 0; /* the next return from a wait binds again */
}

void pl_hook_child_begin(void)
{
	call_begins(0);
	pl_hook_before_child();
}

void pl_hook_child_end(void)
{
	call_ends(0);
}

void pl_hook_before_exec(void)
{
	struct pl_tls *t = pl_member_enter();

	take_own();
	if (!t)
		return;
	pl_widen_self(t);
	t->have = 0;
	/* A vfork child runs on its parent's memory: the parent's tasks live on. */
	if (t->task && pl_get(&t->task->tid) == (int32_t)pl_sys0(SYS_gettid))
		pl_member_detach(t);
}

void pl_hook_thread_coming(void)
{
	struct pl_tls *t = pl_member_enter();

	pl_hook_child_begin();
	if (t && pl_balancer_is_wanted(t))
		pl_thread_enter(t);
}

void pl_hook_thread_begin(bool pinned)
{
	struct pl_tls *t = pl_member_enter();

	pl_tls.end_is_seen = true;
	if (!t || t->busy)
		return;
	pl_member_attach_reported(t);
	if (pl_balancer_is_wanted(t))
		pl_thread_enter(t);
	if (pinned)
		pl_affinity_changed(0, true);
}

void pl_hook_woke(struct pl_tls *t)
{
	pl_sched_stats_wake(t);
}

void pl_hook_balancer_wake(void)
{
	pl_balancer_wake();
}

void pl_hook_thread_failed(void)
{
	pl_hook_child_end();
}

void pl_hook_thread_created(void)
{
	struct pl_tls *t = pl_member_enter();
	struct pl_segment *seg = pl_member.seg;
	struct pl_proc *proc = seg ? pl_seg_proc(seg, pl_member.proc) : NULL;
	struct pl_run *run = proc ? pl_seg_run(seg, pl_get(&proc->run)) : NULL;

	pl_hook_child_end();
	if (!t)
		return;
	atomic_fetch_add_explicit(&pl_member.nr_threads, 1, memory_order_relaxed);
	if (run)
		atomic_fetch_add(&run->threads, 1);
	pl_balancer_start(t);
}

void pl_hook_thread_exit(void)
{
	struct pl_tls *t = &pl_tls;

	/* In a child of fork that called no hook yet, all that is known is its parent's. */
	if (pl_get(&t->gate->epoch) == PL_EPOCH_NONE)
		return;
	pl_narrow_take(t->thread);
	pl_thread_leave(t);
	if (t->epoch != pl_get(&t->gate->epoch))
		return;
	pl_widen_self(t);
	pl_member_detach(t);
	t->refused = UINT32_MAX; /* destructors of keys still make calls; no slot for those */
}

void pl_hook_affinity_query(pid_t tid)
{
	call_begins(tid);
	pl_affinity_query(tid);
}

void pl_hook_affinity_queried(pid_t tid)
{
	call_ends(tid);
}

void pl_hook_affinity_change(pid_t tid)
{
	call_begins(tid);
	pl_affinity_change(tid);
}

void pl_hook_affinity_changed(pid_t tid, bool ok)
{
	pl_affinity_changed(tid, ok);
	call_ends(tid);
}

/* DEADLINE asks for the whole mask, and an RT thread must not drag a partner onto its CPU. */
void pl_hook_sched_change(pid_t tid)
{
	call_begins(tid);
	pl_affinity_change(tid);
}

void pl_hook_sched_changed(pid_t tid)
{
	pl_affinity_changed(tid, false);
	pl_affinity_class_changed(tid);
	call_ends(tid);
}

void pl_hook_sandbox(void)
{
	struct pl_tls *t = pl_member_enter();

	/* Also where calls pass through just now, unless all we know is a parent's. */
	if (t || pl_get(&pl_gate->epoch) != PL_EPOCH_NONE)
		pl_balancer_hold();
	if (!t)
		return;
	pl_pairing_leave(t, PL_REASON_OFF);
	pl_set(&pl_member.sandboxed, 1);
	pl_member_detach(t);
	pl_member_stop();
}

void pl_hook_identity_change(void)
{
	/* Also where calls pass through just now, unless all we know is a parent's. */
	if (pl_member_enter() || pl_get(&pl_gate->epoch) != PL_EPOCH_NONE)
		pl_balancer_hold();
}

void pl_hook_identity_changed(bool ok)
{
	struct pl_tls *t = pl_member_enter();

	pl_balancer_release();
	if (!ok || !t || !pl_member.seg)
		return;
	pl_pairing_leave(t, PL_REASON_OFF);
	pl_member_detach(t);
	pl_member_renew();
}
