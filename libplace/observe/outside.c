// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Load of others: the machine's less our own, over the same time.
#include "observe/outside.h"

#include "base/clock.h"
#include "decide/others.h"

enum {
	LONG_LOOK_MS = 5,     /* a look at 1024 threads takes less */
	LOAD_FRESH_MS = 1000, /* an older sample says nothing */
};

void pl_own_use_looked(struct pl_own_use *u, uint64_t begin_ns, uint64_t end_ns)
{
	uint32_t i = u->nr_looks++ % PL_NR_LOOKS;

	if (!u->since_ns || end_ns - begin_ns > LONG_LOOK_MS * PL_NS_PER_MS)
		u->since_ns = end_ns;
	u->look[i].at_ns = begin_ns;
	u->look[i].total_ns = u->total_ns;
}

/* Own CPU time at the moment AT_NS: as if threads had run evenly between two looks. */
static uint64_t total_at(const struct pl_own_use *u, uint64_t at_ns)
{
	uint32_t nr = u->nr_looks < PL_NR_LOOKS ? u->nr_looks : PL_NR_LOOKS;

	for (uint32_t back = 1; back <= nr; back++) {
		uint32_t i = (u->nr_looks - back) % PL_NR_LOOKS;
		uint32_t next = (i + 1) % PL_NR_LOOKS;
		uint64_t gap, part;

		if (u->look[i].at_ns > at_ns)
			continue;
		if (back == 1)
			return u->look[i].total_ns;
		gap = u->look[next].at_ns - u->look[i].at_ns;
		part = u->look[next].total_ns - u->look[i].total_ns;
		return u->look[i].total_ns +
		       (gap ? part * ((at_ns - u->look[i].at_ns) >> 10) / ((gap >> 10) + 1) : 0);
	}
	return nr ? u->look[(u->nr_looks - nr) % PL_NR_LOOKS].total_ns : 0;
}

/* Own use by CPU belongs to the sample that was noticed after it. */
static void note_sample(struct pl_own_use *u, const struct pl_machine *m, uint64_t sample_ns)
{
	if (sample_ns == u->sample_ns)
		return;
	u->sample_ns = sample_ns;
	for (int i = 0; i < m->nr_online; i++) {
		int cpu = m->order[i];

		u->cpu_before[cpu] = u->cpu_at[cpu];
		u->cpu_at[cpu] = u->cpu_ns[cpu];
	}
}

void pl_outside_fill(struct pl_own_use *u, const struct pl_segment *seg, const struct pl_machine *m,
		     uint64_t now_ns, uint16_t *out)
{
	uint64_t from = pl_get(&seg->load_from_ns), to = pl_get(&seg->load_ns);
	uint64_t busy = 0, own, others, wall = to - from;

	for (int i = 0; i < m->nr_online; i++)
		out[m->order[i]] = 0;
	if (!from || to <= from || now_ns - to > LOAD_FRESH_MS * PL_NS_PER_MS)
		return;
	note_sample(u, m, to);
	/* What it saw before we looked may have been we, or somebody who has ended since. */
	if (!u->since_ns || from < u->since_ns)
		return;
	for (int i = 0; i < m->nr_online; i++)
		busy += pl_get(&seg->load[m->order[i]].busy);
	own = (total_at(u, to) - total_at(u, from)) * 1024 / wall;
	others = pl_others_total(busy, own);
	if (!others)
		return;
	for (int i = 0; i < m->nr_online; i++) {
		int cpu = m->order[i];
		uint64_t mine = (u->cpu_at[cpu] - u->cpu_before[cpu]) * 1024 / wall;

		out[cpu] = pl_others_on(pl_get(&seg->load[cpu].busy), mine, others);
	}
}
