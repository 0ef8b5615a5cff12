// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The leader of a pair: commands, slices, verification, probes.
#include "apply/lead.h"

#include "base/clock.h"
#include "decide/verify.h"

static uint32_t turns_of(struct pl_segment *seg, const struct pl_pair *pair)
{
	uint32_t n = 0;

	for (int i = 0; i < 2; i++) {
		const struct pl_task *task = pl_seg_task(seg, pl_get(&pair->member[i]));

		n += task ? pl_get(&task->pub) : 0;
	}
	return n;
}

static bool both_obeyed(struct pl_segment *seg, const struct pl_pair *pair)
{
	uint32_t want = pl_get(&pair->command) & 1;

	for (int i = 0; i < 2; i++) {
		const struct pl_task *task = pl_seg_task(seg, pl_get(&pair->member[i]));

		if (!task || pl_get(&task->bound) != want)
			return false;
	}
	return true;
}

static void order(struct pl_tls *t, enum pl_hold how, int cpu)
{
	t->order = how;
	t->order_cpu = cpu;
}

/*
 * Gives the commands that bring the members to T->order; true once they are there. Places change
 * only while both are wide: whoever gives a mask back compares it with the place in the slot.
 */
static bool carried_out(struct pl_tls *t, struct pl_segment *seg, struct pl_pair *pair)
{
	bool bound = pl_get(&pair->command) & 1, placed = true;

	if (t->order == PL_HOLD_WIDE) {
		pl_pair_command(pair, false);
		return !bound && both_obeyed(seg, pair);
	}
	for (int i = 0; i < 2; i++) {
		uint32_t cpu = (uint32_t)(t->order == PL_HOLD_APART ? t->apart[i] : t->order_cpu);

		if (pl_get(&pair->cpu[i]) == cpu)
			continue;
		placed = false;
		if (!bound && both_obeyed(seg, pair))
			pl_set(&pair->cpu[i], cpu);
	}
	if (bound && placed)
		return both_obeyed(seg, pair);
	if (bound)
		pl_pair_command(pair, false);
	else if (both_obeyed(seg, pair))
		pl_pair_command(pair, true);
	return false;
}

/*
 * One slice: opens once both members are as ordered, and is done after 20 ms and 200 turns. True
 * when it is done, with *RATE in turns per second and *STACKED whether it ran on one CPU.
 */
static bool slice_done(struct pl_tls *t, struct pl_segment *seg, struct pl_pair *pair,
		       uint64_t now_ns, uint32_t *rate, bool *stacked)
{
	const struct pl_task *other = pl_seg_task(seg, pl_get(&pair->member[1]));
	uint32_t turns = turns_of(seg, pair);

	if (!t->slice_open) {
		if (!carried_out(t, seg, pair))
			return false;
		t->slice_open = true;
		t->slice_ns = now_ns;
		t->slice_turns = turns;
		t->slice_apart = 0;
		t->slice_together = 0;
		return false;
	}
	if (other && pl_get(&other->cpu) == pl_get(&t->task->cpu))
		t->slice_together++;
	else
		t->slice_apart++;
	if (now_ns - t->slice_ns < PL_SLICE_NS || turns - t->slice_turns < PL_SLICE_TURNS)
		return false;
	*rate = (uint32_t)((uint64_t)(turns - t->slice_turns) * PL_NS_PER_S /
			   (now_ns - t->slice_ns));
	*stacked = t->slice_together > t->slice_apart;
	t->slice_open = false;
	return true;
}

static void begin_slice(struct pl_tls *t, struct pl_pair *pair, uint32_t slice)
{
	static const uint8_t how[PL_SLICES] = {PL_HOLD_WIDE, PL_HOLD_TOGETHER, PL_HOLD_APART,
					       PL_HOLD_TOGETHER};

	pl_set(&pair->slice, slice);
	t->slice_open = false;
	order(t,
	      how[slice] == PL_HOLD_APART && !t->slices.third_is_apart ? PL_HOLD_WIDE : how[slice],
	      t->on_cpu[slice / 2]);
}

static void show_rates(struct pl_pair *pair, uint32_t off, uint32_t on)
{
	pl_set(&pair->rate_off, off);
	pl_set(&pair->rate_on, on);
}

static void hold(struct pl_tls *t, struct pl_segment *seg, struct pl_pair *pair, uint64_t now_ns)
{
	const uint32_t *rate = t->slices.rate;
	int best = pl_verify_place(rate);

	t->hold = pl_verify_formation(&t->slices);
	t->hold_cpu = t->on_cpu[best];
	if (t->hold == PL_HOLD_APART)
		show_rates(pair, rate[0], rate[2]);
	else
		show_rates(pair, rate[0] > rate[2] ? rate[0] : rate[2], rate[best ? 3 : 1]);
	if (t->hold == PL_HOLD_WIDE) {
		pl_pair_release(seg, pair, PL_REASON_VERIFY);
		return;
	}
	order(t, t->hold, t->hold_cpu);
	pl_pair_held(seg, pair, t->hold == PL_HOLD_APART);
	t->probe_ns = now_ns + pl_verify_probe_after_ns(t->probe_level);
}

static void lead_verify(struct pl_tls *t, struct pl_segment *seg, struct pl_pair *pair,
			uint64_t now_ns)
{
	uint32_t slice = pl_get(&pair->slice) % PL_SLICES, rate;
	bool stacked;

	if (!slice_done(t, seg, pair, now_ns, &rate, &stacked))
		return;
	t->slices.rate[slice] = rate;
	t->slices.stacked &= ~(1u << slice);
	t->slices.stacked |= (uint32_t)stacked << slice;
	if (slice + 1 < PL_SLICES)
		begin_slice(t, pair, slice + 1);
	else
		hold(t, seg, pair, now_ns);
}

/*
 * A probe of a hold "together" is a slice as held, for a fresh comparison, and one of another kind:
 * wide and apart by turns.
 */
static void lead_probe(struct pl_tls *t, struct pl_segment *seg, struct pl_pair *pair,
		       uint64_t now_ns)
{
	uint32_t rate, state = PL_PAIR_PROBE;
	bool stacked;

	if (!slice_done(t, seg, pair, now_ns, &rate, &stacked))
		return;
	if (t->order == PL_HOLD_TOGETHER) {
		t->slices.rate[1] = rate;
		pl_set(&pair->rate_on, rate);
		order(t,
		      t->slices.third_is_apart && t->probe_level % 2 ? PL_HOLD_APART : PL_HOLD_WIDE,
		      0);
		return;
	}
	pl_set(&pair->rate_off, rate);
	if (pl_verify_probe(t->slices.rate[1], rate)) {
		order(t, PL_HOLD_TOGETHER, t->hold_cpu);
		atomic_compare_exchange_strong(&pair->state, &state, PL_PAIR_HELD);
		t->probe_ns = now_ns + pl_verify_probe_after_ns(++t->probe_level);
	} else if (t->order == PL_HOLD_WIDE) {
		pl_pair_release(seg, pair, PL_REASON_VERIFY);
	} else {
		t->probe_level = 0;
		begin_slice(t, pair, 0);
		atomic_compare_exchange_strong(&pair->state, &state, PL_PAIR_VERIFY);
	}
}

static void lead_held(struct pl_tls *t, struct pl_segment *seg, struct pl_pair *pair,
		      uint64_t now_ns)
{
	uint32_t state = PL_PAIR_HELD;

	/* It moves there, or it rested. */
	if (!carried_out(t, seg, pair) || now_ns < t->probe_ns)
		return;
	if (t->hold == PL_HOLD_APART) {
		/* Nothing but a whole verification tells that it would now do better on one CPU. */
		t->probe_level++;
		begin_slice(t, pair, 0);
		atomic_compare_exchange_strong(&pair->state, &state, PL_PAIR_VERIFY);
	} else {
		t->slice_open = false;
		atomic_compare_exchange_strong(&pair->state, &state, PL_PAIR_PROBE);
	}
}

void pl_lead_begin(struct pl_tls *t, const struct pl_pair_plan *plan)
{
	t->slice_open = false;
	t->slices.third_is_apart = plan->try_apart;
	t->on_cpu[0] = t->hold_cpu = plan->cpu;
	t->on_cpu[1] = plan->other_cpu >= 0 ? plan->other_cpu : plan->cpu;
	t->slices.two_places = t->on_cpu[0] != t->on_cpu[1];
	t->probe_level = 0;
	order(t, PL_HOLD_WIDE, 0);
}

void pl_lead_named(struct pl_tls *t, struct pl_segment *seg, struct pl_pair *pair,
		   const struct pl_pair_plan *plan, uint64_t probe_ns)
{
	pl_lead_begin(t, plan);
	t->hold = PL_HOLD_TOGETHER;
	order(t, PL_HOLD_TOGETHER, plan->cpu);
	t->probe_ns = probe_ns;
	pl_pair_held(seg, pair, false);
	pl_pair_command(pair, true);
}

void pl_lead(struct pl_tls *t, struct pl_segment *seg, struct pl_pair *pair, uint64_t now_ns)
{
	uint32_t state = pl_get(&pair->state);

	if (state == PL_PAIR_VERIFY)
		lead_verify(t, seg, pair, now_ns);
	else if (state == PL_PAIR_PROBE)
		lead_probe(t, seg, pair, now_ns);
	else if (state == PL_PAIR_HELD)
		lead_held(t, seg, pair, now_ns);
}
