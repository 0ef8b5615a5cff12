// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place-shapes: what is not one lone pair. The start; one file shape_*.c per shape.
#include "bench/shapes.h"

#include "bench/hog.h"

int main(int argc, char **argv)
{
	static struct bench_team team;
	struct bench_hog hog = {.pid = 0};
	struct bench_opts opts;
	const struct shape *shape;

	bench_hog_main(argc, argv);
	shape = shape_options(argc, argv, &opts);
	if (!shape) {
		shape_usage(stderr);
		return 2;
	}
	bench_opts_done(&opts, shape->needs_work);
	bench_team_open(&team, &opts, argv, shape->area, shape->worker);
	for (int i = 0; shape->nr_channels && i < shape->nr_channels(); i++)
		bench_chan_open(&team.sh->chan[i], shape_opts.kind, opts.processes);
	if (shape->prepare)
		shape->prepare(&team);
	if (shape_opts.hog)
		bench_hog_start(&hog, shape_opts.hog_cpu);
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
