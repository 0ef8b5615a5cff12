// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Figures for reports: run delay, time slices, wake-ups beside a busy sibling.
#include "observe/sched_stats.h"

#include <fcntl.h>
#include <stdio.h>

#include "base/cpu.h"
#include "base/sys.h"

void pl_sched_stats_read(struct pl_task *task)
{
	unsigned long long run, delay, slices;
	char text[96];
	long fd, n;

	fd = pl_sys4(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	n = pl_sys3(SYS_read, fd, text, sizeof(text) - 1);
	pl_sys1(SYS_close, fd);
	text[n > 0 ? n : 0] = '\0';
	if (sscanf(text, "%llu %llu %llu", &run, &delay, &slices) != 3)
		return;
	pl_set(&task->run_ns, run);
	pl_set(&task->delay_ns, delay);
	pl_set(&task->nr_slices, (uint32_t)slices);
}

/* Some other task runs on a CPU of CPU's core. */
static bool sibling_is_busy(struct pl_segment *seg, const struct pl_task *self, int cpu)
{
	const struct pl_machine *m = pl_seg_machine(seg);
	uint32_t high = pl_get(&seg->task_high);

	if (!pl_machine_has(m, cpu) || m->cpu[cpu].nr_siblings < 2)
		return false;
	for (uint32_t i = 0; i < high && i < PL_NR_TASKS; i++) {
		const struct pl_task *task = &seg->task[i];
		int its = pl_get(&task->cpu);

		if (task != self && pl_get(&task->id) && its != cpu &&
		    pl_get(&task->state) == PL_TASK_RUNNING && pl_machine_has(m, its) &&
		    m->cpu[its].core == m->cpu[cpu].core)
			return true;
	}
	return false;
}

void pl_sched_stats_wake(struct pl_tls *t)
{
	int cpu;

	if (t->nr_waits % PL_WAKE_SAMPLE || !pl_member.seg)
		return;
	cpu = pl_cpu_now();
	pl_set(&t->task->cpu, (uint16_t)cpu);
	pl_inc(&t->task->nr_wakes);
	if (sibling_is_busy(pl_member.seg, t->task, cpu))
		pl_inc(&t->task->nr_contended);
}
