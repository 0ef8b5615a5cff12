/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The shapes of place-shapes: each names its number of workers, runs one worker, prints its result.
 */
#ifndef BENCH_SHAPES_H
#define BENCH_SHAPES_H

#include "bench/bench.h"

struct shape_opts {
	enum bench_kind kind;
	int cycles;	/* phases */
	double phase_s; /* phases: length of each phase */
	int messages;	/* wakeup: message threads */
	int nr_workers; /* wakeup: workers, in all */
};

struct shape {
	const char *name;
	bool threads_only;
	bool needs_work; /* computes even without --work */
	size_t area;	 /* bytes of shared memory of its own */
	int (*nr_tasks)(void);
	int (*nr_channels)(void);
	bench_worker_fn *worker;
	void (*report)(const struct bench_team *t);
};

extern struct shape_opts shape_opts;
extern const struct shape shape_ring, shape_switching, shape_hog, shape_phases, shape_wakeup;

/* Prints user_s, sys_s, cpu_s of the team and cpu_s_per_NAME for COUNT operations. */
void shape_print_cpu(const struct bench_team *t, const char *name, double count);

#endif
