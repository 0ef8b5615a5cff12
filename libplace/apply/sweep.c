// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// One look of the balancer: observe its threads, plan, move. Static memory, since there is one
// balancer a process and its stack is small; no errno, no function that has thread-local storage.
#include "apply/sweep.h"

#include "apply/memory_follow.h"
#include "apply/narrow.h"
#include "base/clock.h"
#include "base/sys.h"
#include "decide/balance.h"
#include "decide/balancer_place.h"
#include "decide/pace.h"
#include "domain/claim.h"
#include "domain/thread.h"
#include "observe/outside.h"
#include "observe/wakegraph.h"

enum {
	RUNNING_UTIL = 102,	/* a tenth of a CPU: the thread counts where it is */
	REFRESH_MS = 1000,	/* between looks at the cpuset */
	KEPT_AWAY_MS = 2,	/* CPU time that a thread runs after it took its mask */
	NEW_USE_NS = 100000000, /* CPU time of a thread before it was first looked at, at most */
	IDLE_USE_NS = 1000000,	/* CPU time of all threads between two looks that is nothing */
};

static struct pl_snapshot snapshot;
static struct pl_plan plan;
static struct pl_thread_view view[PL_NR_THREADS];
static struct pl_thread *seen[PL_NR_THREADS]; /* whom view[] is about */
static uint32_t nr_seen;
static uint16_t outside[PL_MAX_CPUS];
static struct pl_own_use own_use;
static struct pl_graph_node node[PL_GRAPH_THREADS];
static struct pl_cpumask claimed, target;
static uint32_t generation; /* of the machine model */
static uint64_t refreshed_ns;
static uint64_t used_ns; /* CPU time of all threads since the last look */

/* R17: whether the running kernel does it, so that we stand aside. */
static bool kernel_has(const struct pl_segment *seg, uint8_t rule)
{
	return pl_seg_machine(seg)->kernel_rules & rule && !pl_member.env.force;
}

static bool is_switched_off(struct pl_segment *seg)
{
	struct pl_proc *proc = pl_seg_proc(seg, pl_member.proc);

	return pl_get(&seg->off_all) || kernel_has(seg, PL_KERNEL_HAS_OTHER) ||
	       (proc && pl_get(&proc->off)) || pl_get(&pl_member.sandboxed);
}

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
static bool look_at(struct pl_segment *seg, struct pl_thread *th, int32_t tid, uint64_t now_ns,
		    struct pl_sweep_result *r)
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
		used_ns += cpu_ns - th->cpu_ns;
	} else {
		r->nr_new++;
		/* The main thread ran before it was entered. */
		if (!pl_get(&th->is_main) && now_ns > th->born_ns)
			pl_util_add(&th->util, now_ns - th->born_ns, cpu_ns);
	}
	if (!th->rseq_cpu && task)
		cpu = (int)pl_get(&task->cpu);
	/* What a new one used since it started is in the sample, too. */
	used = cpu_ns - th->cpu_ns;
	pl_own_use_add(&own_use, th->cpu, cpu,
		       th->seen_ns || used < NEW_USE_NS ? used : NEW_USE_NS);
	th->seen_ns = now_ns;
	th->cpu_ns = cpu_ns;
	/* A thread that makes no hooked call does not say so itself. */
	if (task && cpu >= 0)
		pl_set(&task->cpu, (uint16_t)cpu);
	th->cpu = cpu;
	end_of_leave(th, task, mask);
	return true;
}

static void add_view(struct pl_segment *seg, struct pl_thread *th)
{
	const struct pl_task *task = task_of(seg, th);
	enum pl_mask_state mask = pl_thread_mask_state(th);
	struct pl_hints h = pl_hints_unpack(task ? pl_get(&task->hints) : 0);
	uint32_t need = pl_util_need(&th->util);

	seen[nr_seen] = th;
	view[nr_seen++] = (struct pl_thread_view){
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
static void look_at_self(void)
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
	pl_own_use_add(&own_use, last_cpu, (int)cpu, ns >= last_ns ? ns - last_ns : ns);
	last_ns = ns;
	last_cpu = (int)cpu;
}

static void look_at_threads(struct pl_segment *seg, uint64_t now_ns, struct pl_sweep_result *r)
{
	const struct pl_machine *m = pl_seg_machine(seg);

	nr_seen = 0;
	used_ns = 0;
	for (uint32_t i = 0; i < pl_get(&pl_thread_high) && i < PL_NR_THREADS; i++) {
		struct pl_thread *th = &pl_thread_table[i];
		int32_t tid = pl_get_acquire(&th->tid);

		if (tid > 0 && look_at(seg, th, tid, now_ns, r) && pl_machine_has(m, th->cpu))
			add_view(seg, th);
	}
	look_at_self();
	pl_own_use_looked(&own_use, now_ns, pl_now_sys_ns());
}

static void hold(struct pl_thread *th, uint64_t now_ns)
{
	th->hold_level = pl_hold_level(th->hold_level, th->given_ns, now_ns);
	th->hold_until_ns = now_ns + pl_hold_ns(th->hold_level);
}

/* TH is about to run on CPU: its pages come along when that is on another node. */
static void follow(const struct pl_thread *th, int cpu)
{
	const struct pl_machine *m = snapshot.machine;

	if (pl_machine_has(m, th->cpu) && m->cpu[cpu].node != PL_NO_ID &&
	    m->cpu[cpu].node != m->cpu[th->cpu].node)
		pl_memory_follow(th->tp, m->cpu[cpu].node);
}

/* Makes one move of the plan; true when a mask was changed. */
static bool make_move(struct pl_thread *th, const struct pl_move *move, uint64_t now_ns)
{
	int cpu = move->choice.cpu;

	if (cpu < 0 && move->set == PL_SET_NONE) {
		pl_narrow_undo(th);
		return true;
	}
	/* Without a CPU only the mask is widened, around where the thread is. */
	pl_set_mask(&snapshot, cpu < 0 ? th->cpu : cpu, move->set, NULL, &target);
	if (cpu >= 0 && pl_cpumask_has(&target, th->cpu)) {
		struct pl_cpumask *one = &claimed; /* not needed any more in this sweep */

		pl_cpumask_zero(one);
		pl_cpumask_add(one, cpu);
		if (pl_narrow(th, one) != 0)
			return false;
	}
	if (move->set == PL_SET_NONE)
		pl_narrow_undo(th);
	else if (pl_narrow(th, &target) != 0)
		return false;
	th->bound_to = move->set;
	if (cpu < 0)
		return true;
	pl_set(&th->moved_to, cpu);
	pl_set_release(&th->nr_moves, pl_get(&th->nr_moves) + 1);
	if (move->set != PL_SET_NONE)
		hold(th, now_ns);
	if (pl_member.env.numa_follow)
		follow(th, cpu);
	th->cpu = cpu;
	return true;
}

/* R11. The program's memory policy speaks against it; the balancer inherited the one of the thread
 * that started it. */
static void prefer_caches(struct pl_segment *seg, const struct pl_machine *m, uint64_t now_ns)
{
	int policy = 0;

	if (m->nr_llcs < 2 || nr_seen > PL_GRAPH_THREADS || kernel_has(seg, PL_KERNEL_HAS_CACHES))
		return;
	for (uint32_t i = 0; i < nr_seen; i++)
		node[i] = (struct pl_graph_node){
			.id = seen[i]->id,
			.number = (uint32_t)(seen[i] - pl_thread_table),
			.run_ns = seen[i]->ran_ns,
		};
	pl_sys5(SYS_get_mempolicy, &policy, NULL, 0, NULL, 0);
	pl_wakegraph_prefer(seg, m, node, view, nr_seen, policy != 0, now_ns);
}

static void plan_and_move(struct pl_segment *seg, const struct pl_machine *m, uint64_t now_ns,
			  struct pl_sweep_result *r)
{
	struct pl_balance_input in = {
		.thread = view, .nr_threads = nr_seen, .outside = outside, .claimed = &claimed};

	struct pl_proc *proc = pl_seg_proc(seg, pl_member.proc);
	struct pl_run *run = proc ? pl_seg_run(seg, pl_get(&proc->run)) : NULL;
	uint32_t nr_made = 0;
	bool failed = false;

	pl_outside_fill(&own_use, seg, m, now_ns, outside);
	pl_claim_busy_cpus(seg, m, pl_member.proc, &claimed);
	snapshot.machine = m;
	snapshot.allowed = &pl_base_mask.allowed;
	prefer_caches(seg, m, now_ns);
	pl_balance(&snapshot, &in, &plan);
	for (uint32_t i = 0; i < plan.nr_moves && i < PL_NR_MOVES; i++) {
		const struct pl_move *move = &plan.move[i];

		/* Once a move did not come off, those that rest on it are left to the next plan. */
		if (failed && move->chained)
			continue;
		if (make_move(seen[move->thread], move, now_ns))
			nr_made++;
		else
			failed = true;
	}
	r->nr_moves += nr_made;
	if (run && nr_made)
		atomic_fetch_add(&run->moves, nr_made);
}

/* R13. A call only where the balancer runs beside somebody: moving costs more than a look. */
static void place_self(void)
{
	unsigned int cpu = 0;

	pl_balancer_mask(&snapshot, &target);
	if (pl_sys3(SYS_getcpu, &cpu, NULL, NULL) == 0 && !pl_cpumask_has(&target, (int)cpu))
		pl_narrow_balancer(&target);
}

/* Claims the cores that our threads run on, and gives up those they left. */
static void claim_cores(struct pl_segment *seg, const struct pl_machine *m)
{
	for (uint32_t i = 0; i < nr_seen; i++) {
		struct pl_thread *th = seen[i];
		pl_task_id id = th->id;

		if (th->claim && (!view[i].running || th->claim_cpu != th->cpu)) {
			pl_claim_release(seg, th->claim, id);
			th->claim = 0;
		}
		if (!view[i].running || th->claim || !id)
			continue;
		th->claim = pl_claim_core(seg, m, th->cpu, id);
		th->claim_cpu = th->cpu;
	}
}

/* Masks whose time is over are given back: the kernel may well leave the thread where it is. */
static void end_holds(uint64_t now_ns, struct pl_sweep_result *r)
{
	for (uint32_t i = 0; i < nr_seen; i++) {
		struct pl_thread *th = seen[i];
		uint64_t left = th->hold_until_ns - now_ns;

		if (pl_thread_mask_state(th) != PL_MASK_SET)
			continue;
		if (th->hold_until_ns <= now_ns) {
			pl_narrow_undo(th);
			th->given_ns = now_ns;
			r->nr_moves++;
		} else if (!r->next_ns || left < r->next_ns) {
			r->next_ns = left;
		}
	}
}

bool pl_sweep_all_wait(void)
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

void pl_sweep_give_back(void)
{
	struct pl_segment *seg = pl_member.seg;

	for (uint32_t i = 0; i < pl_get(&pl_thread_high) && i < PL_NR_THREADS; i++) {
		struct pl_thread *th = &pl_thread_table[i];

		if (pl_get_acquire(&th->tid) <= 0)
			continue;
		pl_narrow_undo(th);
		if (seg && th->claim)
			pl_claim_release(seg, th->claim, th->id);
		th->claim = 0;
	}
}

/* The machine is another one: who was wide on the old one is to be so here. */
static void renew_masks(void)
{
	for (uint32_t i = 0; i < pl_get(&pl_thread_high) && i < PL_NR_THREADS; i++)
		pl_narrow_renew(&pl_thread_table[i]);
}

void pl_sweep(struct pl_segment *seg, uint64_t now_ns, struct pl_sweep_result *r)
{
	const struct pl_machine *m = pl_seg_machine(seg);
	uint32_t ready = pl_get(&seg->machine_ready);

	if (is_switched_off(seg)) {
		pl_sweep_give_back();
		r->off = true;
		return;
	}
	if (ready != generation || !pl_machine_is_valid(m)) {
		/* What was decided on another machine is taken back. */
		pl_sweep_give_back();
		generation = ready;
		refreshed_ns = 0;
		if (!pl_machine_is_valid(m))
			return;
	}
	if (now_ns - refreshed_ns >= REFRESH_MS * PL_NS_PER_MS) {
		pl_base_mask_refresh();
		if (!refreshed_ns)
			renew_masks();
		refreshed_ns = now_ns;
	}
	look_at_threads(seg, now_ns, r);
	end_holds(now_ns, r);
	if (!m->asymmetric || !kernel_has(seg, PL_KERNEL_HAS_ASYM))
		plan_and_move(seg, m, now_ns, r);
	claim_cores(seg, m);
	if (!kernel_has(seg, PL_KERNEL_HAS_BALANCER))
		place_self();
	r->idle = !r->nr_new && !r->nr_moves && used_ns < IDLE_USE_NS && pl_sweep_all_wait();
}
