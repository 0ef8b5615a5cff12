/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* A comparison for people and for programs, on stdout. */
#ifndef PL_TOOLS_BENCH_BENCH_REPORT_H
#define PL_TOOLS_BENCH_BENCH_REPORT_H

#include <stdio.h>

#include "tools/bench/host.h"
#include "tools/bench/results.h"

/* ARGV: as `place bench` was called; it heads the report. */
void pl_report_table(const struct pl_results *r, const struct pl_host *h, int argc, char **argv);

/* Into F: one comparison as an object, or when O asks for all, as a list in one with what they say
 * together. 0, or -1 when out of memory or F cannot be written. */
int pl_report_json(FILE *f, struct pl_results *const *r, size_t nr, const struct pl_bench_opts *o,
		   int argc, char **argv);

/* One line for each of several comparisons; for people or for a page. */
void pl_report_summary(struct pl_results *const *r, size_t nr, const struct pl_host *h, int argc,
		       char **argv, const struct pl_bench_opts *o);

/* What several say together, and those that ended early. */
void pl_report_overall(struct pl_results *const *r, size_t nr, bool markdown);
void pl_report_failed(struct pl_results *const *r, size_t nr, bool markdown);

/* The same as tables for a page. */
void pl_report_markdown(const struct pl_results *r, const struct pl_host *h, int argc, char **argv);

/* "faster", "slower", "no difference beyond the noise", "too few runs to say". */
const char *pl_report_outcome_name(enum pl_outcome o);

#define PL_CELL 32

/* Into BUF of PL_CELL bytes: four significant digits or whole numbers; "-" for what is not known,
 * "never" for an infinite time. Returns BUF. */
const char *pl_report_cell(char *buf, double v);

/* "ratio [lo, hi]"; without an interval below PL_JUDGE_MIN_PAIRS. Returns BUF. */
const char *pl_report_interval(char *buf, bool known, const struct pl_interval *iv);

/* For both: "hand", "kernel", "spread", "slowest"; "pass", "open", "fail". */
const char *pl_report_bar_name(enum pl_bar_kind kind);
const char *pl_report_verdict_name(enum pl_verdict v);

#endif
