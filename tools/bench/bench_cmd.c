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
#include "tools/bench/options.h"
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

/* Measures what R->opts ask for. 0 or an exit status. */
static int compare(struct pl_bench_opts *o, struct pl_results *r, int i, int nr)
{
	int ret;

	r->opts = o;
	pl_progress_begin(pl_bench_name(o), i, nr);
	ret = o->program ? pl_program_begin(o) : 0;
	if (!ret)
		ret = check_parts(o);
	if (!ret) {
		pl_hand_prepare(o);
		ret = pl_engine_calibrate(o);
	}
	if (!ret)
		ret = pl_engine_run(r);
	if (o->program)
		pl_program_end(o);
	return ret;
}

int cmd_bench(int argc, char **argv)
{
	static struct pl_bench_opts opts;
	struct pl_results *r;
	struct pl_host host;
	int ret = pl_options_parse(&opts, argc, argv);

	if (ret >= 0)
		return ret;
	if (opts.ask == PL_ASK_LIST) {
		pl_usage_list(stdout);
		return fflush(stdout) ? 1 : 0;
	}
	r = calloc(1, sizeof(*r));
	if (!r) {
		pl_say("out of memory");
		return 1;
	}
	pl_child_catch_signals();
	pl_host_read(&host);
	ret = compare(&opts, r, 0, 1);
	if (!ret) {
		if (opts.json && pl_report_json(r, &host, argc, argv))
			ret = 1;
		else if (!opts.json)
			pl_report_table(r, &host, argc, argv);
		if (fflush(stdout) || ferror(stdout)) {
			pl_say("cannot write the result");
			ret = 1;
		}
		if (!ret && any_bar_failed(r))
			ret = 1;
	}
	free(r);
	return ret;
}
