// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See results.h. Everything here follows from the samples; nothing is measured.
#include "tools/bench/results.h"

#include <math.h>
#include <string.h>

#define SLOWEST_OF 9 /* runs: the worst of more is worse by chance alone */

void pl_results_values(const struct pl_results *r, enum pl_contender c, int metric, double *out)
{
	for (int i = 0; i < r->rounds; i++)
		out[i] = r->run[c][i].done ? r->run[c][i].value[metric] : NAN;
}

void pl_results_cpu(const struct pl_results *r, enum pl_contender c, bool per_op, double *out)
{
	for (int i = 0; i < r->rounds; i++) {
		const struct pl_run *run = &r->run[c][i];

		out[i] = !run->done ? NAN : per_op ? run->cpu_s_per_op : run->cpu_s;
	}
}

void pl_results_cross(const struct pl_results *r, enum pl_contender c, double *out)
{
	for (int i = 0; i < r->rounds; i++)
		out[i] = r->run[c][i].done ? r->run[c][i].cross : NAN;
}

void pl_results_switches(const struct pl_results *r, enum pl_contender c, double *out)
{
	for (int i = 0; i < r->rounds; i++)
		out[i] = r->run[c][i].done ? r->run[c][i].switches : NAN;
}

void pl_results_migrations(const struct pl_results *r, enum pl_contender c, double *out)
{
	for (int i = 0; i < r->rounds; i++)
		out[i] = r->run[c][i].done ? r->run[c][i].migrations : NAN;
}

size_t pl_results_count(const struct pl_results *r, enum pl_contender c)
{
	size_t n = 0;

	for (int i = 0; i < r->rounds; i++)
		n += r->run[c][i].done;
	return n;
}

bool pl_results_any(const struct pl_results *r)
{
	size_t n = 0;

	for (int c = 0; c < PL_NR_CONTENDERS; c++)
		n += pl_results_count(r, (enum pl_contender)c);
	return n > 0;
}

size_t pl_results_keep(const struct pl_results *r, enum pl_contender c, enum pl_run_class class,
		       double *column)
{
	size_t n = 0;

	for (int i = 0; i < r->rounds; i++) {
		if (!r->run[c][i].done || pl_judge_class(r->run[c][i].cross) != class)
			column[i] = NAN;
		else if (!isnan(column[i]))
			n++;
	}
	return n;
}

static double median(const struct pl_results *r, enum pl_contender c)
{
	double v[PL_MAX_ROUNDS];

	pl_results_values(r, c, r->opts->judged, v);
	return pl_judge_median(v, (size_t)r->rounds);
}

bool pl_results_best_hand(const struct pl_results *r, enum pl_contender *ret)
{
	bool lower = pl_bench_lower_is_better(r->opts), found = false;
	double best = NAN;

	for (int c = PL_FIRST_HAND; c <= PL_LAST_HAND; c++) {
		double m = median(r, (enum pl_contender)c);

		if (isnan(m) || (found && (lower ? m >= best : m <= best)))
			continue;
		best = m;
		*ret = (enum pl_contender)c;
		found = true;
	}
	return found;
}

bool pl_results_ratio(const struct pl_results *r, enum pl_contender a, enum pl_contender b,
		      struct pl_interval *out)
{
	double va[PL_MAX_ROUNDS], vb[PL_MAX_ROUNDS];

	pl_results_values(r, a, r->opts->judged, va);
	pl_results_values(r, b, r->opts->judged, vb);
	return pl_judge_ratio(va, vb, (size_t)r->rounds, out);
}

bool pl_results_ratio_class(const struct pl_results *r, enum pl_contender a,
			    enum pl_run_class class, struct pl_interval *out)
{
	double va[PL_MAX_ROUNDS], vb[PL_MAX_ROUNDS];

	pl_results_values(r, a, r->opts->judged, va);
	pl_results_values(r, PL_KERNEL, r->opts->judged, vb);
	pl_results_keep(r, PL_KERNEL, class, vb);
	return pl_judge_ratio(va, vb, (size_t)r->rounds, out);
}

/* The worst of the first nine runs, against the median by hand. */
static bool slowest_ratio(const struct pl_results *r, enum pl_contender hand,
			  struct pl_interval *out)
{
	double v[PL_MAX_ROUNDS], worst;
	size_t n = r->rounds < SLOWEST_OF ? (size_t)r->rounds : SLOWEST_OF;

	pl_results_values(r, PL_LIBPLACE, r->opts->judged, v);
	worst = pl_bench_lower_is_better(r->opts) ? pl_judge_max(v, n) : pl_judge_min(v, n);
	if (isnan(worst))
		return false;
	worst /= median(r, hand);
	*out = (struct pl_interval){worst, worst, worst, n};
	return true;
}

void pl_results_bar(const struct pl_results *r, enum pl_bar_kind kind, struct pl_bar *out)
{
	const struct pl_bench_opts *o = r->opts;
	const double limit[PL_NR_BARS] = {o->bar, o->bar_kernel, o->bar_spread, o->bar_slowest};
	enum pl_contender hand = PL_ONE_CPU;
	bool has_hand = pl_results_best_hand(r, &hand);

	*out = (struct pl_bar){.asked = !isnan(limit[kind]), .limit = limit[kind]};
	switch (kind) {
	case PL_BAR_HAND:
		out->against = hand;
		out->known = has_hand && pl_results_ratio(r, PL_LIBPLACE, hand, &out->ratio);
		break;
	case PL_BAR_SLOWEST:
		out->against = hand;
		out->known = has_hand && slowest_ratio(r, hand, &out->ratio);
		break;
	case PL_BAR_KERNEL:
		out->against = PL_KERNEL;
		out->known = pl_results_ratio(r, PL_LIBPLACE, PL_KERNEL, &out->ratio);
		break;
	default:
		out->against = PL_KERNEL;
		out->known = pl_results_ratio_class(r, PL_LIBPLACE, PL_RUN_SPREAD, &out->ratio);
	}
	if (out->asked && out->known)
		out->verdict = pl_judge_bar(&out->ratio, out->limit, pl_bench_lower_is_better(o));
}

bool pl_results_unsettled(const struct pl_results *r, bool need[PL_NR_CONTENDERS])
{
	bool lower = pl_bench_lower_is_better(r->opts);
	bool asked = false, open = false;
	struct pl_bar bar[PL_NR_BARS];

	memset(need, 0, sizeof(bool) * PL_NR_CONTENDERS);
	for (int k = 0; k < PL_NR_BARS; k++) {
		pl_results_bar(r, (enum pl_bar_kind)k, &bar[k]);
		asked = asked || bar[k].asked;
	}
	for (int k = 0; k < PL_NR_BARS; k++) {
		/* Without a bar the question is libplace against the best by hand, or against the
		 * kernel where there is none. */
		bool question = asked			 ? bar[k].asked
				: bar[PL_BAR_HAND].known ? k == PL_BAR_HAND
							 : k == PL_BAR_KERNEL;

		if (k == PL_BAR_SLOWEST || !question || !bar[k].known ||
		    pl_judge_is_settled(&bar[k].ratio, asked ? bar[k].limit : NAN, lower))
			continue;
		need[PL_LIBPLACE] = need[bar[k].against] = open = true;
	}
	return open;
}
