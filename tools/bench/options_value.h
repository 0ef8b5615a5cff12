/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* What stands behind an option of `place bench`: each is false, with the reason said on stderr, for
 * a value that cannot be. OPTION is its name, without dashes. */
#ifndef PL_TOOLS_BENCH_OPTIONS_VALUE_H
#define PL_TOOLS_BENCH_OPTIONS_VALUE_H

#include "tools/bench/options.h"

/* Within [MIN, MAX]. */
bool pl_value_number(const char *option, const char *arg, double min, double max, double *out);
bool pl_value_integer(const char *option, const char *arg, int min, int max, int *out);

/* Names with commas; "run" or "bare"; a file that ends in .svg or .png. */
bool pl_value_contenders(struct pl_bench_opts *o, const char *arg);
bool pl_value_preload(struct pl_bench_opts *o, const char *arg);
bool pl_value_plot(struct pl_bench_opts *o, const char *arg);

#endif
