// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Shape "wakeup": message threads wake workers by futex; a worker computes one short request and
// asks for the next. The load of a server's dispatcher: what counts is how late a worker runs.
#include <stdio.h>
#include <string.h>

#include "bench/hist.h"
#include "bench/shapes.h"

#define REQUEST_US 30

struct message_line {
	_Atomic uint32_t asked; /* a worker of this thread wants work */
} __attribute__((aligned(BENCH_LINE)));

struct worker_line {
	_Atomic uint32_t idle; /* set by the worker, taken by the message thread */
	_Atomic uint32_t run;
	uint64_t stamp_ns; /* just before the wake-up */
	struct hist late;  /* from the wake-up until it ran */
} __attribute__((aligned(BENCH_LINE)));

struct wakeup_area {
	_Atomic uint32_t measuring;
	_Atomic uint32_t stop;
	double elapsed_s;
	struct message_line message[16];
	struct worker_line worker[48];
};

static void wake(struct worker_line *w)
{
	atomic_store(&w->run, 1);
	bench_futex_wake(&w->run, 1, false);
}

static void message_thread(struct bench_team *t, int m)
{
	struct wakeup_area *a = t->area;
	struct message_line *me = &a->message[m];
	struct bench_usage base;
	bool measuring = false;

	bench_ready(t);
	base = bench_usage();
	while (!atomic_load(&a->stop)) {
		if (!measuring && atomic_load(&a->measuring)) {
			measuring = true;
			base = bench_usage();
		}
		if (!atomic_exchange(&me->asked, 0)) {
			bench_futex_wait(&me->asked, 0, false);
			continue;
		}
		for (int w = m; w < shape_opts.nr_workers; w += shape_opts.messages) {
			if (!atomic_exchange(&a->worker[w].idle, 0))
				continue;
			a->worker[w].stamp_ns = pl_now_ns();
			wake(&a->worker[w]);
		}
	}
	bench_usage_store(&t->sh->slot[m], base);
	/* Also those at work: they see the end when they come back. */
	for (int w = m; w < shape_opts.nr_workers; w += shape_opts.messages)
		wake(&a->worker[w]);
}

static void request_thread(struct bench_team *t, int w)
{
	struct wakeup_area *a = t->area;
	struct worker_line *me = &a->worker[w];
	struct message_line *boss = &a->message[w % shape_opts.messages];
	uint64_t loops = REQUEST_US * t->opts->spin_loops;
	struct bench_usage base;
	bool measuring = false;

	bench_ready(t);
	base = bench_usage();
	for (;;) {
		uint64_t now;

		atomic_store(&me->idle, 1);
		atomic_store(&boss->asked, 1);
		bench_futex_wake(&boss->asked, 1, false);
		while (!atomic_exchange(&me->run, 0))
			bench_futex_wait(&me->run, 0, false);
		now = pl_now_ns();
		if (atomic_load(&a->stop))
			break;
		if (!measuring && atomic_load(&a->measuring)) {
			measuring = true;
			base = bench_usage();
		}
		if (measuring)
			hist_add(&me->late, now - me->stamp_ns);
		bench_work(loops);
	}
	bench_usage_store(&t->sh->slot[shape_opts.messages + w], base);
}

/* The last task only keeps the time. */
static void timekeeper(struct bench_team *t)
{
	struct wakeup_area *a = t->area;
	double warm = t->opts->warmup_s, length = t->opts->seconds;
	struct timespec ts = {(time_t)warm, (long)((warm - (double)(time_t)warm) * 1e9)};
	uint64_t begin;

	bench_ready(t);
	nanosleep(&ts, NULL);
	begin = pl_now_ns();
	atomic_store(&a->measuring, 1);
	ts = (struct timespec){(time_t)length, (long)((length - (double)(time_t)length) * 1e9)};
	nanosleep(&ts, NULL);
	a->elapsed_s = (double)(pl_now_ns() - begin) / 1e9;
	atomic_store(&a->stop, 1);
	for (int m = 0; m < shape_opts.messages; m++) {
		atomic_store(&a->message[m].asked, 1);
		bench_futex_wake(&a->message[m].asked, 1, false);
	}
}

static void wakeup_worker(struct bench_team *t, int k)
{
	if (k < shape_opts.messages)
		message_thread(t, k);
	else if (k < shape_opts.messages + shape_opts.nr_workers)
		request_thread(t, k - shape_opts.messages);
	else
		timekeeper(t);
}

static void wakeup_report(const struct bench_team *t)
{
	const struct wakeup_area *a = t->area;
	static struct hist late;

	for (int w = 0; w < shape_opts.nr_workers; w++)
		hist_merge(&late, &a->worker[w].late);
	printf("requests %llu\n", (unsigned long long)late.count);
	printf("elapsed_s %.6f\n", a->elapsed_s);
	printf("requests_per_s %.2f\n", (double)late.count / a->elapsed_s);
	hist_print(&late, "wakeup");
	bench_print_usage(t, "request", (double)late.count);
}

static int wakeup_tasks(void)
{
	return shape_opts.messages + shape_opts.nr_workers + 1;
}

const struct shape shape_wakeup = {
	.name = "wakeup",
	.threads_only = true,
	.needs_work = true,
	.area = sizeof(struct wakeup_area),
	.nr_tasks = wakeup_tasks,
	.worker = wakeup_worker,
	.report = wakeup_report,
};
