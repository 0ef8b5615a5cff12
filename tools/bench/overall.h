/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * What many comparisons say together: geometric means, worst rows, and the bars this project holds
 * itself to. Pure: everything follows from the samples. Ratios are speeds here, more is better, but
 * for that of CPU seconds.
 */
#ifndef PL_TOOLS_BENCH_OVERALL_H
#define PL_TOOLS_BENCH_OVERALL_H

#include "tools/bench/results.h"

enum pl_overall_kind {
	PL_OVER_HAND,	    /* handoff rows against the best by hand, each */
	PL_OVER_HAND_MEAN,  /* the same, geometric mean; no bar */
	PL_OVER_SPREAD,	    /* against the kernel's spread runs, geometric mean */
	PL_OVER_CPU,	    /* CPU seconds an operation against the best by hand, each */
	PL_OVER_OTHER_MEAN, /* all other rows against the kernel, geometric mean */
	PL_OVER_OTHER,	    /* the same, each */
	PL_OVER_CONTROL,    /* control against the kernel, all rows, each */
	PL_NR_OVERALL,
};

struct pl_overall {
	bool is_mean;
	double limit; /* NAN: none */
	bool lower_is_better;
	size_t rows;   /* it rests on; 0: nothing below is known */
	size_t failed; /* rows that fail the limit by themselves; for a mean 0 */
	/* The mean, its ends the means of the ends; or that of the worst row. */
	struct pl_interval ratio;
	const char *worst; /* row with the worst ratio, and that ratio */
	double worst_ratio;
	enum pl_verdict verdict; /* of the worst verdict of its rows; when there is a limit */
};

/* Of those of R[NR] that have runs. */
void pl_overall(struct pl_results *const *r, size_t nr, enum pl_overall_kind kind,
		struct pl_overall *out);

/* For people, and as a key. */
const char *pl_overall_text(enum pl_overall_kind kind);
const char *pl_overall_key(enum pl_overall_kind kind);

#endif
