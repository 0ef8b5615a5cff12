/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * A program started for one run, in a process group of its own. Whoever starts one stops it: no
 * child is left when the run ends, in whatever way.
 */
#ifndef PL_TOOLS_BENCH_CHILD_H
#define PL_TOOLS_BENCH_CHILD_H

#include <sys/types.h>

#include "tools/bench/contender.h"
#include "tools/bench/sample.h"

struct pl_child {
	pid_t pid; /* 0: none */
	int pidfd;
	int out_fd;	 /* memory file with its stdout and stderr */
	int status;	 /* as of wait(); once it has ended */
	double cpu_s;	 /* of it and all its descendants that were waited for */
	double switches; /* context switches of the same */
	uint64_t start_ns, end_ns;
};

enum pl_wait {
	PL_WAIT_ENDED,
	PL_WAIT_TIMEOUT,
	PL_WAIT_INTERRUPTED, /* by SIGINT, SIGTERM or SIGHUP; see pl_child_signal() */
};

/* Catches those signals from here on; a caught one is told by pl_child_signal(), 0 if none. */
void pl_child_catch_signals(void);
int pl_child_signal(void);

/* Starts ARGV with treatment T. 0, or a negative errno with nothing started. */
int pl_child_start(struct pl_child *c, char *const *argv, const struct pl_treatment *t);

/* Waits until it ends or DEADLINE_NS; looks with S, when given, in between. */
enum pl_wait pl_child_wait(struct pl_child *c, uint64_t deadline_ns, struct pl_sampler *s);

/* SIGTERM to its group, SIGKILL after two seconds; waits. Accepts one that has ended. */
void pl_child_stop(struct pl_child *c);

/* Its output as a string without NUL bytes, at most the last MiB; the caller frees. NULL: none. */
char *pl_child_output(const struct pl_child *c);

/* Frees what is left; the child must have been waited for or stopped. */
void pl_child_fini(struct pl_child *c);

#endif
