/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* R2: capacities, classes and priorities out of raw values. Pure; keeper and tools only. */
#ifndef PL_MACHINE_CAPACITY_H
#define PL_MACHINE_CAPACITY_H

#include "machine/raw.h"

enum pl_source_verdict {
	PL_SOURCE_ABSENT = 0, /* no CPU has it */
	PL_SOURCE_PARTIAL,    /* some cores have no good value: nothing can be compared */
	PL_SOURCE_EQUAL,      /* the same everywhere */
	PL_SOURCE_DIFFERS,    /* it tells CPUs apart */
};

/*
 * What SOURCE says of each online CPU of M, in its own unit, into OUT (0 for others): siblings have
 * the smallest value seen of their core, for PL_CAPACITY_PERF every CPU has its type's. OUT is
 * filled as far as values are good, whatever the verdict. PL_CAPACITY_EQUAL is 1024 everywhere.
 */
enum pl_source_verdict pl_capacity_values(const struct pl_machine *m, const struct pl_raw *raw,
					  enum pl_capacity_source source,
					  uint32_t out[PL_MAX_CPUS]);

/*
 * R2: groups the NR capacities in VALUE (0..1024, 0: no CPU) as MODE says. CLASS gets each one's
 * class, 0 the largest, and CAPACITY its class's capacity; both 0 where VALUE is. Returns the
 * number of classes. At most 256 classes: further ones join the last.
 */
int pl_capacity_group(const uint16_t value[], int nr, enum pl_capacity_mode mode, uint8_t class[],
		      uint16_t capacity[]);

/*
 * Fills capacity, actual, class and priority of the online CPUs of M, and asymmetric,
 * capacity_source, capacity_mode and every count. M must have its topology. May be called again
 * with another MODE or changed values.
 */
void pl_capacity_fill(struct pl_machine *m, const struct pl_raw *raw, enum pl_capacity_mode mode);

/* In words, for reports. */
const char *pl_capacity_source_name(enum pl_capacity_source source);
const char *pl_source_verdict_name(enum pl_source_verdict verdict);

#endif
