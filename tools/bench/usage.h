/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* `place bench --help` and `place bench --list`. */
#ifndef PL_TOOLS_BENCH_USAGE_H
#define PL_TOOLS_BENCH_USAGE_H

#include <stdio.h>

void pl_usage(FILE *f);

/* Every load by name: ours, then other people's programs with whether they are installed. */
void pl_usage_list(FILE *f);

#endif
