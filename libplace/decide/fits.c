// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R1, the table of fits.
#include "decide/fits.h"

enum { CAPACITY_SCALE = 1024 };

int pl_util_fits_cpu(uint32_t util, uint32_t umin, uint32_t umax, const struct pl_cpu_capacity *cpu)
{
	bool fits = pl_fits_capacity(util, cpu->capacity);
	bool no_cap = umax == CAPACITY_SCALE && cpu->arch == CAPACITY_SCALE;

	/* A clamp that the hardware can give makes any utilization fit, but "1024 of 1024" says
	 * nothing. */
	if (!no_cap && umax <= cpu->arch)
		fits = true;
	if (umin > umax)
		umin = umax;
	if (fits && util < umin && umin > cpu->actual)
		return -1;
	return fits;
}

bool pl_task_fits_cpu(uint32_t util, uint32_t umin, uint32_t umax,
		      const struct pl_cpu_capacity *cpu)
{
	return pl_util_fits_cpu(util, umin, umax, cpu) > 0;
}
