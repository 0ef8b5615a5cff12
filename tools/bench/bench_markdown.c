// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The comparison as a table for a page.
#include <stdio.h>

#include "tools/bench/contender.h"

#include "tools/bench/bench_report.h"

static void print_row(const struct pl_results *r, enum pl_contender c)
{
	double v[PL_MAX_ROUNDS], cpu[PL_MAX_ROUNDS], switches[PL_MAX_ROUNDS], moved[PL_MAX_ROUNDS];
	struct pl_interval hand_iv = {.mid = 0}, kernel_iv = {.mid = 0};
	size_t n = (size_t)r->rounds;
	enum pl_contender hand;
	bool has_hand = pl_results_best_hand(r, &hand) && c != hand &&
			pl_results_ratio(r, c, hand, &hand_iv);
	bool has_kernel = c != PL_KERNEL && pl_results_ratio(r, c, PL_KERNEL, &kernel_iv);
	char b[9][PL_CELL];

	pl_results_values(r, c, r->opts->judged, v);
	pl_results_cpu(r, c, false, cpu);
	pl_results_switches(r, c, switches);
	pl_results_migrations(r, c, moved);
	printf("| %s | %zu | %s | %s-%s | %s | %s | %s | %s | %s | %s |\n", pl_contender_name(c),
	       pl_results_count(r, c), pl_report_cell(b[0], pl_judge_median(v, n)),
	       pl_report_cell(b[1], pl_judge_min(v, n)), pl_report_cell(b[2], pl_judge_max(v, n)),
	       pl_report_cell(b[3], 100 * pl_judge_spread(v, n)),
	       pl_report_interval(b[4], has_kernel, &kernel_iv),
	       pl_report_interval(b[5], has_hand, &hand_iv),
	       pl_report_cell(b[6], pl_judge_median(cpu, n)),
	       pl_report_cell(b[7], pl_judge_median(switches, n)),
	       pl_report_cell(b[8], pl_judge_median(moved, n)));
}

void pl_report_markdown(const struct pl_results *r, const struct pl_host *h, int argc, char **argv)
{
	const struct pl_metric *judged = pl_bench_judged(r->opts);
	struct pl_interval iv;
	char text[512];

	pl_host_describe(h, text, sizeof(text));
	printf("### %s: %s, %s is better\n\n%s\n\n`place", pl_bench_name(r->opts), judged->label,
	       judged->lower_is_better ? "less" : "more", text);
	for (int i = 0; i < argc; i++)
		printf(" %s", argv[i]);
	printf("`\n\n");
	if (r->opts->note[0])
		printf("%s\n\n", r->opts->note);
	printf("| contender | runs | median | min-max | max-min %% | / kernel | / best by hand | "
	       "CPU "
	       "s/run | switches | migrations |\n"
	       "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
	for (int c = 0; c < PL_NR_CONTENDERS; c++) {
		if (r->opts->contender[c])
			print_row(r, (enum pl_contender)c);
	}
	if (pl_results_ratio(r, PL_LIBPLACE, PL_KERNEL, &iv))
		printf("\nlibplace against kernel: %s.\n",
		       pl_report_outcome_name(
			       pl_judge_outcome(&iv, pl_bench_lower_is_better(r->opts))));
	putchar('\n');
}
