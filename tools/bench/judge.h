/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * The statistics of a comparison: medians, paired ratios with their 95 % interval, bars. Pure: no
 * clock, no global, no input but its arguments; the same samples give the same answer.
 */
#ifndef PL_TOOLS_BENCH_JUDGE_H
#define PL_TOOLS_BENCH_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

/* Below this many pairs a bootstrap says nothing: the interval is unbounded and fails no bar. */
#define PL_JUDGE_MIN_PAIRS 5

/* An interval is narrow enough when both ends are within 3 % of its middle. */
#define PL_JUDGE_NARROW 0.03

/* A run in which at least half of the turns crossed CPUs. */
#define PL_JUDGE_SPREAD 0.5

struct pl_interval {
	double mid;
	double lo, hi; /* 95 % */
	size_t n;      /* pairs it rests on */
};

enum pl_verdict {
	PL_BAR_PASS, /* the interval lies wholly on the good side */
	PL_BAR_OPEN, /* the bar lies inside the interval: not failed */
	PL_BAR_FAIL, /* the interval lies wholly beyond the bar */
};

/* What an interval of a ratio says about A against B. */
enum pl_outcome {
	PL_TOO_FEW, /* pairs: no interval, so nothing is said */
	PL_BETTER,  /* the interval lies wholly on the good side of 1 */
	PL_WORSE,
	PL_NO_DIFFERENCE, /* 1 lies inside: noise, whatever the middle is */
};

enum pl_run_class {
	PL_RUN_UNKNOWN, /* nobody counted the turns */
	PL_RUN_STACKED,
	PL_RUN_SPREAD,
};

/* Median of V[0..N-1], NANs left out; NAN when none is left. V is not changed. */
double pl_judge_median(const double *v, size_t n);

/* Smallest and largest, NANs left out; NAN when none is left. */
double pl_judge_min(const double *v, size_t n);
double pl_judge_max(const double *v, size_t n);

/* Largest less smallest, as a part of the median; NAN when nothing is left. */
double pl_judge_spread(const double *v, size_t n);

/*
 * A[i] and B[i] were measured in the same round. The middle is exp(median of log(A[i] / B[i])),
 * the interval a bootstrap of it with a fixed seed. Pairs with a NAN or a value <= 0 are left out.
 * False, with *OUT untouched, when no pair is left.
 */
bool pl_judge_ratio(const double *a, const double *b, size_t n, struct pl_interval *out);

/* The same for the median of A[i] - B[i]; any finite value counts. */
bool pl_judge_difference(const double *a, const double *b, size_t n, struct pl_interval *out);

/* Both ends within PL_JUDGE_NARROW of the middle. */
bool pl_judge_is_narrow(const struct pl_interval *iv);

/* BAR is an upper limit of the ratio when LOWER_IS_BETTER, else a lower limit. */
enum pl_verdict pl_judge_bar(const struct pl_interval *iv, double bar, bool lower_is_better);

enum pl_outcome pl_judge_outcome(const struct pl_interval *iv, bool lower_is_better);

/* More runs change nothing: the interval is narrow, or wholly on the good side of BAR. A BAR of NAN
 * stands for "none": only narrowness counts. */
bool pl_judge_is_settled(const struct pl_interval *iv, double bar, bool lower_is_better);

/* CROSS: fraction of turns that crossed CPUs, NAN when unknown. */
enum pl_run_class pl_judge_class(double cross);

/* Which of NR contenders runs at POSITION of ROUND: each comes first, second, ... equally often. */
size_t pl_judge_order(size_t round, size_t position, size_t nr);

#endif
