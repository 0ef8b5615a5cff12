// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Counts messages published and turns received (R3, R4). The first half is the common path: plain
// loads and stores of this thread's own line and the queue's line, no system call.
#include "observe/turn.h"

#include <sys/resource.h>

#include "apply/pairing.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/sys.h"
#include "decide/wakee_flips.h"
#include "observe/hook.h"

enum { MEASURE_PAIR_MS = 5 };

/* A queue slot is shared by racing processes; an id out of it is compared, never followed here. */
void pl_hook_publish(struct pl_queue *q)
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

unsigned int pl_turn_other_pct(const struct pl_task *task, pl_task_id partner)
{
	uint64_t all = 0, other = 0;

	for (uint32_t i = 0; i < PL_NR_PARTS; i++) {
		uint32_t n = pl_get(&task->part[i].turns);

		all += n;
		other += pl_get(&task->part[i].id) == partner ? 0 : n;
	}
	return all ? (unsigned int)(other * 100 / all) : 0;
}

/* Once a second: what is older weighs half (R3, and the shares of R4). */
static void decay(struct pl_tls *t, struct pl_task *task, uint64_t now_ns)
{
	if (now_ns - t->decayed_ns <= PL_NS_PER_S)
		return;
	t->decayed_ns = now_ns;
	pl_record_wakee(&t->flips, t->flips.last_wakee, now_ns);
	pl_set(&task->wakee_flips, t->flips.flips);
	pl_set(&task->nr_wakees, (uint32_t)__builtin_popcountll(t->wakees));
	t->wakees = 0;
	for (uint32_t i = 0; i < PL_NR_PARTS; i++)
		pl_set(&task->part[i].turns, pl_get(&task->part[i].turns) / 2);
}

/* CPU time and voluntary switches of this thread since the last window, in one system call. */
static void measure(struct pl_tls *t, struct pl_task *task, uint64_t now_ns)
{
	uint64_t cpu_ns, wall_ns = now_ns - pl_get(&task->window_ns);
	uint32_t turns = pl_get(&task->con) - t->measured_con;
	struct rusage ru;

	/* Nothing about a pair's life hangs on it; the keeper's view of the load is 100 ms coarse. */
	if (pl_get(&task->pair) && wall_ns < MEASURE_PAIR_MS * PL_NS_PER_MS)
		return;
	if (pl_sys2(SYS_getrusage, RUSAGE_THREAD, &ru) != 0)
		return;
	cpu_ns = (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * PL_NS_PER_S +
		 (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000;
	if (pl_get(&task->window_ns) && wall_ns && turns) {
		uint64_t util = (cpu_ns - pl_get(&task->cpu_ns)) * 1024 / wall_ns;
		uint64_t slept = ((uint64_t)ru.ru_nvcsw - t->window_nvcsw) * 100 / turns;

		pl_set(&task->util, util < 1024 ? (uint32_t)util : 1024);
		pl_set(&task->slept, slept < 100 ? (uint32_t)slept : 100);
	}
	t->window_nvcsw = (uint64_t)ru.ru_nvcsw;
	t->measured_con = pl_get(&task->con);
	pl_set(&task->cpu_ns, cpu_ns);
	pl_set(&task->window_ns, now_ns);
}

/* After every 32nd turn: the only place of the turn path that makes system calls. */
static PL_COLD void window(struct pl_tls *t, struct pl_task *task)
{
	uint64_t now;

	if (t->busy)
		return;
	t->busy = 1;
	now = pl_now_ns();
	pl_set(&task->cpu, (uint16_t)pl_cpu_now());
	measure(t, task, now);
	decay(t, task, now);
	t->window_con = pl_get(&task->con);
	pl_pairing_window(t, now);
	t->busy = 0;
}

void pl_hook_consume(struct pl_queue *q)
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
		window(t, task);
}

void pl_hook_wait_begin(struct pl_queue *q)
{
	struct pl_tls *t = pl_member_enter();

	if (!t || !t->task)
		return;
	if (q && pl_get(&q->reader) != t->id)
		pl_set(&q->reader, t->id);
	pl_set(&t->task->state, PL_TASK_WAITING);
}

void pl_hook_wait_end(struct pl_queue *q, bool consumed)
{
	struct pl_tls *t = pl_member_enter();

	if (!t || !t->task)
		return;
	pl_set(&t->task->state, PL_TASK_RUNNING);
	if (consumed)
		pl_hook_consume(q);
	pl_pairing_obey(t);
}
