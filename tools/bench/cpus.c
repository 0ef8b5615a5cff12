// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See cpus.h.
#include "tools/bench/cpus.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>

/* The number a file of CPU begins with: in a list of CPUs the first one, which names the set. */
static int first_number(int cpu, const char *file, int otherwise)
{
	int value = otherwise;
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/%s", cpu, file);
	f = fopen(path, "re");
	if (!f)
		return otherwise;
	if (fscanf(f, "%d", &value) != 1)
		value = otherwise;
	fclose(f);
	return value;
}

static int llc_of(int cpu)
{
	int llc = first_number(cpu, "cache/index3/shared_cpu_list", -1);

	return llc >= 0 ? llc : first_number(cpu, "cache/index2/shared_cpu_list", -1);
}

/* The directory of a CPU has a link to the node it belongs to. */
static int node_of(int cpu)
{
	char path[64];
	int node = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
	d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));) {
		if (sscanf(e->d_name, "node%d", &node) == 1)
			break;
	}
	if (d)
		closedir(d);
	return node;
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
		out->core[out->nr] = first_number(cpu, "topology/core_cpus_list", -1 - cpu);
		out->llc[out->nr] = llc_of(cpu);
		out->node[out->nr++] = node_of(cpu);
	}
	out->nr_llcs = 0;
	for (int i = 0; i < out->nr; i++) {
		int k = 0;

		while (out->llc[k] != out->llc[i])
			k++;
		out->nr_llcs += k == i;
	}
	out->nr_cores = pl_cpus_by_core(out, order);
}
