// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See hist.h.
#include "bench/hist.h"

#include <stdio.h>

#define LOG_SUB 5  /* HIST_SUB is 1 << LOG_SUB */
#define LOG_MAX 39 /* of the last power of two that has buckets */

int hist_bucket(uint64_t ns)
{
	int log;

	if (ns < HIST_SUB)
		return (int)ns;
	log = 63 - __builtin_clzll(ns);
	if (log > LOG_MAX)
		return HIST_SIZE - 1;
	return (log - LOG_SUB + 1) * HIST_SUB + (int)((ns >> (log - LOG_SUB)) & (HIST_SUB - 1));
}

uint64_t hist_floor(int b)
{
	if (b < HIST_SUB)
		return (uint64_t)b;
	return (uint64_t)(HIST_SUB + b % HIST_SUB) << (b / HIST_SUB - 1);
}

void hist_merge(struct hist *into, const struct hist *from)
{
	for (int b = 0; b < HIST_SIZE; b++)
		into->bucket[b] += from->bucket[b];
	into->count += from->count;
}

double hist_quantile(const struct hist *h, double q)
{
	uint64_t seen = 0;

	for (int b = 0; b < HIST_SIZE; b++) {
		seen += h->bucket[b];
		if (seen && (double)seen >= q * (double)h->count)
			return (double)hist_floor(b);
	}
	return 0;
}

void hist_print(const struct hist *h, const char *name)
{
	static const int percent[] = {50, 95, 99};

	for (int i = 0; i < 3; i++)
		printf("%s_p%d_us %.3f\n", name, percent[i],
		       hist_quantile(h, percent[i] / 100.0) / 1e3);
}
