// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Kinds of CPUs as hwloc tells them: a sign of core types, and a source of capacities (R2).
#include <stdlib.h>
#include <string.h>

#include "machine/topology_part.h"

enum {
	FULL = 1024,
	MAX_RANKS = 4, /* with more an order alone says nothing about the size of the steps */
};

struct kind {
	hwloc_bitmap_t cpus;
	unsigned long long mhz, capacity; /* 0: not said */
	bool has_type;
	int efficiency; /* -1: hwloc knows no order */
};

/* Reads kind I into K, whose cpus stay allocated; false when none of its CPUs is online. */
static bool read_kind(const struct pl_machine *m, hwloc_topology_t topo, unsigned int i,
		      struct kind *k)
{
	struct hwloc_info_s *infos;
	unsigned int nr;
	hwloc_bitmap_t cpus = k->cpus;

	*k = (struct kind){.cpus = cpus};
	if (hwloc_cpukinds_get_info(topo, i, cpus, &k->efficiency, &nr, &infos, 0) != 0)
		return false;
	for (unsigned int n = 0; n < nr; n++) {
		if (strcmp(infos[n].name, "FrequencyMaxMHz") == 0)
			k->mhz = strtoull(infos[n].value, NULL, 10);
		if (strcmp(infos[n].name, "LinuxCapacity") == 0)
			k->capacity = strtoull(infos[n].value, NULL, 10);
		if (strcmp(infos[n].name, "CoreType") == 0)
			k->has_type = true;
	}
	/* Kinds may name CPUs that are not there. */
	for (int c = 0; c < m->nr_cpu_ids; c++)
		if (pl_machine_has(m, c) && hwloc_bitmap_isset(cpus, (unsigned int)c))
			return true;
	return false;
}

/* What all kinds with online CPUs have in common. */
struct sum {
	int nr, efficiency_of_best;
	bool all_mhz, all_ranked, any_type, any_capacity;
};

static struct sum sum_up(const struct pl_machine *m, hwloc_topology_t topo, int nr, struct kind *k)
{
	struct sum s = {.all_mhz = true, .all_ranked = true, .efficiency_of_best = -1};

	for (int i = 0; i < nr; i++) {
		if (!read_kind(m, topo, (unsigned int)i, k))
			continue;
		s.nr++;
		s.all_mhz &= k->mhz != 0;
		s.all_ranked &= k->efficiency >= 0;
		s.any_type |= k->has_type;
		s.any_capacity |= k->capacity != 0;
		if (k->efficiency > s.efficiency_of_best)
			s.efficiency_of_best = k->efficiency;
	}
	return s;
}

/* An order is no ratio: each step down counts as a quarter less, which is nearer to the machines
 * there are than to take all CPUs for equal. */
static uint64_t by_rank(int steps_down)
{
	uint64_t v = FULL;

	while (steps_down-- > 0)
		v = v * 3 / 4;
	return v;
}

void pl_topology_kinds(const struct pl_machine *m, struct pl_raw *raw, hwloc_topology_t topo,
		       bool recorded)
{
	int nr = hwloc_cpukinds_get_nr(topo, 0);
	struct kind k = {.cpus = hwloc_bitmap_alloc()};
	struct sum s;

	memset(raw->kind, 0, sizeof(raw->kind));
	memset(raw->v[PL_RAW_KIND], 0, sizeof(raw->v[PL_RAW_KIND]));
	raw->kind_is_rank = raw->kind_is_core_type = raw->kind_is_capacity = 0;
	if (nr <= 0 || !k.cpus) {
		hwloc_bitmap_free(k.cpus);
		return;
	}
	s = sum_up(m, topo, nr, &k);
	raw->kind_is_core_type = s.any_type;
	raw->kind_is_capacity = s.any_capacity && !s.any_type;
	raw->kind_is_rank = !s.all_mhz && s.all_ranked && s.nr > 1 && s.nr <= MAX_RANKS;
	for (int i = 0; i < nr; i++) {
		if (!read_kind(m, topo, (unsigned int)i, &k))
			continue;
		for (int c = 0; c < m->nr_cpu_ids; c++) {
			if (!pl_machine_has(m, c) || !hwloc_bitmap_isset(k.cpus, (unsigned int)c))
				continue;
			raw->kind[c] = (uint8_t)(i < UINT8_MAX ? i + 1 : UINT8_MAX);
			if (s.all_mhz)
				pl_raw_put(raw, PL_RAW_KIND, c, k.mhz);
			else if (raw->kind_is_rank)
				pl_raw_put(raw, PL_RAW_KIND, c,
					   by_rank(s.efficiency_of_best - k.efficiency));
			if (recorded && k.capacity)
				pl_raw_put(raw, PL_RAW_CAPACITY, c, k.capacity);
		}
	}
	hwloc_bitmap_free(k.cpus);
}
