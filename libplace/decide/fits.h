/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* R1: fitting. Utilization, capacity and uclamp values are 0..1024. Pure. */
#ifndef PL_DECIDE_FITS_H
#define PL_DECIDE_FITS_H

#include <stdbool.h>
#include <stdint.h>

/* UTIL fits CAPACITY with a fifth to spare. */
static inline bool pl_fits_capacity(uint32_t util, uint32_t capacity)
{
	return util * 1280ull < capacity * 1024ull;
}

/* A is larger than B by more than about 5 %. */
static inline bool pl_capacity_greater(uint32_t a, uint32_t b)
{
	return a * 1024ull > b * 1078ull;
}

struct pl_cpu_capacity {
	uint32_t arch;	   /* what the hardware can do */
	uint32_t actual;   /* less a thermal or frequency cap */
	uint32_t capacity; /* less steal and interrupt time; pl_capacity_left() */
};

/* What steal and interrupt time (TAKEN, 0..1024 of the CPU's time) leave of ACTUAL, at least 1. */
static inline uint32_t pl_capacity_left(uint32_t actual, uint32_t taken)
{
	uint32_t left = taken < 1024 ? actual * (1024 - taken) / 1024 : 0;

	return left ? left : 1;
}

/*
 * Whether a task of utilization UTIL with clamps UMIN..UMAX fits the CPU: 1 fits, 0 does not, -1
 * fits but the CPU cannot give the UMIN asked for. Inline, and without branches: a search asks it
 * of every CPU.
 */
static inline int pl_util_fits_cpu(uint32_t util, uint32_t umin, uint32_t umax,
				   const struct pl_cpu_capacity *cpu)
{
	/* A clamp that the hardware can give makes any utilization fit, but "1024 of 1024" says
	 * nothing. */
	bool capped = (umax <= cpu->arch) & !((umax == 1024) & (cpu->arch == 1024));
	bool fits = pl_fits_capacity(util, cpu->capacity) | capped;

	umin = umin < umax ? umin : umax;
	return fits & (util < umin) & (umin > cpu->actual) ? -1 : fits;
}

/* pl_util_fits_cpu() > 0. */
bool pl_task_fits_cpu(uint32_t util, uint32_t umin, uint32_t umax,
		      const struct pl_cpu_capacity *cpu);

#endif
