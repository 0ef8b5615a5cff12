// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// `place bench all`: our loads one after the other; with --full the rows of the table and the
// programs installed here instead.
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/bench/bench_cmd.h"
#include "tools/bench/bench_report.h"
#include "tools/bench/child.h"
#include "tools/bench/estimate.h"
#include "tools/bench/programs.h"
#include "tools/bench/rows.h"
#include "tools/bench/say.h"

#define MAX_ALL 128

/* Rows that masks by hand say something about. */
#define SETS_BY_HAND (PL_SET_HANDOFF | PL_SET_OVERLAP)

struct entry {
	struct pl_bench_opts opts;
	struct pl_results results;
	double estimate_s;
};

struct all {
	struct entry *entry[MAX_ALL];
	size_t nr;
	double estimate_s;
};

static bool add(struct all *all, const struct pl_bench_opts *base, const char *name)
{
	struct entry *e = all->nr < MAX_ALL ? calloc(1, sizeof(*e)) : NULL;

	if (!e)
		return false;
	e->opts = *base;
	e->opts.ask = PL_ASK_ONE;
	pl_options_load(&e->opts, name);
	/* It does nothing but add to the time of a quick look. */
	if (base->quick && !base->chosen)
		e->opts.contender[PL_CONTROL] = false;
	if (base->full && !base->chosen && !(pl_bench_sets(&e->opts) & SETS_BY_HAND)) {
		for (int c = PL_FIRST_HAND; c <= PL_LAST_HAND; c++)
			e->opts.contender[c] = false;
	}
	e->estimate_s = pl_estimate(&e->opts);
	all->estimate_s += e->estimate_s;
	all->entry[all->nr++] = e;
	return true;
}

static bool choose(struct all *all, const struct pl_bench_opts *base)
{
	const struct pl_workload *w;
	const struct pl_program *p;
	const struct pl_row *row;
	unsigned int sets = base->only ? base->only : PL_ROW_WHOLE;
	bool ok = true;

	for (size_t i = 0; ok && !base->full && (w = pl_workload_nth(i)); i++)
		ok = add(all, base, w->name);
	for (size_t i = 0; ok && base->full && (row = pl_row_nth(i)); i++)
		ok = !(row->sets & sets) || add(all, base, row->name);
	for (size_t i = 0; ok && base->full && (p = pl_program_nth(i)); i++)
		ok = !(pl_program_sets(p) & sets) || !pl_program_installed(p) ||
		     add(all, base, p->name);
	return ok;
}

static void say_estimate(const struct all *all, const struct pl_bench_opts *base)
{
	pl_say("%zu rows, about %.*f minutes with %d runs each%s", all->nr,
	       all->estimate_s < 600 ? 1 : 0, all->estimate_s / 60, base->runs,
	       base->max_runs > base->runs ? ", more where the comparison stays open" : "");
	pl_say_forget();
}

/* A file for this row, so that nothing is lost when the rest is killed. 0 or 1. */
static int write_out(struct entry *e, int argc, char **argv)
{
	struct pl_results *r[] = {&e->results};
	char path[PATH_MAX];
	FILE *f;
	int ret = 1;

	snprintf(path, sizeof(path), "%s/%s.json", e->opts.out, e->results.name);
	f = fopen(path, "we");
	if (f) {
		ret = pl_report_json(f, r, 1, &e->opts, argc, argv) ? 1 : 0;
		ret = fclose(f) ? 1 : ret;
	}
	if (ret)
		pl_say("cannot write %s: %s", path, strerror(errno));
	return ret;
}

/* One row; 0 or an exit status, for which a signal counts as none. */
static int run_entry(struct entry *e, int argc, char **argv)
{
	int ret = pl_bench_compare(&e->opts, &e->results);

	if (ret && !pl_child_signal())
		pl_say("%s ended early%s", e->results.name,
		       pl_results_any(&e->results) ? "" : " and is left out");
	if (e->opts.out && pl_results_any(&e->results) && write_out(e, argc, argv) && !ret)
		ret = 1;
	return pl_child_signal() ? 0 : ret;
}

static int run_all(struct all *all, const struct pl_bench_opts *base, int argc, char **argv)
{
	static struct pl_results *done[MAX_ALL];
	uint64_t spin_loops = 0;
	double begun_s = 0;
	size_t nr_done = 0;
	int ret = 0, failed = 0;

	for (size_t i = 0; i < all->nr && !pl_child_signal(); i++) {
		struct entry *e = all->entry[i];
		int err;

		e->opts.spin_loops = spin_loops; /* measured once for all */
		pl_progress_begin(pl_bench_name(&e->opts), begun_s, e->estimate_s, all->estimate_s);
		begun_s += e->estimate_s;
		err = run_entry(e, argc, argv);
		spin_loops = e->opts.spin_loops;
		failed = err ? err : failed;
		done[nr_done++] = &e->results;
	}
	if (nr_done)
		ret = pl_bench_report(done, nr_done, base, argc, argv);
	if (pl_child_signal())
		return 128 + pl_child_signal();
	return ret ? ret : failed;
}

int pl_bench_all(const struct pl_bench_opts *base, int argc, char **argv)
{
	static struct all all;
	int ret = 1;

	if (!choose(&all, base)) {
		pl_say("out of memory");
	} else if (base->out && mkdir(base->out, 0777) && errno != EEXIST) {
		pl_say("cannot make the directory %s: %s", base->out, strerror(errno));
	} else {
		say_estimate(&all, base);
		ret = run_all(&all, base, argc, argv);
	}
	for (size_t i = 0; i < all.nr; i++)
		free(all.entry[i]);
	return ret;
}
