/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Cores and capacities of a guest's CPUs, read from sysfs: no libplace in what judges it. */
#ifndef PL_TESTS_VM_CORES_H
#define PL_TESTS_VM_CORES_H

#define MAX_CPUS 1024

struct vm_cpu {
	int core;     /* its first sibling; -1: CPU not there */
	int capacity; /* cpu_capacity, else highest_perf, else 1024 */
};

extern struct vm_cpu vm_cpus[MAX_CPUS];

/* Fills vm_cpus. Before any thread is started. */
void vm_cpus_read(void);

/* The core of a CPU, or -1; CPU may be any number. MT-safe. */
static inline int vm_core(int cpu)
{
	return cpu >= 0 && cpu < MAX_CPUS ? vm_cpus[cpu].core : -1;
}

#endif
