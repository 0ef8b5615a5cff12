/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* R12: the CPU that costs least energy by a stated proxy (--policy=energy). Pure. */
#ifndef PL_DECIDE_ENERGY_H
#define PL_DECIDE_ENERGY_H

#include "decide/reason.h"
#include "decide/snapshot.h"

/* CPUs that run at one frequency: entries first .. first + nr - 1 of order[] are one domain. */
struct pl_freq_domains {
	const uint16_t *order;
	const struct pl_range *range;
	uint16_t nr;
};

/*
 * The CPU for R: of each frequency domain prev, if it lies there, and the best-fitting CPU with the
 * most spare capacity (idle cores first); of these the one whose domain's top utilization times
 * capacity squared grows least, ties to prev, then to the domain that comes first. DOMAINS: CPUs of
 * one core are in one domain; NULL: the machine's clusters. The snapshot's util does not count the
 * task itself. *OUT is -1 with PL_WHY_OVERUTILIZED when any CPU is above 80 % (R6 or R7 then), and
 * -1 with PL_WHY_TOO_SMALL when it fits nowhere. O(CPUs).
 */
void pl_select_energy(const struct pl_snapshot *s, const struct pl_request *r,
		      const struct pl_freq_domains *domains, struct pl_choice *out);

#endif
