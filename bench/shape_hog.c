// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Shape "hog": one ping-pong pair (tasks 0 and 1) beside a task that only computes (task 2). The
// pair should be as fast as alone and the hog have a CPU for itself where there are two.
#include <stdio.h>

#include "bench/meter.h"
#include "bench/shapes.h"

#define HOG_UNIT_US 20 /* between two looks at what the others do */

struct hog_area {
	_Atomic uint32_t measuring;
	_Atomic uint32_t stop;
	struct meter_result pair;
	double hog_elapsed_s;
	uint64_t hog_units;
};

static void lead(struct bench_team *t)
{
	struct hog_area *a = t->area;
	struct bench_usage base;
	enum meter_step step;
	struct meter m;

	meter_init(&m, t->opts);
	bench_ready(t);
	base = bench_usage();
	meter_start(&m);
	do {
		bench_chan_post(&t->sh->chan[0], 0);
		bench_chan_wait(&t->sh->chan[0], 0);
		step = meter_turn(&m, sched_getcpu() != atomic_load(&t->sh->slot[1].cpu));
		if (step == METER_MEASURE) {
			atomic_store(&a->measuring, 1);
			base = bench_usage();
		}
	} while (step != METER_STOP);
	bench_usage_store(&t->sh->slot[0], base);
	atomic_store(&a->stop, 1);
	bench_chan_post(&t->sh->chan[0], 0);
	meter_fini(&m, &a->pair);
}

static void follow(struct bench_team *t)
{
	struct hog_area *a = t->area;
	struct bench_usage base;
	bool measuring = false;

	bench_ready(t);
	base = bench_usage();
	for (;;) {
		bench_chan_wait(&t->sh->chan[0], 1);
		if (atomic_load(&a->stop))
			break;
		atomic_store_explicit(&t->sh->slot[1].cpu, sched_getcpu(), memory_order_relaxed);
		if (!measuring && atomic_load(&a->measuring)) {
			measuring = true;
			base = bench_usage();
		}
		bench_chan_post(&t->sh->chan[0], 1);
	}
	bench_usage_store(&t->sh->slot[1], base);
}

static void hog(struct bench_team *t)
{
	struct hog_area *a = t->area;
	uint64_t loops = HOG_UNIT_US * t->opts->spin_loops;
	struct bench_usage base;
	uint64_t begin, units = 0;
	bool measuring = false;

	bench_ready(t);
	base = bench_usage();
	begin = pl_now_ns();
	while (!atomic_load_explicit(&a->stop, memory_order_relaxed)) {
		if (!measuring && atomic_load_explicit(&a->measuring, memory_order_relaxed)) {
			measuring = true;
			base = bench_usage();
			begin = pl_now_ns();
			units = 0;
		}
		bench_work(loops);
		units++;
	}
	a->hog_elapsed_s = (double)(pl_now_ns() - begin) / 1e9;
	a->hog_units = units;
	bench_usage_store(&t->sh->slot[2], base);
}

static void hog_worker(struct bench_team *t, int k)
{
	if (k == 0)
		lead(t);
	else if (k == 1)
		follow(t);
	else
		hog(t);
}

static void hog_report(const struct bench_team *t)
{
	const struct hog_area *a = t->area;
	const struct bench_slot *s = t->sh->slot;
	double pair_cpu = s[0].user_s + s[0].sys_s + s[1].user_s + s[1].sys_s;

	printf("rounds %llu\n", (unsigned long long)a->pair.rounds);
	printf("elapsed_s %.6f\n", a->pair.elapsed_s);
	printf("rounds_per_s %.2f\n", a->pair.rate);
	printf("us_per_round %.4f\n", 1e6 / a->pair.rate);
	printf("cross_fraction %.4f\n", a->pair.cross);
	printf("hog_share %.4f\n", (s[2].user_s + s[2].sys_s) / a->hog_elapsed_s);
	printf("hog_units_per_s %.2f\n", (double)a->hog_units / a->hog_elapsed_s);
	/* The pair's own cost: the hog takes whatever it gets. */
	printf("cpu_s %.6f\n", pair_cpu);
	printf("cpu_s_per_round %.4e\n", pair_cpu / (double)a->pair.rounds);
}

static int hog_tasks(void)
{
	return 3;
}

static int hog_channels(void)
{
	return 1;
}

const struct shape shape_hog = {
	.name = "hog",
	.needs_work = true,
	.area = sizeof(struct hog_area),
	.nr_tasks = hog_tasks,
	.nr_channels = hog_channels,
	.worker = hog_worker,
	.report = hog_report,
};
