/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Which CPUs are of one core type (performance, efficiency, ...): R2 treats a difference in
 * highest_perf as capacity between types and as priority inside one. Pure. */
#ifndef PL_MACHINE_CORE_TYPE_H
#define PL_MACHINE_CORE_TYPE_H

#include "machine/raw.h"

#define PL_MAX_CORE_TYPES 8 /* more are no types: everything is then of one */

/* CPUs by type, and what highest_perf says of each type. */
struct pl_core_types {
	int nr;
	uint8_t of[PL_MAX_CPUS];	  /* 0 for absent CPUs */
	uint32_t perf[PL_MAX_CORE_TYPES]; /* the largest good highest_perf, 0: none is good */
};

/*
 * Tells the types of the online CPUs of M apart by every sign that RAW and M have: counter devices
 * of hybrid x86, the design in MIDR, kinds of hwloc, threads per core. Two types whose values of
 * highest_perf are not clearly apart are one: a sibling offline or a fast sample makes no type.
 * Where AMD's files rank cores, frequency and threads are no signs.
 */
void pl_core_types_find(const struct pl_machine *m, const struct pl_raw *raw,
			struct pl_core_types *out);

#endif
