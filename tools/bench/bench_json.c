// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The comparison as JSON, with every sample, so that it can be judged again by others.
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "libplace/version.h"
#include "tools/bench/contender.h"
#include "tools/bench/bench_report.h"

/* JSON has no NAN and no infinity. */
static json_t *real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *interval(bool known, const struct pl_interval *iv)
{
	if (!known)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:I}", "ratio", real(iv->mid), "lo", real(iv->lo), "hi",
			 real(iv->hi), "pairs", (json_int_t)iv->n);
}

static json_t *host_json(const struct pl_host *h)
{
	return json_pack("{s:s, s:i, s:i, s:s, s:s, s:i, s:i, s:i, s:b, s:b, s:s}", "cpu",
			 h->cpu_model, "cpus", h->nr_online, "allowed", h->nr_allowed, "kernel",
			 h->kernel, "arch", h->arch, "cores", h->nr_cores, "last_level_caches",
			 h->nr_llcs, "nodes", h->nr_nodes, "virtual", h->is_virtual,
			 "page_table_isolation", h->has_pti, "libplace", PLACE_VERSION);
}

static json_t *run_json(const struct pl_results *r, const struct pl_run *run, int round)
{
	static const char *const classes[] = {
		[PL_RUN_UNKNOWN] = "unknown",
		[PL_RUN_STACKED] = "stacked",
		[PL_RUN_SPREAD] = "spread",
	};
	const struct pl_metric *metric;
	size_t nr = pl_bench_metrics(r->opts, &metric);
	json_t *values = json_object();

	for (size_t m = 0; m < nr; m++)
		json_object_set_new(values, metric[m].key, real(run->value[m]));
	return json_pack("{s:i, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "round", round, "values",
			 values, "cross", real(run->cross), "class",
			 classes[pl_judge_class(run->cross)], "cpu_s", real(run->cpu_s),
			 "cpu_s_per_op", real(run->cpu_s_per_op), "wall_s", real(run->wall_s),
			 "switches", real(run->switches), "migrations", real(run->migrations));
}

static json_t *contender_json(const struct pl_results *r, enum pl_contender c)
{
	double v[PL_MAX_ROUNDS], cpu[PL_MAX_ROUNDS];
	struct pl_interval by_hand = {.mid = 0}, kernel = {.mid = 0};
	enum pl_contender hand;
	bool has_hand = pl_results_best_hand(r, &hand) && c != hand &&
			pl_results_ratio(r, c, hand, &by_hand);
	bool has_kernel = c != PL_KERNEL && pl_results_ratio(r, c, PL_KERNEL, &kernel);
	size_t n = (size_t)r->rounds;
	json_t *runs = json_array();

	for (int i = 0; i < r->rounds; i++) {
		if (r->run[c][i].done)
			json_array_append_new(runs, run_json(r, &r->run[c][i], i));
	}
	pl_results_values(r, c, r->opts->judged, v);
	pl_results_cpu(r, c, true, cpu);
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
			 pl_contender_name(c), "median", real(pl_judge_median(v, n)), "min",
			 real(pl_judge_min(v, n)), "spread", real(pl_judge_spread(v, n)), "max",
			 real(pl_judge_max(v, n)), "cpu_s_per_op", real(pl_judge_median(cpu, n)),
			 "to_best_by_hand", interval(has_hand, &by_hand), "to_kernel",
			 interval(has_kernel, &kernel), "runs", runs);
}

static json_t *class_json(const struct pl_results *r, enum pl_run_class class)
{
	struct pl_interval iv = {.mid = 0};

	return interval(pl_results_ratio_class(r, PL_LIBPLACE, class, &iv), &iv);
}

static json_t *bars_json(const struct pl_results *r)
{
	json_t *bars = json_array();

	for (int k = 0; k < PL_NR_BARS; k++) {
		struct pl_bar bar;

		pl_results_bar(r, (enum pl_bar_kind)k, &bar);
		if (!bar.asked)
			continue;
		json_array_append_new(
			bars,
			json_pack("{s:s, s:f, s:o, s:s}", "bar",
				  pl_report_bar_name((enum pl_bar_kind)k), "limit", bar.limit,
				  "measured", interval(bar.known, &bar.ratio), "verdict",
				  bar.known ? pl_report_verdict_name(bar.verdict) : "not judged"));
	}
	return bars;
}

/* Of libplace against the kernel; null when both did not run. */
static json_t *outcome_json(const struct pl_results *r)
{
	struct pl_interval iv;

	if (!pl_results_ratio(r, PL_LIBPLACE, PL_KERNEL, &iv))
		return json_null();
	return json_string(
		pl_report_outcome_name(pl_judge_outcome(&iv, pl_bench_lower_is_better(r->opts))));
}

static json_t *comparison_json(const struct pl_results *r)
{
	const struct pl_metric *judged = pl_bench_judged(r->opts);
	json_t *contenders = json_array();
	enum pl_contender hand;

	for (int c = 0; c < PL_NR_CONTENDERS; c++) {
		if (r->opts->contender[c])
			json_array_append_new(contenders, contender_json(r, (enum pl_contender)c));
	}
	return json_pack(
		"{s:s, s:s?, s:{s:s, s:s, s:b}, s:s?, s:o, s:o, s:o, s:o, s:o}", "load", r->name,
		"note", r->opts->note[0] ? r->opts->note : NULL, "metric", "key", judged->key,
		"label", judged->label, "lower_is_better", judged->lower_is_better, "best_by_hand",
		pl_results_best_hand(r, &hand) ? pl_contender_name(hand) : NULL,
		"libplace_to_kernel", outcome_json(r), "libplace_to_kernel_spread",
		class_json(r, PL_RUN_SPREAD), "libplace_to_kernel_stacked",
		class_json(r, PL_RUN_STACKED), "contenders", contenders, "bars", bars_json(r));
}

int pl_report_json(struct pl_results *const *r, size_t nr, const struct pl_host *h, int argc,
		   char **argv)
{
	json_t *args = json_array(), *root = json_object();
	int ret = -1;

	for (int i = 1; i < argc; i++)
		json_array_append_new(args, json_string(argv[i]));
	json_object_set_new(root, "arguments", args);
	json_object_set_new(root, "machine", host_json(h));
	if (nr == 1) {
		json_t *one = comparison_json(r[0]);

		ret = one ? json_object_update(root, one) : -1;
		json_decref(one);
	} else {
		json_t *all = json_array();

		ret = 0;
		for (size_t i = 0; i < nr; i++)
			ret |= json_array_append_new(all, comparison_json(r[i]));
		json_object_set_new(root, "comparisons", all);
	}
	if (!ret)
		ret = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(8));
	putchar('\n');
	json_decref(root);
	return ret;
}
