/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* What `place bench` was asked to compare. */
#ifndef PL_TOOLS_BENCH_OPTIONS_H
#define PL_TOOLS_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tools/bench/cpus.h"

#define PL_MAX_METRICS 8
#define PL_MAX_ROUNDS  200
#define PL_MAX_PASS    16
#define PL_OWN_PASS    6 /* of a row, and of --quick */

enum pl_contender {
	PL_KERNEL,   /* nothing done */
	PL_CONTROL,  /* preload, policy off */
	PL_LIBPLACE, /* preload, policy auto */
	PL_ONE_CPU,  /* by hand: all on one CPU (several pairs: each pair on one) */
	PL_TWO_CPUS, /* by hand: the two ends on two CPUs */
	PL_PER_CORE, /* by hand: each task on a core of its own, siblings last */
	PL_ONE_LLC,  /* by hand: all within one last-level cache */
	PL_TASKSET,  /* by other tools, when installed */
	PL_NUMACTL,
	PL_HWLOC_BIND,
	PL_LIKWID_PIN,
	PL_NR_CONTENDERS,
};

#define PL_FIRST_HAND PL_ONE_CPU
#define PL_LAST_HAND  PL_ONE_LLC
#define PL_FIRST_PEER PL_TASKSET

#define PL_BIT(c) (1u << (c))

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
	bool any_number;			 /* --threads N and --processes N */
	unsigned int hand;			 /* PL_BIT of the masks by hand that make sense */
	struct pl_metric metric[PL_MAX_METRICS]; /* the first is judged unless told otherwise */
};

struct pl_program;
struct pl_row;

enum pl_ask {
	PL_ASK_ONE,  /* one comparison */
	PL_ASK_ALL,  /* each of ours, with --full also each installed program */
	PL_ASK_LIST, /* what there is */
};

enum {
	PL_TEXT_PREPARE,
	PL_TEXT_SERVER,
	PL_TEXT_READY,
	PL_TEXT_CMD,
	PL_TEXT_KERNEL_CMD,
	PL_NR_TEXTS,
};

/* As the metric of a command: seconds of the whole command. It has no group, so it is no REGEX. */
#define PL_METRIC_WALL "wall"

struct pl_bench_opts {
	const struct pl_workload *workload; /* or NULL: a command */
	const struct pl_row *row;	    /* its name and options were taken from; or NULL */
	/* for our own programs */
	bool processes;
	bool exec;
	double work_us;
	int pairs;
	const char *pass[PL_MAX_PASS + PL_OWN_PASS]
			[2]; /* options handed through: name, value or NULL */
	int nr_pass;
	uint64_t spin_loops; /* the same for all contenders; 0: not needed */
	/* for a command */
	const char *cmd, *kernel_cmd;
	const char *metric;
	bool lower_is_better;
	double ops, kernel_ops; /* operations of one run; 0: unknown */
	double rate_s;		/* the figure is a rate over so many seconds; 0: it is not */
	const char *server, *ready;
	const char *label;		  /* of the figure, for people; NULL: none is known */
	const struct pl_program *program; /* a ready comparison the above was taken from */
	bool unprivileged;		  /* as the following user, because this one is root */
	uid_t uid;
	gid_t gid;
	char user[64];
	char dir[128];		 /* private directory of the program; empty: none */
	char *text[PL_NR_TEXTS]; /* its commands, filled in */
	/* the comparison */
	bool contender[PL_NR_CONTENDERS];
	bool chosen;	   /* by --contenders */
	bool preload_bare; /* LD_PRELOAD in the environment, else through `place run` */
	int runs, max_runs;
	const char *judge; /* key of the judged metric; NULL: the first */
	int judged;	   /* its number */
	double timeout_s, pause_s;
	double bar, bar_kernel, bar_spread, bar_slowest; /* NAN: not asked */
	enum pl_ask ask;
	bool quick, full;
	unsigned int only; /* sets of rows for all --full */
	const char *out;   /* directory for a JSON file of each row; NULL: none */
	bool json, markdown;
	const char *plot; /* file for the picture, .svg or .png */
	/* found out */
	struct pl_cpus cpus;
	int cpu[2]; /* the CPUs of the masks by hand; the second is -1 when there is one CPU only */
	char note[512]; /* what was left out and why; empty: nothing */
};

/*
 * Fills *O from the command line. Returns -1 to go on, else the exit status (0 after --help), with
 * the reason said on stderr.
 */
int pl_options_parse(struct pl_bench_opts *o, int argc, char **argv);

/* Finds the judged figure. False, with the reason said on stderr, when *O asks for what cannot be
 * had together. */
bool pl_options_check(struct pl_bench_opts *o);

const char *pl_contender_name(enum pl_contender c);

/* NULL when there is none of that name. pl_workload_names() is for messages. */
const struct pl_workload *pl_workload_find(const char *name);
const char *pl_workload_names(void);

/* The N-th, NULL behind the last. */
const struct pl_workload *pl_workload_nth(size_t n);

/* What --quick changes; before the options that come after it. */
void pl_options_quick(struct pl_bench_opts *o);

/* Chooses a row, a load or a program by name. False when there is none. */
bool pl_options_load(struct pl_bench_opts *o, const char *name);

/* The name of the row or load, or the command. */
const char *pl_bench_name(const struct pl_bench_opts *o);

/* The sets it belongs to, as in rows.h; 0 for what is no row. */
unsigned int pl_bench_sets(const struct pl_bench_opts *o);

/* The metrics of the comparison: how many, and where. */
size_t pl_bench_metrics(const struct pl_bench_opts *o, const struct pl_metric **ret_metrics);

/* The judged one. */
const struct pl_metric *pl_bench_judged(const struct pl_bench_opts *o);
bool pl_bench_lower_is_better(const struct pl_bench_opts *o);

#endif
