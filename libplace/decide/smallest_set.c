// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R16.
#include "decide/smallest_set.h"

/* Entries of order[] among which the set's CPUs are. */
static struct pl_range span_of(const struct pl_machine *m, int cpu, enum pl_set set)
{
	struct pl_range all = {0, m->nr_online};

	if (set == PL_SET_CORE)
		return m->core[m->cpu[cpu].core];
	if (set == PL_SET_LLC)
		return m->llc[m->cpu[cpu].llc];
	return all;
}

static bool is_in(const struct pl_snapshot *s, int cpu, int around, enum pl_set set,
		  const struct pl_cpumask *allowed)
{
	return pl_snapshot_allows(s, cpu, allowed) &&
	       (set != PL_SET_NODE || s->machine->cpu[cpu].node == s->machine->cpu[around].node);
}

static int weight(const struct pl_snapshot *s, int cpu, enum pl_set set,
		  const struct pl_cpumask *allowed)
{
	struct pl_range span = span_of(s->machine, cpu, set);
	int nr = 0;

	for (int i = span.first; i < span.first + span.nr; i++)
		nr += is_in(s, s->machine->order[i], cpu, set, allowed);
	return nr;
}

enum pl_set pl_smallest_set(const struct pl_snapshot *s, int cpu, enum pl_set least,
			    const struct pl_cpumask *allowed)
{
	int all;

	if (!pl_machine_has(s->machine, cpu))
		return PL_SET_NONE;
	all = weight(s, cpu, PL_SET_NONE, allowed);
	for (enum pl_set set = least ? least : PL_SET_CORE; set <= PL_SET_NODE; set++) {
		int nr = weight(s, cpu, set, allowed);

		if (nr > 1)
			return nr < all ? set : PL_SET_NONE;
	}
	return PL_SET_NONE;
}

/* Whether SET around CPU, whose core has one usable CPU, has cores of another kind. */
static bool is_mixed(const struct pl_snapshot *s, int cpu, enum pl_set set,
		     const struct pl_cpumask *allowed)
{
	struct pl_range span = span_of(s->machine, cpu, set);

	for (int i = span.first; i < span.first + span.nr; i++) {
		int other = s->machine->order[i];

		if (is_in(s, other, cpu, set, allowed) &&
		    (s->machine->cpu[other].capacity != s->machine->cpu[cpu].capacity ||
		     weight(s, other, PL_SET_CORE, allowed) > 1))
			return true;
	}
	return false;
}

enum pl_set pl_set_to_hold(const struct pl_snapshot *s, int cpu, enum pl_set least,
			   const struct pl_cpumask *allowed)
{
	enum pl_set set = pl_smallest_set(s, cpu, least, allowed);

	if (set == PL_SET_CORE || least != PL_SET_CORE || !pl_machine_has(s->machine, cpu) ||
	    weight(s, cpu, PL_SET_CORE, allowed) != 1)
		return set;
	return is_mixed(s, cpu, set, allowed) ? PL_SET_CPU : set;
}

void pl_set_mask(const struct pl_snapshot *s, int cpu, enum pl_set set,
		 const struct pl_cpumask *allowed, struct pl_cpumask *out)
{
	struct pl_range span = {0, s->machine->nr_online};

	pl_cpumask_zero(out);
	if (set != PL_SET_NONE && !pl_machine_has(s->machine, cpu))
		return;
	if (set == PL_SET_CPU) {
		if (is_in(s, cpu, cpu, set, allowed))
			pl_cpumask_add(out, cpu);
		return;
	}
	if (set != PL_SET_NONE)
		span = span_of(s->machine, cpu, set);
	for (int i = span.first; i < span.first + span.nr; i++)
		if (is_in(s, s->machine->order[i], cpu, set, allowed))
			pl_cpumask_add(out, s->machine->order[i]);
}
