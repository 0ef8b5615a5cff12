/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Figures out of a program's output. */
#ifndef PL_TOOLS_BENCH_METRIC_H
#define PL_TOOLS_BENCH_METRIC_H

#include <stdbool.h>

/* The value of KEY in lines "key value". False when there is no such line. */
bool pl_metric_key(const char *text, const char *key, double *out);

/* First group of the last match of the extended regular expression. False when there is none. */
bool pl_metric_regex(const char *text, const char *regex, double *out);

/* NULL when REGEX can be used, else why not; the text is static. */
const char *pl_metric_check(const char *regex);

/* The last line of TEXT that is not blank, for error messages; TEXT is cut behind it. */
const char *pl_metric_last_line(char *text);

#endif
