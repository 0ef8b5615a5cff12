// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Shape "churn": each task starts a thread (a process with --processes) that computes a little,
// waits for its end, and starts the next. What counts is how soon the new one runs.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/hist.h"
#include "bench/shapes.h"

struct churn_area {
	struct churn_line {
		uint64_t born_ns; /* when the new one first ran */
		double child_cpu_s;
		double cpu_s;	     /* of the measured children */
		struct hist latency; /* from the call until it ran */
	} __attribute__((aligned(BENCH_LINE))) line[BENCH_MAX_WORKERS];
};

struct child_arg {
	struct churn_line *line;
	uint64_t loops;
};

static void *child(void *p)
{
	const struct child_arg *arg = p;
	struct timespec ts;

	arg->line->born_ns = pl_now_ns();
	bench_work(arg->loops);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	arg->line->child_cpu_s = (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
	return NULL;
}

static void one_thread(struct child_arg *arg)
{
	pthread_t thread;
	int err = pthread_create(&thread, NULL, child, arg);

	if (err)
		bench_die("cannot start a thread: %s", strerror(err));
	pthread_join(thread, NULL);
}

static void one_process(struct child_arg *arg)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		bench_die("cannot start a process: %s", strerror(errno));
	if (pid == 0) {
		child(arg);
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			bench_die("waitpid: %s", strerror(errno));
	}
	if (status)
		bench_die("a started process failed with status %d", status);
}

static void churn_worker(struct bench_team *t, int k)
{
	struct churn_area *a = t->area;
	struct churn_line *me = &a->line[k];
	struct child_arg arg = {me, (uint64_t)(t->opts->work_us * (double)t->opts->spin_loops)};
	uint64_t now;
	struct bench_usage base;
	bool measuring = false;
	struct bench_window w;

	bench_ready(t);
	w = bench_window(t);
	base = bench_usage();
	do {
		uint64_t from = pl_now_ns();

		if (t->opts->processes)
			one_process(&arg);
		else
			one_thread(&arg);
		now = pl_now_ns();
		if (now >= w.from_ns && now < w.to_ns) {
			hist_add(&me->latency, me->born_ns - from);
			me->cpu_s += me->child_cpu_s;
		}
		if (!measuring && now >= w.from_ns) {
			measuring = true;
			base = bench_usage();
		}
	} while (now < w.to_ns);
	bench_usage_store(&t->sh->slot[k], base);
	t->sh->slot[k].user_s += me->cpu_s;
}

static void churn_report(const struct bench_team *t)
{
	const struct churn_area *a = t->area;
	static struct hist latency;

	for (int k = 0; k < t->nr; k++)
		hist_merge(&latency, &a->line[k].latency);
	printf("starts %llu\n", (unsigned long long)latency.count);
	printf("elapsed_s %.6f\n", t->opts->seconds);
	printf("starts_per_s %.2f\n", (double)latency.count / t->opts->seconds);
	hist_print(&latency, "latency");
	bench_print_usage(t, "start", (double)latency.count);
}

static int churn_tasks(void)
{
	return shape_opts.tasks;
}

const struct shape shape_churn = {
	.name = "churn",
	.default_tasks = SHAPE_TASK_A_CPU,
	.area = sizeof(struct churn_area),
	.nr_tasks = churn_tasks,
	.worker = churn_worker,
	.report = churn_report,
};
