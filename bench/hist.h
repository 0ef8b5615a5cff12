/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* A histogram of times: 32 equal steps in each power of two, so a quantile is off by 3 % at most.
 */
#ifndef BENCH_HIST_H
#define BENCH_HIST_H

#include <stdint.h>

#define HIST_SUB  32
#define HIST_SIZE (36 * HIST_SUB) /* up to 2^40 ns, 18 minutes; longer counts as that */

struct hist {
	uint64_t count;
	uint32_t bucket[HIST_SIZE];
};

/* The bucket of NS, and the least time that falls into bucket B. */
int hist_bucket(uint64_t ns);
uint64_t hist_floor(int b);

static inline void hist_add(struct hist *h, uint64_t ns)
{
	h->bucket[hist_bucket(ns)]++;
	h->count++;
}

/* Adds FROM to INTO. */
void hist_merge(struct hist *into, const struct hist *from);

/* The time that a part Q (0..1) of all stayed within, in ns; 0 when empty. */
double hist_quantile(const struct hist *h, double q);

/* Lines NAME_p50_us, NAME_p95_us and NAME_p99_us. */
void hist_print(const struct hist *h, const char *name);

#endif
