// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See estimate.h.
#include "tools/bench/estimate.h"

#include <string.h>

#include "tools/bench/hand.h"
#include "tools/bench/rows.h"

/* One run of our own loads with default options, start, warm-up and end included. */
#define LOAD_S	     1.32
#define LOAD_QUICK_S 0.28
#define PHASES_S     45.1

/* What --quick leaves of a program's run: less operations, the same start and end. */
#define QUICK_PROGRAM 0.5

static double run_s(const struct pl_bench_opts *o)
{
	if (o->program)
		return o->program->run_s * (o->quick ? QUICK_PROGRAM : 1);
	if (o->quick)
		return LOAD_QUICK_S;
	if (o->row)
		return o->row->run_s;
	return strcmp(o->workload->name, "phases") == 0 ? PHASES_S : LOAD_S;
}

double pl_estimate(const struct pl_bench_opts *o)
{
	struct pl_bench_opts copy = *o;
	int nr = 0;

	/* These decide which masks make sense. */
	if (o->program) {
		copy.cmd = o->program->cmd;
		copy.server = o->program->server;
	}
	pl_hand_prepare(&copy);
	for (int c = 0; c < PL_NR_CONTENDERS; c++)
		nr += copy.contender[c];
	return nr * o->runs * (run_s(o) + o->pause_s) + (o->program ? o->program->prepare_s : 0);
}
