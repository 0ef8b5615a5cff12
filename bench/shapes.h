/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The shapes of place-shapes: each names its number of workers, runs one worker, prints its result.
 */
#ifndef BENCH_SHAPES_H
#define BENCH_SHAPES_H

#include <stdio.h>

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
	int hog_cpu;	/* where that is bound; -1: nowhere */
	int groups;	/* messaging */
	int fds;	/* messaging: senders, and receivers, of a group */
	int loops;	/* messaging: of each sender to each receiver */
	int bytes;	/* messaging: of one message */
	int clients;	/* web */
	int fronts;	/* web: front ends */
	int depth;	/* pipeline: messages under way */
	int pipe_bytes; /* wakeup: handed over with each wake-up, instead of work; 0: work */
	double rps;	/* wakeup: requests per second in all; 0: as many as there can be */
};

/* What --tasks is when it is not given. */
enum shape_default {
	SHAPE_FIXED, /* --tasks means nothing here */
	SHAPE_TASK_A_CPU,
	SHAPE_TASK_A_CORE,
	SHAPE_TASK_FOUR,
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
	shape_compute, shape_bursty, shape_messaging, shape_pipeline, shape_fanin, shape_fanout,
	shape_churn, shape_web;

/* Fills shape_opts and *OPTS; NULL when the command line is wrong. --help and a
 * wrong value exit. */
const struct shape *shape_options(int argc, char **argv, struct bench_opts *opts);
void shape_usage(FILE *f);

#endif
