// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Shape "wakeup", with the meaning of schbench: message threads wake workers by futex; a worker
// computes one short request and asks for the next. With --rps the requests come by the clock,
// asked for or not; with --pipe message thread and worker hand over a buffer instead of computing.
// What counts is how late a worker runs, and when its request is done.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/hist.h"
#include "bench/shapes.h"

#define REQUEST_US  30
#define MAX_PIPE    (1 << 16)
#define MAX_MESSAGE 16
#define MAX_WORKER  256
#define QUEUE	    64 /* requests of the clock that wait for one worker; more are dropped */

struct message_line {
	_Atomic uint32_t asked; /* a worker of this thread wants work */
	uint64_t dropped;
} __attribute__((aligned(BENCH_LINE)));

struct worker_line {
	_Atomic uint32_t idle;	/* set by the worker, taken by the message thread */
	_Atomic uint32_t run;	/* requests given so far; the worker takes them in order */
	uint64_t due_ns[QUEUE]; /* of a request: when it was to run */
	_Atomic uint32_t taken;
	struct hist late;     /* from due until it ran */
	struct hist complete; /* from due until it was done */
	char buffer[MAX_PIPE];
} __attribute__((aligned(BENCH_LINE)));

struct wakeup_area {
	_Atomic uint32_t measuring;
	_Atomic uint32_t stop;
	double elapsed_s;
	struct message_line message[MAX_MESSAGE];
	struct worker_line worker[MAX_WORKER];
};

/* One more request; false when the worker has too many. Only its message thread calls this. */
static bool give(struct worker_line *w, uint64_t due_ns)
{
	uint32_t nr = atomic_load(&w->run);

	if (nr - atomic_load(&w->taken) >= QUEUE)
		return false;
	if (shape_opts.pipe_bytes)
		memset(w->buffer, (int)nr, (size_t)shape_opts.pipe_bytes);
	w->due_ns[nr % QUEUE] = due_ns;
	atomic_store(&w->run, nr + 1);
	bench_futex_wake(&w->run, 1, false);
	return true;
}

/* The workers of message thread M are M, M + messages, ... */
static void serve_asked(struct wakeup_area *a, int m)
{
	if (!atomic_exchange(&a->message[m].asked, 0)) {
		bench_futex_wait(&a->message[m].asked, 0, false);
		return;
	}
	for (int w = m; w < shape_opts.nr_workers; w += shape_opts.messages) {
		if (atomic_exchange(&a->worker[w].idle, 0))
			give(&a->worker[w], pl_now_ns());
	}
}

/* Sleeps until the next request is due, and gives it to the next worker in turn. A message thread
 * that comes late gives all that are due at once: their lateness counts. */
static void serve_clock(struct wakeup_area *a, int m, uint64_t *due_ns, int *next)
{
	uint64_t step = (uint64_t)(1e9 * shape_opts.messages / shape_opts.rps);
	struct timespec ts;

	*due_ns += step;
	ts = (struct timespec){(time_t)(*due_ns / PL_NS_PER_S), (long)(*due_ns % PL_NS_PER_S)};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
	if (!give(&a->worker[*next], *due_ns))
		a->message[m].dropped += atomic_load_explicit(&a->measuring, memory_order_relaxed);
	*next += shape_opts.messages;
	if (*next >= shape_opts.nr_workers)
		*next = m;
}

static void message_thread(struct bench_team *t, int m)
{
	struct wakeup_area *a = t->area;
	struct bench_usage base;
	bool measuring = false;
	uint64_t due_ns;
	int next = m;

	bench_ready(t);
	base = bench_usage();
	due_ns = pl_now_ns();
	while (!atomic_load(&a->stop)) {
		if (!measuring && atomic_load(&a->measuring)) {
			measuring = true;
			base = bench_usage();
		}
		if (shape_opts.rps > 0 && m < shape_opts.nr_workers)
			serve_clock(a, m, &due_ns, &next);
		else
			serve_asked(a, m);
	}
	bench_usage_store(&t->sh->slot[m], base);
	/* Also those at work: they see the end when they come back. */
	for (int w = m; w < shape_opts.nr_workers; w += shape_opts.messages) {
		atomic_fetch_add(&a->worker[w].run, 1);
		bench_futex_wake(&a->worker[w].run, 1, false);
	}
}

static void work(const struct bench_team *t, struct worker_line *me)
{
	static __thread char own[MAX_PIPE];

	if (shape_opts.pipe_bytes) {
		memcpy(own, me->buffer, (size_t)shape_opts.pipe_bytes);
		__asm__ volatile("" : : "r"(own) : "memory"); /* the copy is wanted */
	} else {
		bench_work(REQUEST_US * t->opts->spin_loops);
	}
}

static void request_thread(struct bench_team *t, int w)
{
	struct wakeup_area *a = t->area;
	struct worker_line *me = &a->worker[w];
	struct message_line *boss = &a->message[w % shape_opts.messages];
	struct bench_usage base;
	bool measuring = false;

	bench_ready(t);
	base = bench_usage();
	for (uint32_t nr = 0;; nr++) {
		uint64_t now, due;

		if (shape_opts.rps == 0) {
			atomic_store(&me->idle, 1);
			atomic_store(&boss->asked, 1);
			bench_futex_wake(&boss->asked, 1, false);
		}
		while (atomic_load(&me->run) == nr)
			bench_futex_wait(&me->run, nr, false);
		now = pl_now_ns();
		if (atomic_load(&a->stop))
			break;
		due = me->due_ns[nr % QUEUE];
		atomic_store(&me->taken, nr + 1);
		if (!measuring && atomic_load(&a->measuring)) {
			measuring = true;
			base = bench_usage();
		}
		work(t, me);
		if (measuring) {
			hist_add(&me->late, now - due);
			hist_add(&me->complete, pl_now_ns() - due);
		}
	}
	bench_usage_store(&t->sh->slot[shape_opts.messages + w], base);
}

static void pause_for(double s)
{
	struct timespec ts = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

/* The last task only keeps the time. */
static void timekeeper(struct bench_team *t)
{
	struct wakeup_area *a = t->area;
	uint64_t begin;

	bench_ready(t);
	pause_for(t->opts->warmup_s);
	begin = pl_now_ns();
	atomic_store(&a->measuring, 1);
	pause_for(t->opts->seconds);
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
	static struct hist late, complete;
	uint64_t dropped = 0;

	for (int w = 0; w < shape_opts.nr_workers; w++) {
		hist_merge(&late, &a->worker[w].late);
		hist_merge(&complete, &a->worker[w].complete);
	}
	for (int m = 0; m < shape_opts.messages; m++)
		dropped += a->message[m].dropped;
	printf("requests %llu\n", (unsigned long long)late.count);
	printf("elapsed_s %.6f\n", a->elapsed_s);
	printf("requests_per_s %.2f\n", (double)late.count / a->elapsed_s);
	printf("dropped %llu\n", (unsigned long long)dropped);
	hist_print(&late, "wakeup");
	hist_print(&complete, "request");
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
