// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Many comparisons in one table: the medians, libplace against the kernel and against the best by
// hand, and in words whether that is more than noise.
#include <math.h>
#include <stdio.h>

#include "tools/bench/bench_report.h"
#include "tools/bench/contender.h"

static const char *median_cell(const struct pl_results *r, enum pl_contender c, char *buf)
{
	double v[PL_MAX_ROUNDS];

	pl_results_values(r, c, r->opts->judged, v);
	return pl_report_cell(buf, pl_judge_median(v, (size_t)r->rounds));
}

static void print_line(const struct pl_results *r, bool markdown)
{
	const struct pl_metric *judged = pl_bench_judged(r->opts);
	struct pl_interval kernel = {.mid = 0}, by_hand = {.mid = 0};
	enum pl_contender hand = PL_ONE_CPU;
	bool has_hand = pl_results_best_hand(r, &hand);
	bool has_kernel = pl_results_ratio(r, PL_LIBPLACE, PL_KERNEL, &kernel);
	bool has_ratio = has_hand && pl_results_ratio(r, PL_LIBPLACE, hand, &by_hand);
	char b[5][PL_CELL], label[64];
	const char *outcome =
		has_kernel
			? pl_report_outcome_name(pl_judge_outcome(&kernel, judged->lower_is_better))
			: "-";

	snprintf(label, sizeof(label), "%s%s", judged->label,
		 judged->lower_is_better ? " (less is better)" : "");
	printf(markdown ? "| %s | %s | %s | %s | %s | %s | %s | %s |\n"
			: "%-28s %-32.32s %9s %9s %9s  %-22s %-22s %s\n",
	       r->name, label, median_cell(r, PL_KERNEL, b[0]), median_cell(r, PL_LIBPLACE, b[1]),
	       has_hand ? median_cell(r, hand, b[2]) : "-",
	       pl_report_interval(b[3], has_kernel, &kernel),
	       pl_report_interval(b[4], has_ratio, &by_hand), outcome);
}

void pl_report_summary(struct pl_results *const *r, size_t nr, const struct pl_host *h, int argc,
		       char **argv, const struct pl_bench_opts *o)
{
	bool markdown = o->markdown;
	char text[512];

	pl_host_describe(h, text, sizeof(text));
	printf(markdown ? "%s\n\n`place" : "%s\nplace", text);
	for (int i = 0; i < argc; i++)
		printf(" %s", argv[i]);
	puts(markdown ? "`\n" : "\n");
	if (markdown)
		puts("| load | figure | kernel | libplace | by hand | libplace / kernel | libplace "
		     "/ "
		     "by hand | against the kernel |\n"
		     "|---|---|---:|---:|---:|---:|---:|---|");
	else
		printf("%-28s %-32s %9s %9s %9s  %-22s %-22s %s\n", "load", "figure", "kernel",
		       "libplace", "by hand", "libplace / kernel", "libplace / by hand",
		       "against the kernel");
	for (size_t i = 0; i < nr; i++) {
		if (pl_results_any(r[i]))
			print_line(r[i], markdown);
	}
	if (o->full)
		pl_report_overall(r, nr, markdown);
	pl_report_failed(r, nr, markdown);
}
