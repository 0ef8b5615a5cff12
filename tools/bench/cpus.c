// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See cpus.h.
#include "tools/bench/cpus.h"

#include <sched.h>
#include <stdio.h>

static int core_of(int cpu)
{
	int core = -1 - cpu; /* unknown: a core of its own */
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/core_cpus_list", cpu);
	f = fopen(path, "re");
	if (!f)
		return core;
	/* The first CPU of the list names the core. */
	if (fscanf(f, "%d", &core) != 1)
		core = -1 - cpu;
	fclose(f);
	return core;
}

/* How many CPUs before I are of the same core. */
static int rank(const struct pl_cpus *cpus, int i)
{
	int n = 0;

	for (int k = 0; k < i; k++)
		n += cpus->core[k] == cpus->core[i];
	return n;
}

int pl_cpus_by_core(const struct pl_cpus *cpus, int *out)
{
	int n = 0, cores = 0;

	for (int r = 0; n < cpus->nr; r++) {
		for (int i = 0; i < cpus->nr; i++) {
			if (rank(cpus, i) == r)
				out[n++] = cpus->cpu[i];
		}
		if (r == 0)
			cores = n;
	}
	return cores;
}

void pl_cpus_read(struct pl_cpus *out)
{
	int order[PL_CPUS_MAX];
	cpu_set_t set;

	out->nr = 0;
	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set))
		CPU_SET(0, &set);
	for (int cpu = 0; cpu < CPU_SETSIZE && out->nr < PL_CPUS_MAX; cpu++) {
		if (!CPU_ISSET(cpu, &set))
			continue;
		out->cpu[out->nr] = cpu;
		out->core[out->nr++] = core_of(cpu);
	}
	out->nr_cores = pl_cpus_by_core(out, order);
}
