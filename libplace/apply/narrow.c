// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Narrowing threads of this process from its balancer, and giving the masks back.
#include "apply/narrow.h"

#include <errno.h>
#include <signal.h>

#include "apply/ask.h"
#include "base/sys.h"

struct pl_base_mask pl_base_mask;

static bool get_mask(pid_t tid, struct pl_cpumask *m)
{
	pl_cpumask_zero(m);
	return pl_sys3(SYS_sched_getaffinity, tid, sizeof(*m), m) > 0;
}

/* A process that was refused three times never asks again. */
static long set_mask(pid_t tid, const struct pl_cpumask *m)
{
	long ret = pl_ask_mask(tid, m, false);

	return ret == PL_NOT_ASKED ? -EPERM : ret;
}

bool pl_base_mask_read(void)
{
	return get_mask(0, &pl_base_mask.own);
}

bool pl_base_mask_compare(void)
{
	struct pl_base_mask *b = &pl_base_mask;

	/* Asking for all CPUs shows the cpuset. */
	pl_cpumask_fill(&b->allowed);
	if (pl_ask_mask(0, &b->allowed, true) != 0 || !get_mask(0, &b->allowed))
		return false;
	b->narrowed = !pl_cpumask_equal(&b->own, &b->allowed);
	if (b->narrowed)
		b->allowed = b->own;
	else
		pl_cpumask_fill(&b->own);
	return true;
}

void pl_base_mask_refresh(void)
{
	struct pl_base_mask *b = &pl_base_mask;

	if (set_mask(0, &b->own) == 0)
		get_mask(0, &b->allowed);
}

void pl_narrow_balancer(const struct pl_cpumask *set)
{
	set_mask(0, set);
}

/* NOW holds nothing but CPUs of SET, and at least one. */
static bool is_within(const struct pl_cpumask *now, const struct pl_cpumask *set)
{
	unsigned long any = 0;

	for (int i = 0; i < PL_MASK_LONGS; i++) {
		if (now->bits[i] & ~set->bits[i])
			return false;
		any |= now->bits[i];
	}
	return any != 0;
}

static long owed_mask(pid_t tid, const struct pl_cpumask *m)
{
	return pl_sys3(SYS_sched_setaffinity, tid, sizeof(*m), m);
}

/*
 * Whether NOW, the mask in force, is what the kernel makes of ASKED: a cpuset may leave less of it.
 * Asks once more to see; when not, NOW is somebody's wish and put back at once.
 */
__attribute__((noinline)) static bool comes_of(pid_t tid, const struct pl_cpumask *asked,
					       const struct pl_cpumask *now)
{
	struct pl_cpumask got;

	if (owed_mask(tid, asked) != 0)
		return false;
	if (get_mask(tid, &got) && pl_cpumask_equal(&got, now))
		return true;
	owed_mask(tid, now);
	return false;
}

/* NOW is what we narrowed TH to. */
static bool is_ours(const struct pl_thread *th, pid_t tid, const struct pl_cpumask *now)
{
	return pl_cpumask_equal(now, &th->set) ||
	       (is_within(now, &th->set) && comes_of(tid, &th->set, now));
}

/* NOW is what the program has anyway. */
static bool is_wide(pid_t tid, const struct pl_cpumask *now)
{
	return pl_cpumask_equal(now, &pl_base_mask.allowed) ||
	       comes_of(tid, &pl_base_mask.own, now);
}

/* NOW is ours or the program's, for the balancer. A thread in a cpuset of its own is left alone. */
static bool is_known(const struct pl_thread *th, int32_t tid, enum pl_mask_state from,
		     const struct pl_cpumask *now)
{
	if (pl_cpumask_equal(now, &pl_base_mask.allowed) ||
	    (from == PL_MASK_SET && is_ours(th, tid, now)))
		return true;
	if (!comes_of(tid, &pl_base_mask.own, now))
		return false;
	pl_base_mask_refresh();
	return pl_cpumask_equal(now, &pl_base_mask.allowed);
}

int pl_narrow(struct pl_thread *th, const struct pl_cpumask *set)
{
	static struct pl_cpumask now, want, was; /* one balancer a process */
	enum pl_mask_state from = pl_thread_mask_state(th);
	int32_t tid;
	long ret;

	if ((from != PL_MASK_WIDE && from != PL_MASK_SET) || !pl_thread_begin(th, from))
		return -EAGAIN;
	tid = pl_get(&th->tid);
	if (tid <= 0 || pl_get(&th->pinned) || pl_class_is_rt(tid) || !get_mask(tid, &now)) {
		pl_thread_settle(th, from);
		return -EBUSY;
	}
	/* Narrowed by us, it has our set or, once that was taken from it, what is allowed. */
	if (!is_known(th, tid, from, &now)) {
		pl_set(&th->pinned, 1);
		pl_thread_settle(th, PL_MASK_WIDE);
		return -EBUSY;
	}
	want = *set;
	for (int i = 0; i < PL_MASK_LONGS; i++)
		want.bits[i] &= pl_base_mask.allowed.bits[i];
	if (pl_cpumask_weight(&want) == 0) {
		pl_thread_settle(th, from);
		return -EINVAL;
	}
	/* A child of a fork that comes amidst has either of the two. */
	was = th->set;
	for (int i = 0; i < PL_MASK_LONGS; i++)
		th->set.bits[i] = want.bits[i] | (from == PL_MASK_SET ? was.bits[i] : 0);
	ret = set_mask(tid, &want);
	th->set = ret == 0 ? want : was;
	pl_thread_settle(th, ret == 0 ? PL_MASK_SET : from);
	return (int)ret;
}

/* Gives the mask back unless somebody else has set one meanwhile. */
static void widen(struct pl_thread *th)
{
	struct pl_cpumask now;
	int32_t tid = pl_get(&th->tid);

	if (tid <= 0 || !get_mask(tid, &now))
		return;
	if (is_ours(th, tid, &now)) {
		owed_mask(tid, &pl_base_mask.own);
		get_mask(tid, &th->gave);
	} else if (!is_wide(tid, &now)) {
		pl_set(&th->pinned, 1);
	}
}

void pl_narrow_undo(struct pl_thread *th)
{
	if (!pl_thread_begin(th, PL_MASK_SET))
		return;
	widen(th);
	pl_thread_settle(th, PL_MASK_WIDE);
}

void pl_narrow_renew(struct pl_thread *th)
{
	struct pl_cpumask now;
	int32_t tid = pl_get(&th->tid);

	if (tid <= 0 || pl_get(&th->pinned) || !pl_thread_begin(th, PL_MASK_WIDE))
		return;
	if (pl_cpumask_weight(&th->gave) && get_mask(tid, &now) &&
	    pl_cpumask_equal(&now, &th->gave) && !pl_cpumask_equal(&now, &pl_base_mask.allowed)) {
		owed_mask(tid, &pl_base_mask.own);
		get_mask(tid, &th->gave);
	}
	pl_thread_settle(th, PL_MASK_WIDE);
}

void pl_narrow_take(struct pl_thread *th)
{
	uint64_t all = ~0ull, old;

	if (!th || pl_thread_take_wide(th))
		return;
	/* A handler must neither wait for us nor jump away from here. */
	pl_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, sizeof(all));
	if (pl_thread_take(th)) {
		widen(th);
		pl_thread_settle(th, PL_MASK_LEFT);
	}
	pl_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof(old));
}

void pl_narrow_inherited(struct pl_thread *th)
{
	struct pl_cpumask now;

	if (pl_thread_mask_state(th) != PL_MASK_WIDE && get_mask(0, &now) &&
	    is_within(&now, &th->set))
		owed_mask(0, &pl_base_mask.own);
}

void pl_narrow_take_tid(pid_t tid, bool pin)
{
	const struct pl_thread *self = pl_tls.thread;

	for (uint32_t i = 0; i < pl_get(&pl_thread_high) && i < PL_NR_THREADS; i++) {
		struct pl_thread *th = &pl_thread_table[i];
		int32_t it = pl_get_acquire(&th->tid);

		if (it <= 0 || (tid == -1 ? th == self : it != tid))
			continue;
		if (pin)
			pl_set(&th->pinned, 1);
		pl_narrow_take(th);
	}
}
