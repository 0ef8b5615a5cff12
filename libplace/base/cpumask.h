/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Fixed-size CPU sets for code that must not allocate; 4,096 CPUs. */
#ifndef PL_BASE_CPUMASK_H
#define PL_BASE_CPUMASK_H

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#define PL_MAX_CPUS   4096
#define PL_LONG_BITS  ((int)(sizeof(unsigned long) * CHAR_BIT))
#define PL_MASK_LONGS (PL_MAX_CPUS / PL_LONG_BITS)

struct pl_cpumask {
	unsigned long bits[PL_MASK_LONGS];
};

static inline void pl_cpumask_zero(struct pl_cpumask *m)
{
	memset(m, 0, sizeof(*m));
}

static inline void pl_cpumask_fill(struct pl_cpumask *m)
{
	memset(m, 0xff, sizeof(*m));
}

/* CPU numbers outside 0..PL_MAX_CPUS-1 are in no set. */
static inline void pl_cpumask_add(struct pl_cpumask *m, int cpu)
{
	if (cpu >= 0 && cpu < PL_MAX_CPUS)
		m->bits[cpu / PL_LONG_BITS] |= 1ul << (cpu % PL_LONG_BITS);
}

static inline bool pl_cpumask_has(const struct pl_cpumask *m, int cpu)
{
	if (cpu < 0 || cpu >= PL_MAX_CPUS)
		return false;
	return m->bits[cpu / PL_LONG_BITS] >> (cpu % PL_LONG_BITS) & 1;
}

static inline void pl_cpumask_del(struct pl_cpumask *m, int cpu)
{
	if (cpu >= 0 && cpu < PL_MAX_CPUS)
		m->bits[cpu / PL_LONG_BITS] &= ~(1ul << (cpu % PL_LONG_BITS));
}

static inline bool pl_cpumask_equal(const struct pl_cpumask *a, const struct pl_cpumask *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static inline int pl_cpumask_weight(const struct pl_cpumask *m)
{
	int n = 0;

	for (int i = 0; i < PL_MASK_LONGS; i++)
		n += __builtin_popcountl(m->bits[i]);
	return n;
}

#endif
