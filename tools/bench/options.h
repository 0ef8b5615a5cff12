/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* What `place bench` was asked to compare. */
#ifndef PL_TOOLS_BENCH_OPTIONS_H
#define PL_TOOLS_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PL_MAX_METRICS 8
#define PL_MAX_ROUNDS  200

enum pl_contender {
	PL_KERNEL,   /* nothing done */
	PL_CONTROL,  /* preload, policy off */
	PL_LIBPLACE, /* preload, policy auto */
	PL_ONE_CPU,  /* by hand: all on one CPU (several pairs: each pair on one) */
	PL_TWO_CPUS, /* by hand: the two ends on two CPUs */
	PL_NR_CONTENDERS,
};

struct pl_metric {
	const char *key;   /* in the program's "key value" lines */
	const char *label; /* for people, with the unit */
	bool lower_is_better;
	bool many_pairs; /* says something only when there are several */
};

/* One of our own programs under bench/. */
struct pl_workload {
	const char *name;
	const char *program;
	const char *op;	 /* what is counted: cpu_s_per_<op> is a key, too */
	bool needs_work; /* computes even without --work, so the work must be calibrated */
	bool threads_only;
	bool no_hand;				 /* no mask by hand makes sense */
	struct pl_metric metric[PL_MAX_METRICS]; /* the first is judged unless told otherwise */
};

struct pl_bench_opts {
	const struct pl_workload *workload; /* or NULL: a command */
	/* for our own programs */
	bool processes;
	bool exec;
	double work_us;
	int pairs;
	const char *pass[16][2]; /* options handed through: name, value */
	int nr_pass;
	uint64_t spin_loops; /* the same for all contenders; 0: not needed */
	/* for a command */
	const char *cmd, *kernel_cmd;
	const char *metric;
	bool lower_is_better;
	double ops, kernel_ops; /* operations of one run; 0: unknown */
	const char *server, *ready;
	/* the comparison */
	bool contender[PL_NR_CONTENDERS];
	bool preload_bare; /* LD_PRELOAD in the environment, else through `place run` */
	int runs, max_runs;
	const char *judge; /* key of the judged metric; NULL: the first */
	int judged;	   /* its number */
	double timeout_s, pause_s;
	double bar, bar_kernel, bar_spread, bar_slowest; /* NAN: not asked */
	bool json;
	/* found out */
	int cpu[2]; /* the CPUs of the masks by hand */
	int nr_cpus;
	int allowed[256]; /* all allowed CPUs, or the first 256 */
	int nr_allowed;
};

/*
 * Fills *O from the command line. Returns -1 to go on, else the exit status (0 after --help), with
 * the reason said on stderr.
 */
int pl_options_parse(struct pl_bench_opts *o, int argc, char **argv);

const char *pl_contender_name(enum pl_contender c);

/* NULL when there is none of that name. pl_workload_names() is for messages. */
const struct pl_workload *pl_workload_find(const char *name);
const char *pl_workload_names(void);

/* The metrics of the comparison: how many, and where. */
size_t pl_bench_metrics(const struct pl_bench_opts *o, const struct pl_metric **ret_metrics);

/* The judged one. */
const struct pl_metric *pl_bench_judged(const struct pl_bench_opts *o);
bool pl_bench_lower_is_better(const struct pl_bench_opts *o);

#endif
