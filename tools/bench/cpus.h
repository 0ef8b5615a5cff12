/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The allowed CPUs, and the cores, caches and nodes they belong to, as far as sysfs tells. */
#ifndef PL_TOOLS_BENCH_CPUS_H
#define PL_TOOLS_BENCH_CPUS_H

#define PL_CPUS_MAX 256

struct pl_cpus {
	int cpu[PL_CPUS_MAX];  /* allowed, ascending; more than PL_CPUS_MAX are not looked at */
	int core[PL_CPUS_MAX]; /* first CPU of the core of cpu[i]; -1 - cpu[i] when unknown */
	int llc[PL_CPUS_MAX];  /* first CPU of its last-level cache; -1 when unknown */
	int node[PL_CPUS_MAX]; /* NUMA node; 0 when unknown */
	int nr;
	int nr_cores;
	int nr_llcs;
};

/* Reads the mask of the calling thread and sysfs. There is always one CPU. MT-safe. */
void pl_cpus_read(struct pl_cpus *out);

/*
 * OUT[0..nr-1]: one CPU of each core first, then second siblings, and so on; ascending within each.
 * The order in which tasks are given CPUs by hand. Returns the number of cores. Pure.
 */
int pl_cpus_by_core(const struct pl_cpus *cpus, int *out);

#endif
