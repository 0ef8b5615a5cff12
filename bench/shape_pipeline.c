// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Shape "pipeline": a source, stages that each compute and hand on, and the way back to the source,
// which keeps --depth messages under way. With one it is a chain of handoffs, with as many as there
// are stages it is work in parallel.
#include <stdio.h>

#include "bench/hist.h"
#include "bench/shapes.h"

#define MAX_DEPTH 64

struct pipeline_area {
	_Atomic uint32_t measuring;
	_Atomic uint32_t stop;
	double elapsed_s;
	uint64_t turns, cross; /* messages; of these, the source and its successor apart */
	struct hist latency;   /* through all stages */
};

static uint64_t work_loops(const struct bench_team *t)
{
	return (uint64_t)(t->opts->work_us * (double)t->opts->spin_loops);
}

/* Messages keep their order, so their times of departure are a queue. */
static void source(struct bench_team *t)
{
	struct pipeline_area *a = t->area;
	struct bench_chan *out = &t->sh->chan[0], *in = &t->sh->chan[shape_opts.tasks - 1];
	uint64_t sent_ns[MAX_DEPTH], now, begin = 0, loops = work_loops(t);
	int depth = shape_opts.depth, under_way = 0, head = 0;
	struct bench_window w;
	struct bench_usage base;
	bool measuring = false;

	bench_ready(t);
	w = bench_window(t);
	base = bench_usage();
	do {
		for (; under_way < depth; under_way++) {
			sent_ns[(head + under_way) % depth] = pl_now_ns();
			bench_chan_post(out, 0);
		}
		bench_work(loops);
		bench_chan_wait(in, 1);
		now = pl_now_ns();
		if (measuring) {
			int next = atomic_load_explicit(&t->sh->slot[1].cpu, memory_order_relaxed);

			hist_add(&a->latency, now - sent_ns[head]);
			a->turns++;
			a->cross += sched_getcpu() != next;
		} else if (now >= w.from_ns) {
			measuring = true;
			begin = now;
			base = bench_usage();
			atomic_store(&a->measuring, 1);
		}
		head = (head + 1) % depth;
		under_way--;
	} while (now < w.to_ns);
	a->elapsed_s = (double)(now - begin) / 1e9;
	bench_usage_store(&t->sh->slot[0], base);
	for (; under_way; under_way--)
		bench_chan_wait(in, 1);
	atomic_store(&a->stop, 1);
	bench_chan_post(out, 0);
}

static void stage(struct bench_team *t, int k)
{
	struct pipeline_area *a = t->area;
	struct bench_chan *in = &t->sh->chan[k - 1], *out = &t->sh->chan[k];
	uint64_t loops = work_loops(t);
	struct bench_usage base;
	bool measuring = false;

	bench_ready(t);
	base = bench_usage();
	for (;;) {
		bench_chan_wait(in, 1);
		if (atomic_load_explicit(&a->stop, memory_order_relaxed))
			break;
		atomic_store_explicit(&t->sh->slot[k].cpu, sched_getcpu(), memory_order_relaxed);
		if (!measuring && atomic_load_explicit(&a->measuring, memory_order_relaxed)) {
			measuring = true;
			base = bench_usage();
		}
		bench_work(loops);
		bench_chan_post(out, 0);
	}
	bench_usage_store(&t->sh->slot[k], base);
	if (k < shape_opts.tasks - 1)
		bench_chan_post(out, 0);
}

static void pipeline_worker(struct bench_team *t, int k)
{
	if (k == 0)
		source(t);
	else
		stage(t, k);
}

static void pipeline_prepare(struct bench_team *t)
{
	enum bench_kind k = shape_opts.kind;

	if (shape_opts.tasks < 2 || shape_opts.tasks > BENCH_MAX_CHANNELS)
		bench_usage_die("a pipeline has 2 to %d tasks", BENCH_MAX_CHANNELS);
	/* The others keep one message, or add up what comes before it is read. */
	if (shape_opts.depth > 1 && k != BENCH_PIPE && k != BENCH_SEM && k != BENCH_UNIX &&
	    k != BENCH_TCP)
		bench_usage_die("--depth above 1 is for pipe, sem, unix and tcp");
}

static void pipeline_report(const struct bench_team *t)
{
	const struct pipeline_area *a = t->area;

	printf("messages %llu\n", (unsigned long long)a->turns);
	printf("elapsed_s %.6f\n", a->elapsed_s);
	printf("messages_per_s %.2f\n", (double)a->turns / a->elapsed_s);
	printf("cross_fraction %.4f\n", (double)a->cross / (double)a->turns);
	hist_print(&a->latency, "latency");
	bench_print_usage(t, "message", (double)a->turns);
}

static int pipeline_tasks(void)
{
	return shape_opts.tasks;
}

const struct shape shape_pipeline = {
	.name = "pipeline",
	.default_tasks = SHAPE_TASK_FOUR,
	.area = sizeof(struct pipeline_area),
	.nr_tasks = pipeline_tasks,
	.nr_channels = pipeline_tasks,
	.prepare = pipeline_prepare,
	.worker = pipeline_worker,
	.report = pipeline_report,
};
