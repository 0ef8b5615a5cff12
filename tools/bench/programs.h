/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * Comparisons with other people's programs, ready to run. Each is data: what is needed, how its
 * server is started, what loads it, and where the figure stands in the output.
 */
#ifndef PL_TOOLS_BENCH_PROGRAMS_H
#define PL_TOOLS_BENCH_PROGRAMS_H

#include "tools/bench/options.h"

/*
 * In the commands: {dir} is an empty private directory, removed at the end; {port} a free TCP port;
 * {cpus} the number of allowed CPUs; {seconds} and {ops} how long a run is, less with --quick;
 * {bin} the directory of the first needed program; {own} that of our programs; {user} is given to
 * programs that ask whom to become.
 */
struct pl_program {
	const char *name;
	const char *package; /* of Debian, for people */
	const char *needs;   /* programs, or files with wildcards, separated by commas */
	const char *prepare; /* shell script, once before all runs, not measured; or NULL */
	const char *server;  /* or NULL */
	const char *ready;   /* where the server accepts: HOST:PORT or a path */
	const char *cmd;
	const char *metric; /* regular expression, or PL_METRIC_WALL */
	const char *label;
	bool lower_is_better;
	double ops;	   /* {ops} of one run; 0: it has no such number */
	double kernel_ops; /* fewer for contenders whose operations may take many times as long */
	bool unprivileged; /* it refuses to run as root */
	bool handoff;	   /* two tasks that only wait for each other: judged by masks by hand */
	double run_s;	   /* what one run takes, a server's start and end included, about */
	double prepare_s;  /* once before all runs */
};

/* NULL when there is none; the N-th, NULL behind the last. */
const struct pl_program *pl_program_find(const char *name);
const struct pl_program *pl_program_nth(size_t n);

/* All it needs is there. */
bool pl_program_installed(const struct pl_program *p);

/*
 * Fills in the command fields of O from o->program, makes its directory and runs its preparation.
 * 0, or an exit status with the reason said on stderr. In both cases pl_program_end() is due.
 */
int pl_program_begin(struct pl_bench_opts *o);

/* Removes the directory and frees what pl_program_begin() made. */
void pl_program_end(struct pl_bench_opts *o);

#endif
