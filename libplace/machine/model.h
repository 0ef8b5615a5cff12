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

#define PL_MAX_NODES 64 /* NUMA nodes whose distances are kept */

enum {
	PL_CPU_ISOLATED = 1, /* isolcpus */
	PL_CPU_TICKLESS = 2, /* nohz_full */
};

/* R2: where capacities come from; the text is pl_capacity_source_name() (machine/capacity.h). */
enum pl_capacity_source {
	PL_CAPACITY_EQUAL = 0, /* no source tells the CPUs apart */
	PL_CAPACITY_ARCH,      /* cpu_capacity */
	PL_CAPACITY_PERF,      /* acpi_cppc/highest_perf between core types */
	PL_CAPACITY_NOMINAL,   /* acpi_cppc/nominal_freq */
	PL_CAPACITY_KIND,      /* kinds of hwloc */
	PL_CAPACITY_FREQ,      /* cpufreq */
	PL_CAPACITY_NR_SOURCES,
};

/* R17: what the running kernel does itself, so that it is left to it. */
enum {
	PL_KERNEL_HAS_ASYM = 1,	    /* R7 and R9 */
	PL_KERNEL_HAS_CACHES = 2,   /* R11 */
	PL_KERNEL_HAS_BALANCER = 4, /* R13 */
	PL_KERNEL_HAS_OTHER = 8,    /* another scheduler is loaded (sched_ext): nothing is placed */
};

/* R2: what counts as a difference between capacities; auto is group. */
enum pl_capacity_mode {
	PL_CAPACITY_GROUP = 0,
	PL_CAPACITY_EXACT,
	PL_CAPACITY_PACKING,
	PL_CAPACITY_OFF,
};

struct pl_cpu {
	uint16_t core;	  /* number of its core, counted from 0 in the order of first CPUs */
	uint16_t cluster; /* number of its cluster (shared L2), its core's own when there is none */
	uint16_t llc;	  /* number of its last-level cache */
	uint16_t node;	  /* NUMA node (kernel's number) */
	uint16_t package; /* package number */
	uint16_t capacity;    /* R2, of its class: 1..1024, 1024 at the largest; 0: no such CPU or
				 offline */
	uint16_t actual;      /* capacity less a thermal or frequency cap */
	uint16_t priority;    /* R2: higher is favoured; 0 everywhere when nothing ranks them */
	uint16_t nr_siblings; /* CPUs of its core, itself included */
	uint8_t class;	      /* capacity class, 0 is the largest */
	uint8_t flags;	      /* PL_CPU_ISOLATED, PL_CPU_TICKLESS */
};

/* Entries first .. first + nr - 1 of pl_machine.order. */
struct pl_range {
	uint16_t first;
	uint16_t nr;
};

struct pl_machine {
	uint16_t nr_cpu_ids; /* highest known CPU number + 1, at most PL_MAX_CPUS */
	uint16_t nr_online;
	uint16_t nr_cores;
	uint16_t nr_clusters;
	uint16_t nr_llcs;
	uint16_t nr_packages;
	uint16_t nr_nodes;
	uint16_t nr_classes;	 /* capacity classes */
	uint16_t smt;		 /* most CPUs of one core */
	uint8_t asymmetric;	 /* R2: capacities differ significantly */
	uint8_t capacity_source; /* enum pl_capacity_source */
	uint8_t capacity_mode;	 /* enum pl_capacity_mode */
	uint8_t kernel_rules;	 /* R17: bits PL_KERNEL_HAS_* */
	uint8_t reserved[4];
	/* Online CPUs by (llc, cluster, core, number): each of those is one range of it. */
	uint16_t order[PL_MAX_CPUS];
	struct pl_range core[PL_MAX_CPUS];    /* by core number */
	struct pl_range cluster[PL_MAX_CPUS]; /* by cluster number */
	struct pl_range llc[PL_MAX_CPUS];     /* by LLC number */
	/* By kernel's node numbers; 10 is the node itself, 0 not known. */
	uint8_t distance[PL_MAX_NODES][PL_MAX_NODES];
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

/* Parses auto, group, exact, packing or off into *OUT; false when NAME is none of them. Pure. */
bool pl_capacity_mode_parse(const char *name, enum pl_capacity_mode *out);

/* Its name, "group" for auto. Pure. */
const char *pl_capacity_mode_name(enum pl_capacity_mode mode);

/*
 * Fills in what follows from the fields core, cluster, llc, node, capacity and flags of cpu[] and
 * from nr_cpu_ids: order, ranges, nr_siblings and every count. Entries of absent CPUs (capacity 0)
 * are ignored. Pure.
 */
void pl_machine_finish(struct pl_machine *m);

/*
 * Checks that a model is usable: counts within bounds and at least one online CPU. The model may
 * come from memory that a hostile process of the same user can write. Pure.
 */
bool pl_machine_is_valid(const struct pl_machine *m);

#endif
