// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R13.
#include "decide/balancer_place.h"

/* Usable CPUs of IN (NULL: of all), housekeeping ones only when HOUSEKEEPING. */
static bool fill(const struct pl_snapshot *s, const struct pl_cpumask *in, bool housekeeping,
		 struct pl_cpumask *out)
{
	bool any = false;

	pl_cpumask_zero(out);
	for (int i = 0; i < s->machine->nr_online; i++) {
		int cpu = s->machine->order[i];

		if (!pl_snapshot_allows(s, cpu, NULL) || (in && !pl_cpumask_has(in, cpu)))
			continue;
		if (housekeeping &&
		    s->machine->cpu[cpu].flags & (PL_CPU_ISOLATED | PL_CPU_TICKLESS))
			continue;
		pl_cpumask_add(out, cpu);
		any = true;
	}
	return any;
}

enum pl_balancer_place pl_balancer_mask(const struct pl_snapshot *s, struct pl_cpumask *out)
{
	if (fill(s, &s->idle_core, true, out))
		return PL_BALANCER_IDLE_CORES;
	if (fill(s, &s->idle, true, out))
		return PL_BALANCER_IDLE_CPUS;
	fill(s, NULL, false, out);
	return PL_BALANCER_ANYWHERE;
}
