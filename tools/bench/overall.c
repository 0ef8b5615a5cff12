// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See overall.h.
#include "tools/bench/overall.h"

#include <math.h>

#include "tools/bench/rows.h"

static const struct {
	const char *key, *text;
	double limit;
	bool is_mean, lower_is_better;
} kinds[PL_NR_OVERALL] = {
	[PL_OVER_HAND] = {"handoff_to_hand", "handoff, libplace / best by hand, each", 0.90},
	[PL_OVER_HAND_MEAN] = {"handoff_to_hand_mean", "handoff, libplace / best by hand, mean",
			       NAN, true},
	[PL_OVER_SPREAD] = {"handoff_to_spread_mean",
			    "handoff, libplace / kernel when spread, mean", 3, true},
	[PL_OVER_CPU] = {"handoff_cpu_to_hand", "handoff, CPU s/op / best by hand, each", 1.1,
			 false, true},
	[PL_OVER_OTHER_MEAN] = {"others_to_kernel_mean", "others, libplace / kernel, mean", 0.99,
				true},
	[PL_OVER_OTHER] = {"others_to_kernel", "others, libplace / kernel, each", 0.97},
	[PL_OVER_CONTROL] = {"control_to_kernel", "all, control / kernel, each", 0.99},
};

const char *pl_overall_text(enum pl_overall_kind kind)
{
	return kinds[kind].text;
}

const char *pl_overall_key(enum pl_overall_kind kind)
{
	return kinds[kind].key;
}

/* A ratio of times as one of speeds. */
static void as_speed(const struct pl_results *r, struct pl_interval *iv)
{
	if (pl_bench_lower_is_better(r->opts))
		*iv = (struct pl_interval){1 / iv->mid, 1 / iv->hi, 1 / iv->lo, iv->n};
}

static bool cpu_ratio(const struct pl_results *r, enum pl_contender hand, struct pl_interval *out)
{
	double a[PL_MAX_ROUNDS], b[PL_MAX_ROUNDS];

	pl_results_cpu(r, PL_LIBPLACE, true, a);
	pl_results_cpu(r, hand, true, b);
	return pl_judge_ratio(a, b, (size_t)r->rounds, out);
}

/* What one row has to say about KIND; false when nothing. */
static bool row_ratio(const struct pl_results *r, enum pl_overall_kind kind,
		      struct pl_interval *out)
{
	bool handoff = pl_bench_sets(r->opts) & PL_SET_HANDOFF, known;
	enum pl_contender hand = PL_ONE_CPU;

	switch (kind) {
	case PL_OVER_CPU:
		return handoff && pl_results_best_hand(r, &hand) && cpu_ratio(r, hand, out);
	case PL_OVER_HAND:
	case PL_OVER_HAND_MEAN:
		known = handoff && pl_results_best_hand(r, &hand) &&
			pl_results_ratio(r, PL_LIBPLACE, hand, out);
		break;
	case PL_OVER_SPREAD:
		known = handoff && pl_results_ratio_class(r, PL_LIBPLACE, PL_RUN_SPREAD, out);
		break;
	case PL_OVER_CONTROL:
		known = pl_results_ratio(r, PL_CONTROL, PL_KERNEL, out);
		break;
	default:
		known = !handoff && pl_results_ratio(r, PL_LIBPLACE, PL_KERNEL, out);
	}
	if (known)
		as_speed(r, out);
	return known;
}

/* One more row; a verdict that is worse wins. */
static void count_row(struct pl_overall *all, const struct pl_results *r,
		      const struct pl_interval *iv, struct pl_interval *sum)
{
	enum pl_verdict v = pl_judge_bar(iv, all->limit, all->lower_is_better);
	bool first = !all->rows++;

	sum->mid += log(iv->mid);
	sum->lo += log(iv->lo);
	sum->hi += log(iv->hi);
	if (first ||
	    (all->lower_is_better ? iv->mid > all->worst_ratio : iv->mid < all->worst_ratio)) {
		all->worst = r->name;
		all->worst_ratio = iv->mid;
		if (!all->is_mean)
			all->ratio = *iv;
	}
	if (!all->is_mean) {
		all->failed += v == PL_BAR_FAIL;
		all->verdict = v > all->verdict ? v : all->verdict;
	}
}

void pl_overall(struct pl_results *const *r, size_t nr, enum pl_overall_kind kind,
		struct pl_overall *out)
{
	struct pl_interval iv, sum = {.mid = 0};

	*out = (struct pl_overall){.is_mean = kinds[kind].is_mean,
				   .limit = kinds[kind].limit,
				   .lower_is_better = kinds[kind].lower_is_better,
				   .verdict = PL_BAR_PASS};
	for (size_t i = 0; i < nr; i++) {
		if (row_ratio(r[i], kind, &iv))
			count_row(out, r[i], &iv, &sum);
	}
	if (!out->is_mean || !out->rows)
		return;
	out->ratio.mid = exp(sum.mid / (double)out->rows);
	out->ratio.lo = exp(sum.lo / (double)out->rows);
	out->ratio.hi = exp(sum.hi / (double)out->rows);
	out->ratio.n = out->rows;
	out->verdict = pl_judge_bar(&out->ratio, out->limit, out->lower_is_better);
}
