// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Shapes "fanout" (a hub hands work to each of its workers, then waits for all answers) and "fanin"
// (producers hand work to one consumer through one pipe and wait until it was taken).
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/hist.h"
#include "bench/shapes.h"

#define STOPS UINT32_MAX

/* The hub is task 0; the other tasks have channel k - 1, of which they are side 1. */
struct fan_area {
	_Atomic uint32_t measuring;
	_Atomic uint32_t stop;
	int queue[2];	     /* fanin: of task numbers */
	double elapsed_s;    /* of the hub */
	uint64_t rounds;     /* messages, for fanin */
	struct hist latency; /* fanout */
	struct fan_line {
		struct hist latency; /* fanin: until the message was taken */
	} __attribute__((aligned(BENCH_LINE))) line[BENCH_MAX_CHANNELS];
};

static uint64_t work_loops(const struct bench_team *t)
{
	return (uint64_t)(t->opts->work_us * (double)t->opts->spin_loops);
}

static void fanout_hub(struct bench_team *t)
{
	struct fan_area *a = t->area;
	struct bench_usage base;
	uint64_t now, begin = 0;
	bool measuring = false;
	struct bench_window w;

	bench_ready(t);
	w = bench_window(t);
	base = bench_usage();
	do {
		uint64_t from = pl_now_ns();

		for (int i = 0; i < shape_opts.tasks; i++)
			bench_chan_post(&t->sh->chan[i], 0);
		for (int i = 0; i < shape_opts.tasks; i++)
			bench_chan_wait(&t->sh->chan[i], 0);
		now = pl_now_ns();
		if (measuring) {
			hist_add(&a->latency, now - from);
			a->rounds++;
		} else if (now >= w.from_ns) {
			measuring = true;
			begin = now;
			base = bench_usage();
			atomic_store(&a->measuring, 1);
		}
	} while (now < w.to_ns);
	a->elapsed_s = (double)(now - begin) / 1e9;
	bench_usage_store(&t->sh->slot[0], base);
	atomic_store(&a->stop, 1);
	for (int i = 0; i < shape_opts.tasks; i++)
		bench_chan_post(&t->sh->chan[i], 0);
}

static void fanout_worker(struct bench_team *t, int k)
{
	struct fan_area *a = t->area;
	struct bench_chan *ch = &t->sh->chan[k - 1];
	uint64_t loops = work_loops(t);
	struct bench_usage base;
	bool measuring = false;

	bench_ready(t);
	base = bench_usage();
	for (;;) {
		bench_chan_wait(ch, 1);
		if (atomic_load(&a->stop))
			break;
		if (!measuring && atomic_load_explicit(&a->measuring, memory_order_relaxed)) {
			measuring = true;
			base = bench_usage();
		}
		bench_work(loops);
		bench_chan_post(ch, 1);
	}
	bench_usage_store(&t->sh->slot[k], base);
}

/* One number is written or read at once: it is shorter than PIPE_BUF. */
static void queue_put(struct fan_area *a, uint32_t number)
{
	while (write(a->queue[1], &number, sizeof(number)) != sizeof(number)) {
		if (errno != EINTR)
			bench_die("cannot write to the queue: %s", strerror(errno));
	}
}

static uint32_t queue_get(struct fan_area *a)
{
	uint32_t number;

	while (read(a->queue[0], &number, sizeof(number)) != sizeof(number)) {
		if (errno != EINTR)
			bench_die("cannot read from the queue: %s", strerror(errno));
	}
	return number;
}

/* Ends when all producers have. */
static void fanin_hub(struct bench_team *t)
{
	struct fan_area *a = t->area;
	uint64_t loops = work_loops(t), begin = 0, end = 0, now;
	int left = shape_opts.tasks;
	struct bench_usage base;
	struct bench_window w;

	bench_ready(t);
	w = bench_window(t);
	base = bench_usage();
	while (left) {
		uint32_t number = queue_get(a);

		if (number == STOPS) {
			left--;
			continue;
		}
		bench_work(loops);
		bench_chan_post(&t->sh->chan[number], 0);
		now = pl_now_ns();
		if (begin && now <= w.to_ns) {
			a->rounds++;
			end = now;
		} else if (!begin && now >= w.from_ns) {
			begin = end = now;
			base = bench_usage();
			atomic_store(&a->measuring, 1);
		}
	}
	a->elapsed_s = (double)(end - begin) / 1e9;
	bench_usage_store(&t->sh->slot[0], base);
}

static void fanin_producer(struct bench_team *t, int k)
{
	struct fan_area *a = t->area;
	uint64_t loops = work_loops(t), now;
	struct bench_usage base;
	bool measuring = false;
	struct bench_window w;

	bench_ready(t);
	w = bench_window(t);
	base = bench_usage();
	do {
		uint64_t from = pl_now_ns();

		queue_put(a, (uint32_t)k - 1);
		bench_chan_wait(&t->sh->chan[k - 1], 1);
		now = pl_now_ns();
		if (measuring)
			hist_add(&a->line[k - 1].latency, now - from);
		else if (atomic_load_explicit(&a->measuring, memory_order_relaxed)) {
			measuring = true;
			base = bench_usage();
		}
		bench_work(loops);
	} while (now < w.to_ns);
	bench_usage_store(&t->sh->slot[k], base);
	queue_put(a, STOPS);
}

static void fanout_task(struct bench_team *t, int k)
{
	if (k == 0)
		fanout_hub(t);
	else
		fanout_worker(t, k);
}

static void fanin_task(struct bench_team *t, int k)
{
	if (k == 0)
		fanin_hub(t);
	else
		fanin_producer(t, k);
}

static void fan_prepare(struct bench_team *t)
{
	struct fan_area *a = t->area;

	if (shape_opts.tasks > BENCH_MAX_CHANNELS)
		bench_usage_die("at most %d tasks", BENCH_MAX_CHANNELS);
	if (pipe(a->queue))
		bench_die("cannot make a pipe: %s", strerror(errno));
}

static void print_fan(const struct bench_team *t, const char *what, const struct hist *latency)
{
	const struct fan_area *a = t->area;

	printf("%ss %llu\n", what, (unsigned long long)a->rounds);
	printf("elapsed_s %.6f\n", a->elapsed_s);
	printf("%ss_per_s %.2f\n", what, (double)a->rounds / a->elapsed_s);
	hist_print(latency, "latency");
	bench_print_usage(t, what, (double)a->rounds);
}

static void fanout_report(const struct bench_team *t)
{
	const struct fan_area *a = t->area;

	print_fan(t, "round", &a->latency);
}

static void fanin_report(const struct bench_team *t)
{
	const struct fan_area *a = t->area;
	static struct hist latency;

	for (int i = 0; i < shape_opts.tasks; i++)
		hist_merge(&latency, &a->line[i].latency);
	print_fan(t, "message", &latency);
}

/* --tasks counts those around the hub. */
static int fan_tasks(void)
{
	return shape_opts.tasks + 1;
}

static int fan_channels(void)
{
	return shape_opts.tasks;
}

const struct shape shape_fanout = {
	.name = "fanout",
	.default_tasks = SHAPE_TASK_FOUR,
	.area = sizeof(struct fan_area),
	.nr_tasks = fan_tasks,
	.nr_channels = fan_channels,
	.prepare = fan_prepare,
	.worker = fanout_task,
	.report = fanout_report,
};

const struct shape shape_fanin = {
	.name = "fanin",
	.default_tasks = SHAPE_TASK_FOUR,
	.area = sizeof(struct fan_area),
	.nr_tasks = fan_tasks,
	.nr_channels = fan_channels,
	.prepare = fan_prepare,
	.worker = fanin_task,
	.report = fanin_report,
};
