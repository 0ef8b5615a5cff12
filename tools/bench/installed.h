/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Whether somebody else's program is there. */
#ifndef PL_TOOLS_BENCH_INSTALLED_H
#define PL_TOOLS_BENCH_INSTALLED_H

#include <stdbool.h>
#include <stddef.h>

/* PROGRAM is on PATH or where Debian keeps servers out of it; with a slash: such a file
 * can be read, wildcards allowed. MT-safe. */
bool pl_installed(const char *program);

/* The same, and where: the last match of a wildcard. */
bool pl_installed_path(const char *program, char *out, size_t n);

#endif
