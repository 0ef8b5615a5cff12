/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Utilization of a task: a share of one CPU that fades by half every 32 ms. Pure. */
#ifndef PL_OBSERVE_UTILIZATION_H
#define PL_OBSERVE_UTILIZATION_H

#include <stdbool.h>
#include <stdint.h>

#define PL_UTIL_HALF_LIFE_NS 32000000ull
#define PL_CPU_BOUND_UTIL    800u	  /* DESIGN.md: CPU-bound is 800 of 1024 ... */
#define PL_CPU_BOUND_NS	     100000000ull /* ... for 100 ms */

struct pl_util {
	uint32_t avg;	  /* 0..1024 */
	uint32_t est;	  /* follows avg up at once, and down by a quarter a second */
	uint64_t high_ns; /* for how long avg has been at PL_CPU_BOUND_UTIL or above */
	uint64_t est_ns;  /* time since est last went down */
};

/* Adds WALL_NS of time in which the task used CPU_NS of CPU time. */
void pl_util_add(struct pl_util *u, uint64_t wall_ns, uint64_t cpu_ns);

/* What a CPU must have to spare for the task: the larger of the average and the estimate. */
static inline uint32_t pl_util_need(const struct pl_util *u)
{
	return u->est > u->avg ? u->est : u->avg;
}

static inline bool pl_util_is_cpu_bound(const struct pl_util *u)
{
	return u->high_ns >= PL_CPU_BOUND_NS;
}

#endif
