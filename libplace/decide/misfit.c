// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R9.
#include "decide/misfit.h"

#include "decide/fits.h"
#include "decide/scan.h"

/* True when it may use several CPUs, one of them of larger capacity by design. */
static bool may_use_larger(const struct pl_snapshot *s, const struct pl_request *r)
{
	const struct pl_machine *m = s->machine;
	bool larger = false;
	int nr = 0;

	for (int i = 0; i < m->nr_online && !(larger && nr > 1); i++) {
		int cpu = m->order[i];

		if (!pl_snapshot_allows_online(s, cpu, r->allowed))
			continue;
		nr++;
		larger = larger || m->cpu[cpu].capacity > m->cpu[r->prev].capacity;
	}
	return larger && nr > 1;
}

bool pl_is_misfit(const struct pl_snapshot *s, const struct pl_request *r)
{
	struct pl_cpu_capacity c;

	if (!s->machine->asymmetric || !pl_machine_has(s->machine, r->prev))
		return false;
	c.arch = s->machine->cpu[r->prev].capacity;
	c.actual = s->machine->cpu[r->prev].actual;
	c.capacity = pl_snapshot_capacity(s, r->prev);
	return !pl_task_fits_cpu(r->util, r->umin, r->umax, &c) && may_use_larger(s, r);
}

void pl_misfit_target(const struct pl_snapshot *s, const struct pl_request *r,
		      struct pl_choice *out)
{
	uint32_t best = 0, now;
	struct pl_scan scan;
	int best_cpu = -1;

	pl_choice_init(out);
	if (!pl_is_misfit(s, r)) {
		out->why = PL_WHY_NOT_MISFIT;
		return;
	}
	now = pl_snapshot_capacity(s, r->prev);
	/* On SMT only cores that are entirely idle count, elsewhere they are all there is. */
	pl_scan_init(&scan, s, &s->idle_core, r->allowed, r->prev + 1);
	for (int cpu = pl_scan_next(&scan); cpu >= 0; cpu = pl_scan_next(&scan)) {
		uint32_t capacity = pl_snapshot_capacity(s, cpu);

		if (!pl_capacity_greater(capacity, now))
			pl_choice_reject(out, cpu, PL_WHY_TOO_SMALL);
		else if (capacity <= best)
			pl_choice_reject(out, cpu, PL_WHY_LESS_CAPACITY);
		else if (pl_core_representative(s, cpu, r->allowed) == cpu) {
			if (best_cpu >= 0)
				pl_choice_reject(out, best_cpu, PL_WHY_LESS_CAPACITY);
			best = capacity;
			best_cpu = cpu;
		}
	}
	if (best_cpu >= 0)
		pl_choice_take(out, best_cpu, PL_WHY_MISFIT);
	else
		out->why = PL_WHY_NO_IDLE;
}
