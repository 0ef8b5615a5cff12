/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* R6, R7 and R8: the idle CPU for a task, around a target. Pure. */
#ifndef PL_DECIDE_IDLE_CPU_H
#define PL_DECIDE_IDLE_CPU_H

#include "decide/reason.h"
#include "decide/snapshot.h"

/*
 * The CPU for R by R7 on an asymmetric machine, else by R6, into *OUT. A pick on an idle core is
 * the core's representative (R8). *OUT says the target when nothing is idle, and -1 when the target
 * may not be used either. Steps that R6 limits to the LLC stay in the target's. Below 2 us on 512
 * CPUs.
 */
void pl_select_idle_cpu(const struct pl_snapshot *s, const struct pl_request *r,
			struct pl_choice *out);

/* R6 whatever the machine is. */
void pl_idle_cpu_symmetric(const struct pl_snapshot *s, const struct pl_request *r,
			   struct pl_choice *out);

/* R7 whatever the machine is. */
void pl_idle_cpu_asymmetric(const struct pl_snapshot *s, const struct pl_request *r,
			    struct pl_choice *out);

/*
 * The table of R7 alone: idle CPUs of LLC (-1: of all online CPUs) from the target, wrapping,
 * without the fast path. HAS_IDLE_CORE: an idle core is assumed there. *OUT is -1 with
 * PL_WHY_NO_IDLE when nothing allowed is idle.
 */
void pl_idle_cpu_by_rank(const struct pl_snapshot *s, const struct pl_request *r, int llc,
			 bool has_idle_core, struct pl_choice *out);

#endif
