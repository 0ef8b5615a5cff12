/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* A comparison for people and for programs, on stdout. */
#ifndef PL_TOOLS_BENCH_BENCH_REPORT_H
#define PL_TOOLS_BENCH_BENCH_REPORT_H

#include "tools/bench/host.h"
#include "tools/bench/results.h"

/* ARGV: as `place bench` was called; it heads the report. */
void pl_report_table(const struct pl_results *r, const struct pl_host *h, int argc, char **argv);

/* 0, or -1 when out of memory or stdout cannot be written. */
int pl_report_json(const struct pl_results *r, const struct pl_host *h, int argc, char **argv);

/* For both: "hand", "kernel", "spread", "slowest"; "pass", "open", "fail". */
const char *pl_report_bar_name(enum pl_bar_kind kind);
const char *pl_report_verdict_name(enum pl_verdict v);

#endif
