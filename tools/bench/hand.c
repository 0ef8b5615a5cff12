// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See hand.h.
#include "tools/bench/hand.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/bench/installed.h"

void pl_hand_note(struct pl_bench_opts *o, const char *fmt, ...)
{
	size_t len = strlen(o->note);
	va_list ap;

	if (len)
		len += (size_t)snprintf(o->note + len, sizeof(o->note) - len, "; ");
	if (len >= sizeof(o->note))
		return;
	va_start(ap, fmt);
	vsnprintf(o->note + len, sizeof(o->note) - len, fmt, ap);
	va_end(ap);
}

static int index_of(const struct pl_cpus *cpus, int cpu)
{
	int i = 0;

	while (i < cpus->nr - 1 && cpus->cpu[i] != cpu)
		i++;
	return i;
}

/* CPU 0 serves most interrupts, so the last one is the better single CPU. The other one is the
 * lowest on another core; failing that, its sibling. */
static void choose_cpus(struct pl_bench_opts *o)
{
	const struct pl_cpus *c = &o->cpus;
	int last = c->nr - 1;

	o->cpu[0] = c->cpu[last];
	o->cpu[1] = last ? c->cpu[0] : -1;
	for (int i = 0; i < last; i++) {
		if (c->core[i] != c->core[last]) {
			o->cpu[1] = c->cpu[i];
			break;
		}
	}
}

/* LOUD: explained even when it was not asked for by name. */
static void strike(struct pl_bench_opts *o, enum pl_contender c, bool loud, const char *why)
{
	if (!o->contender[c])
		return;
	o->contender[c] = false;
	if (o->chosen || loud)
		pl_hand_note(o, "%s is left out: %s", pl_contender_name(c), why);
}

static void strike_peers(struct pl_bench_opts *o)
{
	static const char *const package[PL_NR_CONTENDERS] = {
		[PL_TASKSET] = "util-linux",
		[PL_NUMACTL] = "numactl",
		[PL_HWLOC_BIND] = "hwloc",
		[PL_LIKWID_PIN] = "likwid",
	};

	for (int c = PL_FIRST_PEER; c < PL_NR_CONTENDERS; c++) {
		if (!o->contender[c] || pl_installed(pl_contender_name((enum pl_contender)c)))
			continue;
		o->contender[c] = false;
		pl_hand_note(o, "%s is not installed (package %s)",
			     pl_contender_name((enum pl_contender)c), package[c]);
	}
}

void pl_hand_prepare(struct pl_bench_opts *o)
{
	unsigned int wanted = o->workload ? o->workload->hand : ~0u;

	pl_cpus_read(&o->cpus);
	choose_cpus(o);
	for (int c = PL_FIRST_HAND; c <= PL_LAST_HAND; c++) {
		if (!(wanted & PL_BIT(c)))
			strike(o, (enum pl_contender)c, false, "it makes no sense for this load");
	}
	if (o->cpus.nr < 2)
		strike(o, PL_TWO_CPUS, true, "one CPU is allowed");
	else if (o->cmd && !o->server && o->cpus.nr == 2)
		strike(o, PL_TWO_CPUS, true, "a mask of both CPUs of this machine is kernel");
	if (o->cmd && o->cpus.nr_cores == o->cpus.nr)
		strike(o, PL_PER_CORE, false, "each core here has one CPU, so it is kernel");
	if (o->cpus.nr_llcs < 2)
		strike(o, PL_ONE_LLC, false, "there is one last-level cache, so it is kernel");
	strike_peers(o);
}

static bool is_named(const struct pl_bench_opts *o, const char *name)
{
	return o->workload && strcmp(o->workload->name, name) == 0;
}

bool pl_hand_mask(const struct pl_bench_opts *o, enum pl_contender c, enum pl_role role,
		  cpu_set_t *out)
{
	const struct pl_cpus *cpus = &o->cpus;
	int order[PL_CPUS_MAX], nr_cores, home = index_of(cpus, o->cpu[0]);
	char list[1024];

	if (c < PL_FIRST_HAND || c > PL_LAST_HAND || pl_hand_list(o, c, list, sizeof(list)))
		return false;
	CPU_ZERO(out);
	switch (c) {
	case PL_ONE_CPU:
		CPU_SET(o->cpu[0], out);
		break;
	case PL_TWO_CPUS:
		/* a server and its client get one each */
		if (!o->server || role == PL_CLIENT)
			CPU_SET(o->cpu[0], out);
		if (o->cpu[1] >= 0 && (!o->server || role == PL_SERVER))
			CPU_SET(o->cpu[1], out);
		break;
	case PL_PER_CORE:
		nr_cores = pl_cpus_by_core(cpus, order);
		for (int i = 0; i < nr_cores; i++)
			CPU_SET(order[i], out);
		break;
	default:
		for (int i = 0; i < cpus->nr; i++) {
			if (cpus->llc[i] == cpus->llc[home])
				CPU_SET(cpus->cpu[i], out);
		}
	}
	return true;
}

void pl_hand_cores(const struct pl_bench_opts *o, char *out, size_t n)
{
	int order[PL_CPUS_MAX];
	size_t len = 0;

	pl_cpus_by_core(&o->cpus, order);
	for (int i = 0; i < o->cpus.nr && len < n; i++)
		len += (size_t)snprintf(out + len, n - len, "%s%d", i ? "," : "", order[i]);
}

/* Task k takes entry k modulo the length. */
bool pl_hand_list(const struct pl_bench_opts *o, enum pl_contender c, char *out, size_t n)
{
	int a = o->cpu[0], b = o->cpu[1] >= 0 ? o->cpu[1] : a;
	const struct pl_cpus *cpus = &o->cpus;
	size_t len = 0;

	if (!o->workload)
		return false;
	if (c == PL_PER_CORE) {
		pl_hand_cores(o, out, n);
		return true;
	}
	if (is_named(o, "hog") && (c == PL_ONE_CPU || c == PL_TWO_CPUS)) {
		/* tasks: the pair, then the hog */
		snprintf(out, n, "%d,%d,%d", a, c == PL_ONE_CPU ? a : b, b);
		return true;
	}
	if (c == PL_TWO_CPUS) {
		snprintf(out, n, "%d,%d", a, b);
		/* the hub and its three partners */
		if (is_named(o, "switching"))
			snprintf(out, n, "%d,%d,%d,%d", a, b, b, b);
		return true;
	}
	if (c != PL_ONE_CPU || o->pairs < 2)
		return false;
	/* Each pair on a CPU of its own, from the last one down. */
	for (int i = 0; i < o->pairs && len < n; i++) {
		int cpu = cpus->cpu[cpus->nr - 1 - i % cpus->nr];

		len += (size_t)snprintf(out + len, n - len, "%s%d,%d", i ? "," : "", cpu, cpu);
	}
	return true;
}

void pl_hand_llc_mask(const struct pl_bench_opts *o, char *out, size_t n)
{
	const struct pl_cpus *cpus = &o->cpus;
	int home = index_of(cpus, o->cpu[0]);
	unsigned char nibble[PL_CPUS_MAX * 16] = {0};
	int top = 0;
	size_t len;

	for (int i = 0; i < cpus->nr; i++) {
		int cpu = cpus->cpu[i];

		if (cpus->llc[i] != cpus->llc[home] || cpu / 4 >= (int)sizeof(nibble))
			continue;
		nibble[cpu / 4] |= (unsigned char)(1 << cpu % 4);
		top = cpu / 4 > top ? cpu / 4 : top;
	}
	len = (size_t)snprintf(out, n, "0x");
	for (int i = top; i >= 0 && len < n; i--)
		len += (size_t)snprintf(out + len, n - len, "%x", nibble[i]);
}

int pl_hand_node(const struct pl_bench_opts *o)
{
	return o->cpus.node[index_of(&o->cpus, o->cpu[0])];
}
