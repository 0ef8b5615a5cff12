// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The machine for people: domains from the outside in, then capacities and where they come from.
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "tools/topo.h"

/* The set of CPUs for which a question is answered with yes, as text; free it. */
typedef bool (*cpu_question)(const struct topo *t, int cpu, uint32_t arg);

static char *list_if(const struct topo *t, cpu_question ask, uint32_t arg)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	char *text = NULL;

	for (int i = 0; set && i < t->machine.nr_online; i++)
		if (ask(t, t->machine.order[i], arg))
			hwloc_bitmap_set(set, t->machine.order[i]);
	if (set && !hwloc_bitmap_iszero(set))
		hwloc_bitmap_list_asprintf(&text, set);
	hwloc_bitmap_free(set);
	return text;
}

static void print_if(FILE *to, const char *before, const struct topo *t, cpu_question ask,
		     uint32_t arg, const char *after)
{
	char *text = list_if(t, ask, arg);

	if (text)
		fprintf(to, "%s%s%s", before, text, after);
	free(text);
}

static bool in_package(const struct topo *t, int cpu, uint32_t package)
{
	return t->machine.cpu[cpu].package == package;
}

static bool in_llc(const struct topo *t, int cpu, uint32_t llc)
{
	return t->machine.cpu[cpu].llc == llc;
}

static bool in_cluster(const struct topo *t, int cpu, uint32_t cluster)
{
	return t->machine.cpu[cpu].cluster == cluster;
}

static bool in_core(const struct topo *t, int cpu, uint32_t core)
{
	return t->machine.cpu[cpu].core == core;
}

static bool in_class(const struct topo *t, int cpu, uint32_t class)
{
	return t->machine.cpu[cpu].class == class;
}

static bool has_priority(const struct topo *t, int cpu, uint32_t priority)
{
	return t->machine.cpu[cpu].priority == priority;
}

static bool has_actual(const struct topo *t, int cpu, uint32_t actual)
{
	return t->machine.cpu[cpu].actual == actual &&
	       t->machine.cpu[cpu].actual < t->machine.cpu[cpu].capacity;
}

static bool has_flag(const struct topo *t, int cpu, uint32_t flag)
{
	return t->machine.cpu[cpu].flags & flag;
}

/* Kernel's numbers of the nodes in range R of order[]. */
static void print_nodes(FILE *to, const struct pl_machine *m, const struct pl_range *r)
{
	hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
	char *text = NULL;

	for (int i = r->first; nodes && i < r->first + r->nr; i++)
		if (m->cpu[m->order[i]].node != PL_NO_ID)
			hwloc_bitmap_set(nodes, m->cpu[m->order[i]].node);
	if (nodes && !hwloc_bitmap_iszero(nodes) && hwloc_bitmap_list_asprintf(&text, nodes) >= 0)
		fprintf(to, ", node%s %s", hwloc_bitmap_weight(nodes) > 1 ? "s" : "", text);
	hwloc_bitmap_free(nodes);
	free(text);
}

static void print_llc(FILE *to, const struct topo *t, uint32_t llc)
{
	const struct pl_machine *m = &t->machine;
	const struct pl_range *r = &m->llc[llc];
	uint32_t last = UINT32_MAX;
	bool clusters = false;

	fprintf(to, "  LLC %u", llc);
	print_nodes(to, m, r);
	print_if(to, ": CPUs ", t, in_llc, llc, "\n    cores:");
	for (int i = r->first; i < r->first + r->nr; i++) {
		uint32_t core = m->cpu[m->order[i]].core;

		if (core != last)
			print_if(to, " ", t, in_core, core, "");
		last = core;
	}
	fputc('\n', to);
	last = UINT32_MAX;
	for (int i = r->first; i < r->first + r->nr; i++) {
		const struct pl_cpu *c = &m->cpu[m->order[i]];

		if (c->cluster != last && m->cluster[c->cluster].nr > c->nr_siblings &&
		    m->cluster[c->cluster].nr < r->nr) {
			print_if(to, clusters ? " " : "    clusters: ", t, in_cluster, c->cluster,
				 "");
			clusters = true;
		}
		last = c->cluster;
	}
	if (clusters)
		fputc('\n', to);
}

static void print_count(FILE *to, const char *before, int nr, const char *what)
{
	fprintf(to, "%s%d %s%s", before, nr, what, nr == 1 ? "" : "s");
}

static void print_domains(FILE *to, const struct topo *t)
{
	const struct pl_machine *m = &t->machine;

	print_count(to, "", m->nr_online, "CPU");
	print_count(to, " online, ", m->nr_cores, "core");
	print_count(to, " of up to ", m->smt, "CPU");
	print_count(to, ", ", m->nr_clusters, "cluster");
	print_count(to, ", ", m->nr_llcs, "LLC");
	print_count(to, ", ", m->nr_packages, "package");
	print_count(to, ", ", m->nr_nodes, "node");
	fprintf(to, " with CPUs\n");
	for (uint32_t p = 0; p < m->nr_packages; p++) {
		fprintf(to, "package %u", p);
		print_if(to, ": CPUs ", t, in_package, p, "\n");
		for (uint32_t llc = 0; llc < m->nr_llcs; llc++)
			if (m->llc[llc].nr && in_package(t, m->order[m->llc[llc].first], p))
				print_llc(to, t, llc);
	}
}

static void print_distances(FILE *to, const struct pl_machine *m)
{
	int nr = 0;

	for (int i = 0; i < PL_MAX_NODES; i++)
		nr += m->distance[i][i] != 0;
	if (nr < 2)
		return;
	fprintf(to, "distances between nodes (10 is the node itself, - not known)\n");
	for (int i = 0; i < PL_MAX_NODES; i++) {
		if (!m->distance[i][i])
			continue;
		fprintf(to, "  node %2d:", i);
		for (int j = 0; j < PL_MAX_NODES; j++) {
			if (!m->distance[j][j])
				continue;
			if (m->distance[i][j])
				fprintf(to, " %3d", m->distance[i][j]);
			else
				fprintf(to, "   -");
		}
		fputc('\n', to);
	}
}

/* The largest priority below LIMIT, 0: there is none. */
static uint32_t next_priority(const struct pl_machine *m, uint32_t limit)
{
	uint32_t best = 0;

	for (int i = 0; i < m->nr_online; i++) {
		uint32_t p = m->cpu[m->order[i]].priority;

		if (p < limit && p > best)
			best = p;
	}
	return best;
}

static void print_priorities(FILE *to, const struct topo *t, bool verbose)
{
	uint32_t highest = next_priority(&t->machine, UINT32_MAX), v = highest, lowest = highest;
	int nr = 0;

	for (; v; v = next_priority(&t->machine, v)) {
		char before[48];

		snprintf(before, sizeof(before), "  priority %u: CPUs ", v);
		if (verbose)
			print_if(to, before, t, has_priority, v, "\n");
		lowest = v;
		nr++;
	}
	if (nr && !verbose)
		fprintf(to, "  priority %u to %u in %d steps (-v lists them)\n", lowest, highest,
			nr);
}

static void print_capacity(FILE *to, const struct topo *t, bool verbose)
{
	const struct pl_machine *m = &t->machine;

	fprintf(to, "capacity: %s; source %s; mode %s\n", m->asymmetric ? "unequal" : "equal",
		pl_capacity_source_name((enum pl_capacity_source)m->capacity_source),
		pl_capacity_mode_name((enum pl_capacity_mode)m->capacity_mode));
	for (uint32_t class = 0; class < m->nr_classes; class ++) {
		uint16_t capacity = 0;

		for (int i = 0; i < m->nr_online; i++)
			if (in_class(t, m->order[i], class))
				capacity = m->cpu[m->order[i]].capacity;
		fprintf(to, "  class %u, capacity %u", class, capacity);
		print_if(to, ": CPUs ", t, in_class, class, "\n");
	}
	for (uint32_t v = 1024; v > 0; v--) {
		char before[48];

		snprintf(before, sizeof(before), "  capped to %u now: CPUs ", v);
		print_if(to, before, t, has_actual, v, "\n");
	}
	print_priorities(to, t, verbose);
	print_if(to, "isolated: CPUs ", t, has_flag, PL_CPU_ISOLATED, "\n");
	print_if(to, "tickless: CPUs ", t, has_flag, PL_CPU_TICKLESS, "\n");
}

/* What the CPU whose value is asked for has, for the question below. */
static const struct pl_raw_value *wanted;
static enum pl_raw_key wanted_key;

static bool has_wanted(const struct topo *t, int cpu, uint32_t arg)
{
	const struct pl_raw_value *v = &t->raw.v[wanted_key][cpu];

	return v->state == wanted->state && v->value == wanted->value;
}

/* True when no CPU before entry I of order[] has I's value. */
static bool is_first(const struct topo *t, int i)
{
	for (int j = 0; j < i; j++)
		if (has_wanted(t, t->machine.order[j], 0))
			return false;
	return true;
}

static void print_raw(FILE *to, const struct topo *t, enum pl_raw_key key)
{
	const struct pl_machine *m = &t->machine;

	wanted_key = key;
	for (int i = 0; i < m->nr_online; i++) {
		enum pl_raw_state state;

		wanted = &t->raw.v[key][m->order[i]];
		state = (enum pl_raw_state)wanted->state;
		if (state == PL_RAW_ABSENT || !is_first(t, i))
			continue;
		fprintf(to, "  %-38s ", pl_raw_key_name(key));
		if (state == PL_RAW_UNREADABLE)
			fprintf(to, "skipped, %s", strerror((int)wanted->value));
		else if (state == PL_RAW_GARBLED || state == PL_RAW_SLOW)
			fprintf(to, "skipped, %s", pl_raw_state_name(state));
		else
			fprintf(to, "%llu%s%s", (unsigned long long)wanted->value,
				state == PL_RAW_GOOD ? "" : " skipped, ",
				state == PL_RAW_GOOD ? "" : pl_raw_state_name(state));
		print_if(to, ": CPUs ", t, has_wanted, 0, "\n");
	}
}

static void print_sources(FILE *to, const struct topo *t)
{
	static uint32_t values[PL_MAX_CPUS];

	fprintf(to, "sources of capacity, first to last (the first that differs is taken)\n");
	for (int s = PL_CAPACITY_ARCH; s < PL_CAPACITY_NR_SOURCES; s++) {
		enum pl_capacity_source source = (enum pl_capacity_source)s;
		enum pl_source_verdict v = pl_capacity_values(&t->machine, &t->raw, source, values);

		fprintf(to, "  %-38s %s\n", pl_capacity_source_name(source),
			pl_source_verdict_name(v));
	}
	fprintf(to, "values as read\n");
	for (int key = 0; key < PL_RAW_NR; key++)
		print_raw(to, t, (enum pl_raw_key)key);
}

static void print_rules(FILE *to, const struct topo *t)
{
	if (!t->has_rules)
		return;
	fprintf(to, "rules of kernel %s\n", t->release[0] ? t->release : "(release not known)");
	for (int r = 0; r < PL_RULE_NR; r++)
		fprintf(to, "  %-42s %s\n", pl_rule_name((enum pl_kernel_rule)r),
			pl_rule_owner_name(t->rules.owner[r]));
	if (t->rules.observe_only)
		fprintf(to, "  a sched_ext scheduler is loaded: libplace only observes\n");
}

void topo_print(FILE *to, const struct topo *t, bool verbose)
{
	print_domains(to, t);
	print_distances(to, &t->machine);
	print_capacity(to, t, verbose);
	if (!verbose)
		return;
	print_sources(to, t);
	print_rules(to, t);
}
