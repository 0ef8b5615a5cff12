// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Questions to the flat machine model; no system call, no allocation.
#include "machine/model.h"

#include <string.h>

#include "base/compiler.h"

static const char *const mode_names[] = {
	[PL_CAPACITY_GROUP] = "group",
	[PL_CAPACITY_EXACT] = "exact",
	[PL_CAPACITY_PACKING] = "packing",
	[PL_CAPACITY_OFF] = "off",
};

bool pl_capacity_mode_parse(const char *name, enum pl_capacity_mode *out)
{
	if (strcmp(name, "auto") == 0) {
		*out = PL_CAPACITY_GROUP;
		return true;
	}
	for (unsigned int i = 0; i < PL_ARRAY_SIZE(mode_names); i++)
		if (strcmp(name, mode_names[i]) == 0) {
			*out = (enum pl_capacity_mode)i;
			return true;
		}
	return false;
}

const char *pl_capacity_mode_name(enum pl_capacity_mode mode)
{
	return mode < PL_ARRAY_SIZE(mode_names) ? mode_names[mode] : "?";
}

void pl_machine_core_mask(const struct pl_machine *m, int cpu, struct pl_cpumask *out)
{
	pl_cpumask_zero(out);
	pl_cpumask_add(out, cpu);
	if (!pl_machine_has(m, cpu) || m->cpu[cpu].core == PL_NO_ID)
		return;
	for (int c = 0; c < m->nr_cpu_ids && c < PL_MAX_CPUS; c++)
		if (m->cpu[c].capacity && m->cpu[c].core == m->cpu[cpu].core)
			pl_cpumask_add(out, c);
}

int pl_machine_llc_size(const struct pl_machine *m, int cpu)
{
	int n = pl_machine_has(m, cpu) && m->cpu[cpu].llc < PL_MAX_CPUS ? m->llc[m->cpu[cpu].llc].nr
									: 1;

	return n <= 0 ? 1 : n < PL_MAX_CPUS ? n : PL_MAX_CPUS;
}

/* Sort key of a CPU in order[]. */
static uint64_t key_of(const struct pl_machine *m, uint16_t cpu)
{
	const struct pl_cpu *c = &m->cpu[cpu];

	return (uint64_t)c->llc << 48 | (uint64_t)c->cluster << 32 | (uint64_t)c->core << 16 | cpu;
}

/* Shell sort: nothing is allocated, and recursion stays out of code with small stacks. */
static void sort_order(struct pl_machine *m)
{
	for (int gap = m->nr_online / 2; gap > 0; gap /= 2)
		for (int i = gap; i < m->nr_online; i++) {
			uint16_t cpu = m->order[i];
			uint64_t key = key_of(m, cpu);
			int j = i;

			for (; j >= gap && key_of(m, m->order[j - gap]) > key; j -= gap)
				m->order[j] = m->order[j - gap];
			m->order[j] = cpu;
		}
}

/* Puts entry I of order[] into range N of RANGES; returns the number of ranges so far. */
static uint16_t extend(struct pl_range *ranges, uint16_t n, uint16_t i, uint16_t count)
{
	if (n >= PL_MAX_CPUS)
		return count;
	if (!ranges[n].nr)
		ranges[n].first = i;
	ranges[n].nr++;
	return n >= count ? n + 1 : count;
}

void pl_machine_finish(struct pl_machine *m)
{
	uint64_t seen[(PL_NO_ID + 1) / 64] = {0}; /* node numbers may be far above PL_MAX_NODES */

	m->nr_online = m->nr_cores = m->nr_clusters = m->nr_llcs = m->nr_packages = 0;
	m->nr_nodes = m->nr_classes = m->smt = 0;
	memset(m->core, 0, sizeof(m->core));
	memset(m->cluster, 0, sizeof(m->cluster));
	memset(m->llc, 0, sizeof(m->llc));
	for (int c = 0; c < m->nr_cpu_ids && c < PL_MAX_CPUS; c++)
		if (m->cpu[c].capacity)
			m->order[m->nr_online++] = (uint16_t)c;
	sort_order(m);
	for (uint16_t i = 0; i < m->nr_online; i++) {
		const struct pl_cpu *c = &m->cpu[m->order[i]];

		m->nr_cores = extend(m->core, c->core, i, m->nr_cores);
		m->nr_clusters = extend(m->cluster, c->cluster, i, m->nr_clusters);
		m->nr_llcs = extend(m->llc, c->llc, i, m->nr_llcs);
		if (c->package != PL_NO_ID && c->package >= m->nr_packages)
			m->nr_packages = c->package + 1;
		if (c->class >= m->nr_classes)
			m->nr_classes = c->class + 1;
		if (c->node != PL_NO_ID && !(seen[c->node / 64] >> c->node % 64 & 1)) {
			seen[c->node / 64] |= 1ull << c->node % 64;
			m->nr_nodes++;
		}
	}
	for (uint16_t i = 0; i < m->nr_online; i++) {
		struct pl_cpu *c = &m->cpu[m->order[i]];

		c->nr_siblings = c->core < PL_MAX_CPUS ? m->core[c->core].nr : 1;
		if (c->nr_siblings > m->smt)
			m->smt = c->nr_siblings;
	}
	if (!m->nr_nodes)
		m->nr_nodes = 1;
}

static bool ranges_are_valid(const struct pl_machine *m, const struct pl_range *r, int nr)
{
	for (int i = 0; i < nr; i++)
		if (r[i].first + r[i].nr > m->nr_online)
			return false;
	return true;
}

bool pl_machine_is_valid(const struct pl_machine *m)
{
	int online = 0;

	if (m->nr_cpu_ids == 0 || m->nr_cpu_ids > PL_MAX_CPUS || m->nr_online > m->nr_cpu_ids ||
	    m->nr_cores > m->nr_cpu_ids || m->nr_clusters > m->nr_cpu_ids ||
	    m->nr_llcs > m->nr_cpu_ids || m->smt > m->nr_cpu_ids)
		return false;
	for (int i = 0; i < m->nr_online; i++)
		if (m->order[i] >= m->nr_cpu_ids)
			return false;
	if (!ranges_are_valid(m, m->core, m->nr_cores) ||
	    !ranges_are_valid(m, m->cluster, m->nr_clusters) ||
	    !ranges_are_valid(m, m->llc, m->nr_llcs))
		return false;
	for (int c = 0; c < m->nr_cpu_ids; c++) {
		const struct pl_cpu *cpu = &m->cpu[c];

		if (!cpu->capacity)
			continue;
		if (cpu->capacity > 1024 || cpu->actual > 1024 || cpu->core >= m->nr_cores ||
		    cpu->cluster >= m->nr_clusters || cpu->llc >= m->nr_llcs ||
		    cpu->class >= m->nr_classes)
			return false;
		online++;
	}
	return online > 0 && online == m->nr_online;
}
