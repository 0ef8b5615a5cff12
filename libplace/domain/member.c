// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Membership of this process and its threads: gate, fork detection, task and process slots.
#include "domain/member.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "apply/balancer.h"
#include "apply/bind.h"
#include "apply/keeper_start.h"
#include "apply/narrow.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/sys.h"
#include "domain/pair.h"
#include "domain/thread.h"
#include "observe/sched_stats.h"
#include "trace/counters.h"

enum { PL_SCHED_DEADLINE = 6 }; /* older headers have no name for it */
enum { ATTACH_RETRY = 1000 };	/* calls: a full segment must not cost each of them a search */

enum { NR_FORMER = 8 };

static struct pl_gate first_gate;
PL_START_DATA struct pl_gate *pl_gate = &first_gate;
PL_START_DATA struct pl_member pl_member;
__thread struct pl_tls pl_tls __attribute__((tls_model("initial-exec"))) = {
	.gate = &first_gate, .epoch = UINT32_MAX, .bound_cpu = -1};

_Atomic uint32_t pl_waiters[PL_NR_WAITERS];

PL_START_DATA static _Atomic uint32_t env_state;  /* 0: unread, 1: being read, 2: read */
PL_START_DATA static _Atomic uint32_t gate_taken; /* somebody is opening it, or has */

/*
 * A page that fork wipes, opened at the first call that is seen: a program without one needs none.
 * False while another thread opens it, and without such pages (kernel below 4.14), where libplace
 * stays off.
 */
static bool gate_open(void)
{
	uint32_t no = 0;
	long addr;

	if (pl_gate != &first_gate)
		return true;
	if (!atomic_compare_exchange_strong(&gate_taken, &no, 1))
		return false;
	addr = pl_sys6(SYS_mmap, 0, sizeof(struct pl_gate), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (addr < 0 && addr > -4096) {
		pl_set(&first_gate.epoch, PL_EPOCH_OFF);
		return false;
	}
	if (pl_sys3(SYS_madvise, addr, sizeof(struct pl_gate), MADV_WIPEONFORK) != 0) {
		pl_sys2(SYS_munmap, addr, sizeof(struct pl_gate));
		pl_set(&first_gate.epoch, PL_EPOCH_OFF);
		return false;
	}
	pl_gate = (struct pl_gate *)addr;
	return true;
}

PL_START bool pl_member_read_env(void)
{
	uint32_t unread = 0;

	if (pl_get_acquire(&env_state) == 2)
		return true;
	if (!atomic_compare_exchange_strong(&env_state, &unread, 1))
		return false;
	pl_env_read(&pl_member.env);
	if (pl_member.env.policy == PL_POLICY_AUTO)
		pl_keeper_locate();
	pl_set_release(&env_state, 2);
	return true;
}

/* Queue numbers mean nothing in another segment. (A fork has wiped them.) */
static void forget_queues(void)
{
	for (int fd = 0; fd < PL_NR_FDS; fd++) {
		struct pl_fd *f = &pl_gate->fd[fd];

		if (pl_get(&f->in) | pl_get(&f->out)) {
			pl_set(&f->in, 0);
			pl_set(&f->out, 0);
		}
	}
}

/* Another one in each process: the kernel's random bytes of this image, and the pid for what it
 * forks. Not the clock, which a program that only starts would have to find first. */
static uint64_t process_key(void)
{
	const void *bytes = (const void *)getauxval(AT_RANDOM);
	uint64_t key = 0;

	if (bytes)
		memcpy(&key, bytes, sizeof(key));
	return (key ^ (uint64_t)pl_sys0(SYS_getpid) << 40) * 0x9e3779b97f4a7c15ull;
}

static void process_init(void)
{
	struct pl_member *m = &pl_member;

	/* After fork: our copy of private memory is the parent's view; the shared mapping stays. */
	if (m->seg && m->seg_id == PL_SEGMENT_PRIVATE) {
		pl_segment_leave(m->seg, m->seg_id);
		m->seg = NULL;
	}
	m->proc = 0;
	/* A program that starts has none of these, and touches no page for them. */
	if (m->has_table || pl_get(&m->nr_threads) > 1) {
		pl_balancer_forget();
		pl_thread_forget_all();
	}
	m->has_table = false;
	m->key = process_key();
	pl_set(&m->nr_denied, 0);
	pl_set(&m->nr_threads, 1);
	/* The threads that waited are not in this process; in the first of an image none has. */
	for (int i = 0; m->last_epoch && i < PL_NR_WAITERS; i++)
		if (pl_get(&pl_waiters[i]))
			pl_set(&pl_waiters[i], 0);
}

struct pl_tls *pl_member_enter_slow(void)
{
	struct pl_tls *t = &pl_tls;
	uint32_t epoch, none = PL_EPOCH_NONE;

	/* A second thread that comes meanwhile passes its calls through. */
	if (t->busy || !pl_member_read_env())
		return NULL;
	/* A child of a sandboxed process is in the sandbox too: any call of ours may kill it. */
	if (pl_member.env.policy == PL_POLICY_OFF || pl_get(&pl_member.sandboxed)) {
		t->gate = pl_gate;
		pl_set(&pl_gate->epoch, PL_EPOCH_OFF);
		return NULL;
	}
	t->busy = 1;
	if (!gate_open()) {
		t->busy = 0;
		return NULL;
	}
	t->gate = pl_gate;
	epoch = pl_get(&pl_gate->epoch);
	if (epoch == PL_EPOCH_NONE && t->thread)
		pl_narrow_inherited(t->thread);
	if (epoch == PL_EPOCH_OFF) {
		t->busy = 0;
		return NULL;
	}
	if (epoch == PL_EPOCH_NONE) {
		/* The one who takes the word from "none" initialises; others pass through. */
		if (!atomic_compare_exchange_strong(&pl_gate->epoch, &none, PL_EPOCH_OFF)) {
			t->busy = 0;
			return NULL;
		}
		process_init();
		/* What the parent of a fork had begun is not the child's. */
		t->nr_registered = 0;
		t->nr_paused = 0;
		t->wait_object = NULL;
		t->in_callback = 0;
		t->told_pair = 0;
		t->named = 0;
		t->hints = 0;
		t->group = 0;
		epoch = ++pl_member.last_epoch + PL_EPOCH_OFF;
		pl_set_release(&pl_gate->epoch, epoch);
	}
	/* Whatever this thread knew belongs to another membership, or to the parent of a fork. */
	t->task = NULL;
	pl_widen_self(t); /* a child of a raw fork has inherited the mask */
	if (t->thread && pl_get(&t->thread->tid) != (int32_t)pl_sys0(SYS_gettid))
		t->thread = NULL;
	t->id = 0;
	t->have = 0;
	t->refused = 0;
	t->slice_open = false;
	t->epoch = epoch;
	t->busy = 0;
	return t;
}

/*
 * Finds or takes this process's slot; 0 when all are taken (the process then has no switch). FOUND
 * says that there was one: of the image before exec, or from a "place off" that came first.
 */
static uint32_t proc_slot(struct pl_segment *seg, uint32_t pid, bool *found)
{
	uint32_t home = pid * 2654435761u;

	*found = false;
	for (uint32_t i = 0; i < PL_NR_PROCS; i++) {
		uint32_t n = (home + i) & (PL_NR_PROCS - 1);
		struct pl_proc *p = &seg->proc[n];
		uint32_t owner = 0;

		if (pl_get(&p->pid) == pid) {
			*found = true;
			return n + 1;
		}
		if (pl_get(&p->pid) == 0 && atomic_compare_exchange_strong(&p->pid, &owner, pid)) {
			pl_set(&p->start_time, 0);
			pl_set(&p->run, 0);
			return n + 1;
		}
	}
	return 0;
}

static void free_tasks_of(struct pl_segment *seg, uint32_t pid)
{
	uint32_t high = pl_get(&seg->task_high);

	for (uint32_t i = 0; i < high && i < PL_NR_TASKS; i++) {
		uint32_t id = pl_get(&seg->task[i].id);

		if (id && (uint32_t)pl_get(&seg->task[i].pid) == pid)
			pl_task_free(seg, &seg->task[i], id);
	}
}

/*
 * The mapping to use for the segment just mapped at FRESH. Mappings of former memberships stay, as
 * threads may be inside hooks that use them; a process that changes its user to and fro finds them
 * again here, so that it does not gather one with every change. Ids say nothing across namespaces:
 * a word written through one mapping must show through the other.
 */
static struct pl_segment *mapping_of(struct pl_segment *fresh, int id)
{
	PL_START_DATA static struct pl_segment *former[NR_FORMER];
	uint32_t word = (uint32_t)pl_now_ns() | 1;

	if (id == PL_SEGMENT_PRIVATE)
		return fresh;
	atomic_store(&fresh->echo, word);
	for (int i = 0; i < NR_FORMER; i++) {
		if (!former[i]) {
			former[i] = fresh;
			return fresh;
		}
		if (former[i] != fresh && atomic_load(&former[i]->echo) == word) {
			pl_segment_leave(fresh, id);
			return former[i];
		}
	}
	return fresh;
}

/* Joins the segment and names this process in it; others wait at the CAS by passing through. */
static int process_join(struct pl_member *m)
{
	PL_START_DATA static _Atomic uint32_t
		joining; /* epoch of the joiner: a fork amidst leaves no stale lock */
	uint32_t seen = pl_get(&joining), epoch = pl_get(&pl_gate->epoch);
	uint32_t pid = (uint32_t)pl_sys0(SYS_getpid);
	struct pl_segment *seg = m->seg;
	int id = m->seg_id;
	bool found;

	if (seen == epoch || !atomic_compare_exchange_strong(&joining, &seen, epoch))
		return -EAGAIN;
	if (!seg || pl_get(&m->rejoin)) {
		id = pl_segment_join(&seg);
		if (id < 0)
			return id;
		seg = mapping_of(seg, id);
		pl_set(&m->rejoin, 0);
	}
	m->seg_id = id;
	if (m->env.capacity_mode >= 0)
		pl_set(&seg->capacity_mode, (uint32_t)m->env.capacity_mode + 1);
	m->proc = proc_slot(seg, pid, &found);
	if (found)
		free_tasks_of(seg, pid); /* what an earlier image left, after an exec no hook saw */
	if (m->proc)
		pl_set(&seg->proc[m->proc - 1].run,
		       pl_run_join(seg, m->env.run, pl_get(&m->nr_threads)));
	pl_set(&m->checked_ns, pl_now_ns());
	if (!m->proc)
		m->proc = PL_NR_PROCS + 1; /* joined, without a slot */
	m->seg = seg;
	pl_gate->seg = seg;
	return 0;
}

static struct pl_task *task_slot(struct pl_segment *seg, uint32_t tid, pl_task_id *id)
{
	uint32_t home = tid * 2654435761u >> (32 - PL_TASK_BITS);

	/* Low slots first, so that scans up to task_high stay short; a start that depends on the
	 * thread keeps newcomers apart. */
	for (uint32_t i = 0; i < PL_NR_TASKS; i++) {
		uint32_t n = i < 256 ? (home & 255) ^ i : i;
		struct pl_task *t = &seg->task[n];
		uint32_t free_id = 0, gen, high;

		if (pl_get(&t->id))
			continue;
		gen = (pl_get(&t->generation) + 1) % PL_TASK_DYING;
		*id = (gen ? gen : 1) << PL_TASK_BITS | n;
		if (!atomic_compare_exchange_strong(&t->id, &free_id, *id))
			continue;
		pl_set(&t->generation, *id >> PL_TASK_BITS);
		high = pl_get(&seg->task_high);
		while (high <= n && !atomic_compare_exchange_weak(&seg->task_high, &high, n + 1))
			;
		return t;
	}
	return NULL;
}

static void task_clear(struct pl_task *t)
{
	pl_set(&t->start_time, 0);
	pl_set(&t->nr_binds, 0);
	pl_set(&t->nr_unknown, 0);
	pl_set(&t->nr_edges, 0);
	pl_set(&t->nr_denied, 0);
	pl_set(&t->nr_widened, 0);
	pl_set(&t->pub, 0);
	pl_set(&t->con, 0);
	pl_set(&t->partner, 0);
	pl_set(&t->turns, 0);
	pl_set(&t->strays, 0);
	pl_set(&t->last_to, 0);
	pl_set(&t->wakee_flips, 0);
	pl_set(&t->nr_wakees, 0);
	pl_set(&t->pinned, 0);
	pl_set(&t->rt, 0);
	pl_set(&t->util, 0);
	pl_set(&t->slept, 0);
	pl_set(&t->window_ns, 0);
	pl_set(&t->cpu_ns, 0);
	pl_set(&t->since_ns, 0);
	for (int i = 0; i < PL_NR_PARTS; i++) {
		pl_set(&t->part[i].id, 0);
		pl_set(&t->part[i].turns, 0);
	}
	pl_set(&t->pair, 0);
	pl_set(&t->bound, 0);
	pl_set(&t->fail_partner, 0);
	pl_set(&t->fail_level, 0);
	pl_set(&t->retry_ns, 0);
	pl_set(&t->run_ns, 0);
	pl_set(&t->delay_ns, 0);
	pl_set(&t->nr_slices, 0);
	pl_set(&t->nr_yields, 0);
	pl_set(&t->nr_wakes, 0);
	pl_set(&t->nr_contended, 0);
}

bool pl_class_is_rt(int32_t tid)
{
	long policy = pl_sys1(SYS_sched_getscheduler, tid);

	if (policy < 0)
		return false;
	policy &= ~SCHED_RESET_ON_FORK;
	return policy == SCHED_FIFO || policy == SCHED_RR || policy == PL_SCHED_DEADLINE;
}

int pl_member_attach(struct pl_tls *t)
{
	struct pl_member *m = &pl_member;
	struct pl_task *task = NULL;
	struct pl_segment *seg;
	struct pl_run *run;
	uint32_t tid, proc;
	int ret = 0;

	if (t->refused) {
		t->refused--;
		return -EAGAIN;
	}
	tid = (uint32_t)pl_sys0(SYS_gettid);
	if (!m->seg || !m->proc)
		ret = process_join(m);
	/* Another thread may end this membership meanwhile: both are read once. */
	proc = m->proc;
	seg = m->seg;
	if (ret == 0 && proc && seg)
		task = task_slot(seg, tid, &t->id);
	if (!task) {
		run = seg && proc && proc <= PL_NR_PROCS
			      ? pl_seg_run(seg, pl_get(&seg->proc[proc - 1].run))
			      : NULL;
		if (run)
			atomic_fetch_add(&run->dropped, 1);
		t->id = 0;
		t->refused = ATTACH_RETRY;
		return ret ? ret : -ENOSPC;
	}
	task_clear(task);
	pl_set(&task->pid, (int32_t)pl_sys0(SYS_getpid));
	pl_set(&task->tid, (int32_t)tid);
	pl_set(&task->proc, proc <= PL_NR_PROCS ? proc : 0);
	pl_set(&task->run, proc <= PL_NR_PROCS ? pl_get(&seg->proc[proc - 1].run) : 0);
	pl_set(&task->cpu, (uint16_t)pl_cpu_now());
	pl_set(&task->rt, pl_class_is_rt(0));
	if (t->nr_paused)
		pl_set(&task->pinned, PL_PIN_PAUSED);
	pl_set(&task->named, t->named);
	pl_set(&task->hints, t->hints);
	pl_set(&task->group, t->group);
	t->named_id = 0;
	pl_set_release(&task->state, PL_TASK_RUNNING);
	t->task = task;
	t->reported = pl_get(&task->run) != 0;
	t->nr_yields = 0;
	t->window_con = 0;
	t->measured_con = 0;
	t->left_out = 0;
	t->seen_pub = 0;
	t->seen_waits = t->nr_waits;
	t->decayed_ns = 0;
	t->flips = (struct pl_flips){0};
	t->wakees = 0;
	return 0;
}

void pl_member_attach_reported(struct pl_tls *t)
{
	if (!pl_member.env.run || t->task || t->busy)
		return;
	t->busy = 1;
	pl_member_attach(t);
	t->busy = 0;
}

void pl_task_free(struct pl_segment *seg, struct pl_task *task, pl_task_id id)
{
	uint32_t n = (uint32_t)(task - seg->task), dying = PL_TASK_DYING << PL_TASK_BITS | n;
	struct pl_pair *pair;
	struct pl_run *run;

	/* Taken by the id, so a stale one cannot free the slot's next owner. Not yet zero: nobody
	 * may take the slot before it is counted. */
	if (!id || !atomic_compare_exchange_strong(&task->id, &id, dying))
		return;
	pair = pl_seg_pair(seg, pl_get(&task->pair));
	run = pl_seg_run(seg, pl_get(&task->run));
	if (pair)
		pl_pair_release(seg, pair, PL_REASON_EXIT);
	if (run && pl_get(&task->state) != PL_TASK_FREE)
		pl_run_add_task(run, task);
	pl_set(&task->state, PL_TASK_FREE);
	pl_set_release(&task->id, 0);
}

void pl_member_detach(struct pl_tls *t)
{
	struct pl_task *task = t->task;

	if (task && t->reported) {
		pl_sched_stats_read(task);
		pl_set(&task->nr_yields, t->nr_yields);
	}
	t->task = NULL;
	if (task && t->epoch == pl_get(&pl_gate->epoch) && pl_member.seg)
		pl_task_free(pl_member.seg, task, t->id);
	t->id = 0;
	if (t->page)
		pl_sys2(SYS_munmap, t->page, 4096);
	t->page = NULL;
}

void pl_member_renew(void)
{
	struct pl_member *m = &pl_member;

	pl_balancer_wake(); /* it sleeps on a word of the old one */
	/* The old mapping stays in force until the next attach: threads inside hooks use it. */
	pl_set(&m->rejoin, 1);
	m->proc = 0;
	forget_queues();
	pl_set_release(&pl_gate->epoch, ++m->last_epoch + PL_EPOCH_OFF);
}

void pl_member_stop(void)
{
	pl_set_release(&pl_gate->epoch, PL_EPOCH_OFF);
}

static void leave_at_exit(void)
{
	struct pl_tls *t = pl_get(&pl_gate->epoch) > PL_EPOCH_OFF ? pl_member_enter() : NULL;
	struct pl_segment *seg;

	if (t)
		pl_member_attach_reported(t);
	seg = pl_member.seg;
	if (pl_get(&pl_gate->epoch) <= PL_EPOCH_OFF || !seg || !pl_member.proc)
		return;
	/* A search would touch the page of every task: many short processes feel that. */
	if (pl_get(&pl_member.nr_threads) == 1 || (t && t->reported))
		pl_member_detach(&pl_tls);
	pl_member_stop();
	if (pl_get(&pl_member.nr_threads) > 1)
		free_tasks_of(seg, (uint32_t)pl_sys0(SYS_getpid));
}

/* At exit(): the counters of threads that end without an end of their own. */
PL_START __attribute__((destructor)) static void process_exit(void)
{
	if (pl_gate != &first_gate)
		leave_at_exit();
}
