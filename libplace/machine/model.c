// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Questions to the flat machine model; no system call, no allocation.
#include "machine/model.h"

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
	int n = 0;

	if (!pl_machine_has(m, cpu))
		return 1;
	for (int c = 0; c < m->nr_cpu_ids && c < PL_MAX_CPUS; c++)
		n += m->cpu[c].capacity && m->cpu[c].llc == m->cpu[cpu].llc;
	return n > 0 ? n : 1;
}

bool pl_machine_is_valid(const struct pl_machine *m)
{
	int online = 0;

	if (m->nr_cpu_ids == 0 || m->nr_cpu_ids > PL_MAX_CPUS || m->nr_online > m->nr_cpu_ids ||
	    m->nr_cores > m->nr_cpu_ids || m->nr_llcs > m->nr_cpu_ids || m->smt > m->nr_cpu_ids)
		return false;
	for (int c = 0; c < m->nr_cpu_ids; c++) {
		if (m->cpu[c].capacity > 1024)
			return false;
		online += m->cpu[c].capacity > 0;
	}
	return online > 0;
}
