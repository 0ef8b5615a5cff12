/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* R13: where the balancer's own thread may run, so that it disturbs nobody. Pure. */
#ifndef PL_DECIDE_BALANCER_PLACE_H
#define PL_DECIDE_BALANCER_PLACE_H

#include "decide/snapshot.h"

enum pl_balancer_place {
	PL_BALANCER_IDLE_CORES, /* of housekeeping CPUs; all of an entirely idle node are in it */
	PL_BALANCER_IDLE_CPUS,
	PL_BALANCER_ANYWHERE, /* the program's mask */
};

/* Fills OUT with the mask of the balancer; never empty when an allowed CPU is online. */
enum pl_balancer_place pl_balancer_mask(const struct pl_snapshot *s, struct pl_cpumask *out);

#endif
