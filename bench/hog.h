/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * Somebody else's program that only computes: a process of its own without any preload, so that
 * nothing a runtime does for the benchmark reaches it.
 */
#ifndef BENCH_HOG_H
#define BENCH_HOG_H

#include <stdint.h>
#include <sys/types.h>

#define BENCH_HOG_OPTION "--only-compute"

struct bench_hog {
	pid_t pid; /* 0: none */
	uint64_t start_ns;
	double share; /* CPUs it got; once stopped */
};

/* Starts it, bound to CPU unless that is -1. It dies with the caller. Exits on failure. */
void bench_hog_start(struct bench_hog *h, int cpu);

/* Ends it by its pid and waits; call when no other child may be waited for. */
void bench_hog_stop(struct bench_hog *h);

/* What the process does: to be called first in main(); returns when ARGV does not ask for it. */
void bench_hog_main(int argc, char **argv);

#endif
