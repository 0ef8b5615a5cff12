// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R8: the words of seg->claim[].
#include "domain/claim.h"

/* The word that follows WAS when it becomes ID's: the count tells it from every former one, so a
 * compare-and-swap fails that was prepared while its owner was still waiting. */
static uint64_t next_word(uint64_t was, pl_task_id id)
{
	return ((was >> 32) + 1) << 32 | id;
}

static pl_task_id id_of(uint64_t word)
{
	return (pl_task_id)word;
}

/* The running task whose word this is, or NULL when the word may be taken. */
static const struct pl_task *runner(struct pl_segment *seg, uint64_t word)
{
	const struct pl_task *t = pl_seg_task(seg, id_of(word));

	return t && pl_get_acquire(&t->state) == PL_TASK_RUNNING && !pl_get(&t->still) ? t : NULL;
}

/* CPU's core in order[], false when there is none; the model may lie in the segment. */
static bool core_of(const struct pl_machine *m, int cpu, struct pl_range *core)
{
	uint16_t n;

	if (!pl_machine_has(m, cpu))
		return false;
	n = m->cpu[cpu].core;
	if (n >= PL_MAX_CPUS)
		return false;
	*core = m->core[n];
	return core->nr && core->first + core->nr <= PL_MAX_CPUS;
}

static uint32_t cpu_at(const struct pl_machine *m, int i)
{
	return m->order[i] & (PL_MAX_CPUS - 1);
}

static bool take(struct pl_segment *seg, uint32_t cpu, pl_task_id me)
{
	uint64_t was = pl_get_acquire(&seg->claim[cpu]);

	if (id_of(was) != me && runner(seg, was))
		return false;
	return atomic_compare_exchange_strong(&seg->claim[cpu], &was, next_word(was, me));
}

/* Whether a task other than EXCEPT runs by a word of the core from its entry FROM on. */
static bool core_is_busy(struct pl_segment *seg, const struct pl_machine *m,
			 const struct pl_range *core, int from, pl_task_id except)
{
	for (int i = core->first + from; i < core->first + core->nr; i++) {
		uint64_t word = atomic_load(&seg->claim[cpu_at(m, i)]);

		if (id_of(word) != except && runner(seg, word))
			return true;
	}
	return false;
}

pl_claim_ref pl_claim_core(struct pl_segment *seg, const struct pl_machine *m, int cpu,
			   pl_task_id me)
{
	struct pl_range core;
	uint32_t first;

	if (!pl_seg_task(seg, me) || !core_of(m, cpu, &core))
		return 0;
	first = cpu_at(m, core.first);
	if (core_is_busy(seg, m, &core, 1, me) || !take(seg, first, me))
		return 0;
	/* Whoever claimed beside the former owner may have come back in between. */
	if (core_is_busy(seg, m, &core, 1, me)) {
		pl_claim_release(seg, first + 1, me);
		return 0;
	}
	return first + 1;
}

pl_claim_ref pl_claim_beside(struct pl_segment *seg, const struct pl_machine *m, int cpu,
			     pl_task_id me)
{
	struct pl_range core;

	if (!pl_seg_task(seg, me) || !core_of(m, cpu, &core))
		return 0;
	for (int i = core.first; i < core.first + core.nr; i++)
		if (take(seg, cpu_at(m, i), me))
			return cpu_at(m, i) + 1;
	return 0;
}

bool pl_claim_keep(struct pl_segment *seg, pl_claim_ref ref, pl_task_id me)
{
	uint64_t was;

	if (!ref || ref > PL_MAX_CPUS)
		return false;
	was = pl_get(&seg->claim[ref - 1]);
	return me && id_of(was) == me &&
	       atomic_compare_exchange_strong(&seg->claim[ref - 1], &was, next_word(was, me));
}

void pl_claim_release(struct pl_segment *seg, pl_claim_ref ref, pl_task_id me)
{
	uint64_t was;

	if (!ref || ref > PL_MAX_CPUS)
		return;
	was = pl_get(&seg->claim[ref - 1]);
	if (me && id_of(was) == me)
		atomic_compare_exchange_strong(&seg->claim[ref - 1], &was, next_word(was, 0));
}

bool pl_claim_core_is_busy(struct pl_segment *seg, const struct pl_machine *m, int cpu,
			   pl_task_id except)
{
	struct pl_range core;

	return core_of(m, cpu, &core) && core_is_busy(seg, m, &core, 0, except);
}

void pl_claim_busy_cpus(struct pl_segment *seg, const struct pl_machine *m, uint32_t except_proc,
			struct pl_cpumask *out)
{
	pl_cpumask_zero(out);
	for (int cpu = 0; cpu < m->nr_cpu_ids && cpu < PL_MAX_CPUS; cpu++) {
		uint64_t word = pl_get_acquire(&seg->claim[cpu]);
		const struct pl_task *t = word ? runner(seg, word) : NULL;

		if (t && (!except_proc || pl_get(&t->proc) != except_proc))
			pl_cpumask_add(out, cpu);
	}
}

void pl_claim_subtract(struct pl_segment *seg, const struct pl_machine *m, pl_task_id except,
		       struct pl_cpumask *idle)
{
	for (int cpu = 0; cpu < m->nr_cpu_ids && cpu < PL_MAX_CPUS; cpu++) {
		uint64_t word = pl_get_acquire(&seg->claim[cpu]);
		struct pl_range core;

		if (!word || id_of(word) == except || !runner(seg, word) || !core_of(m, cpu, &core))
			continue;
		for (int i = core.first; i < core.first + core.nr; i++)
			pl_cpumask_del(idle, (int)cpu_at(m, i));
	}
}
