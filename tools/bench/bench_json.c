// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The comparison as JSON, with every sample, so that it can be judged again by others.
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "libplace/version.h"
#include "tools/bench/contender.h"
#include "tools/bench/bench_report.h"
#include "tools/bench/overall.h"
#include "tools/bench/rows.h"

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

static json_t *sets_json(const struct pl_bench_opts *o)
{
	json_t *list = json_array();

	for (int i = 0; i < PL_NR_SETS; i++) {
		if (pl_bench_sets(o) & 1u << i)
			json_array_append_new(list, json_string(pl_set_name(1u << i)));
	}
	return list;
}

/* How the load was run; NULL when nothing but its name says so. */
static const char *options_text(const struct pl_bench_opts *o, char *buf, size_t n)
{
	if (o->program)
		return o->program->cmd;
	return o->row ? pl_row_options(o->row, buf, n) : o->cmd;
}

static json_t *comparison_json(const struct pl_results *r)
{
	char text[256];
	const struct pl_metric *judged = pl_bench_judged(r->opts);
	json_t *contenders = json_array();
	enum pl_contender hand;

	for (int c = 0; c < PL_NR_CONTENDERS; c++) {
		if (r->opts->contender[c])
			json_array_append_new(contenders, contender_json(r, (enum pl_contender)c));
	}
	return json_pack(
		"{s:s, s:s?, s:s?, s:o, s:s?, s:{s:s, s:s, s:b}, s:s?, s:o, s:o, s:o, s:o, s:o}",
		"load", r->name, "options", options_text(r->opts, text, sizeof(text)), "failed",
		r->failed[0] ? r->failed : NULL, "sets", sets_json(r->opts), "note",
		r->opts->note[0] ? r->opts->note : NULL, "metric", "key", judged->key, "label",
		judged->label, "lower_is_better", judged->lower_is_better, "best_by_hand",
		pl_results_best_hand(r, &hand) ? pl_contender_name(hand) : NULL,
		"libplace_to_kernel", outcome_json(r), "libplace_to_kernel_spread",
		class_json(r, PL_RUN_SPREAD), "libplace_to_kernel_stacked",
		class_json(r, PL_RUN_STACKED), "contenders", contenders, "bars", bars_json(r));
}

static json_t *overall_json(struct pl_results *const *r, size_t nr)
{
	json_t *root = json_object();

	for (int k = 0; k < PL_NR_OVERALL; k++) {
		struct pl_overall all;

		pl_overall(r, nr, (enum pl_overall_kind)k, &all);
		if (!all.rows)
			continue;
		json_object_set_new(
			root, pl_overall_key((enum pl_overall_kind)k),
			json_pack("{s:s, s:o, s:b, s:o, s:I, s:I, s:s, s:o, s:s?}", "text",
				  pl_overall_text((enum pl_overall_kind)k), "limit",
				  real(all.limit), "mean", all.is_mean, "measured",
				  interval(true, &all.ratio), "rows", (json_int_t)all.rows,
				  "failed", (json_int_t)all.failed, "worst", all.worst,
				  "worst_ratio", real(all.worst_ratio), "verdict",
				  isnan(all.limit) ? NULL : pl_report_verdict_name(all.verdict)));
	}
	return root;
}

/* Into ROOT; 0 or -1. */
static int all_json(json_t *root, struct pl_results *const *r, size_t nr, bool full)
{
	json_t *list = json_array(), *failed = json_array();
	int ret = 0;

	for (size_t i = 0; i < nr; i++) {
		if (pl_results_any(r[i]))
			ret |= json_array_append_new(list, comparison_json(r[i]));
		if (r[i]->failed[0])
			ret |= json_array_append_new(failed,
						     json_pack("{s:s, s:s}", "load", r[i]->name,
							       "reason", r[i]->failed));
	}
	ret |= json_object_set_new(root, "comparisons", list);
	ret |= json_object_set_new(root, "failed", failed);
	if (full)
		ret |= json_object_set_new(root, "overall", overall_json(r, nr));
	return ret;
}

int pl_report_json(FILE *f, struct pl_results *const *r, size_t nr, const struct pl_bench_opts *o,
		   int argc, char **argv)
{
	json_t *args = json_array(), *root = json_object();
	struct pl_host host;
	int ret;

	pl_host_read(&host);
	for (int i = 1; i < argc; i++)
		json_array_append_new(args, json_string(argv[i]));
	json_object_set_new(root, "arguments", args);
	json_object_set_new(root, "machine", host_json(&host));
	if (o->ask == PL_ASK_ALL) {
		ret = all_json(root, r, nr, o->full);
	} else {
		json_t *one = comparison_json(r[0]);

		ret = one ? json_object_update(root, one) : -1;
		json_decref(one);
	}
	if (!ret)
		ret = json_dumpf(root, f, JSON_INDENT(2) | JSON_REAL_PRECISION(8));
	fputc('\n', f);
	json_decref(root);
	return ret;
}
