/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * The flat machine model: what the rules need to know of the hardware, one entry per CPU number,
 * no pointers, so that it can lie in the shared segment. Written once per boot by the keeper
 * (machine/topology.c reads it through hwloc), read by every member.
 */
#ifndef PL_MACHINE_MODEL_H
#define PL_MACHINE_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include "base/cpumask.h"

#define PL_NO_ID UINT16_MAX /* "the machine does not say" */

struct pl_cpu {
	uint16_t core;	      /* number of its core, counted from 0 in the order of first CPUs */
	uint16_t llc;	      /* number of its last-level cache */
	uint16_t node;	      /* NUMA node (kernel's number) */
	uint16_t package;     /* package number */
	uint16_t capacity;    /* 1..1024, 1024 at the largest; 0: no such CPU or offline */
	uint16_t nr_siblings; /* CPUs of its core, itself included */
};

struct pl_machine {
	uint16_t nr_cpu_ids; /* highest known CPU number + 1, at most PL_MAX_CPUS */
	uint16_t nr_online;
	uint16_t nr_cores;
	uint16_t nr_llcs;
	uint16_t nr_nodes;
	uint16_t smt; /* most CPUs of one core */
	uint16_t reserved[2];
	struct pl_cpu cpu[PL_MAX_CPUS];
};

/* True when CPU is online in M. Pure. */
static inline bool pl_machine_has(const struct pl_machine *m, int cpu)
{
	return cpu >= 0 && cpu < m->nr_cpu_ids && cpu < PL_MAX_CPUS && m->cpu[cpu].capacity > 0;
}

/*
 * The CPUs that share CPU's core, into OUT (CPU alone where the model does not know the core).
 * Pure, no allocation; scans nr_cpu_ids entries.
 */
void pl_machine_core_mask(const struct pl_machine *m, int cpu, struct pl_cpumask *out);

/* Number of online CPUs that share CPU's last-level cache, at least 1. Pure. */
int pl_machine_llc_size(const struct pl_machine *m, int cpu);

/*
 * Checks that a model is usable: counts within bounds and at least one online CPU. The model may
 * come from memory that a hostile process of the same user can write. Pure.
 */
bool pl_machine_is_valid(const struct pl_machine *m);

#endif
