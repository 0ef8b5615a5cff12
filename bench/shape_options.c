// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The command line of place-shapes.
#include <string.h>
#include <unistd.h>

#include "bench/shapes.h"
#include "tools/bench/cpus.h"

static const struct shape *const shapes[] = {
	&shape_ring,	&shape_switching, &shape_hog,	    &shape_phases,   &shape_wakeup,
	&shape_compute, &shape_bursty,	  &shape_messaging, &shape_pipeline, &shape_fanin,
	&shape_fanout,	&shape_churn,	  &shape_web,
};

struct shape_opts shape_opts = {
	.kind = BENCH_PIPE,
	.cycles = 5,
	.phase_s = 3,
	.messages = 1,
	.block = 96,
	.duty = 50,
	.groups = 2,
	.fds = 10,
	.loops = 100,
	.bytes = 100,
	.clients = 8,
	.depth = 1,
};

void shape_usage(FILE *f)
{
	fputs("usage: place-shapes [OPTIONS] SHAPE\n"
	      "  SHAPE is one of",
	      f);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		fprintf(f, " %s", shapes[i]->name);
	fputs("\n"
	      "  --kind KIND              how tasks wake each other (default: pipe)\n"
	      "  --cycles N               phases: cycles (default: 5)\n"
	      "  --phase S                phases: seconds of each phase (default: 3)\n"
	      "  --messages M             wakeup: message threads (default: 1)\n"
	      "  --workers W              wakeup: worker threads (default: one per allowed CPU)\n"
	      "  --rps N                  wakeup: requests per second in all (default: no limit)\n"
	      "  --pipe BYTES             wakeup: hand over BYTES instead of computing\n"
	      "  --block N                compute: rows of a matrix block (default: 96)\n"
	      "  --duty PERCENT           bursty: computed part of a period (default: 50)\n"
	      "  --beside-hog             compute, bursty: a foreign program computes beside, on "
	      "the\n"
	      "                           last CPU of --cpus if that is given\n"
	      "  --groups N               messaging: groups (default: 2)\n"
	      "  --fds N                  messaging: senders and receivers of each (default: 10)\n"
	      "  --loops N                messaging: of each sender to each receiver (default: "
	      "100)\n"
	      "  --bytes N                messaging: of one message (default: 100)\n"
	      "  --clients N              web: clients at once (default: 8)\n"
	      "  --fronts N               web: front ends (default: one for two CPUs)\n"
	      "  --depth N                pipeline: messages under way (default: 1)\n" BENCH_USAGE,
	      f);
}

enum {
	OPT_KIND = BENCH_OPT_OWN,
	OPT_CYCLES,
	OPT_PHASE,
	OPT_MESSAGES,
	OPT_WORKERS,
	OPT_RPS,
	OPT_PIPE,
	OPT_BLOCK,
	OPT_DUTY,
	OPT_HOG,
	OPT_GROUPS,
	OPT_FDS,
	OPT_LOOPS,
	OPT_BYTES,
	OPT_CLIENTS,
	OPT_FRONTS,
	OPT_DEPTH,
};

/* Whole numbers: where they go and their range. */
static const struct {
	int opt;
	int *value;
	int min, max;
} numbers[] = {
	{OPT_CYCLES, &shape_opts.cycles, 1, 100},
	{OPT_MESSAGES, &shape_opts.messages, 1, 16},
	{OPT_WORKERS, &shape_opts.nr_workers, 1, 256},
	{OPT_PIPE, &shape_opts.pipe_bytes, 1, 1 << 16},
	{OPT_BLOCK, &shape_opts.block, 8, 256},
	{OPT_DUTY, &shape_opts.duty, 1, 99},
	{OPT_GROUPS, &shape_opts.groups, 1, 1000},
	{OPT_FDS, &shape_opts.fds, 1, 100},
	{OPT_LOOPS, &shape_opts.loops, 1, 1000000},
	{OPT_BYTES, &shape_opts.bytes, 1, 4096},
	{OPT_CLIENTS, &shape_opts.clients, 1, 256},
	{OPT_FRONTS, &shape_opts.fronts, 1, 16},
	{OPT_DEPTH, &shape_opts.depth, 1, 64},
};

static bool take_number(int opt, const char *name)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i].opt == opt) {
			*numbers[i].value =
				(int)bench_number(name, optarg, numbers[i].min, numbers[i].max);
			return true;
		}
	}
	return false;
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

/* Fills in what was left to the shape, and refuses what it cannot do. */
static void complete(const struct shape *shape, struct bench_opts *opts)
{
	static struct pl_cpus cpus;

	if (opts->processes && shape->threads_only)
		bench_usage_die("%s has threads only", shape->name);
	if (opts->tasks && shape->default_tasks == SHAPE_FIXED)
		bench_usage_die("%s has a fixed number of tasks", shape->name);
	if (shape_opts.hog && shape != &shape_compute && shape != &shape_bursty)
		bench_usage_die("%s has no --beside-hog", shape->name);
	pl_cpus_read(&cpus);
	if (!shape_opts.nr_workers)
		shape_opts.nr_workers = cpus.nr < 48 ? cpus.nr : 48;
	if (!shape_opts.fronts)
		shape_opts.fronts = cpus.nr < 4 ? 1 : cpus.nr < 32 ? cpus.nr / 2 : 16;
	shape_opts.block = shape_opts.block / 8 * 8; /* whole vectors */
	shape_opts.tasks = opts->tasks;
	if (!opts->tasks)
		shape_opts.tasks = shape->default_tasks == SHAPE_TASK_FOUR     ? 4
				   : shape->default_tasks == SHAPE_TASK_A_CORE ? cpus.nr_cores
									       : cpus.nr;
	/* The last CPU by hand is the foreign program's, unless it is the only one. */
	shape_opts.hog_cpu = opts->nr_cpus ? opts->cpus[opts->nr_cpus - 1] : -1;
	if (shape_opts.hog && opts->nr_cpus > 1)
		opts->nr_cpus--;
}

const struct shape *shape_options(int argc, char **argv, struct bench_opts *opts)
{
	static const struct option options[] = {
		BENCH_OPTIONS,
		{"kind", required_argument, NULL, OPT_KIND},
		{"cycles", required_argument, NULL, OPT_CYCLES},
		{"phase", required_argument, NULL, OPT_PHASE},
		{"messages", required_argument, NULL, OPT_MESSAGES},
		{"workers", required_argument, NULL, OPT_WORKERS},
		{"rps", required_argument, NULL, OPT_RPS},
		{"pipe", required_argument, NULL, OPT_PIPE},
		{"block", required_argument, NULL, OPT_BLOCK},
		{"duty", required_argument, NULL, OPT_DUTY},
		{"beside-hog", no_argument, NULL, OPT_HOG},
		{"groups", required_argument, NULL, OPT_GROUPS},
		{"fds", required_argument, NULL, OPT_FDS},
		{"loops", required_argument, NULL, OPT_LOOPS},
		{"bytes", required_argument, NULL, OPT_BYTES},
		{"clients", required_argument, NULL, OPT_CLIENTS},
		{"fronts", required_argument, NULL, OPT_FRONTS},
		{"depth", required_argument, NULL, OPT_DEPTH},
		{NULL, 0, NULL, 0},
	};
	const struct shape *shape;
	int opt, index = 0;

	bench_opts_init(opts);
	while ((opt = getopt_long(argc, argv, "", options, &index)) != -1) {
		if (bench_option(opts, opt, optarg) || take_number(opt, options[index].name))
			continue;
		switch (opt) {
		case OPT_KIND:
			if (!bench_kind_parse(optarg, &shape_opts.kind))
				bench_usage_die("--kind %s: no such kind", optarg);
			break;
		case OPT_PHASE:
			shape_opts.phase_s = bench_number("phase", optarg, 0.05, 600);
			break;
		case OPT_RPS:
			shape_opts.rps = bench_number("rps", optarg, 1, 1e7);
			break;
		case OPT_HOG:
			shape_opts.hog = true;
			break;
		case BENCH_OPT_HELP:
			shape_usage(stdout);
			_exit(fflush(stdout) ? 1 : 0);
		default:
			return NULL;
		}
	}
	shape = find_shape(argc, argv);
	if (shape)
		complete(shape, opts);
	return shape;
}
