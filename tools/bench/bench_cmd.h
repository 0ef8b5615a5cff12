/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The subcommand `place bench`. */
#ifndef PL_TOOLS_BENCH_BENCH_CMD_H
#define PL_TOOLS_BENCH_BENCH_CMD_H

#include "tools/bench/options.h"
#include "tools/bench/results.h"

/* ARGV[0] is "bench". Returns the exit status: 0; 1 when a bar or a run failed; 2 for usage; 126
 * and 127 for a program that cannot be run; 128 + signal when interrupted. */
int cmd_bench(int argc, char **argv);

/* Measures what O asks for into R. 0 or an exit status; then R has the runs done until then, and in
 * r->failed why there are no more. */
int pl_bench_compare(struct pl_bench_opts *o, struct pl_results *r);

/* On stdout, and into the file for the picture. Same return. */
int pl_bench_report(struct pl_results *const *r, size_t nr, const struct pl_bench_opts *o, int argc,
		    char **argv);

/* `place bench all`: one comparison after the other, BASE being what they have in common. What
 * fails or is interrupted is reported as far as it came, and makes the status that of the last
 * failure. */
int pl_bench_all(const struct pl_bench_opts *base, int argc, char **argv);

#endif
