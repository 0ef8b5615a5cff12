// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The table: one line per contender, the kernel's spread and stacked runs apart, then what else the
// program counted, then the ratios and bars.
#include "tools/bench/bench_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libplace/version.h"
#include "tools/bench/contender.h"

const char *pl_report_bar_name(enum pl_bar_kind kind)
{
	static const char *const names[PL_NR_BARS] = {"hand", "kernel", "spread", "slowest"};

	return names[kind];
}

const char *pl_report_verdict_name(enum pl_verdict v)
{
	static const char *const names[] = {
		[PL_BAR_PASS] = "pass",
		[PL_BAR_OPEN] = "open",
		[PL_BAR_FAIL] = "fail",
	};

	return names[v];
}

const char *pl_report_cell(char *buf, double v)
{
	double a = fabs(v);
	int digits = a >= 1000 ? 0 : a >= 100 ? 1 : a >= 10 ? 2 : a >= 1 ? 3 : 4;

	if (isnan(v))
		strcpy(buf, "-");
	else if (isinf(v))
		strcpy(buf, "never");
	else if (a < 0.001 && a > 0)
		snprintf(buf, PL_CELL, "%.3g", v);
	else
		snprintf(buf, PL_CELL, "%.*f", digits, v);
	return buf;
}

const char *pl_report_interval(char *buf, bool known, const struct pl_interval *iv)
{
	if (!known)
		strcpy(buf, "-");
	else if (iv->n < PL_JUDGE_MIN_PAIRS)
		snprintf(buf, PL_CELL, "%.3f", iv->mid);
	else
		snprintf(buf, PL_CELL, "%.3f [%.3f, %.3f]", iv->mid, iv->lo, iv->hi);
	return buf;
}

const char *pl_report_outcome_name(enum pl_outcome o)
{
	static const char *const names[] = {
		[PL_TOO_FEW] = "too few runs to say",
		[PL_BETTER] = "better",
		[PL_WORSE] = "worse",
		[PL_NO_DIFFERENCE] = "no difference beyond the noise",
	};

	return names[o];
}

static void print_head(const struct pl_results *r, const struct pl_host *h, int argc, char **argv)
{
	const struct pl_metric *judged = pl_bench_judged(r->opts);
	char text[512];

	printf("place");
	for (int i = 0; i < argc; i++)
		printf(strpbrk(argv[i], " ()*'") ? " '%s'" : " %s", argv[i]);
	pl_host_describe(h, text, sizeof(text));
	printf("\n%s\n", text);
	if (r->opts->note[0])
		printf("%s\n", r->opts->note);
	printf("\n%s, %s is better\n", judged->label, judged->lower_is_better ? "less" : "more");
}

/* Columns CLASS keeps of contender C, or all when PL_RUN_UNKNOWN. */
static void print_row(const struct pl_results *r, enum pl_contender c, const char *name,
		      enum pl_run_class class)
{
	char b[7][PL_CELL];
	double v[PL_MAX_ROUNDS], cpu[PL_MAX_ROUNDS], cross[PL_MAX_ROUNDS];
	size_t n = (size_t)r->rounds, runs = pl_results_count(r, c);
	enum pl_contender hand = PL_ONE_CPU;
	bool has_hand = pl_results_best_hand(r, &hand);
	struct pl_interval by_hand = {.mid = 0}, kernel = {.mid = 0};
	bool all = class == PL_RUN_UNKNOWN;
	double per_op;

	pl_results_values(r, c, r->opts->judged, v);
	pl_results_cpu(r, c, true, cpu);
	per_op = pl_judge_median(cpu, n);
	if (isnan(per_op))
		pl_results_cpu(r, c, false, cpu);
	pl_results_cross(r, c, cross);
	if (!all) {
		runs = pl_results_keep(r, c, class, v);
		pl_results_keep(r, c, class, cpu);
		pl_results_keep(r, c, class, cross);
	}
	has_hand = has_hand && all && c != hand && pl_results_ratio(r, c, hand, &by_hand);
	printf("%-10s %4zu %9s %9s %9s  %-22s %-22s %9s %6s\n", name, runs,
	       pl_report_cell(b[0], pl_judge_median(v, n)),
	       pl_report_cell(b[1], pl_judge_min(v, n)), pl_report_cell(b[2], pl_judge_max(v, n)),
	       pl_report_interval(b[3], has_hand, &by_hand),
	       pl_report_interval(
		       b[4], all && c != PL_KERNEL && pl_results_ratio(r, c, PL_KERNEL, &kernel),
		       &kernel),
	       pl_report_cell(b[5], pl_judge_median(cpu, n)),
	       pl_report_cell(b[6], pl_judge_median(cross, n)));
}

static void print_table(const struct pl_results *r)
{
	const struct pl_bench_opts *o = r->opts;
	double cpu[PL_MAX_ROUNDS], v[PL_MAX_ROUNDS];
	bool per_op = false;

	for (int c = 0; c < PL_NR_CONTENDERS && !per_op; c++) {
		pl_results_cpu(r, (enum pl_contender)c, true, cpu);
		per_op = !isnan(pl_judge_median(cpu, (size_t)r->rounds));
	}
	printf("%-10s %4s %9s %9s %9s  %-22s %-22s %9s %6s\n", "contender", "runs", "median", "min",
	       "max", "/ best by hand", "/ kernel", per_op ? "CPU s/op" : "CPU s/run", "apart");
	for (int c = 0; c < PL_NR_CONTENDERS; c++) {
		size_t spread, stacked;

		if (!o->contender[c])
			continue;
		print_row(r, (enum pl_contender)c, pl_contender_name((enum pl_contender)c),
			  PL_RUN_UNKNOWN);
		if (c != PL_KERNEL)
			continue;
		pl_results_values(r, PL_KERNEL, r->opts->judged, v);
		spread = pl_results_keep(r, PL_KERNEL, PL_RUN_SPREAD, v);
		pl_results_values(r, PL_KERNEL, r->opts->judged, v);
		stacked = pl_results_keep(r, PL_KERNEL, PL_RUN_STACKED, v);
		if (spread && stacked) {
			print_row(r, PL_KERNEL, "  spread", PL_RUN_SPREAD);
			print_row(r, PL_KERNEL, "  stacked", PL_RUN_STACKED);
		}
	}
}

/* What a program counted beside the judged figure. */
static void print_others(const struct pl_results *r)
{
	const struct pl_metric *metric;
	size_t nr = pl_bench_metrics(r->opts, &metric), n = (size_t)r->rounds;
	double v[PL_MAX_ROUNDS];
	char b[3][PL_CELL];

	for (size_t m = 0; m < nr; m++) {
		if ((int)m == r->opts->judged)
			continue;
		printf("\n%s, %s is better: median (min .. max)\n", metric[m].label,
		       metric[m].lower_is_better ? "less" : "more");
		for (int c = 0; c < PL_NR_CONTENDERS; c++) {
			if (!r->opts->contender[c])
				continue;
			pl_results_values(r, (enum pl_contender)c, (int)m, v);
			printf("%-10s %15s  (%s .. %s)\n", pl_contender_name((enum pl_contender)c),
			       pl_report_cell(b[0], pl_judge_median(v, n)),
			       pl_report_cell(b[1], pl_judge_min(v, n)),
			       pl_report_cell(b[2], pl_judge_max(v, n)));
		}
	}
}

/* What the runs cost, and how far apart they were. */
static void print_costs(const struct pl_results *r)
{
	double spread[PL_MAX_ROUNDS], cpu[PL_MAX_ROUNDS], switches[PL_MAX_ROUNDS];
	double moved[PL_MAX_ROUNDS];
	size_t n = (size_t)r->rounds;
	char b[4][PL_CELL];

	printf("\nmedian of a run%22s %12s %12s %12s\n", "CPU s", "switches", "migrations",
	       "max-min %");
	for (int c = 0; c < PL_NR_CONTENDERS; c++) {
		enum pl_contender who = (enum pl_contender)c;

		if (!r->opts->contender[c])
			continue;
		pl_results_cpu(r, who, false, cpu);
		pl_results_switches(r, who, switches);
		pl_results_migrations(r, who, moved);
		pl_results_values(r, who, r->opts->judged, spread);
		printf("%-15s %21s %12s %12s %12s\n", pl_contender_name(who),
		       pl_report_cell(b[0], pl_judge_median(cpu, n)),
		       pl_report_cell(b[1], pl_judge_median(switches, n)),
		       pl_report_cell(b[2], pl_judge_median(moved, n)),
		       pl_report_cell(b[3], 100 * pl_judge_spread(spread, n)));
	}
}

/* In words, so that nobody takes noise for a gain. */
static void print_outcome(const struct pl_results *r, enum pl_contender against)
{
	struct pl_interval iv;
	char b[PL_CELL];

	if (!pl_results_ratio(r, PL_LIBPLACE, against, &iv))
		return;
	printf("libplace against %s: %s, %s\n", pl_contender_name(against),
	       pl_report_interval(b, true, &iv),
	       pl_report_outcome_name(pl_judge_outcome(&iv, pl_bench_lower_is_better(r->opts))));
}

static void print_class(const struct pl_results *r, enum pl_run_class class, const char *name)
{
	struct pl_interval iv;
	char b[PL_CELL];

	if (pl_results_ratio_class(r, PL_LIBPLACE, class, &iv))
		printf("libplace / kernel when %s (%zu runs): %s\n", name, iv.n,
		       pl_report_interval(b, true, &iv));
}

static const char *verdict_text(const struct pl_bar *bar)
{
	switch (bar->verdict) {
	case PL_BAR_PASS:
		return "pass";
	case PL_BAR_FAIL:
		return "FAIL";
	default:
		return bar->ratio.n < PL_JUDGE_MIN_PAIRS ? "not failed, too few runs"
							 : "not failed, the interval holds the bar";
	}
}

static void print_bars(const struct pl_results *r)
{
	static const char *const what[PL_NR_BARS] = {
		"libplace / best by hand",
		"libplace / kernel",
		"libplace / kernel when spread",
		"worst of the first 9 runs / best by hand",
	};
	bool lower = pl_bench_lower_is_better(r->opts);
	char b[PL_CELL];

	for (int k = 0; k < PL_NR_BARS; k++) {
		struct pl_bar bar;

		pl_results_bar(r, (enum pl_bar_kind)k, &bar);
		if (!bar.asked)
			continue;
		if (!bar.known) {
			printf("bar: %s: not judged, there was no such run\n", what[k]);
			continue;
		}
		if (k == PL_BAR_SLOWEST)
			snprintf(b, sizeof(b), "%.3f", bar.ratio.mid);
		else
			pl_report_interval(b, true, &bar.ratio);
		printf("bar: %s %s %g: %s: %s\n", what[k], lower ? "<=" : ">=", bar.limit, b,
		       verdict_text(&bar));
	}
}

void pl_report_table(const struct pl_results *r, const struct pl_host *h, int argc, char **argv)
{
	enum pl_contender hand;

	print_head(r, h, argc, argv);
	print_table(r);
	print_others(r);
	print_costs(r);
	putchar('\n');
	if (pl_results_best_hand(r, &hand)) {
		printf("best by hand: %s\n", pl_contender_name(hand));
		print_outcome(r, hand);
	}
	if (r->opts->contender[PL_LIBPLACE] && r->opts->contender[PL_KERNEL]) {
		print_outcome(r, PL_KERNEL);
		print_class(r, PL_RUN_SPREAD, "spread");
		print_class(r, PL_RUN_STACKED, "stacked");
	}
	print_bars(r);
}
