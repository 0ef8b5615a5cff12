// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// `place bench`: does a load run faster with libplace than without it and than with masks by hand?
#include "tools/bench/bench_cmd.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/child.h"
#include "tools/bench/contender.h"
#include "tools/bench/engine.h"
#include "tools/bench/hand.h"
#include "tools/bench/metric.h"
#include "tools/bench/installed.h"
#include "tools/bench/options.h"
#include "tools/bench/overall.h"
#include "tools/bench/plot.h"
#include "tools/bench/programs.h"
#include "tools/bench/bench_report.h"
#include "tools/bench/say.h"
#include "tools/bench/usage.h"
#include "tools/paths.h"

/* What can be found wrong before the first minute has been spent. */
static int check_parts(const struct pl_bench_opts *o)
{
	bool regex = o->metric && strcmp(o->metric, PL_METRIC_WALL) != 0;
	const char *why = regex ? pl_metric_check(o->metric) : NULL;
	char path[PATH_MAX];

	if (why) {
		pl_say("--metric '%s': %s", o->metric, why);
		return 2;
	}
	if ((o->contender[PL_LIBPLACE] || o->contender[PL_CONTROL]) &&
	    !pl_path_preload(path, sizeof(path))) {
		pl_say("%s is missing: build or install libplace, or leave libplace and control "
		       "out of --contenders",
		       path);
		return 127;
	}
	return 0;
}

static bool any_bar_failed(const struct pl_results *r)
{
	for (int k = 0; k < PL_NR_BARS; k++) {
		struct pl_bar bar;

		pl_results_bar(r, (enum pl_bar_kind)k, &bar);
		if (bar.asked && bar.known && bar.verdict == PL_BAR_FAIL)
			return true;
	}
	return false;
}

/* The bars of many rows; without --full there are none. */
static bool any_overall_failed(struct pl_results *const *r, size_t nr,
			       const struct pl_bench_opts *o)
{
	for (int k = 0; o->ask == PL_ASK_ALL && o->full && k < PL_NR_OVERALL; k++) {
		struct pl_overall all;

		pl_overall(r, nr, (enum pl_overall_kind)k, &all);
		if (all.rows && all.verdict == PL_BAR_FAIL)
			return true;
	}
	return false;
}

int pl_bench_compare(struct pl_bench_opts *o, struct pl_results *r)
{
	int ret;

	r->opts = o;
	snprintf(r->name, sizeof(r->name), "%s", pl_bench_name(o));
	pl_say_forget();
	ret = o->program ? pl_program_begin(o) : 0;
	if (!ret)
		ret = check_parts(o);
	if (!ret) {
		pl_hand_prepare(o);
		ret = pl_engine_probe_peers(o);
	}
	if (!ret)
		ret = pl_engine_calibrate(o);
	if (!ret)
		ret = pl_engine_run(r);
	if (o->program)
		pl_program_end(o);
	pl_progress_end();
	if (ret)
		snprintf(r->failed, sizeof(r->failed), "%s",
			 pl_child_signal() ? "interrupted"
			 : *pl_say_last()  ? pl_say_last()
					   : "failed");
	return ret;
}

static int draw(struct pl_results *const *r, size_t nr, const struct pl_host *host,
		const char *file)
{
	struct pl_plot *p = calloc(1, sizeof(*p));
	int ret = 1;

	if (!p || !pl_plot_build(p, r, nr, host)) {
		pl_say("nothing to draw, or out of memory");
	} else {
		ret = pl_plot_draw(p, file);
		pl_plot_fini(p);
	}
	free(p);
	return ret;
}

int pl_bench_report(struct pl_results *const *r, size_t nr, const struct pl_bench_opts *o, int argc,
		    char **argv)
{
	struct pl_host host;
	int ret = 0;

	pl_host_read(&host);
	if (o->json) {
		ret = pl_report_json(stdout, r, nr, o, argc, argv) ? 1 : 0;
	} else if (o->ask == PL_ASK_ALL) {
		pl_report_summary(r, nr, &host, argc, argv, o);
	} else if (o->markdown) {
		pl_report_markdown(r[0], &host, argc, argv);
	} else {
		pl_report_table(r[0], &host, argc, argv);
	}
	if (fflush(stdout) || ferror(stdout) || ret) {
		pl_say("cannot write the result");
		return 1;
	}
	if (o->plot && !pl_child_signal())
		ret = draw(r, nr, &host, o->plot);
	return ret ? ret : any_overall_failed(r, nr, o);
}

static int bench_one(struct pl_bench_opts *o, int argc, char **argv)
{
	struct pl_results *r = calloc(1, sizeof(*r));
	int ret = 1;

	if (!r) {
		pl_say("out of memory");
		return ret;
	}
	pl_progress_begin(pl_bench_name(o), 0, 1, 1);
	ret = pl_bench_compare(o, r);
	if (pl_results_any(r)) {
		int err = pl_bench_report(&r, 1, o, argc, argv);

		ret = ret ? ret : err;
	}
	if (!ret && any_bar_failed(r))
		ret = 1;
	free(r);
	return ret;
}

int cmd_bench(int argc, char **argv)
{
	static struct pl_bench_opts opts;
	int ret = pl_options_parse(&opts, argc, argv);

	if (ret >= 0)
		return ret;
	if (opts.ask == PL_ASK_LIST) {
		pl_usage_list(stdout);
		return fflush(stdout) ? 1 : 0;
	}
	/* Before anything is measured for it. */
	if (opts.plot && !pl_installed("gnuplot")) {
		pl_say("--plot needs gnuplot: install the package gnuplot-nox");
		return 127;
	}
	pl_child_catch_signals();
	return opts.ask == PL_ASK_ALL ? pl_bench_all(&opts, argc, argv)
				      : bench_one(&opts, argc, argv);
}
