// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Forms pairs that the program names. All else, from binding to release, is apply/pairing.c's.
#include "apply/explicit.h"

#include <fcntl.h>

#include "apply/keeper_start.h"
#include "apply/lead.h"
#include "apply/pair_view.h"
#include "apply/pairing.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/sys.h"
#include "decide/hints.h"
#include "decide/reciprocal.h"
#include "domain/pair.h"
#include "observe/turn.h"

enum {
	/* While the keeper starts, or the partner, the next try comes after a few turns. */
	HURRY_MS = 100,
	HURRY_TURNS = 4,
};

void pl_explicit_name(struct pl_tls *t, int32_t tid, bool trust, uint64_t now_ns)
{
	struct pl_hints h = pl_hints_unpack(t->hints);
	bool is_new = t->named != tid;

	h.trust = trust;
	t->hints = pl_hints_pack(&h);
	t->named = tid;
	t->named_ns = now_ns;
	t->named_id = 0;
	t->skip = 0;
	pl_set(&t->task->hints, t->hints);
	pl_set_release(&t->task->named, tid);
	/* Neither whom it talked to before nor what was tried unasked speaks against a new one. */
	if (is_new)
		pl_set(&t->task->fail_partner, 0);
	for (int i = 0; i < PL_NR_PARTS; i++)
		pl_set(&t->task->part[i].turns, 0);
}

/* Both agree, or one process has both. */
static bool agrees(const struct pl_task *task, const struct pl_task *other)
{
	return pl_get(&other->pid) == pl_get(&task->pid) ||
	       pl_get(&other->named) == pl_get(&task->tid);
}

/* The task of the thread that was named; NULL while it is none. */
static struct pl_task *find_partner(struct pl_tls *t, struct pl_segment *seg)
{
	struct pl_task *other = pl_seg_task(seg, t->named_id);
	uint32_t high = pl_get(&seg->task_high);

	if (other)
		return other;
	for (uint32_t i = 0; i < high && i < PL_NR_TASKS; i++) {
		other = &seg->task[i];
		if (pl_get(&other->tid) != t->named || !pl_get_acquire(&other->state))
			continue;
		t->named_id = pl_get(&other->id);
		return pl_seg_task(seg, t->named_id);
	}
	return NULL;
}

/*
 * Whether cores may have siblings, asked of the kernel: the model takes the keeper 30 ms or more at
 * the first start, and it is needed to bind to a core, not to bind to a CPU.
 */
static bool may_have_siblings(void)
{
	char c = '1';
	long fd = pl_sys4(SYS_openat, AT_FDCWD, "/sys/devices/system/cpu/smt/active",
			  O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return true;
	pl_sys3(SYS_read, fd, &c, 1);
	pl_sys1(SYS_close, fd);
	return c != '0';
}

static bool hurry(struct pl_tls *t, uint64_t now_ns)
{
	if (now_ns - t->named_ns < HURRY_MS * PL_NS_PER_MS)
		t->window_con = pl_get(&t->task->con) - (PL_WINDOW_TURNS - HURRY_TURNS);
	return false;
}

static bool is_trusted(const struct pl_tls *t, const struct pl_task *other)
{
	return pl_hints_unpack(t->hints).trust && (pl_get(&other->pid) == pl_get(&t->task->pid) ||
						   pl_hints_unpack(pl_get(&other->hints)).trust);
}

bool pl_explicit_entry(struct pl_tls *t, struct pl_segment *seg, uint64_t now_ns)
{
	struct pl_task *other = find_partner(t, seg);
	struct pl_pair_view v = {0};
	struct pl_pair_plan plan;
	enum pl_reason why;
	uint32_t n;

	if (!other || !agrees(t->task, other))
		return hurry(t, now_ns);
	if (pl_get(&other->pair) || pl_explicit_is_promised(t->task, other) ||
	    (pl_get(&t->task->fail_partner) == t->named_id && now_ns < pl_get(&t->task->retry_ns)))
		return true;
	if (!pl_is_watched(seg, now_ns)) {
		pl_keeper_ensure(seg, now_ns);
		return hurry(t, now_ns);
	}
	pl_set(&t->task->cpu, (uint16_t)pl_cpu_now());
	if (!pl_pair_view(seg, t->task, other, now_ns, &v) &&
	    (pl_seg_machine_ready(seg) || may_have_siblings()))
		return hurry(t, now_ns);
	why = pl_reciprocal_named(&v, &plan);
	if (why != PL_REASON_NONE) {
		struct pl_run *run = pl_seg_run(seg, pl_get(&t->task->run));

		if (run)
			atomic_fetch_add(&run->refused[why], 1);
		return true;
	}
	n = pl_pair_claim(seg, t->id, t->named_id, (uint32_t)plan.cpu, plan.whole_core);
	if (!n)
		return false;
	/* A probe sends the leader to the other CPU. Where both are on one, a neighbour will do:
	 * the mask is looked at before. */
	t->apart[0] = v.side[0].cpu;
	t->apart[1] = v.side[1].cpu != v.side[0].cpu ? v.side[1].cpu : v.side[0].cpu ^ 1;
	pl_lead_named(t, seg, pl_seg_pair(seg, n), &plan,
		      is_trusted(t, other) ? UINT64_MAX : now_ns + PL_NAMED_PROBE_NS);
	return false;
}
