/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * Where the pieces of libplace are: beside the running executable when it lies in a build tree,
 * else where they were installed.
 */
#ifndef PL_TOOLS_PATHS_H
#define PL_TOOLS_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* Each stores an absolute path in OUT[N] and says whether a file is there. On false OUT holds the
 * installed place, for the message. Only the tools and benchmarks use them. */

/* libplace-preload.so */
bool pl_path_preload(char *out, size_t n);

/* A program such as "place-pingpong". */
bool pl_path_program(const char *name, char *out, size_t n);

/* The running executable. */
bool pl_path_self(char *out, size_t n);

#endif
