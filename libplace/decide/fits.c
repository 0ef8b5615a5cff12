// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R1, the table of fits.
#include "decide/fits.h"

bool pl_task_fits_cpu(uint32_t util, uint32_t umin, uint32_t umax,
		      const struct pl_cpu_capacity *cpu)
{
	return pl_util_fits_cpu(util, umin, umax, cpu) > 0;
}
