// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Shape "phases": a pair plays ping-pong for some seconds, then both sides compute without any
// wait, again and again. Whoever held the pair on one CPU must let go when the computing begins.
#include <stdio.h>

#include "bench/shapes.h"

#define MAX_CYCLES    100
#define UNIT_US	      10 /* of computing; also how finely "on the same CPU" is seen */
#define ROUNDS_A_LOOK 16

enum { PHASE_PINGPONG, PHASE_COMPUTE, PHASE_STOP };

struct cycle {
	double pingpong_rate;
	double compute_s[2];
	uint64_t units[2];
	uint64_t together[2]; /* units after which the partner was on the same CPU */
	double last_together_s[2];
};

struct phases_area {
	_Atomic uint32_t phase;
	uint64_t begin_ns, end_ns; /* of the compute phase; written before the message */
	uint64_t rounds;	   /* ping-pong rounds of all cycles */
	uint64_t cross;
	struct cycle cycle[MAX_CYCLES];
};

static void store_cpu(struct bench_team *t, int k)
{
	atomic_store_explicit(&t->sh->slot[k].cpu, sched_getcpu(), memory_order_relaxed);
}

static bool same_cpu(struct bench_team *t, int k)
{
	return atomic_load_explicit(&t->sh->slot[k].cpu, memory_order_relaxed) ==
	       atomic_load_explicit(&t->sh->slot[1 - k].cpu, memory_order_relaxed);
}

static void compute(struct bench_team *t, int k, struct cycle *c)
{
	const struct phases_area *a = t->area;
	uint64_t loops = UNIT_US * t->opts->spin_loops;
	uint64_t now, units = 0, together = 0, last_ns = a->begin_ns;

	/* A partner that waits for this CPU does not update its line: still the same CPU. */
	while ((now = pl_now_ns()) < a->end_ns) {
		bench_work(loops);
		units++;
		store_cpu(t, k);
		if (same_cpu(t, k)) {
			together++;
			last_ns = now;
		}
	}
	c->units[k] = units;
	c->compute_s[k] = (double)(now - a->begin_ns) / 1e9;
	c->together[k] = together;
	c->last_together_s[k] = (double)(last_ns - a->begin_ns) / 1e9;
}

static void pingpong(struct bench_team *t, struct cycle *c)
{
	struct phases_area *a = t->area;
	struct bench_chan *ch = &t->sh->chan[0];
	uint64_t begin = pl_now_ns(), now, rounds = 0;
	uint64_t end = begin + (uint64_t)(shape_opts.phase_s * 1e9);

	do {
		for (int i = 0; i < ROUNDS_A_LOOK; i++) {
			bench_chan_post(ch, 0);
			bench_chan_wait(ch, 0);
			store_cpu(t, 0);
			a->cross += !same_cpu(t, 0);
		}
		rounds += ROUNDS_A_LOOK;
		now = pl_now_ns();
	} while (now < end);
	a->rounds += rounds;
	c->pingpong_rate = (double)rounds / ((double)(now - begin) / 1e9);
}

static void lead(struct bench_team *t)
{
	struct phases_area *a = t->area;

	for (int i = 0; i < shape_opts.cycles; i++) {
		pingpong(t, &a->cycle[i]);
		a->begin_ns = pl_now_ns();
		a->end_ns = a->begin_ns + (uint64_t)(shape_opts.phase_s * 1e9);
		atomic_store(&a->phase, PHASE_COMPUTE);
		bench_chan_post(&t->sh->chan[0], 0);
		compute(t, 0, &a->cycle[i]);
		atomic_store(&a->phase, PHASE_PINGPONG);
	}
	atomic_store(&a->phase, PHASE_STOP);
	bench_chan_post(&t->sh->chan[0], 0);
}

static void follow(struct bench_team *t)
{
	struct phases_area *a = t->area;
	int cycle = 0;

	for (;;) {
		bench_chan_wait(&t->sh->chan[0], 1);
		switch (atomic_load(&a->phase)) {
		case PHASE_STOP:
			return;
		case PHASE_COMPUTE:
			compute(t, 1, &a->cycle[cycle++]);
			break;
		default:
			store_cpu(t, 1);
			bench_chan_post(&t->sh->chan[0], 1);
		}
	}
}

static void phases_worker(struct bench_team *t, int k)
{
	struct bench_usage base;

	bench_ready(t);
	base = bench_usage();
	if (k == 0)
		lead(t);
	else
		follow(t);
	bench_usage_store(&t->sh->slot[k], base);
}

static void phases_report(const struct bench_team *t)
{
	const struct phases_area *a = t->area;
	double pingpong = 0, compute_rate = 0, worst = 1, last_max = 0, shared = 0;
	int n = shape_opts.cycles;

	for (int i = 0; i < n; i++) {
		const struct cycle *c = &a->cycle[i];
		double units = (double)c->units[0] / c->compute_s[0] +
			       (double)c->units[1] / c->compute_s[1];
		double last = c->last_together_s[0] > c->last_together_s[1] ? c->last_together_s[0]
									    : c->last_together_s[1];
		double part = (double)(c->together[0] + c->together[1]) /
			      (double)(c->units[0] + c->units[1]);
		double against_first = c->pingpong_rate / a->cycle[0].pingpong_rate;

		printf("cycle.%d.pingpong_per_s %.2f\n", i, c->pingpong_rate);
		printf("cycle.%d.compute_per_s %.2f\n", i, units);
		printf("cycle.%d.last_together_ms %.2f\n", i, last * 1e3);
		printf("cycle.%d.together_fraction %.4f\n", i, part);
		pingpong += c->pingpong_rate / n;
		compute_rate += units / n;
		shared += part / n;
		worst = against_first < worst ? against_first : worst;
		last_max = last > last_max ? last : last_max;
	}
	printf("compute_per_s %.2f\n", compute_rate);
	printf("pingpong_per_s %.2f\n", pingpong);
	printf("pingpong_worst_to_first %.4f\n", worst);
	printf("last_together_max_ms %.2f\n", last_max * 1e3);
	printf("together_fraction %.4f\n", shared);
	printf("cross_fraction %.4f\n", (double)a->cross / (double)a->rounds);
	bench_print_usage(t, "second", 2 * n * shape_opts.phase_s);
}

static int phases_tasks(void)
{
	return 2;
}

static int phases_channels(void)
{
	return 1;
}

const struct shape shape_phases = {
	.name = "phases",
	.needs_work = true,
	.area = sizeof(struct phases_area),
	.nr_tasks = phases_tasks,
	.nr_channels = phases_channels,
	.worker = phases_worker,
	.report = phases_report,
};
