// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Pair slots of the segment: every transition is one compare-and-swap on the state.
#include "domain/pair.h"

#include "base/clock.h"
#include "trace/counters.h"

static struct pl_pair *take_slot(struct pl_segment *seg, uint32_t *n)
{
	for (uint32_t i = 0; i < PL_NR_PAIRS; i++) {
		uint32_t was = PL_PAIR_FREE;

		if (pl_get(&seg->pair[i].state) == PL_PAIR_FREE &&
		    atomic_compare_exchange_strong(&seg->pair[i].state, &was, PL_PAIR_FORMING)) {
			*n = i + 1;
			return &seg->pair[i];
		}
	}
	return NULL;
}

static void open_record(struct pl_segment *seg, struct pl_pair *p, struct pl_task *a,
			struct pl_task *b)
{
	struct pl_run *run = pl_seg_run(seg, pl_get(&a->run));
	uint64_t now = pl_get(&p->since_ns);

	if (!run)
		return;
	pl_set(&p->record,
	       pl_run_log_pair(run, (uint32_t)pl_get(&a->tid), (uint32_t)pl_get(&b->tid), now));
}

uint32_t pl_pair_claim(struct pl_segment *seg, pl_task_id a, pl_task_id b, uint32_t cpu,
		       bool whole_core)
{
	struct pl_task *ta = pl_seg_task(seg, a), *tb = pl_seg_task(seg, b);
	uint32_t n, none_a = 0, none_b = 0, forming = PL_PAIR_FORMING;
	struct pl_pair *p;

	if (!ta || !tb || pl_get(&ta->pair) || pl_get(&tb->pair))
		return 0;
	p = take_slot(seg, &n);
	if (!p)
		return 0;
	pl_set(&p->member[0], a);
	pl_set(&p->member[1], b);
	pl_set(&p->cpu[0], cpu);
	pl_set(&p->cpu[1], cpu);
	pl_set(&p->whole_core, whole_core);
	pl_set(&p->reason, PL_REASON_NONE);
	pl_set(&p->slice, 0);
	pl_set(&p->rate_off, 0);
	pl_set(&p->rate_on, 0);
	pl_set(&p->seen_turns, 0);
	pl_set(&p->seen_ns, 0);
	pl_set(&p->nr_looks, 0);
	pl_set(&p->nr_quiet, 0);
	pl_set(&p->aside, 0);
	pl_set(&p->crowded_ns, 0);
	pl_set(&p->run, pl_get(&ta->run));
	pl_set(&p->record, 0);
	pl_set(&p->since_ns, pl_now_ns());
	pl_set(&p->command, (pl_get(&p->command) + 2) & ~1u);
	if (!atomic_compare_exchange_strong(&ta->pair, &none_a, n)) {
		pl_set_release(&p->state, PL_PAIR_FREE);
		return 0;
	}
	if (!atomic_compare_exchange_strong(&tb->pair, &none_b, n)) {
		pl_set(&ta->pair, 0);
		pl_set_release(&p->state, PL_PAIR_FREE);
		return 0;
	}
	open_record(seg, p, ta, tb);
	/* A member may have ended meanwhile: the pair then stays released, for the keeper to free.
	 */
	return atomic_compare_exchange_strong(&p->state, &forming, PL_PAIR_VERIFY) ? n : 0;
}

/*
 * The same two are not tried again for 1, 2, 4 .. 64 s; a hold that lasted starts the row afresh. A
 * compute phase (no turn) or a third task passes, so their row starts at 50 ms.
 */
static void back_off(struct pl_segment *seg, struct pl_pair *p, enum pl_reason reason,
		     bool was_held)
{
	uint64_t now = pl_now_ns(), since = pl_get(&p->since_ns), step = PL_NS_PER_S;
	bool lasted = was_held && now - since >= PL_NS_PER_S;

	if (reason == PL_REASON_NO_TURN || reason == PL_REASON_THIRD_TASK)
		step = 50 * PL_NS_PER_MS;
	for (int i = 0; i < 2; i++) {
		struct pl_task *t = pl_seg_task(seg, pl_get(&p->member[i]));
		uint32_t other = pl_get(&p->member[!i]), level;

		if (!t)
			continue;
		level = lasted || pl_get(&t->fail_partner) != other ? 0 : pl_get(&t->fail_level);
		pl_set(&t->fail_partner, other);
		pl_set(&t->retry_ns, now + (step << (level < 6 ? level : 6)));
		pl_set(&t->fail_level, level + 1);
	}
}

bool pl_pair_release(struct pl_segment *seg, struct pl_pair *p, enum pl_reason reason)
{
	uint32_t state = pl_get(&p->state);
	struct pl_run *run;
	struct pl_pair_record *rec;

	do {
		if (state == PL_PAIR_FREE || state == PL_PAIR_RELEASED)
			return false;
	} while (!atomic_compare_exchange_weak(&p->state, &state, PL_PAIR_RELEASED));
	pl_set(&p->reason, reason);
	pl_set(&p->nr_looks, 0);
	back_off(seg, p, reason, state != PL_PAIR_VERIFY);
	atomic_store(&p->command, (pl_get(&p->command) + 2) & ~1u);
	run = pl_seg_run(seg, pl_get(&p->run));
	if (!run)
		return true;
	atomic_fetch_add(&run->released[reason], 1);
	rec = pl_run_record(run, pl_get(&p->record));
	if (!rec)
		return true;
	pl_set(&rec->reason, reason);
	pl_set(&rec->rate_off, pl_get(&p->rate_off));
	pl_set(&rec->rate_on, pl_get(&p->rate_on));
	pl_set(&rec->ended_ns, pl_now_ns());
	return true;
}

void pl_pair_command(struct pl_pair *p, bool bound)
{
	uint32_t c = pl_get(&p->command);

	if ((c & 1) == bound || !pl_pair_is_live(p))
		return;
	/* A releaser that comes between wins: its command differs from C. */
	atomic_compare_exchange_strong(&p->command, &c, ((c + 2) & ~1u) | bound);
	if (!pl_pair_is_live(p))
		atomic_fetch_and(&p->command, ~1u);
}

void pl_pair_held(struct pl_segment *seg, struct pl_pair *p, bool apart)
{
	uint32_t state = PL_PAIR_VERIFY;
	struct pl_run *run = pl_seg_run(seg, pl_get(&p->run));
	struct pl_pair_record *rec = run ? pl_run_record(run, pl_get(&p->record)) : NULL;
	uint64_t now = pl_now_ns();

	if (!atomic_compare_exchange_strong(&p->state, &state, PL_PAIR_HELD))
		return;
	pl_set(&p->since_ns, now);
	/* One that is held apart is verified again and again. */
	if (run && !(rec && pl_get(&rec->held)))
		atomic_fetch_add(&run->held, 1);
	if (!rec)
		return;
	pl_set(&rec->held, apart ? 2 : 1);
	if (!pl_get(&rec->held_ns))
		pl_set(&rec->held_ns, now);
	pl_set(&rec->rate_off, pl_get(&p->rate_off));
	pl_set(&rec->rate_on, pl_get(&p->rate_on));
}

void pl_pair_free(struct pl_segment *seg, struct pl_pair *p)
{
	uint32_t n = (uint32_t)(p - seg->pair) + 1;

	for (int i = 0; i < 2; i++) {
		struct pl_task *t = pl_seg_task(seg, pl_get(&p->member[i]));
		uint32_t mine = n;

		if (t)
			atomic_compare_exchange_strong(&t->pair, &mine, 0);
	}
	pl_set_release(&p->state, PL_PAIR_FREE);
}

unsigned int pl_pair_count_on(struct pl_segment *seg, uint32_t cpu)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < PL_NR_PAIRS; i++)
		n += pl_pair_is_live(&seg->pair[i]) &&
		     (pl_get(&seg->pair[i].cpu[0]) == cpu || pl_get(&seg->pair[i].cpu[1]) == cpu);
	return n;
}
