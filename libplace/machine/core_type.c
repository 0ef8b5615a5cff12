// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Core types from the signs a machine gives; nothing is read here.
#include "machine/core_type.h"

#include <string.h>

#include "decide/fits.h"

/* Of MIDR, implementer and part: a core type is not a revision. */
#define MIDR_DESIGN 0xff00fff0u

static bool is_ranked_by_amd(const struct pl_machine *m, const struct pl_raw *raw)
{
	for (int c = 0; c < m->nr_cpu_ids; c++)
		if (pl_machine_has(m, c) && (raw->v[PL_RAW_PREFCORE][c].state == PL_RAW_GOOD ||
					     raw->v[PL_RAW_AMD_PERF][c].state == PL_RAW_GOOD))
			return true;
	return false;
}

/* All signs of a core in one number; siblings go by the first of them. */
static uint64_t signs_of(const struct pl_machine *m, const struct pl_raw *raw, int cpu, bool ranked)
{
	uint64_t signs;

	if (m->cpu[cpu].core < m->nr_cores)
		cpu = m->order[m->core[m->cpu[cpu].core].first];
	signs = (raw->midr[cpu] & MIDR_DESIGN) << 32 | raw->pmu[cpu];
	if (!raw->kind_is_capacity && (!ranked || raw->kind_is_core_type))
		signs |= (uint64_t)raw->kind[cpu] << 8;
	if (!ranked)
		signs |= (uint64_t)(m->cpu[cpu].nr_siblings & 0xff) << 16;
	return signs;
}

/* Range of good values in each type. */
struct spread {
	uint32_t lo, hi;
};

static void spread_of(const struct pl_machine *m, const struct pl_raw *raw,
		      const struct pl_core_types *t, struct spread out[PL_MAX_CORE_TYPES])
{
	memset(out, 0, PL_MAX_CORE_TYPES * sizeof(*out));
	for (int c = 0; c < m->nr_cpu_ids; c++) {
		const struct pl_raw_value *v = &raw->v[PL_RAW_PERF][c];
		struct spread *s = &out[t->of[c]];

		if (!pl_machine_has(m, c) || v->state != PL_RAW_GOOD)
			continue;
		if (!s->hi || v->value < s->lo)
			s->lo = (uint32_t)v->value;
		if (v->value > s->hi)
			s->hi = (uint32_t)v->value;
	}
}

/* Type B becomes A, and the last type takes its number. */
static void merge(struct pl_core_types *t, int a, int b)
{
	for (int c = 0; c < PL_MAX_CPUS; c++) {
		if (t->of[c] == b)
			t->of[c] = (uint8_t)a;
		else if (t->of[c] == t->nr - 1)
			t->of[c] = (uint8_t)b;
	}
	t->nr--;
}

/* The first two types that are not apart in S; false when all are. */
static bool find_overlap(const struct pl_core_types *t, const struct spread *s, int *a, int *b)
{
	for (*a = 0; *a < t->nr; ++*a)
		for (*b = *a + 1; *b < t->nr; ++*b)
			if (s[*a].hi && s[*b].hi && !pl_capacity_greater(s[*a].lo, s[*b].hi) &&
			    !pl_capacity_greater(s[*b].lo, s[*a].hi))
				return true;
	return false;
}

void pl_core_types_find(const struct pl_machine *m, const struct pl_raw *raw,
			struct pl_core_types *out)
{
	uint64_t signs[PL_MAX_CORE_TYPES];
	struct spread s[PL_MAX_CORE_TYPES];
	bool ranked = is_ranked_by_amd(m, raw);
	int a, b;

	memset(out, 0, sizeof(*out));
	for (int c = 0; c < m->nr_cpu_ids; c++) {
		uint64_t mine;
		int t = 0;

		if (!pl_machine_has(m, c))
			continue;
		mine = signs_of(m, raw, c, ranked);
		while (t < out->nr && signs[t] != mine)
			t++;
		if (t == PL_MAX_CORE_TYPES) {
			memset(out, 0, sizeof(*out));
			out->nr = 1;
			break;
		}
		signs[t] = mine;
		out->of[c] = (uint8_t)t;
		if (t == out->nr)
			out->nr++;
	}
	for (;;) {
		spread_of(m, raw, out, s);
		if (!find_overlap(out, s, &a, &b))
			break;
		merge(out, a, b);
	}
	for (int t = 0; t < out->nr; t++)
		out->perf[t] = s[t].hi;
}
