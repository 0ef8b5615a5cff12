/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The subcommand `place bench`. */
#ifndef PL_TOOLS_BENCH_BENCH_CMD_H
#define PL_TOOLS_BENCH_BENCH_CMD_H

/* ARGV[0] is "bench". Returns the exit status: 0; 1 when a bar or a run failed; 2 for usage; 126
 * and 127 for a program that cannot be run; 128 + signal when interrupted. */
int cmd_bench(int argc, char **argv);

#endif
