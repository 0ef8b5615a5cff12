/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* R12: the CPU that costs least energy by a stated proxy (--policy=energy). Pure. */
#ifndef PL_DECIDE_ENERGY_H
#define PL_DECIDE_ENERGY_H

#include "decide/reason.h"
#include "decide/snapshot.h"

/*
 * The CPU for R: of each frequency domain prev, if it lies there, and the best-fitting CPU with the
 * most spare capacity (idle cores first); of these the one whose domain's top utilization times
 * capacity squared grows least, ties to prev, then to the lowest domain. FREQ_DOMAIN names each
 * CPU's domain (one for all CPUs of a core; below PL_MAX_CPUS); NULL: its cluster. The snapshot's
 * util does not count the task itself. *OUT is -1 with PL_WHY_OVERUTILIZED when any CPU is above
 * 80 %: R6 or R7 then, and -1 with PL_WHY_TOO_SMALL when it fits nowhere.
 */
void pl_select_energy(const struct pl_snapshot *s, const struct pl_request *r,
		      const uint16_t *freq_domain, struct pl_choice *out);

#endif
