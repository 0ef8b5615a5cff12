// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Table of this process's threads and the handshake about their masks.
#include "domain/thread.h"

#include <time.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/sys.h"

enum { NR_YIELDS = 100, NAP_NS = 50000 };

struct pl_thread pl_thread_table[PL_NR_THREADS];
_Atomic uint32_t pl_thread_high;
_Atomic uint32_t pl_thread_asked;

static struct pl_thread *_Atomic looked_at;

/* The Nth time of waiting for another thread. A real-time thread that only yields would keep the
 * one it waits for from running. */
static void let_others_run(int n)
{
	struct timespec ts = {.tv_nsec = NAP_NS};

	if (n < NR_YIELDS)
		pl_sys0(SYS_sched_yield);
	else
		pl_sys2(SYS_nanosleep, &ts, NULL);
}

static void fill_in(struct pl_thread *th, struct pl_tls *t, int32_t tid)
{
	pl_set(&th->mask, PL_MASK_WIDE);
	pl_set(&th->pinned, t->task && pl_get(&t->task->pinned) ? 1 : 0);
	pl_set(&th->is_main, tid == (int32_t)pl_sys0(SYS_getpid));
	pl_set(&th->calls, 0);
	pl_set(&th->nr_moves, 0);
	t->told_moves = 0;
	th->tls = t;
	th->id = 0;
	th->rseq_cpu = pl_cpu_area();
	th->tp = (uintptr_t)pl_thread_pointer();
	pl_cpumask_zero(&th->gave);
	th->born_ns = pl_now_ns();
	th->seen_ns = 0;
	th->cpu_ns = 0;
	th->ran_ns = 0;
	th->left_cpu_ns = 0;
	th->left_mask = 0;
	th->hold_until_ns = 0;
	th->given_ns = 0;
	th->util = (struct pl_util){0};
	th->cpu = -1;
	th->hold_level = 0;
	th->bound_to = 0;
	th->claim = 0;
}

void pl_thread_enter(struct pl_tls *t)
{
	int32_t tid;

	if (t->thread)
		return;
	pl_member.has_table = true;
	tid = (int32_t)pl_sys0(SYS_gettid);
	/* The storage of the first thread stays until the process ends. */
	if (!t->end_is_seen && tid != (int32_t)pl_sys0(SYS_getpid))
		return;
	for (uint32_t i = 0; i < PL_NR_THREADS; i++) {
		struct pl_thread *th = &pl_thread_table[i];
		int32_t unused = 0;
		uint32_t high = pl_get(&pl_thread_high);

		if (pl_get(&th->tid) || !atomic_compare_exchange_strong(&th->tid, &unused, -1))
			continue;
		while (high <= i && !atomic_compare_exchange_weak(&pl_thread_high, &high, i + 1))
			;
		fill_in(th, t, tid);
		t->thread = th;
		pl_set_release(&th->tid, tid);
		return;
	}
}

bool pl_thread_take_wide(struct pl_thread *th)
{
	uint32_t now = pl_get(&th->mask), state;

	do {
		state = now & PL_MASK_STATE;
		if (state != PL_MASK_WIDE && state != PL_MASK_LEFT)
			return false;
	} while (!atomic_compare_exchange_weak(&th->mask, &now,
					       (now | PL_MASK_LEFT) + 1 + PL_MASK_LEFT));
	return true;
}

bool pl_thread_take(struct pl_thread *th)
{
	for (int waits = 0;;) {
		uint32_t now = pl_get(&th->mask), state = now & PL_MASK_STATE;
		uint32_t next = (now | PL_MASK_STATE) + 1;

		next |= state == PL_MASK_SET ? PL_MASK_BUSY : PL_MASK_LEFT;
		if (state == PL_MASK_BUSY) {
			let_others_run(waits++);
		} else if (atomic_compare_exchange_strong(&th->mask, &now, next)) {
			return state == PL_MASK_SET;
		}
	}
}

bool pl_thread_begin(struct pl_thread *th, enum pl_mask_state from)
{
	uint32_t now = pl_get(&th->mask);

	return (now & PL_MASK_STATE) == from &&
	       atomic_compare_exchange_strong(&th->mask, &now,
					      (now & ~PL_MASK_STATE) | PL_MASK_BUSY);
}

void pl_thread_settle(struct pl_thread *th, enum pl_mask_state to)
{
	pl_set_release(&th->mask, (pl_get(&th->mask) & ~PL_MASK_STATE) | to);
}

void pl_thread_leave(struct pl_tls *t)
{
	struct pl_thread *th = t->thread;

	int32_t tid = (int32_t)pl_sys0(SYS_gettid);

	t->thread = NULL;
	t->end_is_seen = false;
	if (!th || !atomic_compare_exchange_strong(&th->tid, &tid, 0))
		return;
	for (int waits = 0; atomic_load(&looked_at) == th;)
		let_others_run(waits++);
}

bool pl_thread_look(struct pl_thread *th, int32_t tid)
{
	atomic_store(&looked_at, th);
	if (atomic_load(&th->tid) == tid)
		return true;
	atomic_store(&looked_at, NULL);
	return false;
}

void pl_thread_looked(void)
{
	pl_set_release(&looked_at, NULL);
}

void pl_thread_forget_all(void)
{
	for (uint32_t i = 0; i < pl_get(&pl_thread_high) && i < PL_NR_THREADS; i++)
		pl_set(&pl_thread_table[i].tid, 0);
	pl_set(&pl_thread_high, 0);
	pl_set(&pl_thread_asked, 0);
	pl_set(&looked_at, NULL);
}
