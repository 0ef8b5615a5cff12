// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See cores.h.
#include "cores.h"

#include <stdio.h>

struct vm_cpu vm_cpus[MAX_CPUS];

/* First number in a file below the CPU's directory, or -1. */
static int read_number(int cpu, const char *name)
{
	char path[128];
	int v = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/%s", cpu, name);
	f = fopen(path, "re");
	if (!f)
		return -1;
	if (fscanf(f, "%d", &v) != 1)
		v = -1;
	fclose(f);
	return v;
}

void vm_cpus_read(void)
{
	for (int c = 0; c < MAX_CPUS; c++) {
		vm_cpus[c].core = read_number(c, "topology/thread_siblings_list");
		if (vm_cpus[c].core < 0 || vm_cpus[c].core >= MAX_CPUS) {
			vm_cpus[c].core = -1;
			continue;
		}
		vm_cpus[c].capacity = read_number(c, "cpu_capacity");
		if (vm_cpus[c].capacity <= 0)
			vm_cpus[c].capacity = read_number(c, "acpi_cppc/highest_perf");
		if (vm_cpus[c].capacity <= 0)
			vm_cpus[c].capacity = 1024;
	}
}
