/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* R9: a running task on a CPU that is too small for it. Pure. */
#ifndef PL_DECIDE_MISFIT_H
#define PL_DECIDE_MISFIT_H

#include "decide/reason.h"
#include "decide/snapshot.h"

/*
 * True when the task of R, which runs on R->prev, is misfit: asymmetric machine, several CPUs
 * allowed, not on the largest capacity it may use, and it does not fit.
 */
bool pl_is_misfit(const struct pl_snapshot *s, const struct pl_request *r);

/*
 * Where the misfit task of R goes from R->prev: the idle CPU of the largest capacity among those
 * that are capacity_greater, on SMT only on cores that are entirely idle (R8: the representative);
 * of equals the first after R->prev, wrapping. *OUT is -1 when it is not misfit or there is none.
 */
void pl_misfit_target(const struct pl_snapshot *s, const struct pl_request *r,
		      struct pl_choice *out);

#endif
