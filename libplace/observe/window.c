// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// What happens once in 32 turns: the clock, this thread's CPU time, decay of what is older than a
// second, and then the pair rule. The only place of the turn path that makes system calls.
#include <sys/resource.h>

#include "apply/pairing.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/sys.h"
#include "observe/hook.h"
#include "observe/turn.h"

enum {
	MEASURE_PAIR_MS = 5,
	/*
	 * Where little can change, three windows of four are left out: with page tables isolated
	 * and no TLB tags each call that is seen costs 70 ns of page walks. Only where 32 turns
	 * take less than 2 ms, so that a watcher that looks every 10 ms still sees turns.
	 */
	FAST_WINDOW_MS = 2,
	SKIP_CALLS = 192,
};

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
	bool first = t->decayed_ns == 0;

	if (now_ns - t->decayed_ns <= PL_NS_PER_S)
		return;
	t->decayed_ns = now_ns;
	if (first) {
		/* What came before the first window is start-up: who is ready, who may go. */
		pl_set(&task->since_ns, now_ns);
		t->wakees = 0;
		return;
	}
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
	/* A call left out is half a turn: the kernel counted its switches all the same. */
	uint32_t turns = pl_get(&task->con) - t->measured_con + t->left_out / 2;
	struct rusage ru;

	/* A pair's life does not hang on it, and the keeper's view of the load is 100 ms coarse. */
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
	t->left_out = 0;
	pl_set(&task->cpu_ns, cpu_ns);
	pl_set(&task->window_ns, now_ns);
}

void pl_hook_window(struct pl_tls *t, struct pl_task *task)
{
	uint64_t now;
	bool settled;

	if (t->busy)
		return;
	t->busy = 1;
	now = pl_now_ns();
	pl_set(&task->cpu, (uint16_t)pl_cpu_now());
	measure(t, task, now);
	decay(t, task, now);
	t->window_con = pl_get(&task->con);
	settled = pl_pairing_window(t, now);
	/* Where a report is wanted, it counts all of them. */
	if (settled && !pl_get(&task->run)) {
		if (pl_get(&task->turns) < PL_WINDOW_TURNS / 2)
			t->skip = PL_SKIP_ONE_WAY;
		else if (now - t->looked_ns < FAST_WINDOW_MS * PL_NS_PER_MS)
			t->skip = SKIP_CALLS;
		t->left_out += t->skip;
	}
	t->looked_ns = now;
	t->busy = 0;
}
