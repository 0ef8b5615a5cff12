// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Lists of the kernel: online, isolated (isolcpus) and tickless (nohz_full) CPUs.
#include "machine/allowed.h"

int pl_allowed_online(const struct pl_sysfs *s, struct pl_cpumask *out)
{
	return pl_sysfs_cpulist(s, "sys/devices/system/cpu/online", out);
}

static void flag(const struct pl_sysfs *s, struct pl_machine *m, const char *path, uint8_t bit)
{
	struct pl_cpumask cpus;

	/* nohz_full reads "(null)" where it is not in use. */
	if (pl_sysfs_cpulist(s, path, &cpus) != 0)
		return;
	for (int c = 0; c < m->nr_cpu_ids; c++)
		if (pl_machine_has(m, c) && pl_cpumask_has(&cpus, c))
			m->cpu[c].flags |= bit;
}

void pl_allowed_flags(const struct pl_sysfs *s, struct pl_machine *m)
{
	for (int c = 0; c < m->nr_cpu_ids; c++)
		m->cpu[c].flags = 0;
	flag(s, m, "sys/devices/system/cpu/isolated", PL_CPU_ISOLATED);
	flag(s, m, "sys/devices/system/cpu/nohz_full", PL_CPU_TICKLESS);
}
