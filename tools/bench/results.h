/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* What the runs of a comparison gave, and the ratios and bars that follow from it. */
#ifndef PL_TOOLS_BENCH_RESULTS_H
#define PL_TOOLS_BENCH_RESULTS_H

#include "tools/bench/judge.h"
#include "tools/bench/options.h"

struct pl_run {
	bool done;
	double value[PL_MAX_METRICS];
	double cross;	     /* fraction of turns, or of samples, on two CPUs; NAN: unknown */
	double cpu_s;	     /* of the measured part, or of all processes of a command */
	double cpu_s_per_op; /* NAN: the number of operations is unknown */
	double switches;     /* context switches; NAN: unknown, as is the next */
	double migrations;   /* to another CPU; of a command those that were seen */
	double wall_s;	     /* of the whole run */
};

struct pl_results {
	const struct pl_bench_opts *opts;
	char name[64];					    /* of the load */
	struct pl_run run[PL_NR_CONTENDERS][PL_MAX_ROUNDS]; /* by round, so that they pair */
	int rounds;
	char failed[256]; /* why it ended early; empty: it did not */
};

enum pl_bar_kind {
	PL_BAR_HAND,
	PL_BAR_KERNEL,
	PL_BAR_SPREAD,
	PL_BAR_SLOWEST,
	PL_NR_BARS,
};

struct pl_bar {
	bool asked;
	bool known; /* there were runs to judge it by */
	double limit;
	enum pl_contender against;
	struct pl_interval ratio; /* for PL_BAR_SLOWEST all three are the same */
	enum pl_verdict verdict;
};

/* The runs of contender C as columns OUT[rounds]; NAN where it did not run. */
void pl_results_values(const struct pl_results *r, enum pl_contender c, int metric, double *out);
void pl_results_cpu(const struct pl_results *r, enum pl_contender c, bool per_op, double *out);
void pl_results_cross(const struct pl_results *r, enum pl_contender c, double *out);
void pl_results_switches(const struct pl_results *r, enum pl_contender c, double *out);
void pl_results_migrations(const struct pl_results *r, enum pl_contender c, double *out);
size_t pl_results_count(const struct pl_results *r, enum pl_contender c);

/* Any run was done. */
bool pl_results_any(const struct pl_results *r);

/* Sets to NAN what is not of class CLASS by the cross fractions of contender C; returns how many
 * are left. */
size_t pl_results_keep(const struct pl_results *r, enum pl_contender c, enum pl_run_class class,
		       double *column);

/* The mask by hand with the better median; false when none ran. */
bool pl_results_best_hand(const struct pl_results *r, enum pl_contender *ret);

/* A against B in the judged metric, paired by round. False when no round has both. */
bool pl_results_ratio(const struct pl_results *r, enum pl_contender a, enum pl_contender b,
		      struct pl_interval *out);

/* The same with only those rounds in which B, the kernel, was of CLASS. */
bool pl_results_ratio_class(const struct pl_results *r, enum pl_contender a,
			    enum pl_run_class class, struct pl_interval *out);

void pl_results_bar(const struct pl_results *r, enum pl_bar_kind kind, struct pl_bar *out);

/* Marks in NEED the contenders that must run once more; false when nothing is open. */
bool pl_results_unsettled(const struct pl_results *r, bool need[PL_NR_CONTENDERS]);

#endif
