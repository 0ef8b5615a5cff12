/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The shapes of place-shapes: each names its number of workers, runs one worker, prints its result.
 */
#ifndef BENCH_SHAPES_H
#define BENCH_SHAPES_H

#include "bench/bench.h"

struct shape_opts {
	enum bench_kind kind;
	int tasks;	/* those of --tasks, or the shape's default */
	int cycles;	/* phases */
	double phase_s; /* phases: length of each phase */
	int messages;	/* wakeup: message threads */
	int nr_workers; /* wakeup: workers, in all */
	int block;	/* compute: rows of a block */
	int duty;	/* bursty: percent of each period that is computed */
	bool hog;	/* a foreign program computes beside */
};

/* What --tasks is when it is not given. */
enum shape_default {
	SHAPE_FIXED, /* --tasks means nothing here */
	SHAPE_TASK_A_CPU,
	SHAPE_TASK_A_CORE,
};

struct shape {
	const char *name;
	enum shape_default default_tasks;
	bool threads_only;
	bool needs_work; /* computes even without --work */
	size_t area;	 /* bytes of shared memory of its own */
	int (*nr_tasks)(void);
	int (*nr_channels)(void);	       /* NULL: none */
	void (*prepare)(struct bench_team *t); /* before the workers are started; or NULL */
	bench_worker_fn *worker;
	void (*report)(const struct bench_team *t);
};

extern struct shape_opts shape_opts;
extern const struct shape shape_ring, shape_switching, shape_hog, shape_phases, shape_wakeup,
	shape_compute, shape_bursty;

#endif
