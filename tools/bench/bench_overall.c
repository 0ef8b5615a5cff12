// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// What all rows say together, in text and for a page, and which rows failed.
#include <math.h>
#include <stdio.h>

#include "tools/bench/bench_report.h"
#include "tools/bench/overall.h"

static void print_line(const struct pl_overall *all, enum pl_overall_kind kind, bool markdown)
{
	char limit[PL_CELL] = "-", ratio[PL_CELL], worst[128];

	if (!isnan(all->limit))
		snprintf(limit, sizeof(limit), "%s %.2f",
			 all->lower_is_better ? "<=" : ">=", all->limit);
	snprintf(worst, sizeof(worst), "%s (%.3f)", all->worst, all->worst_ratio);
	printf(markdown ? "| %s | %s | %s | %zu | %zu | %s | %s |\n"
			: "%-46s %-8s %-22s %4zu %6zu  %-36s %s\n",
	       pl_overall_text(kind), limit, pl_report_interval(ratio, true, &all->ratio),
	       all->rows, all->failed, worst,
	       isnan(all->limit) ? "-" : pl_report_verdict_name(all->verdict));
}

void pl_report_overall(struct pl_results *const *r, size_t nr, bool markdown)
{
	puts(markdown ? "\n| figure | bar | mean or worst | rows | failed | worst row | verdict |\n"
			"|---|---|---:|---:|---:|---|---|"
		      : "");
	if (!markdown)
		printf("%-46s %-8s %-22s %4s %6s  %-36s %s\n", "figure (speed, more is better)",
		       "bar", "mean or worst", "rows", "failed", "worst row", "verdict");
	for (int k = 0; k < PL_NR_OVERALL; k++) {
		struct pl_overall all;

		pl_overall(r, nr, (enum pl_overall_kind)k, &all);
		if (all.rows)
			print_line(&all, (enum pl_overall_kind)k, markdown);
	}
}

void pl_report_failed(struct pl_results *const *r, size_t nr, bool markdown)
{
	for (size_t i = 0; i < nr; i++) {
		if (r[i]->failed[0])
			printf("%s%s: %s\n", markdown ? "\n" : "not complete: ", r[i]->name,
			       r[i]->failed);
	}
}
