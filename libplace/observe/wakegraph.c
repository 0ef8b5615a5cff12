// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Sets of threads that talk to each other, from the partner counts of their tasks, and where each
// set has run of late.
#include "observe/wakegraph.h"

#include "decide/aggregate.h"

enum { NR_SETS = 16, NR_LLCS = 64 };

/* A set is known by its lowest thread; its past goes on while that thread is its lowest. */
static struct set {
	uint32_t number; /* of that thread + 1, 0: free */
	bool seen;
	uint64_t ns[NR_LLCS];
	struct pl_occupancy occupancy;
	struct pl_aggr_limits limits;
	int preferred;
} sets[NR_SETS];

static struct pl_edge edges[PL_GRAPH_THREADS * (PL_NR_PARTS + 1)];
static uint16_t group[PL_GRAPH_THREADS]; /* by thread: the lowest one of its set */
static uint16_t size[PL_GRAPH_THREADS];	 /* by lowest thread */

/* Threads that are said to share data count as if each talked to the one before it. */
static bool shares_data(struct pl_segment *seg, const struct pl_graph_node *node, uint32_t i,
			struct pl_edge *edge)
{
	const struct pl_task *task = pl_seg_task(seg, node[i].id);
	uint32_t number = task ? pl_get(&task->group) : 0;

	for (uint32_t j = number ? i : 0; j-- > 0;) {
		const struct pl_task *other = pl_seg_task(seg, node[j].id);

		if (!other || pl_get(&other->group) != number)
			continue;
		*edge = (struct pl_edge){
			.a = (uint16_t)i, .b = (uint16_t)j, .turns = PL_AGGR_TURNS};
		return true;
	}
	return false;
}

static uint32_t find_edges(struct pl_segment *seg, const struct pl_graph_node *node, uint32_t nr)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nr; i++) {
		const struct pl_task *task = pl_seg_task(seg, node[i].id);

		n += shares_data(seg, node, i, &edges[n]);
		for (int p = 0; task && p < PL_NR_PARTS; p++) {
			uint32_t id = pl_get(&task->part[p].id), j = 0;

			if (!id || pl_get(&task->part[p].turns) < PL_AGGR_TURNS)
				continue;
			while (j < nr && node[j].id != id)
				j++;
			if (j < nr && j != i)
				edges[n++] =
					(struct pl_edge){.a = (uint16_t)i,
							 .b = (uint16_t)j,
							 .turns = pl_get(&task->part[p].turns)};
		}
	}
	return n;
}

static struct set *set_of(uint32_t number, uint16_t nr_llcs)
{
	struct set *unused = NULL;

	for (int i = 0; i < NR_SETS; i++) {
		if (sets[i].number == number + 1)
			return &sets[i];
		if (!sets[i].number && !unused)
			unused = &sets[i];
	}
	if (unused) {
		*unused = (struct set){.number = number + 1};
		unused->occupancy.ns = unused->ns;
		unused->occupancy.nr_llcs = nr_llcs;
	}
	return unused;
}

/* The set of thread I; NULL when it is alone or there are too many sets. */
static struct set *set_of_thread(const struct pl_machine *m, const struct pl_graph_node *node,
				 uint32_t i)
{
	return size[group[i]] < 2 ? NULL : set_of(node[group[i]].number, m->nr_llcs);
}

/* Counts thread I in its set. */
static void count(const struct pl_machine *m, const struct pl_graph_node *node,
		  const struct pl_thread_view *view, uint32_t i, uint64_t now_ns)
{
	struct set *s = set_of_thread(m, node, i);

	if (!s)
		return;
	if (!s->seen || s->occupancy.nr_llcs != m->nr_llcs) {
		s->occupancy.nr_llcs = m->nr_llcs;
		s->limits = (struct pl_aggr_limits){.tolerance = 1};
		s->seen = true;
	}
	s->limits.nr_threads++;
	s->limits.nr_running += view[i].running;
	if (node[i].run_ns && pl_machine_has(m, view[i].cpu))
		pl_occupancy_add(&s->occupancy, m->cpu[view[i].cpu].llc, node[i].run_ns, now_ns);
}

void pl_wakegraph_prefer(struct pl_segment *seg, const struct pl_machine *m,
			 const struct pl_graph_node *node, struct pl_thread_view *view, uint32_t nr,
			 bool memory_policy, uint64_t now_ns)
{
	if (m->nr_llcs < 2 || m->nr_llcs > NR_LLCS || nr > PL_GRAPH_THREADS)
		return;
	pl_communicating_sets(edges, find_edges(seg, node, nr), group, nr);
	for (int i = 0; i < NR_SETS; i++)
		sets[i].seen = false;
	for (uint32_t i = 0; i < nr; i++)
		size[i] = 0;
	for (uint32_t i = 0; i < nr; i++)
		size[group[i]]++;
	for (uint32_t i = 0; i < nr; i++)
		count(m, node, view, i, now_ns);
	for (int i = 0; i < NR_SETS; i++) {
		struct set *s = &sets[i];

		if (!s->seen) {
			s->number = 0;
			continue;
		}
		s->limits.memory_policy = memory_policy;
		s->preferred = pl_aggregate_preferred(&s->occupancy, m, &s->limits, now_ns);
	}
	for (uint32_t i = 0; i < nr; i++) {
		const struct set *s = set_of_thread(m, node, i);

		view[i].preferred_llc = s ? (int16_t)s->preferred : -1;
	}
}
