// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Outside load: what /proc/stat says of a CPU less what its hand-off tasks report of themselves.
#include "tools/keeper/load.h"

#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

enum {
	HANDOFF_MS = 200,
	RISE = 256, /* a quarter of a CPU more than in the sample before */
};

static struct {
	uint64_t busy;
	uint64_t total;
} last[PL_MAX_CPUS];

/* Utilization of the tasks on each CPU that ended a turn window just now. */
static void add_handoff_tasks(struct pl_segment *seg, uint32_t used[PL_MAX_CPUS], uint64_t now_ns)
{
	uint32_t high = pl_get(&seg->task_high);

	for (uint32_t i = 0; i < high && i < PL_NR_TASKS; i++) {
		struct pl_task *t = &seg->task[i];
		uint64_t age = now_ns - pl_get(&t->window_ns);
		uint32_t cpu = pl_get(&t->cpu), util = pl_get(&t->util);

		if (pl_get(&t->id) && age < HANDOFF_MS * PL_NS_PER_MS && cpu < PL_MAX_CPUS &&
		    util <= 1024)
			used[cpu] += util;
	}
}

bool load_is_wanted(const struct pl_segment *seg)
{
	const struct pl_machine *m = pl_seg_machine(seg);

	for (int c = 0; c < m->nr_cpu_ids && c < PL_MAX_CPUS; c++)
		if (pl_get(&seg->claim[c]))
			return true;
	return false;
}

static void ring(struct pl_segment *seg, const struct pl_task *task)
{
	struct pl_proc *proc = pl_seg_proc(seg, pl_get(&task->proc));

	if (!proc)
		return;
	atomic_fetch_add(&proc->bell, 1);
	syscall(SYS_futex, &proc->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* What is busier than before may be somebody who came to a core of ours. */
static void ring_for_claims(struct pl_segment *seg)
{
	static uint32_t before[PL_MAX_CPUS];
	const struct pl_machine *m = pl_seg_machine(seg);

	for (int n = 0; n < m->nr_cores && n < PL_MAX_CPUS; n++) {
		const struct pl_range *core = &m->core[n];
		const struct pl_task *task;
		uint32_t busy = 0;

		for (int i = core->first; i < core->first + core->nr && i < PL_MAX_CPUS; i++)
			busy += m->order[i] < PL_MAX_CPUS ? pl_get(&seg->load[m->order[i]].busy)
							  : 0;
		task = core->nr ? pl_seg_task(
					  seg,
					  (pl_task_id)pl_get(
						  &seg->claim[m->order[core->first] % PL_MAX_CPUS]))
				: NULL;
		if (task && busy > before[n] + RISE)
			ring(seg, task);
		before[n] = busy;
	}
}

void load_sample(struct pl_segment *seg, uint64_t now_ns)
{
	static uint32_t used[PL_MAX_CPUS];
	char line[512];
	FILE *f;

	if (now_ns - pl_get(&seg->load_ns) < LOAD_PERIOD_MS * PL_NS_PER_MS)
		return;
	f = fopen("/proc/stat", "re");
	if (!f)
		return;
	for (unsigned int c = 0; c < PL_MAX_CPUS; c++)
		used[c] = 0;
	add_handoff_tasks(seg, used, now_ns);
	while (fgets(line, sizeof(line), f)) {
		unsigned long long v[8] = {0};
		unsigned int cpu;
		uint64_t busy, total, d_total, share;

		if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &v[0],
			   &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) < 5 ||
		    cpu >= PL_MAX_CPUS)
			continue;
		busy = v[0] + v[1] + v[2] + v[5] + v[6] + v[7];
		total = busy + v[3] + v[4];
		d_total = total - last[cpu].total;
		share = last[cpu].total && d_total ? (busy - last[cpu].busy) * 1024 / d_total : 0;
		share = share < 1024 ? share : 1024;
		pl_set(&seg->load[cpu].busy, (uint16_t)share);
		pl_set(&seg->load[cpu].outside,
		       (uint16_t)(share > used[cpu] ? share - used[cpu] : 0));
		last[cpu].busy = busy;
		last[cpu].total = total;
	}
	fclose(f);
	ring_for_claims(seg);
	pl_set(&seg->load_from_ns, pl_get(&seg->load_ns));
	pl_set(&seg->load_ns, now_ns);
}
