/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * Looks from outside on which CPUs the two busiest threads of a program are. A program that does
 * not count its own turns is classed as spread or stacked by this.
 */
#ifndef PL_TOOLS_BENCH_SAMPLE_H
#define PL_TOOLS_BENCH_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PL_SAMPLE_TASKS 64 /* a program with more is looked at by its first ones only */

struct pl_sampled_task {
	pid_t pid, tid;
	int fd;		     /* of its stat file */
	unsigned long ticks; /* CPU time so far */
	int cpu;
	long migrations; /* as last read; -1: the kernel does not tell */
};

struct pl_sampler {
	pid_t root[2]; /* client and server; 0: none */
	struct pl_sampled_task task[PL_SAMPLE_TASKS];
	int nr_tasks;
	uint64_t next_scan_ns;
	uint64_t nr_scans;
	uint64_t samples;
	uint64_t cross;	 /* of these, with the two on different CPUs */
	long migrations; /* of threads that are gone */
	bool has_migrations;
};

/* ROOT_B may be 0. */
void pl_sampler_init(struct pl_sampler *s, pid_t root_a, pid_t root_b);

/* Takes one sample; returns the milliseconds until the next one. */
int pl_sampler_look(struct pl_sampler *s, uint64_t now_ns);

/* Fraction of samples with the two on different CPUs; NAN when too few could be taken. */
double pl_sampler_cross(const struct pl_sampler *s);

/* Moves to another CPU that were seen: a thread's last ones before its end are not. NAN: the kernel
 * does not tell, or no thread lived long enough. */
double pl_sampler_migrations(const struct pl_sampler *s);

void pl_sampler_fini(struct pl_sampler *s);

#endif
