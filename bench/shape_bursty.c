// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Shape "bursty": tasks that compute for some milliseconds, sleep, and compute again, each with a
// period of its own between 1 and 20 ms. Each wake-up is a new choice of a CPU: a task that wakes
// beside a busy sibling while another core idles computes slower for the whole burst.
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "bench/hist.h"
#include "bench/shapes.h"

#define UNIT_US	      10
#define PERIOD_MIN_US 1000
#define PERIOD_MAX_US 20000

struct bursty_area {
	struct bursty_line {
		uint64_t units;
		uint64_t wanted_ns, took_ns; /* of the bursts that began in the measured part */
		double elapsed_s;
		struct hist late; /* of wake-ups: after the time asked for */
	} __attribute__((aligned(BENCH_LINE))) line[BENCH_MAX_WORKERS];
};

/* The next period of a task; the same row of periods in every run. */
static uint64_t next_period_us(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*state = x;
	return PERIOD_MIN_US + x % (PERIOD_MAX_US - PERIOD_MIN_US + 1);
}

static void sleep_us(uint64_t us)
{
	struct timespec ts = {.tv_sec = (time_t)(us / 1000000),
			      .tv_nsec = (long)(us % 1000000) * 1000};

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

static void bursty_worker(struct bench_team *t, int k)
{
	struct bursty_area *a = t->area;
	struct bursty_line *me = &a->line[k];
	uint64_t random = 0x9e3779b97f4a7c15ull * (uint64_t)(k + 1);
	uint64_t loops = UNIT_US * t->opts->spin_loops, begin = 0, now;
	bool measuring = false;
	struct bench_window w;
	struct bench_usage base;

	bench_ready(t);
	w = bench_window(t);
	base = bench_usage();
	do {
		uint64_t period_us = next_period_us(&random);
		uint64_t burst_us = period_us * (uint64_t)shape_opts.duty / 100;
		uint64_t from, asleep;

		now = pl_now_ns();
		if (!measuring && now >= w.from_ns) {
			measuring = true;
			base = bench_usage();
			begin = now;
		}
		from = now;
		for (uint64_t us = 0; us < burst_us; us += UNIT_US) {
			bench_work(loops);
			me->units += measuring;
		}
		asleep = now = pl_now_ns();
		if (measuring) {
			me->wanted_ns += burst_us * 1000;
			me->took_ns += now - from;
		}
		sleep_us(period_us - burst_us);
		now = pl_now_ns();
		if (measuring)
			hist_add(&me->late, now - asleep - (period_us - burst_us) * 1000);
	} while (now < w.to_ns);
	me->elapsed_s = (double)(now - begin) / 1e9;
	bench_usage_store(&t->sh->slot[k], base);
}

static void bursty_report(const struct bench_team *t)
{
	const struct bursty_area *a = t->area;
	double rate = 0, units = 0, elapsed = 0, wanted = 0, took = 0;
	static struct hist late;

	for (int k = 0; k < t->nr; k++) {
		const struct bursty_line *l = &a->line[k];

		rate += (double)l->units / l->elapsed_s;
		units += (double)l->units;
		elapsed = l->elapsed_s > elapsed ? l->elapsed_s : elapsed;
		wanted += (double)l->wanted_ns;
		took += (double)l->took_ns;
		hist_merge(&late, &l->late);
	}
	printf("units %.0f\n", units);
	printf("bursts %llu\n", (unsigned long long)late.count);
	printf("elapsed_s %.6f\n", elapsed);
	printf("units_per_s %.2f\n", rate);
	printf("burst_stretch %.4f\n", took / wanted); /* 1: as long as on a core of its own */
	hist_print(&late, "late");
	bench_print_usage(t, "unit", units);
}

static int bursty_tasks(void)
{
	return shape_opts.tasks;
}

const struct shape shape_bursty = {
	.name = "bursty",
	.default_tasks = SHAPE_TASK_A_CORE,
	.needs_work = true,
	.area = sizeof(struct bursty_area),
	.nr_tasks = bursty_tasks,
	.worker = bursty_worker,
	.report = bursty_report,
};
