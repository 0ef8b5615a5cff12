// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Counters of the calling thread and of the process.
#include <errno.h>

#include "api/api.h"
#include "base/sys.h"
#include "libplace/stats.h"

PL_API int place_thread_stats_get(struct place_thread_stats *stats)
{
	struct place_thread_stats out;
	struct pl_tls *t;
	uint8_t pinned;
	int ret;

	if (!stats || stats->size < sizeof(out))
		return -EINVAL;
	ret = pl_api_enter(&t);
	if (ret)
		return ret;
	if (!t->task)
		return -ESRCH;
	pinned = pl_get(&t->task->pinned);
	out = (struct place_thread_stats){
		.held = t->bound != 0,
		.turns = pl_get(&t->task->con),
		.published = pl_get(&t->task->pub),
		.binds = pl_get(&t->task->nr_binds),
		.wakers = pl_get(&t->task->nr_edges),
		.paused = t->nr_paused != 0,
		.pinned = pinned == 1,
	};
	return pl_api_copy_out(stats, sizeof(out), &out, sizeof(out));
}

PL_API int place_process_stats_get(struct place_process_stats *stats)
{
	struct place_process_stats out = {0};
	struct pl_segment *seg;
	struct pl_tls *t;
	uint32_t high;
	int32_t pid;
	int ret;

	if (!stats || stats->size < sizeof(out))
		return -EINVAL;
	ret = pl_api_enter(&t);
	if (ret)
		return ret;
	seg = pl_api_segment();
	pid = (int32_t)pl_sys0(SYS_getpid);
	high = seg ? pl_get(&seg->task_high) : 0;
	for (uint32_t i = 0; i < high && i < PL_NR_TASKS; i++) {
		const struct pl_task *task = &seg->task[i];

		if (!pl_get(&task->id) || pl_get(&task->pid) != pid)
			continue;
		out.threads++;
		out.held += pl_get(&task->bound) == 1;
		out.turns += pl_get(&task->con);
		out.published += pl_get(&task->pub);
		out.binds += pl_get(&task->nr_binds);
	}
	return pl_api_copy_out(stats, sizeof(out), &out, sizeof(out));
}
