// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Counts messages published and turns received (R3, R4): the common path, plain loads and stores of
// this thread's own line and the queue's line. Part of the preload object, beside its callers.
#include "observe/turn.h"

#include "apply/pairing.h"
#include "base/cpu.h"
#include "decide/wakee_flips.h"
#include "observe/hook.h"

/*
 * Who publishes and never reads or waits is no half of a pair: most of its calls are left out. (A
 * report counts all of them.) Turns are no test of that: while the partner's calls are left out,
 * none is seen here.
 */
static PL_COLD void one_way(struct pl_tls *t, const struct pl_task *task)
{
	if (t->nr_waits == t->seen_waits && !pl_get(&task->run))
		t->skip = PL_SKIP_ONE_WAY;
	t->seen_waits = t->nr_waits;
	t->seen_pub = pl_get(&task->pub);
}

/* A queue slot is shared by racing processes; an id out of it is compared, never followed here. */
PL_HOT void pl_hook_publish(struct pl_queue *q)
{
	struct pl_tls *t = &pl_tls;
	struct pl_task *task = t->task;
	uint32_t reader;

	if (!q || !task)
		return;
	if (pl_get(&q->writer) != t->id)
		pl_set(&q->writer, t->id);
	reader = pl_get(&q->reader);
	pl_set_release(&q->seq, pl_get(&q->seq) + 1);
	pl_inc(&task->pub);
	if (pl_unlikely(pl_get(&task->pub) - t->seen_pub >= 2 * PL_WINDOW_TURNS))
		one_way(t, task);
	if (!reader || reader == t->id)
		return;
	pl_set(&task->last_to, reader);
	if (t->flips.last_wakee == reader)
		return;
	/* The time of the last window will do: reading the clock here would cost as much as the
	 * rest. */
	pl_record_wakee(&t->flips, reader, pl_get(&task->window_ns));
	pl_set(&task->wakee_flips, t->flips.flips);
	t->wakees |= 1ull << (reader * 2654435761u >> 26);
}

static void count_waker(struct pl_task *task, uint32_t waker)
{
	uint32_t least = 0;

	for (uint32_t i = 0; i < PL_NR_PARTS; i++) {
		if (pl_get(&task->part[i].id) == waker) {
			pl_inc(&task->part[i].turns);
			return;
		}
		if (pl_get(&task->part[i].turns) < pl_get(&task->part[least].turns))
			least = i;
	}
	pl_set(&task->part[least].id, waker);
	pl_set(&task->part[least].turns, 1);
	pl_inc(&task->nr_edges);
}

PL_HOT void pl_hook_consume(struct pl_queue *q)
{
	struct pl_tls *t = &pl_tls;
	struct pl_task *task = t->task;
	uint32_t seq, writer;
	int cpu;

	if (!q || !task)
		return;
	seq = pl_get_acquire(&q->seq);
	if (seq == pl_get(&q->consumed))
		return; /* the rest of a message already counted */
	pl_set(&q->consumed, seq);
	if (pl_get(&q->reader) != t->id)
		pl_set(&q->reader, t->id);
	writer = pl_get(&q->writer);
	if (!writer || writer == t->id)
		return;

	pl_inc(&task->con);
	cpu = pl_cpu_fast();
	if (cpu >= 0)
		pl_set(&task->cpu, (uint16_t)cpu);
	if (pl_get(&task->partner) != writer) {
		pl_set(&task->partner, writer);
		pl_set(&task->turns, 0);
		pl_set(&task->strays, 0);
	} else if (pl_get(&task->last_to) == writer) {
		pl_inc(&task->turns);
	} else {
		pl_inc(&task->strays);
	}
	pl_set(&task->last_to, 0);
	count_waker(task, writer);
	if (pl_unlikely(pl_get(&task->con) - t->window_con >= PL_WINDOW_TURNS))
		pl_hook_window(t, task);
}

PL_HOT void pl_hook_wait_begin(struct pl_queue *q)
{
	struct pl_tls *t = pl_member_enter();

	if (!t)
		return;
	t->waiting = 1;
	if (!t->task)
		return;
	if (q && pl_get(&q->reader) != t->id)
		pl_set(&q->reader, t->id);
	pl_set(&t->task->state, PL_TASK_WAITING);
}

PL_HOT void pl_hook_wait_end(struct pl_queue *q, bool consumed)
{
	struct pl_tls *t = pl_member_enter();

	if (!t)
		return;
	t->waiting = 0;
	if (pl_unlikely(pl_get(&t->gate->asleep)))
		pl_hook_balancer_wake();
	if (!t->task)
		return;
	t->nr_waits++;
	pl_set(&t->task->state, PL_TASK_RUNNING);
	if (pl_unlikely(t->reported))
		pl_hook_woke(t);
	if (consumed)
		pl_hook_consume(q);
	if (t->task) /* not when the membership just ended */
		pl_pairing_obey(t);
	if (pl_unlikely(pl_get(&t->gate->has_callback)))
		pl_hook_events(t);
}
