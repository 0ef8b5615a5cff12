// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Writes a model down: every domain by its CPUs, classes, priorities, distances.
#include "machine/dump.h"

#include <hwloc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Where a 16-bit field lies in struct pl_cpu. */
static uint16_t field_of(const struct pl_machine *m, int cpu, size_t at)
{
	return *(const uint16_t *)((const char *)&m->cpu[cpu] + at);
}

static void print_list(FILE *f, const char *before, hwloc_bitmap_t set)
{
	char *text = NULL;

	hwloc_bitmap_list_asprintf(&text, set);
	fprintf(f, "%s%s", before, text);
	free(text);
}

static bool is_same(const struct pl_machine *m, size_t a, size_t b)
{
	for (int c = 0; c < m->nr_cpu_ids; c++)
		if (pl_machine_has(m, c) && field_of(m, c, a) != field_of(m, c, b))
			return false;
	return true;
}

/* One line: the CPUs of each domain, in the order of their numbers. */
static void print_domain(FILE *f, const struct pl_machine *m, const char *name, size_t at)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	unsigned int last = 0;

	fprintf(f, "%s:", name);
	for (int c = 0; c < m->nr_cpu_ids; c++)
		if (pl_machine_has(m, c) && field_of(m, c, at) > last)
			last = field_of(m, c, at);
	for (unsigned int n = 0; n <= last; n++) {
		hwloc_bitmap_zero(set);
		for (int c = 0; c < m->nr_cpu_ids; c++)
			if (pl_machine_has(m, c) && field_of(m, c, at) == n)
				hwloc_bitmap_set(set, (unsigned int)c);
		if (hwloc_bitmap_iszero(set))
			continue;
		if (n == PL_NO_ID) {
			print_list(f, " none ", set);
			continue;
		}
		if (at == offsetof(struct pl_cpu, node) || at == offsetof(struct pl_cpu, priority))
			fprintf(f, " [%u]", n);
		print_list(f, " ", set);
	}
	fputc('\n', f);
	hwloc_bitmap_free(set);
}

static void print_classes(FILE *f, const struct pl_machine *m)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	for (int class = 0; class < m->nr_classes; class ++) {
		uint16_t capacity = 0;

		hwloc_bitmap_zero(set);
		for (int c = 0; c < m->nr_cpu_ids; c++)
			if (pl_machine_has(m, c) && m->cpu[c].class == class) {
				hwloc_bitmap_set(set, (unsigned int)c);
				capacity = m->cpu[c].capacity;
			}
		fprintf(f, "capacity %u", capacity);
		print_list(f, ": ", set);
		fputc('\n', f);
	}
	hwloc_bitmap_free(set);
}

static void print_distances(FILE *f, const struct pl_machine *m)
{
	for (int i = 0; i < PL_MAX_NODES; i++) {
		if (!m->distance[i][i])
			continue;
		fprintf(f, "distance %d:", i);
		for (int j = 0; j < PL_MAX_NODES; j++)
			if (m->distance[j][j])
				fprintf(f, " %d", m->distance[i][j]);
		fputc('\n', f);
	}
}

/* Classes that the other modes make. */
static void print_modes(FILE *f, const struct pl_machine *m, const struct pl_raw *raw)
{
	struct pl_machine *other = malloc(sizeof(*other));

	for (int mode = PL_CAPACITY_GROUP; other && mode <= PL_CAPACITY_OFF; mode++) {
		*other = *m;
		pl_capacity_fill(other, raw, (enum pl_capacity_mode)mode);
		fprintf(f, "%s%s %d%s", mode ? ", " : "classes: ",
			pl_capacity_mode_name((enum pl_capacity_mode)mode), other->nr_classes,
			other->asymmetric ? " unequal" : "");
	}
	fputc('\n', f);
	free(other);
}

char *dump_machine(const struct pl_machine *m, const struct pl_raw *raw)
{
	const size_t core = offsetof(struct pl_cpu, core), llc = offsetof(struct pl_cpu, llc),
		     cluster = offsetof(struct pl_cpu, cluster),
		     package = offsetof(struct pl_cpu, package),
		     node = offsetof(struct pl_cpu, node),
		     priority = offsetof(struct pl_cpu, priority);
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	bool ranked = false;

	fprintf(f, "cpus %d cores %d clusters %d llcs %d packages %d nodes %d smt %d\n",
		m->nr_online, m->nr_cores, m->nr_clusters, m->nr_llcs, m->nr_packages, m->nr_nodes,
		m->smt);
	print_domain(f, m, "package", package);
	print_domain(f, m, "node", node);
	if (is_same(m, llc, package))
		fprintf(f, "llc: package\n");
	else
		print_domain(f, m, "llc", llc);
	if (is_same(m, cluster, core))
		fprintf(f, "cluster: core\n");
	else if (is_same(m, cluster, llc))
		fprintf(f, "cluster: llc\n");
	else
		print_domain(f, m, "cluster", cluster);
	if (m->smt > 1)
		print_domain(f, m, "core", core);
	print_distances(f, m);
	fprintf(f, "source: %s\n",
		pl_capacity_source_name((enum pl_capacity_source)m->capacity_source));
	print_modes(f, m, raw);
	print_classes(f, m);
	for (int c = 0; c < m->nr_cpu_ids; c++)
		ranked |= m->cpu[c].priority != 0;
	if (ranked)
		print_domain(f, m, "priority", priority);
	fclose(f);
	return text;
}
