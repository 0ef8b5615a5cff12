/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Made-up sysfs trees in a temporary folder, as a root for machine/sysfs.h and hwloc. */
#ifndef PL_TESTS_MACHINE_TREE_H
#define PL_TESTS_MACHINE_TREE_H

#include <stdbool.h>

struct tree {
	char root[64];
};

/* An empty folder; asserts that it could be made. */
void tree_new(struct tree *t);

/* Writes TEXT into the file below the root, making its folders. Asserts success. */
void tree_put(const struct tree *t, const char *path, const char *text);

/* The same for cpuN/FILE, a number with its newline. */
void tree_put_cpu(const struct tree *t, int cpu, const char *file, unsigned long long value);

/*
 * CPUs 0..NR-1 of one package with all that hwloc wants: THREADS neighbours in number are a core,
 * and an L3 is shared by all of them.
 */
void tree_put_cpus(const struct tree *t, int nr, int threads);

/* The path of a file below the root, in static memory. */
const char *tree_path(const struct tree *t, const char *path);

/* Removes the folder and all in it. */
void tree_remove(struct tree *t);

#endif
