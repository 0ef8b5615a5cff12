// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Shapes "ring" (three tasks, a -> b -> c -> a) and "switching" (a hub that takes another of its
// three partners every 200 turns): alternating wake-ups that are no lasting pair.
#include <stdio.h>

#include "bench/meter.h"
#include "bench/shapes.h"

#define RING_TASKS	3
#define SWITCH_PARTNERS 3
#define SWITCH_TURNS	200

struct circle {
	_Atomic uint32_t measuring;
	_Atomic uint32_t stop;
	struct meter_result result;
};

static uint64_t work_loops(const struct bench_team *t)
{
	return (uint64_t)(t->opts->work_us * (double)t->opts->spin_loops);
}

static bool apart(struct bench_team *t, int k)
{
	return sched_getcpu() != atomic_load_explicit(&t->sh->slot[k].cpu, memory_order_relaxed);
}

/* The task that leads calls NEXT for each round until the meter ends it; NEXT answers which task it
 * was with. */
static void lead(struct bench_team *t, int (*next)(struct bench_team *t, uint64_t round))
{
	struct circle *c = t->area;
	struct bench_usage base;
	enum meter_step step;
	struct meter m;

	meter_init(&m, t->opts);
	bench_ready(t);
	base = bench_usage();
	meter_start(&m);
	do {
		step = meter_turn(&m, apart(t, next(t, m.rounds)));
		if (step == METER_MEASURE) {
			atomic_store(&c->measuring, 1);
			base = bench_usage();
		}
	} while (step != METER_STOP);
	bench_usage_store(&t->sh->slot[0], base);
	atomic_store(&c->stop, 1);
	meter_fini(&m, &c->result);
}

/* The others: wait as side IN_SIDE of IN, send as side OUT_SIDE of OUT, until the leader stops. */
static void follow(struct bench_team *t, int k, struct bench_chan *in, int in_side,
		   struct bench_chan *out, int out_side, bool pass_on_stop)
{
	struct circle *c = t->area;
	uint64_t loops = work_loops(t);
	struct bench_usage base;
	bool measuring = false;

	bench_ready(t);
	base = bench_usage();
	for (;;) {
		bench_chan_wait(in, in_side);
		if (atomic_load_explicit(&c->stop, memory_order_relaxed))
			break;
		atomic_store_explicit(&t->sh->slot[k].cpu, sched_getcpu(), memory_order_relaxed);
		if (!measuring && atomic_load_explicit(&c->measuring, memory_order_relaxed)) {
			measuring = true;
			base = bench_usage();
		}
		bench_chan_post(out, out_side);
		bench_work(loops);
	}
	bench_usage_store(&t->sh->slot[k], base);
	if (pass_on_stop)
		bench_chan_post(out, out_side);
}

static void print_circle(const struct bench_team *t)
{
	const struct circle *c = t->area;

	printf("rounds %llu\n", (unsigned long long)c->result.rounds);
	printf("elapsed_s %.6f\n", c->result.elapsed_s);
	printf("rounds_per_s %.2f\n", c->result.rate);
	printf("us_per_round %.4f\n", 1e6 / c->result.rate);
	printf("cross_fraction %.4f\n", c->result.cross);
	bench_print_usage(t, "round", (double)c->result.rounds);
}

/* Task k sends on channel k and waits on that of its predecessor. */
static int ring_round(struct bench_team *t, uint64_t round)
{
	bench_chan_post(&t->sh->chan[0], 0);
	bench_work(work_loops(t));
	bench_chan_wait(&t->sh->chan[RING_TASKS - 1], 1);
	return 1;
}

static void ring_worker(struct bench_team *t, int k)
{
	struct bench_chan *ch = t->sh->chan;

	if (k) {
		follow(t, k, &ch[k - 1], 1, &ch[k], 0, k < RING_TASKS - 1);
		return;
	}
	lead(t, ring_round);
	bench_chan_post(&ch[0], 0);
}

/* Partner p (task p + 1) is side 1 of channel p. */
static int switching_round(struct bench_team *t, uint64_t round)
{
	int p = (int)(round / SWITCH_TURNS % SWITCH_PARTNERS);

	bench_chan_post(&t->sh->chan[p], 0);
	bench_work(work_loops(t));
	bench_chan_wait(&t->sh->chan[p], 0);
	return p + 1;
}

static void switching_worker(struct bench_team *t, int k)
{
	struct bench_chan *ch = t->sh->chan;

	if (k) {
		follow(t, k, &ch[k - 1], 1, &ch[k - 1], 1, false);
		return;
	}
	lead(t, switching_round);
	for (int p = 0; p < SWITCH_PARTNERS; p++)
		bench_chan_post(&ch[p], 0);
}

static int ring_tasks(void)
{
	return RING_TASKS;
}

static int switching_tasks(void)
{
	return SWITCH_PARTNERS + 1;
}

static int switching_channels(void)
{
	return SWITCH_PARTNERS;
}

const struct shape shape_ring = {
	.name = "ring",
	.area = sizeof(struct circle),
	.nr_tasks = ring_tasks,
	.nr_channels = ring_tasks,
	.worker = ring_worker,
	.report = print_circle,
};

const struct shape shape_switching = {
	.name = "switching",
	.area = sizeof(struct circle),
	.nr_tasks = switching_tasks,
	.nr_channels = switching_channels,
	.worker = switching_worker,
	.report = print_circle,
};
