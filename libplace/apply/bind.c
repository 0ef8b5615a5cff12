// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Masks of pairs: a member binds itself and gives its mask back; the keeper may widen it.
#include "apply/bind.h"

#include <errno.h>
#include <sys/mman.h>

#include "apply/ask.h"
#include "apply/narrow.h"
#include "base/sys.h"

enum { MAX_YIELDS = 10000 };

static long get_mask(pid_t tid, struct pl_cpumask *m)
{
	pl_cpumask_zero(m);
	return pl_sys3(SYS_sched_getaffinity, tid, sizeof(*m), m);
}

static long set_mask(pid_t tid, const struct pl_cpumask *m)
{
	return pl_sys3(SYS_sched_setaffinity, tid, sizeof(*m), m);
}

static bool page_ready(struct pl_tls *t)
{
	long addr;

	if (t->page)
		return true;
	addr = pl_sys6(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);
	if (addr < 0 && addr > -4096)
		return false;
	t->page = (struct pl_bind_page *)addr;
	return true;
}

/* Sets the calling thread's mask; a process that was refused three times never asks again. */
static long set_own_mask(struct pl_tls *t, const struct pl_cpumask *m)
{
	long ret;

	ret = pl_ask_mask(0, m, true);
	if (ret == PL_NOT_ASKED)
		return -EPERM;
	if (ret != 0 && t->task)
		pl_inc(&t->task->nr_denied);
	return ret;
}

static bool covers_machine(const struct pl_machine *m, const struct pl_cpumask *mask)
{
	if (!m->nr_cpu_ids)
		return false; /* not read yet */
	for (int c = 0; c < m->nr_cpu_ids && c < PL_MAX_CPUS; c++)
		if (m->cpu[c].capacity && !pl_cpumask_has(mask, c))
			return false;
	return true;
}

/*
 * Whether NOW, the mask in force, was narrowed by somebody. A mask smaller than the machine may be
 * the cpuset and nothing more: asking for all CPUs shows the cpuset. If that differs, NOW is put
 * back at once. (A mask that is merely read and written back would outlive changes of the cpuset.)
 */
static bool is_narrowed(struct pl_tls *t, const struct pl_cpumask *now)
{
	struct pl_cpumask *m = &t->page->scratch;

	if (covers_machine(pl_seg_machine(pl_member.seg), now))
		return false;
	pl_cpumask_fill(m);
	if (set_own_mask(t, m) != 0 || get_mask(0, m) <= 0)
		return true;
	if (pl_cpumask_equal(m, now))
		return false;
	set_own_mask(t, now);
	return true;
}

/* Reads the program's mask into page->own. False when it is no longer ours to change. */
static bool own_mask_ready(struct pl_tls *t)
{
	struct pl_bind_page *p = t->page;
	bool first = pl_cpumask_weight(&p->expect) == 0;

	if (get_mask(0, &p->own) <= 0)
		return false;
	if (first || !pl_cpumask_equal(&p->own, &p->expect)) {
		bool narrowed = is_narrowed(t, &p->own);

		/* Changed since we last looked: a cpuset may do that, else somebody meant it. */
		if (!first && narrowed) {
			pl_set(&t->task->pinned, 1);
			return false;
		}
		t->narrowed = narrowed;
		p->expect = p->own;
	}
	return true;
}

static void target_mask(const struct pl_machine *m, int cpu, bool whole_core,
			struct pl_cpumask *out)
{
	if (whole_core) {
		pl_machine_core_mask(m, cpu, out);
		return;
	}
	pl_cpumask_zero(out);
	pl_cpumask_add(out, cpu);
}

int pl_bind_self(struct pl_tls *t, int cpu, bool whole_core, struct pl_pair *pair, int side)
{
	struct pl_segment *seg = pl_member.seg;
	struct pl_bind_page *p;
	long ret;

	if (pl_get(&t->task->pinned) || pl_get(&t->task->rt))
		return -EBUSY;
	if (pl_ask_is_over() || pl_get(&pl_member.sandboxed))
		return -EPERM;
	if (!page_ready(t))
		return -ENOMEM;
	pl_narrow_take(t->thread);
	p = t->page;
	/* Whoever sets our mask marks us first and then waits while we are here: one of us sees the
	 * other. */
	atomic_store(&t->task->bound, PL_CHANGING);
	if (atomic_load(&t->task->pinned) || !own_mask_ready(t)) {
		pl_set_release(&t->task->bound, 0);
		return -EBUSY;
	}
	target_mask(pl_seg_machine(seg), cpu, whole_core, &p->scratch);
	for (int i = 0; i < PL_MASK_LONGS; i++)
		p->scratch.bits[i] &= p->own.bits[i];
	if (!pl_cpumask_has(&p->scratch, cpu)) {
		pl_set_release(&t->task->bound, 0);
		return -EINVAL;
	}
	if (pair) {
		pl_set(&pair->narrowed[side], t->narrowed);
		pair->own[side] = p->own;
	}
	ret = set_own_mask(t, &p->scratch);
	if (ret != 0) {
		pl_set_release(&t->task->bound, 0);
		return (int)ret;
	}
	t->bound = 1;
	t->bound_cpu = cpu;
	pl_set_release(&t->task->bound, 1);
	pl_inc(&t->task->nr_binds);
	return 0;
}

/* Somebody else chose the mask in force: it is not ours to change from now on. */
static void yield_mask(struct pl_tls *t)
{
	if (t->task)
		pl_set(&t->task->pinned, 1);
}

void pl_widen_self_at(struct pl_tls *t, int cpu)
{
	struct pl_bind_page *p = t->page;
	uint32_t was = 0, pinned;
	bool ours;

	if (!t->bound)
		return;
	t->bound = 0;
	if (t->task) {
		was = atomic_exchange(&t->task->bound, PL_CHANGING);
		pinned = atomic_load(&t->task->pinned);
		if (pinned == PL_PIN_COMING || (pinned && !was)) {
			/* The mask is somebody's, or about to be: who sets it widens us first. */
			pl_set_release(&t->task->bound, pinned == PL_PIN_COMING ? was : 0);
			return;
		}
	}
	/* Ours is the mask we set: it holds our CPU and fewer than the program's mask. */
	ours = get_mask(0, &p->scratch) > 0 && pl_cpumask_has(&p->scratch, t->bound_cpu) &&
	       pl_cpumask_weight(&p->scratch) < pl_cpumask_weight(&p->own);
	if (ours && cpu >= 0 && cpu != t->bound_cpu && pl_cpumask_has(&p->own, cpu)) {
		pl_cpumask_zero(&p->scratch);
		pl_cpumask_add(&p->scratch, cpu);
		set_own_mask(t, &p->scratch);
	}
	if (!ours && !pl_cpumask_equal(&p->scratch, &p->own)) {
		yield_mask(t);
	} else if (t->narrowed) {
		set_mask(0, &p->own); /* also after three refusals: we owe it */
	} else {
		pl_cpumask_fill(&p->scratch);
		set_mask(0, &p->scratch);
	}
	if (t->task)
		pl_set_release(&t->task->bound, 0);
}

void pl_widen_for_child(void)
{
	struct pl_tls *t = &pl_tls;

	pl_narrow_take(t->thread);
	if (!t->bound)
		return;
	pl_widen_self(t);
	t->have = 0;
}

/* The mask the member SIDE of PAIR has when it obeys: its CPU alone, or within its core. */
static bool is_pair_mask(struct pl_segment *seg, const struct pl_pair *pair, int side,
			 const struct pl_cpumask *now)
{
	struct pl_cpumask told;
	uint32_t cpu = pl_get(&pair->cpu[side]);

	if (cpu >= PL_MAX_CPUS || pl_cpumask_weight(now) == 0)
		return false;
	target_mask(pl_seg_machine(seg), (int)cpu, pl_get(&pair->whole_core), &told);
	for (int i = 0; i < PL_MASK_LONGS; i++)
		if (now->bits[i] & ~told.bits[i])
			return false;
	return true;
}

/* How the member SIDE of PAIR gets its mask back. */
static void own_of(const struct pl_pair *pair, int side, struct pl_cpumask *out)
{
	if (pl_get(&pair->narrowed[side]) &&
	    pl_cpumask_has(&pair->own[side], (int)pl_get(&pair->cpu[side])))
		*out = pair->own[side];
	else
		pl_cpumask_fill(out);
}

/* What is left of OWN, the mask to give back, without the CPUs of SIDE; false when nothing is. */
static bool aside_mask(struct pl_segment *seg, const struct pl_pair *pair, int side,
		       const struct pl_cpumask *own, struct pl_cpumask *out)
{
	bool any = false;

	target_mask(pl_seg_machine(seg), (int)pl_get(&pair->cpu[side]), pl_get(&pair->whole_core),
		    out);
	for (int i = 0; i < PL_MASK_LONGS; i++) {
		out->bits[i] = own->bits[i] & ~out->bits[i];
		any |= out->bits[i] != 0;
	}
	return any;
}

bool pl_bind_settled(const struct pl_task *task)
{
	for (int i = 0; i < MAX_YIELDS; i++) {
		if (atomic_load(&task->bound) != PL_CHANGING)
			return true;
		pl_sys0(SYS_sched_yield);
	}
	return false; /* it died amidst, or is kept from its CPU */
}

bool pl_widen_other(struct pl_segment *seg, struct pl_pair *pair, int side, pid_t tid, bool aside)
{
	struct pl_cpumask now, own, other;

	if (get_mask(tid, &now) <= 0)
		return true;
	own_of(pair, side, &own);
	aside = aside && aside_mask(seg, pair, side, &own, &other);
	if (!is_pair_mask(seg, pair, side, &now)) {
		/* Unless a watcher died while it sent the thread aside, the mask is somebody's. */
		if (pl_get(&pair->aside) != (uint32_t)side + 1 ||
		    !aside_mask(seg, pair, side, &own, &other) ||
		    pl_cpumask_has(&now, (int)pl_get(&pair->cpu[side])))
			return true;
	} else if (aside) {
		pl_set_release(&pair->aside, (uint32_t)side + 1);
		set_mask(tid, &other);
	}
	set_mask(tid, &own);
	pl_set_release(&pair->aside, 0);
	return false; /* looked at again: the thread may have been binding itself just now */
}

bool pl_bound_as_told(struct pl_segment *seg, const struct pl_pair *pair, int side, pid_t tid)
{
	struct pl_cpumask m;

	return get_mask(tid, &m) <= 0 || is_pair_mask(seg, pair, side, &m);
}

bool pl_may_use(pid_t tid, int cpu)
{
	struct pl_cpumask m;

	return get_mask(tid, &m) > 0 && pl_cpumask_has(&m, cpu);
}
