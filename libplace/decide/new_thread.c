// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R10.
#include "decide/new_thread.h"

#include "decide/idle_cpu.h"

/* What an LLC offers to the new thread. */
struct offer {
	int llc; /* -1: none so far */
	uint32_t idle_cores;
	uint64_t spare;
	uint32_t distance;
};

/* False when nothing of the LLC may be used. */
static bool look_at(const struct pl_snapshot *s, const struct pl_request *r, int llc,
		    struct offer *o)
{
	const struct pl_machine *m = s->machine;
	const struct pl_range *range = &m->llc[llc];
	const unsigned long *program = s->allowed ? s->allowed->bits : NULL;
	const unsigned long *own = r->allowed ? r->allowed->bits : NULL;
	int last_core = -1, any = -1;
	uint32_t idle_cores = 0;
	uint64_t spare = 0;

	/* Sums in registers: this looks at every CPU of the machine. */
	for (int i = range->first; i < range->first + range->nr; i++) {
		int cpu = m->order[i];
		uint32_t capacity = pl_snapshot_capacity(s, cpu), util = pl_snapshot_util(s, cpu);
		unsigned long bit = 1ul << (cpu % PL_LONG_BITS);
		int word = cpu / PL_LONG_BITS;

		if ((program && !(program[word] & bit)) || (own && !(own[word] & bit)))
			continue;
		if (any < 0)
			any = cpu;
		spare += util < capacity ? capacity - util : 0;
		if (s->idle_core.bits[word] & bit && m->cpu[cpu].core != last_core) {
			idle_cores++;
			last_core = m->cpu[cpu].core;
		}
	}
	*o = (struct offer){llc, idle_cores, spare,
			    any < 0 ? 0 : pl_node_distance(m, r->target, any)};
	return any >= 0;
}

static bool is_better(const struct offer *a, const struct offer *b)
{
	if (b->llc < 0 || a->idle_cores != b->idle_cores)
		return b->llc < 0 || a->idle_cores > b->idle_cores;
	if (a->spare != b->spare)
		return a->spare > b->spare;
	return a->distance < b->distance;
}

void pl_place_new_thread(const struct pl_snapshot *s, const struct pl_request *r, int preferred_llc,
			 struct pl_choice *out)
{
	struct offer best = {.llc = -1}, o;
	enum pl_why why = PL_WHY_NEW_IDLEST;

	if (preferred_llc >= 0 && preferred_llc < s->machine->nr_llcs &&
	    look_at(s, r, preferred_llc, &o) && o.idle_cores) {
		best = o;
		why = PL_WHY_NEW_PREFERRED;
	}
	for (int llc = 0; why == PL_WHY_NEW_IDLEST && llc < s->machine->nr_llcs; llc++)
		if (look_at(s, r, llc, &o) && is_better(&o, &best))
			best = o;
	if (best.llc < 0) {
		pl_choice_init(out);
		out->why = PL_WHY_NOT_ALLOWED;
		return;
	}
	pl_idle_cpu_by_rank(s, r, best.llc, best.idle_cores > 0, out);
	out->hint_stale = false;
	if (out->cpu >= 0)
		out->why = why;
}
