// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place-shapes: what is not one lone pair. Command line and start; one file shape_*.c per shape.
#include "bench/shapes.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct shape *const shapes[] = {&shape_ring, &shape_switching, &shape_hog,
					     &shape_phases, &shape_wakeup};

struct shape_opts shape_opts = {.kind = BENCH_PIPE, .cycles = 5, .phase_s = 3, .messages = 1};

void shape_print_cpu(const struct bench_team *t, const char *name, double count)
{
	double cpu = bench_team_cpu_s(t);

	printf("cpu_s %.6f\n", cpu);
	printf("cpu_s_per_%s %.4e\n", name, count > 0 ? cpu / count : 0);
}

static void usage(FILE *f)
{
	fputs("usage: place-shapes [OPTIONS] ring|switching|hog|phases|wakeup\n"
	      "  --kind KIND              how tasks wake each other (default: pipe)\n"
	      "  --cycles N               phases: cycles (default: 5)\n"
	      "  --phase S                phases: seconds of each phase (default: 3)\n"
	      "  --messages M             wakeup: message threads (default: 1)\n"
	      "  --workers W              wakeup: worker threads (default: one per allowed "
	      "CPU)\n" BENCH_USAGE,
	      f);
}

static int allowed_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
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
	enum { OPT_KIND = BENCH_OPT_OWN, OPT_CYCLES, OPT_PHASE, OPT_MESSAGES, OPT_WORKERS };
	static const struct option options[] = {
		BENCH_OPTIONS,
		{"kind", required_argument, NULL, OPT_KIND},
		{"cycles", required_argument, NULL, OPT_CYCLES},
		{"phase", required_argument, NULL, OPT_PHASE},
		{"messages", required_argument, NULL, OPT_MESSAGES},
		{"workers", required_argument, NULL, OPT_WORKERS},
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
		case BENCH_OPT_HELP:
			usage(stdout);
			_exit(fflush(stdout) ? 1 : 0);
		default:
			return NULL;
		}
	}
	return find_shape(argc, argv);
}

int main(int argc, char **argv)
{
	struct bench_opts opts;
	struct bench_team team;
	const struct shape *shape;

	bench_opts_init(&opts);
	shape = parse(argc, argv, &opts);
	if (!shape) {
		usage(stderr);
		return 2;
	}
	if (opts.processes && shape->threads_only)
		bench_usage_die("%s has threads only", shape->name);
	if (!shape_opts.nr_workers)
		shape_opts.nr_workers = allowed_cpus();
	bench_opts_done(&opts, shape->needs_work);
	bench_team_open(&team, &opts, argv, shape->area, shape->worker);
	for (int i = 0; i < shape->nr_channels(); i++)
		bench_chan_open(&team.sh->chan[i], shape_opts.kind, opts.processes);
	for (int i = 0; i < shape->nr_tasks(); i++)
		bench_team_start(&team);
	bench_team_go(&team);
	bench_team_join(&team);
	printf("shape %s\nworkers %s\n", shape->name, opts.processes ? "processes" : "threads");
	shape->report(&team);
	return 0;
}
