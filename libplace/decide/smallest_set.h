/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * R16: what a thread is bound to, which is a set. One CPU only for a held pair, and for a while
 * where no set would keep a thread on the core that it was moved to. Pure.
 */
#ifndef PL_DECIDE_SMALLEST_SET_H
#define PL_DECIDE_SMALLEST_SET_H

#include "decide/snapshot.h"

enum pl_set {
	PL_SET_NONE = 0, /* not bound: the mask is given back */
	PL_SET_CORE,
	PL_SET_LLC,
	PL_SET_NODE,
	PL_SET_CPU, /* one CPU: not for good, see pl_set_to_hold() */
};

/*
 * The smallest set around CPU from LEAST on (core, then LLC, then node) that has more than one CPU
 * which the snapshot and ALLOWED (NULL: no further limit) let be used; PL_SET_NONE when only all of
 * them would do, for then there is nothing to bind.
 */
enum pl_set pl_smallest_set(const struct pl_snapshot *s, int cpu, enum pl_set least,
			    const struct pl_cpumask *allowed);

/*
 * What keeps a thread on CPU for a time: the smallest set as above, but PL_SET_CPU where LEAST is
 * the core, only CPU is usable of it, and the smallest set has other kinds of cores as well, of
 * more CPUs or another capacity. There the kernel may take the thread for well placed on a shared
 * core or a small one, and pull it back.
 */
enum pl_set pl_set_to_hold(const struct pl_snapshot *s, int cpu, enum pl_set least,
			   const struct pl_cpumask *allowed);

/* The usable CPUs of that set around CPU into OUT; all usable ones for PL_SET_NONE. */
void pl_set_mask(const struct pl_snapshot *s, int cpu, enum pl_set set,
		 const struct pl_cpumask *allowed, struct pl_cpumask *out);

#endif
