// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// How much each thread of the process ran, and where. No errno, no function that has thread-local
// storage: the balancer looks.
#include "observe/own_threads.h"

#include <time.h>

#include "base/clock.h"
#include "base/sys.h"
#include "decide/hints.h"

enum {
	RUNNING_UTIL = 102,	/* a tenth of a CPU: the thread counts where it is */
	KEPT_AWAY_MS = 2,	/* CPU time that a thread runs after it took its mask */
	NEW_USE_NS = 100000000, /* CPU time of a thread before it was first looked at, at most */
};

static bool thread_cpu_ns(int32_t tid, uint64_t *ns)
{
	struct timespec ts;

	/* The clock of one thread of this process. */
	if (pl_sys2(SYS_clock_gettime, ~(unsigned long)tid << 3 | 6, &ts) != 0)
		return false;
	*ns = (uint64_t)ts.tv_sec * PL_NS_PER_S + (uint64_t)ts.tv_nsec;
	return true;
}

static struct pl_task *task_of(struct pl_segment *seg, const struct pl_thread *th)
{
	return pl_seg_task(seg, th->id);
}

/* What the thread itself says: which task it is, and which CPU. False when it has ended. */
static bool look_inside(struct pl_thread *th, int32_t tid, int *cpu)
{
	if (!pl_thread_look(th, tid))
		return false;
	th->id = *(volatile pl_task_id *)&th->tls->id;
	*cpu = th->rseq_cpu ? *th->rseq_cpu : -1;
	pl_thread_looked();
	return true;
}

/*
 * A thread that took its mask is left alone until its call is over and it has run on, for the calls
 * of which nobody sees the end. MASK was read before the thread's CPU time.
 */
static void end_of_leave(struct pl_thread *th, const struct pl_task *task, uint32_t mask)
{
	if ((mask & PL_MASK_STATE) != PL_MASK_LEFT)
		return;
	if (mask != th->left_mask || !th->left_cpu_ns) {
		th->left_mask = mask;
		th->left_cpu_ns = th->cpu_ns;
		return;
	}
	if (atomic_load(&th->calls) || atomic_load(&pl_thread_asked))
		return;
	if (th->cpu_ns - th->left_cpu_ns < KEPT_AWAY_MS * PL_NS_PER_MS ||
	    (task && (pl_get(&task->bound) || pl_get(&task->pair))))
		return;
	atomic_compare_exchange_strong(&th->mask, &mask, mask & ~PL_MASK_STATE);
}

/* Brings what is known of TH up to date; false when it has ended. */
static bool look_at(struct pl_own_threads *o, struct pl_segment *seg, struct pl_thread *th,
		    int32_t tid, uint64_t now_ns)
{
	uint32_t mask = pl_get_acquire(&th->mask);
	struct pl_task *task;
	uint64_t cpu_ns, used;
	int cpu;

	if (!thread_cpu_ns(tid, &cpu_ns)) {
		/* It ended past the C library: its number may be given to another. */
		atomic_compare_exchange_strong(&th->tid, &tid, 0);
		return false;
	}
	if (!look_inside(th, tid, &cpu))
		return false;
	task = task_of(seg, th);
	th->ran_ns = th->seen_ns ? cpu_ns - th->cpu_ns : 0;
	if (th->seen_ns) {
		pl_util_add(&th->util, now_ns - th->seen_ns, cpu_ns - th->cpu_ns);
		o->used_ns += cpu_ns - th->cpu_ns;
	} else {
		o->nr_new++;
		/* The main thread ran before it was entered. */
		if (!pl_get(&th->is_main) && now_ns > th->born_ns)
			pl_util_add(&th->util, now_ns - th->born_ns, cpu_ns);
	}
	if (!th->rseq_cpu && task)
		cpu = (int)pl_get(&task->cpu);
	/* What a new one used since it started is in the sample, too. */
	used = cpu_ns - th->cpu_ns;
	pl_own_use_add(&o->use, th->cpu, cpu, th->seen_ns || used < NEW_USE_NS ? used : NEW_USE_NS);
	th->seen_ns = now_ns;
	th->cpu_ns = cpu_ns;
	/* A thread that makes no hooked call does not say so itself. */
	if (task && cpu >= 0)
		pl_set(&task->cpu, (uint16_t)cpu);
	th->cpu = cpu;
	end_of_leave(th, task, mask);
	return true;
}

static void add_view(struct pl_own_threads *o, struct pl_segment *seg, struct pl_thread *th)
{
	const struct pl_task *task = task_of(seg, th);
	enum pl_mask_state mask = pl_thread_mask_state(th);
	struct pl_hints h = pl_hints_unpack(task ? pl_get(&task->hints) : 0);
	uint32_t need = pl_util_need(&th->util);

	o->thread[o->nr] = th;
	o->view[o->nr++] = (struct pl_thread_view){
		.cpu = th->cpu,
		.util = need,
		.umin = h.umin,
		.umax = h.umax,
		.class = h.class,
		.running = th->util.avg >= RUNNING_UTIL,
		.cpu_bound = pl_util_is_cpu_bound(&th->util),
		/* The main thread is bound only as half of a pair, and a pair is not ours to move.
		 */
		.pinned = pl_get(&th->is_main) || pl_get(&th->pinned) || mask == PL_MASK_LEFT ||
			  (task &&
			   (pl_get(&task->pinned) || pl_get(&task->rt) || pl_get(&task->pair))),
		.bound = mask == PL_MASK_SET,
		.bound_to = mask == PL_MASK_SET ? (enum pl_set)th->bound_to : PL_SET_NONE,
		.preferred_llc = -1,
	};
}

/* The balancer is nobody else either. */
static void look_at_self(struct pl_own_threads *o)
{
	static uint64_t last_ns;
	static int last_cpu = -1;
	struct timespec ts = {0};
	unsigned int cpu = 0;
	uint64_t ns;

	pl_sys2(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &ts);
	pl_sys3(SYS_getcpu, &cpu, NULL, NULL);
	ns = (uint64_t)ts.tv_sec * PL_NS_PER_S + (uint64_t)ts.tv_nsec;
	/* The next balancer of this process, after a hold, starts from zero. */
	pl_own_use_add(&o->use, last_cpu, (int)cpu, ns >= last_ns ? ns - last_ns : ns);
	last_ns = ns;
	last_cpu = (int)cpu;
}

void pl_own_threads_look(struct pl_own_threads *o, struct pl_segment *seg, uint64_t now_ns)
{
	const struct pl_machine *m = pl_seg_machine(seg);

	o->nr = 0;
	o->nr_new = 0;
	o->used_ns = 0;
	for (uint32_t i = 0; i < pl_get(&pl_thread_high) && i < PL_NR_THREADS; i++) {
		struct pl_thread *th = &pl_thread_table[i];
		int32_t tid = pl_get_acquire(&th->tid);

		if (tid > 0 && look_at(o, seg, th, tid, now_ns) && pl_machine_has(m, th->cpu))
			add_view(o, seg, th);
	}
	look_at_self(o);
	pl_own_use_looked(&o->use, now_ns, pl_now_sys_ns());
}

bool pl_own_threads_wait(void)
{
	for (uint32_t i = 0; i < pl_get(&pl_thread_high) && i < PL_NR_THREADS; i++) {
		struct pl_thread *th = &pl_thread_table[i];
		int32_t tid = pl_get_acquire(&th->tid);
		bool waits;

		if (tid <= 0 || !pl_thread_look(th, tid))
			continue;
		waits = *(volatile uint32_t *)&th->tls->waiting;
		pl_thread_looked();
		if (!waits)
			return false;
	}
	return true;
}
