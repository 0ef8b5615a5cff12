// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place-shapes: what is not one lone pair. Command line and start; one file shape_*.c per shape.
#include "bench/shapes.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/hog.h"
#include "tools/bench/cpus.h"

static const struct shape *const shapes[] = {
	&shape_ring,   &shape_switching, &shape_hog,	&shape_phases,
	&shape_wakeup, &shape_compute,	 &shape_bursty,
};

struct shape_opts shape_opts = {
	.kind = BENCH_PIPE,
	.cycles = 5,
	.phase_s = 3,
	.messages = 1,
	.block = 96,
	.duty = 50,
};

static void usage(FILE *f)
{
	fputs("usage: place-shapes [OPTIONS] "
	      "ring|switching|hog|phases|wakeup|compute|bursty\n"
	      "  --kind KIND              how tasks wake each other (default: pipe)\n"
	      "  --cycles N               phases: cycles (default: 5)\n"
	      "  --phase S                phases: seconds of each phase (default: 3)\n"
	      "  --messages M             wakeup: message threads (default: 1)\n"
	      "  --workers W              wakeup: worker threads (default: one per allowed "
	      "CPU)\n"
	      "  --block N                compute: rows of a matrix block (default: 96)\n"
	      "  --duty PERCENT           bursty: computed part of a period (default: 50)\n"
	      "  --beside-hog             compute, bursty: a foreign program computes beside, on "
	      "the\n"
	      "                           last CPU of --cpus if that is given\n" BENCH_USAGE,
	      f);
}

static const struct shape *find_shape(int argc, char **argv)
{
	if (optind + 1 != argc)
		return NULL;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (strcmp(argv[optind], shapes[i]->name) == 0)
			return shapes[i];
	}
	return NULL;
}

static const struct shape *parse(int argc, char **argv, struct bench_opts *opts)
{
	enum {
		OPT_KIND = BENCH_OPT_OWN,
		OPT_CYCLES,
		OPT_PHASE,
		OPT_MESSAGES,
		OPT_WORKERS,
		OPT_BLOCK,
		OPT_DUTY,
		OPT_HOG
	};
	static const struct option options[] = {
		BENCH_OPTIONS,
		{"kind", required_argument, NULL, OPT_KIND},
		{"cycles", required_argument, NULL, OPT_CYCLES},
		{"phase", required_argument, NULL, OPT_PHASE},
		{"messages", required_argument, NULL, OPT_MESSAGES},
		{"workers", required_argument, NULL, OPT_WORKERS},
		{"block", required_argument, NULL, OPT_BLOCK},
		{"duty", required_argument, NULL, OPT_DUTY},
		{"beside-hog", no_argument, NULL, OPT_HOG},
		{NULL, 0, NULL, 0},
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (bench_option(opts, opt, optarg))
			continue;
		switch (opt) {
		case OPT_KIND:
			if (!bench_kind_parse(optarg, &shape_opts.kind))
				bench_usage_die("--kind %s: no such kind", optarg);
			break;
		case OPT_CYCLES:
			shape_opts.cycles = (int)bench_number("cycles", optarg, 1, 100);
			break;
		case OPT_PHASE:
			shape_opts.phase_s = bench_number("phase", optarg, 0.05, 600);
			break;
		case OPT_MESSAGES:
			shape_opts.messages = (int)bench_number("messages", optarg, 1, 16);
			break;
		case OPT_WORKERS:
			shape_opts.nr_workers = (int)bench_number("workers", optarg, 1, 48);
			break;
		case OPT_BLOCK:
			/* whole vectors */
			shape_opts.block = (int)bench_number("block", optarg, 8, 256) / 8 * 8;
			break;
		case OPT_DUTY:
			shape_opts.duty = (int)bench_number("duty", optarg, 1, 99);
			break;
		case OPT_HOG:
			shape_opts.hog = true;
			break;
		case BENCH_OPT_HELP:
			usage(stdout);
			_exit(fflush(stdout) ? 1 : 0);
		default:
			return NULL;
		}
	}
	return find_shape(argc, argv);
}

/* Fills in what was left to the shape, and refuses what it cannot do. */
static void complete(const struct shape *shape, const struct bench_opts *opts)
{
	static struct pl_cpus cpus;

	if (opts->processes && shape->threads_only)
		bench_usage_die("%s has threads only", shape->name);
	if (opts->tasks && shape->default_tasks == SHAPE_FIXED)
		bench_usage_die("%s has a fixed number of tasks", shape->name);
	if (shape_opts.hog && shape->default_tasks == SHAPE_FIXED)
		bench_usage_die("%s has no --beside-hog", shape->name);
	pl_cpus_read(&cpus);
	if (!shape_opts.nr_workers)
		shape_opts.nr_workers = cpus.nr < 48 ? cpus.nr : 48;
	shape_opts.tasks = opts->tasks;
	if (!opts->tasks)
		shape_opts.tasks =
			shape->default_tasks == SHAPE_TASK_A_CORE ? cpus.nr_cores : cpus.nr;
}

int main(int argc, char **argv)
{
	struct bench_hog hog = {.pid = 0};
	static struct bench_team team;
	struct bench_opts opts;
	const struct shape *shape;

	bench_hog_main(argc, argv);
	bench_opts_init(&opts);
	shape = parse(argc, argv, &opts);
	if (!shape) {
		usage(stderr);
		return 2;
	}
	complete(shape, &opts);
	bench_opts_done(&opts, shape->needs_work);
	bench_team_open(&team, &opts, argv, shape->area, shape->worker);
	for (int i = 0; shape->nr_channels && i < shape->nr_channels(); i++)
		bench_chan_open(&team.sh->chan[i], shape_opts.kind, opts.processes);
	if (shape->prepare)
		shape->prepare(&team);
	if (shape_opts.hog)
		bench_hog_start(&hog, opts.nr_cpus ? opts.cpus[opts.nr_cpus - 1] : -1);
	for (int i = 0, n = shape->nr_tasks(); i < n; i++)
		bench_team_start(&team);
	bench_team_go(&team);
	bench_team_join(&team);
	bench_hog_stop(&hog);
	printf("shape %s\nworkers %s\ntasks %d\n", shape->name,
	       opts.processes ? "processes" : "threads", team.nr);
	if (shape_opts.hog)
		printf("foreign_hog_share %.4f\n", hog.share);
	shape->report(&team);
	return 0;
}
