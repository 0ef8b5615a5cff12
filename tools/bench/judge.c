// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See judge.h. The interval is the percentile bootstrap of the median: 2,000 resamples of the
// pairs, from a generator with a fixed seed.
#include "tools/bench/judge.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RESAMPLES 2000
#define TAIL	  (RESAMPLES * 25 / 1000) /* 2.5 % on each side */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts V; N is not 0. */
static double median_of(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), compare);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Copies what is no NAN; the caller frees. NULL when out of memory or nothing is left. */
static double *copy_known(const double *v, size_t n, size_t *ret_n)
{
	double *c = calloc(n ? n : 1, sizeof(*c));
	size_t m = 0;

	if (!c)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (!isnan(v[i]))
			c[m++] = v[i];
	}
	*ret_n = m;
	if (m)
		return c;
	free(c);
	return NULL;
}

double pl_judge_median(const double *v, size_t n)
{
	size_t m;
	double *c = copy_known(v, n, &m);
	double med = c ? median_of(c, m) : NAN;

	free(c);
	return med;
}

double pl_judge_min(const double *v, size_t n)
{
	double min = NAN;

	for (size_t i = 0; i < n; i++)
		min = fmin(min, v[i]); /* fmin() takes the other one for a NAN */
	return min;
}

double pl_judge_max(const double *v, size_t n)
{
	double max = NAN;

	for (size_t i = 0; i < n; i++)
		max = fmax(max, v[i]);
	return max;
}

double pl_judge_spread(const double *v, size_t n)
{
	return (pl_judge_max(v, n) - pl_judge_min(v, n)) / pl_judge_median(v, n);
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *state = x;
}

/* Interval of the median of D[0..N-1], N >= 1. False when out of memory. */
static bool bootstrap(const double *d, size_t n, struct pl_interval *out)
{
	uint64_t state = 0x9e3779b97f4a7c15ull;
	double *draw = calloc(n, sizeof(*draw));
	double *med = calloc(RESAMPLES, sizeof(*med));
	bool ok = draw && med;

	if (ok) {
		memcpy(draw, d, n * sizeof(*d));
		*out = (struct pl_interval){median_of(draw, n), -INFINITY, INFINITY, n};
	}
	if (ok && n >= PL_JUDGE_MIN_PAIRS) {
		for (int r = 0; r < RESAMPLES; r++) {
			for (size_t i = 0; i < n; i++)
				draw[i] = d[next_random(&state) % n];
			med[r] = median_of(draw, n);
		}
		qsort(med, RESAMPLES, sizeof(*med), compare);
		out->lo = med[TAIL];
		out->hi = med[RESAMPLES - 1 - TAIL];
	}
	free(draw);
	free(med);
	return ok;
}

bool pl_judge_ratio(const double *a, const double *b, size_t n, struct pl_interval *out)
{
	double *d = calloc(n ? n : 1, sizeof(*d));
	struct pl_interval iv;
	size_t m = 0;
	bool ok;

	for (size_t i = 0; d && i < n; i++) {
		if (a[i] > 0 && b[i] > 0 && isfinite(a[i]) && isfinite(b[i]))
			d[m++] = log(a[i] / b[i]);
	}
	ok = m && bootstrap(d, m, &iv);
	free(d);
	if (ok)
		*out = (struct pl_interval){exp(iv.mid), exp(iv.lo), exp(iv.hi), iv.n};
	return ok;
}

bool pl_judge_difference(const double *a, const double *b, size_t n, struct pl_interval *out)
{
	double *d = calloc(n ? n : 1, sizeof(*d));
	struct pl_interval iv;
	size_t m = 0;
	bool ok;

	for (size_t i = 0; d && i < n; i++) {
		if (isfinite(a[i]) && isfinite(b[i]))
			d[m++] = a[i] - b[i];
	}
	ok = m && bootstrap(d, m, &iv);
	free(d);
	if (ok)
		*out = iv;
	return ok;
}

bool pl_judge_is_narrow(const struct pl_interval *iv)
{
	return iv->lo >= iv->mid * (1 - PL_JUDGE_NARROW) &&
	       iv->hi <= iv->mid * (1 + PL_JUDGE_NARROW);
}

enum pl_verdict pl_judge_bar(const struct pl_interval *iv, double bar, bool lower_is_better)
{
	if (lower_is_better ? iv->lo > bar : iv->hi < bar)
		return PL_BAR_FAIL;
	if (lower_is_better ? iv->hi <= bar : iv->lo >= bar)
		return PL_BAR_PASS;
	return PL_BAR_OPEN;
}

enum pl_outcome pl_judge_outcome(const struct pl_interval *iv, bool lower_is_better)
{
	if (iv->n < PL_JUDGE_MIN_PAIRS)
		return PL_TOO_FEW;
	if (iv->lo <= 1 && iv->hi >= 1)
		return PL_NO_DIFFERENCE;
	return lower_is_better == (iv->hi < 1) ? PL_BETTER : PL_WORSE;
}

bool pl_judge_is_settled(const struct pl_interval *iv, double bar, bool lower_is_better)
{
	if (pl_judge_is_narrow(iv))
		return true;
	return !isnan(bar) && pl_judge_bar(iv, bar, lower_is_better) == PL_BAR_PASS;
}

enum pl_run_class pl_judge_class(double cross)
{
	if (isnan(cross))
		return PL_RUN_UNKNOWN;
	return cross >= PL_JUDGE_SPREAD ? PL_RUN_SPREAD : PL_RUN_STACKED;
}

size_t pl_judge_order(size_t round, size_t position, size_t nr)
{
	return (round + position) % nr;
}
