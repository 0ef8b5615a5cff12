/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Runs the contenders in turn until the comparison is settled. */
#ifndef PL_TOOLS_BENCH_ENGINE_H
#define PL_TOOLS_BENCH_ENGINE_H

#include "tools/bench/results.h"

/* Fills *R, whose opts are set. 0, or an exit status with the reason said on stderr; nothing that
 * was started is left running in either case. */
int pl_engine_run(struct pl_results *r);

/* One run of one contender. Same return. */
int pl_engine_run_once(const struct pl_bench_opts *o, enum pl_contender c, struct pl_run *out);

/* Strikes out other tools that cannot do their work here, with the reason in o->note. Same return;
 * non-zero only when interrupted. */
int pl_engine_probe_peers(struct pl_bench_opts *o);

/* Loops per microsecond of our programs' work, measured once for all contenders. Same return. */
int pl_engine_calibrate(struct pl_bench_opts *o);

#endif
