// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The order of the runs: rounds in which each contender runs once, the first one rotating, and then
// more rounds of those whose comparison is still open.
#include "tools/bench/engine.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "tools/bench/child.h"
#include "tools/bench/contender.h"
#include "tools/bench/hand.h"
#include "tools/bench/metric.h"
#include "tools/bench/say.h"
#include "tools/paths.h"

static char calibrate_option[] = "--calibrate";

int pl_engine_calibrate(struct pl_bench_opts *o)
{
	struct pl_child child;
	struct pl_treatment none = {.policy = NULL};
	char path[PATH_MAX], *text;
	char *argv[] = {path, calibrate_option, NULL};
	double loops = 0;
	int err;

	if (o->spin_loops || !o->workload || (o->work_us <= 0 && !o->workload->needs_work))
		return 0;
	if (!pl_path_program(o->workload->program, path, sizeof(path))) {
		pl_say("%s is missing: build or install libplace with -Dbench=true", path);
		return 127;
	}
	err = pl_child_start(&child, argv, &none);
	if (err) {
		pl_say("cannot start %s: %s", path, strerror(-err));
		return 1;
	}
	if (pl_child_wait(&child, pl_now_ns() + 10 * PL_NS_PER_S, NULL) != PL_WAIT_ENDED)
		pl_child_stop(&child);
	text = pl_child_output(&child);
	if (text && pl_metric_key(text, "spin_loops", &loops))
		o->spin_loops = (uint64_t)loops;
	free(text);
	pl_child_fini(&child);
	if (pl_child_signal())
		return 128 + pl_child_signal();
	if (!o->spin_loops)
		pl_say("%s --calibrate gave no number", path);
	return o->spin_loops ? 0 : 1;
}

/* Tools may be there and not be allowed to bind memory, as in many containers. */
int pl_engine_probe_peers(struct pl_bench_opts *o)
{
	struct pl_treatment none = {.policy = NULL};

	for (int c = PL_FIRST_PEER; c < PL_NR_CONTENDERS && !pl_child_signal(); c++) {
		struct pl_child child = {.pidfd = -1, .out_fd = -1};
		char **argv, *text = NULL;
		bool works = false;

		if (!o->contender[c])
			continue;
		argv = pl_contender_probe_argv(o, (enum pl_contender)c);
		if (argv && pl_child_start(&child, argv, &none) == 0) {
			if (pl_child_wait(&child, pl_now_ns() + 10 * PL_NS_PER_S, NULL) ==
			    PL_WAIT_ENDED)
				works = child.status == 0;
			else
				pl_child_stop(&child);
			text = pl_child_output(&child);
			pl_child_fini(&child);
		}
		if (!works) {
			o->contender[c] = false;
			pl_hand_note(o, "%s does not work here: %.80s",
				     pl_contender_name((enum pl_contender)c),
				     text ? pl_metric_last_line(text) : "cannot be started");
		}
		free(text);
		pl_contender_free_argv(argv);
	}
	return pl_child_signal() ? 128 + pl_child_signal() : 0;
}

static void pause_for(double s)
{
	struct timespec ts = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};

	nanosleep(&ts, NULL); /* a signal ends it early, as it should */
}

static int run_round(struct pl_results *r, const bool *active)
{
	enum pl_contender list[PL_NR_CONTENDERS];
	int round = r->rounds++;
	int rounds = r->opts->runs > round ? r->opts->runs : r->opts->max_runs;
	size_t nr = 0;

	for (int c = 0; c < PL_NR_CONTENDERS; c++) {
		if (active[c])
			list[nr++] = (enum pl_contender)c;
	}
	for (size_t p = 0; p < nr; p++) {
		enum pl_contender c = list[pl_judge_order((size_t)round, p, nr)];
		int ret;

		pl_progress((round + (double)p / (double)nr) / rounds, pl_contender_name(c));
		ret = pl_engine_run_once(r->opts, c, &r->run[c][round]);
		if (ret)
			return ret;
		pause_for(r->opts->pause_s);
		if (pl_child_signal())
			return 128 + pl_child_signal();
	}
	return 0;
}

int pl_engine_run(struct pl_results *r)
{
	const struct pl_bench_opts *o = r->opts;
	bool need[PL_NR_CONTENDERS];
	int ret = 0;

	while (!ret && r->rounds < o->runs)
		ret = run_round(r, o->contender);
	while (!ret && r->rounds < o->max_runs && pl_results_unsettled(r, need))
		ret = run_round(r, need);
	pl_progress_end();
	return ret;
}
