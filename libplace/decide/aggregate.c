// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R11.
#include "decide/aggregate.h"

enum {
	QUIET_EPOCHS = 5,
	CROWDED_PCT = 80, /* running threads over cores of the LLC */
	OVER_PCT_SMT = 50,
	OVER_PCT = 75,
	ABOVE_PCT = 120,
};

void pl_occupancy_age(struct pl_occupancy *o, uint64_t now_ns)
{
	uint64_t epoch = now_ns / PL_AGGR_EPOCH_NS, passed;

	if (epoch <= o->epoch)
		return;
	passed = epoch - o->epoch;
	o->epoch = epoch;
	for (int i = 0; i < o->nr_llcs; i++)
		o->ns[i] = passed < 64 ? o->ns[i] >> passed : 0;
}

void pl_occupancy_add(struct pl_occupancy *o, int llc, uint64_t run_ns, uint64_t now_ns)
{
	pl_occupancy_age(o, now_ns);
	if (llc < 0 || llc >= o->nr_llcs || !run_ns)
		return;
	o->ns[llc] += run_ns;
	o->ran_epoch = o->epoch;
}

static uint32_t cores_of(const struct pl_machine *m, int llc)
{
	uint32_t nr = 0;

	for (int i = m->llc[llc].first; i < m->llc[llc].first + m->llc[llc].nr; i++)
		nr += m->core[m->cpu[m->order[i]].core].first == i;
	return nr;
}

/* The present one until another has more than twice as much; -1 when nothing ran. */
static int fullest(const struct pl_occupancy *o, const struct pl_machine *m)
{
	int now = o->preferred_plus1 - 1, best = -1;

	for (int i = 0; i < o->nr_llcs && i < m->nr_llcs; i++)
		if (o->ns[i] && (best < 0 || o->ns[i] > o->ns[best]))
			best = i;
	if (best >= 0 && now >= 0 && now < o->nr_llcs && now < m->nr_llcs &&
	    o->ns[best] / 2 <= o->ns[now] && o->ns[best] <= o->ns[now] * 2)
		return now;
	return best;
}

int pl_aggregate_preferred(struct pl_occupancy *o, const struct pl_machine *m,
			   const struct pl_aggr_limits *l, uint64_t now_ns)
{
	int llc = -1;

	pl_occupancy_age(o, now_ns);
	if (m->nr_llcs > 1 && l->nr_threads > 1 && !l->memory_policy &&
	    o->epoch - o->ran_epoch <= QUIET_EPOCHS &&
	    (!l->llc_bytes || l->resident_bytes / l->llc_bytes < l->tolerance ||
	     l->resident_bytes <= l->llc_bytes * l->tolerance))
		llc = fullest(o, m);
	if (llc >= 0 && (uint64_t)l->nr_running * 100 >= (uint64_t)cores_of(m, llc) * CROWDED_PCT)
		llc = -1;
	o->preferred_plus1 = (int16_t)(llc + 1);
	return llc;
}

static bool is_over(uint64_t util, uint64_t capacity, bool smt)
{
	return util * 100 > capacity * (smt ? OVER_PCT_SMT : OVER_PCT);
}

static bool is_above(uint64_t a, uint64_t b)
{
	return a * 100 > b * ABOVE_PCT;
}

enum pl_aggr_verdict pl_aggregate_move(uint32_t util, const struct pl_llc_load *from,
				       const struct pl_llc_load *to, bool from_preferred,
				       bool to_preferred, bool smt)
{
	uint64_t source = from->util > util ? from->util - util : 0, target = to->util + util;
	bool source_over = is_over(source, from->capacity, smt);
	bool target_over = is_over(target, to->capacity, smt);

	if (from_preferred == to_preferred || (source_over && target_over))
		return PL_AGGR_IGNORE;
	if (to_preferred)
		return target_over && is_above(target, source) ? PL_AGGR_REFUSE : PL_AGGR_ALLOW;
	return !source_over || !is_above(source, target) ? PL_AGGR_REFUSE : PL_AGGR_ALLOW;
}

static uint16_t root_of(uint16_t *group, uint16_t i)
{
	while (group[i] != i) {
		group[i] = group[group[i]];
		i = group[i];
	}
	return i;
}

void pl_communicating_sets(const struct pl_edge *edge, uint32_t nr_edges, uint16_t *group,
			   uint32_t nr_threads)
{
	for (uint32_t i = 0; i < nr_threads; i++)
		group[i] = (uint16_t)i;
	for (uint32_t e = 0; e < nr_edges; e++) {
		uint16_t a, b;

		if (edge[e].turns < PL_AGGR_TURNS || edge[e].a >= nr_threads ||
		    edge[e].b >= nr_threads)
			continue;
		a = root_of(group, edge[e].a);
		b = root_of(group, edge[e].b);
		if (a < b)
			group[b] = a;
		else
			group[a] = b;
	}
	for (uint32_t i = 0; i < nr_threads; i++)
		group[i] = root_of(group, (uint16_t)i);
}
