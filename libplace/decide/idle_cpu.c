// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R6 and R8: the idle search on a symmetric machine. R7 is in idle_cpu_asym.c.
#include "decide/idle_cpu.h"

#include "decide/scan.h"

/* Takes CPU, or the one that stands for its core when that is idle (R8). */
static void take(const struct pl_snapshot *s, const struct pl_request *r, int cpu, enum pl_why why,
		 struct pl_choice *out)
{
	if (pl_cpumask_has(&s->idle_core, cpu))
		cpu = pl_core_representative(s, cpu, r->allowed);
	pl_choice_take(out, cpu, why);
}

/* Steps 1 to 3: CPU itself, when it shares the target's LLC and is idle enough. */
static bool try_cpu(const struct pl_snapshot *s, const struct pl_request *r, int cpu,
		    bool whole_core, enum pl_why why, struct pl_choice *out)
{
	if (!pl_machine_has(s->machine, cpu))
		return false;
	if (!pl_snapshot_share_llc(s, cpu, r->target))
		pl_choice_reject(out, cpu, PL_WHY_OTHER_LLC);
	else if (!pl_snapshot_allows(s, cpu, r->allowed))
		pl_choice_reject(out, cpu, PL_WHY_NOT_ALLOWED);
	else if (!pl_cpumask_has(&s->idle, cpu))
		pl_choice_reject(out, cpu, PL_WHY_BUSY);
	else if (whole_core && !pl_cpumask_has(&s->idle_core, cpu))
		pl_choice_reject(out, cpu, PL_WHY_CORE_BUSY);
	else {
		take(s, r, cpu, why, out);
		return true;
	}
	return false;
}

/* The first CPU of IN in the target's LLC, from target + 1, wrapping; -1: none. */
static int scan_llc(const struct pl_snapshot *s, const struct pl_request *r,
		    const struct pl_cpumask *in)
{
	uint16_t llc = s->machine->cpu[r->target].llc;
	struct pl_scan scan;
	int cpu;

	pl_scan_init(&scan, s, in, r->allowed, r->target + 1);
	do {
		cpu = pl_scan_next(&scan);
	} while (cpu >= 0 && s->machine->cpu[cpu].llc != llc);
	return cpu;
}

/* The same for idle CPUs when only BUDGET CPUs may be looked at (R14). */
static int scan_budget(const struct pl_snapshot *s, const struct pl_request *r, uint32_t budget,
		       struct pl_choice *out)
{
	const struct pl_machine *m = s->machine;

	for (int i = 1; i <= m->nr_cpu_ids; i++) {
		int cpu = (r->target + i) % m->nr_cpu_ids;

		if (m->cpu[cpu].llc != m->cpu[r->target].llc ||
		    !pl_snapshot_allows(s, cpu, r->allowed))
			continue;
		if (budget-- == 0) {
			pl_choice_reject(out, cpu, PL_WHY_NO_BUDGET);
			return -1;
		}
		if (pl_cpumask_has(&s->idle, cpu))
			return cpu;
	}
	return -1;
}

/* Step 5. */
static int idle_sibling(const struct pl_snapshot *s, const struct pl_request *r)
{
	const struct pl_range *core = &s->machine->core[s->machine->cpu[r->prev].core];

	for (int i = 0; i < core->nr; i++) {
		int cpu = s->machine->order[core->first + i];

		if (pl_cpumask_has(&s->idle, cpu) && pl_snapshot_allows(s, cpu, r->allowed))
			return cpu;
	}
	return -1;
}

static void search_llc(const struct pl_snapshot *s, const struct pl_request *r, bool core_first,
		       struct pl_choice *out)
{
	const struct pl_domain_state *llc = &s->llc[s->machine->cpu[r->target].llc];
	int cpu = -1;

	if (llc->has_idle_core && llc->budget)
		cpu = scan_llc(s, r, &s->idle_core);
	if (cpu >= 0) {
		take(s, r, cpu, PL_WHY_IDLE_CORE, out);
		return;
	}
	if (!llc->has_idle_core && !core_first && pl_snapshot_share_llc(s, r->prev, r->target))
		cpu = idle_sibling(s, r);
	if (cpu >= 0) {
		take(s, r, cpu, PL_WHY_IDLE_SIBLING, out);
		return;
	}
	if (llc->budget == PL_NO_BUDGET)
		cpu = scan_llc(s, r, &s->idle);
	else if (llc->budget)
		cpu = scan_budget(s, r, llc->budget, out);
	else
		pl_choice_reject(out, r->target, PL_WHY_NO_BUDGET);
	if (cpu >= 0)
		take(s, r, cpu, PL_WHY_IDLE_CPU, out);
	else if (pl_snapshot_allows(s, r->target, r->allowed))
		pl_choice_take(out, r->target, PL_WHY_TARGET);
	else
		pl_choice_take(out, -1, PL_WHY_NO_IDLE);
}

void pl_idle_cpu_symmetric(const struct pl_snapshot *s, const struct pl_request *r,
			   struct pl_choice *out)
{
	bool core_first = s->machine->smt > 1 && s->idle_mode == PL_IDLE_CORE_FIRST;

	pl_choice_init(out);
	if (!pl_machine_has(s->machine, r->target)) {
		out->why = PL_WHY_NOT_ALLOWED;
		return;
	}
	if (try_cpu(s, r, r->target, core_first, PL_WHY_TARGET_IDLE, out))
		return;
	if (r->prev != r->target && try_cpu(s, r, r->prev, core_first, PL_WHY_PREV_IDLE, out))
		return;
	if (r->recent != r->target && r->recent != r->prev &&
	    try_cpu(s, r, r->recent, core_first, PL_WHY_RECENT_IDLE, out))
		return;
	search_llc(s, r, core_first, out);
}

void pl_select_idle_cpu(const struct pl_snapshot *s, const struct pl_request *r,
			struct pl_choice *out)
{
	if (s->machine->asymmetric)
		pl_idle_cpu_asymmetric(s, r, out);
	else
		pl_idle_cpu_symmetric(s, r, out);
}
