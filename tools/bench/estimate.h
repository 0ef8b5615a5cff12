/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* How long a comparison will take, said before it begins. */
#ifndef PL_TOOLS_BENCH_ESTIMATE_H
#define PL_TOOLS_BENCH_ESTIMATE_H

#include "tools/bench/options.h"

/* Seconds for o->runs rounds, from what the tables say a run takes; more rounds come on top. Reads
 * the machine. O must have a row, load or program, not begun yet. */
double pl_estimate(const struct pl_bench_opts *o);

#endif
