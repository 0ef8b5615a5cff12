// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place_select_cpu(): the idle search (R6, R7) on a snapshot of now. Applies and claims nothing.
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "api/api.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/sys.h"
#include "decide/idle_cpu.h"
#include "domain/claim.h"
#include "libplace/place.h"

enum {
	IDLE_LOAD = 102,     /* R6: a tenth of a CPU */
	LOAD_FRESH_MS = 500, /* older samples say nothing of now */
};

/* Too large for a stack of unknown size. */
struct pl_query {
	struct pl_snapshot snapshot;
	struct pl_cpumask allowed;
};

static struct pl_query *memory_of(struct pl_tls *t)
{
	long addr;

	if (t->query)
		return t->query;
	addr = pl_sys6(SYS_mmap, 0, sizeof(struct pl_query), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (addr < 0 && addr > -4096)
		return NULL;
	t->query = (struct pl_query *)addr;
	return t->query;
}

void pl_query_free(struct pl_tls *t)
{
	if (t->query)
		pl_sys2(SYS_munmap, t->query, sizeof(struct pl_query));
	t->query = NULL;
}

static bool is_sane(const struct place_select *s)
{
	return !(s->flags & ~(uint32_t)(PLACE_SELECT_TARGET | PLACE_SELECT_PREV)) &&
	       s->util <= 1024 && s->util_min <= 1024 && s->util_max <= 1024 &&
	       (!s->cpus || (s->nr_cpus && s->nr_cpus <= PL_MAX_CPUS));
}

/* The first NR bits of BITS. */
static void copy_cpus(struct pl_cpumask *out, const unsigned long *bits, uint32_t nr)
{
	uint32_t whole = nr / (uint32_t)PL_LONG_BITS, rest = nr % (uint32_t)PL_LONG_BITS;

	pl_cpumask_zero(out);
	memcpy(out->bits, bits, whole * sizeof(*bits));
	if (rest)
		out->bits[whole] = bits[whole] & ((1ul << rest) - 1);
}

/* CPUs without load, as far as a fresh sample says, and without somebody else's claim. Returns the
 * sample's age. */
static uint64_t fill_idle(struct pl_segment *seg, const struct pl_machine *m, pl_task_id self,
			  struct pl_cpumask *idle)
{
	uint64_t age = pl_now_ns() - pl_get(&seg->load_ns);
	bool fresh = age <= LOAD_FRESH_MS * PL_NS_PER_MS;

	pl_cpumask_zero(idle);
	for (int i = 0; i < m->nr_online; i++)
		if (!fresh || pl_get(&seg->load[m->order[i]].busy) < IDLE_LOAD)
			pl_cpumask_add(idle, m->order[i]);
	pl_claim_subtract(seg, m, self, idle);
	return fresh ? age : UINT64_MAX;
}

static uint64_t answer(struct pl_tls *t, struct pl_segment *seg, const struct pl_machine *m,
		       const struct place_select *s, struct pl_choice *out)
{
	struct pl_query *q = t->query;
	struct pl_request r = {
		.target = s->flags & PLACE_SELECT_TARGET ? s->target : pl_cpu_now(),
		.prev = s->flags & PLACE_SELECT_PREV ? s->prev : -1,
		.recent = -1,
		.util = s->util,
		.umin = s->util_min,
		.umax = s->util_max ? s->util_max : 1024,
		.allowed = s->cpus ? &q->allowed : NULL,
	};
	uint64_t age;

	if (s->cpus)
		copy_cpus(&q->allowed, s->cpus, s->nr_cpus);
	q->snapshot.machine = m;
	age = fill_idle(seg, m, t->id, &q->snapshot.idle);
	pl_snapshot_finish(&q->snapshot);
	/* The rules ask for a target that may be used. */
	for (int i = 0; i < m->nr_online && !pl_snapshot_allows(&q->snapshot, r.target, r.allowed);
	     i++)
		r.target = m->order[i];
	pl_choice_init(out);
	pl_select_idle_cpu(&q->snapshot, &r, out);
	return age;
}

PL_API int place_select_cpu(const struct place_select *select, struct place_choice *choice)
{
	const struct pl_machine *m;
	struct pl_segment *seg;
	struct place_select s;
	struct place_choice out;
	uint32_t generation;
	struct pl_choice c;
	struct pl_tls *t;
	int ret = pl_api_copy_in(&s, sizeof(s), sizeof(s), select);

	if (ret)
		return ret;
	if (!choice || choice->size < sizeof(out) || !is_sane(&s))
		return -EINVAL;
	ret = pl_api_task(&t);
	if (ret)
		return ret;
	ret = pl_api_machine(&seg, &m, &generation);
	if (ret)
		return ret;
	if (!memory_of(t))
		return -ENOMEM;
	out.load_age_ns = answer(t, seg, m, &s, &c);
	out.cpu = c.cpu;
	out.why = pl_why_text(c.why);
	out.rule = pl_why_rule(c.why);
	return pl_api_copy_out(choice, sizeof(out), &out, sizeof(out));
}
