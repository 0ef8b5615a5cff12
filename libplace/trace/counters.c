// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Sums and pair log of a run; written with atomic additions by whoever ends a task or a pair.
#include "trace/counters.h"

uint32_t pl_run_join(struct pl_segment *seg, uint32_t run, uint32_t threads)
{
	struct pl_run *r = pl_seg_run(seg, run);

	if (!r)
		return 0;
	atomic_fetch_add(&r->processes, 1);
	atomic_fetch_add(&r->threads, threads);
	return run;
}

void pl_run_add_task(struct pl_run *run, const struct pl_task *t)
{
	/* With a report every thread has a slot; those of this line are the ones that used it. */
	atomic_fetch_add(&run->tasks, pl_get(&t->con) || pl_get(&t->pub));
	atomic_fetch_add(&run->turns, pl_get(&t->con));
	atomic_fetch_add(&run->published, pl_get(&t->pub));
	atomic_fetch_add(&run->edges, pl_get(&t->nr_edges));
	atomic_fetch_add(&run->binds, pl_get(&t->nr_binds));
	atomic_fetch_add(&run->unknown, pl_get(&t->nr_unknown));
	atomic_fetch_add(&run->denied, pl_get(&t->nr_denied));
	atomic_fetch_add(&run->widened, pl_get(&t->nr_widened));
	atomic_fetch_add(&run->run_ns, pl_get(&t->run_ns));
	atomic_fetch_add(&run->delay_ns, pl_get(&t->delay_ns));
	atomic_fetch_add(&run->slices, pl_get(&t->nr_slices));
	atomic_fetch_add(&run->yields, pl_get(&t->nr_yields));
	atomic_fetch_add(&run->wakes, pl_get(&t->nr_wakes));
	atomic_fetch_add(&run->contended, pl_get(&t->nr_contended));
}

uint32_t pl_run_log_pair(struct pl_run *run, uint32_t tid_a, uint32_t tid_b, uint64_t now_ns)
{
	uint32_t n;
	struct pl_pair_record *rec;

	atomic_fetch_add(&run->entered, 1);
	n = atomic_fetch_add(&run->nr_log, 1);
	rec = pl_run_record(run, n + 1);
	if (!rec)
		return 0;
	pl_set(&rec->tid[0], tid_a);
	pl_set(&rec->tid[1], tid_b);
	pl_set(&rec->formed_ns, now_ns);
	return n + 1;
}

struct pl_pair_record *pl_run_record(struct pl_run *run, uint32_t n)
{
	return n && n <= PL_RUN_LOG ? &run->log[n - 1] : NULL;
}

const char *pl_reason_name(uint32_t reason)
{
	static const char *const names[PL_REASON_NR] = {
		[PL_REASON_NONE] = "none",
		[PL_REASON_OTHER_PARTNER] = "another partner",
		[PL_REASON_THIRD_TASK] = "a third task on the CPU",
		[PL_REASON_NO_TURN] = "both compute without a turn",
		[PL_REASON_VERIFY] = "not faster when held",
		[PL_REASON_AFFINITY] = "affinity set by the program or from outside",
		[PL_REASON_SCHED_CLASS] = "real-time or deadline class",
		[PL_REASON_EXIT] = "a member ended",
		[PL_REASON_NO_WATCH] = "nobody watches",
		[PL_REASON_OFF] = "switched off",
		[PL_REASON_DENIED] = "the kernel refused the affinity call",
		[PL_REASON_BUSY] = "both compute",
	};

	return reason < PL_REASON_NR ? names[reason] : names[PL_REASON_NONE];
}
