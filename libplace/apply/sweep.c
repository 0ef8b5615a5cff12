// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// One look of the balancer: observe, plan, move. Static memory, since there is one
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
#include "observe/own_threads.h"
#include "observe/wakegraph.h"

enum {
	REFRESH_MS = 1000,     /* between looks at the cpuset */
	IDLE_USE_NS = 1000000, /* CPU time of all threads between two looks that is nothing */
};

static struct pl_snapshot snapshot;
static struct pl_plan plan;
static struct pl_own_threads own;
static uint16_t outside[PL_MAX_CPUS];
static struct pl_graph_node node[PL_GRAPH_THREADS];
static struct pl_cpumask claimed, target;
static uint32_t generation; /* of the machine model */
static uint64_t refreshed_ns;

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

	if (m->nr_llcs < 2 || own.nr > PL_GRAPH_THREADS || kernel_has(seg, PL_KERNEL_HAS_CACHES))
		return;
	for (uint32_t i = 0; i < own.nr; i++)
		node[i] = (struct pl_graph_node){
			.id = own.thread[i]->id,
			.number = (uint32_t)(own.thread[i] - pl_thread_table),
			.run_ns = own.thread[i]->ran_ns,
		};
	pl_sys5(SYS_get_mempolicy, &policy, NULL, 0, NULL, 0);
	pl_wakegraph_prefer(seg, m, node, own.view, own.nr, policy != 0, now_ns);
}

static void plan_and_move(struct pl_segment *seg, const struct pl_machine *m, uint64_t now_ns,
			  struct pl_sweep_result *r)
{
	struct pl_balance_input in = {
		.thread = own.view, .nr_threads = own.nr, .outside = outside, .claimed = &claimed};

	struct pl_proc *proc = pl_seg_proc(seg, pl_member.proc);
	struct pl_run *run = proc ? pl_seg_run(seg, pl_get(&proc->run)) : NULL;
	uint32_t nr_made = 0;
	bool failed = false;

	pl_outside_fill(&own.use, seg, m, now_ns, outside);
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
		if (make_move(own.thread[move->thread], move, now_ns))
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
	for (uint32_t i = 0; i < own.nr; i++) {
		struct pl_thread *th = own.thread[i];
		pl_task_id id = th->id;

		if (th->claim && (!own.view[i].running || th->claim_cpu != th->cpu)) {
			pl_claim_release(seg, th->claim, id);
			th->claim = 0;
		}
		if (!own.view[i].running || th->claim || !id)
			continue;
		th->claim = pl_claim_core(seg, m, th->cpu, id);
		th->claim_cpu = th->cpu;
	}
}

/* Masks whose time is over are given back: the kernel may well leave the thread where it is. */
static void end_holds(uint64_t now_ns, struct pl_sweep_result *r)
{
	for (uint32_t i = 0; i < own.nr; i++) {
		struct pl_thread *th = own.thread[i];
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
	pl_own_threads_look(&own, seg, now_ns);
	r->nr_new = own.nr_new;
	end_holds(now_ns, r);
	if (!m->asymmetric || !kernel_has(seg, PL_KERNEL_HAS_ASYM))
		plan_and_move(seg, m, now_ns, r);
	claim_cores(seg, m);
	if (!kernel_has(seg, PL_KERNEL_HAS_BALANCER))
		place_self();
	r->idle = !r->nr_new && !r->nr_moves && own.used_ns < IDLE_USE_NS && pl_own_threads_wait();
}
