// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// `place bench all`: our loads one after the other, with --full also the programs installed here.
#include <stdint.h>
#include <stdlib.h>

#include "tools/bench/bench_cmd.h"
#include "tools/bench/child.h"
#include "tools/bench/programs.h"
#include "tools/bench/say.h"

#define MAX_ALL 128

struct entry {
	struct pl_bench_opts opts;
	struct pl_results results;
};

struct all {
	struct entry *entry[MAX_ALL];
	size_t nr;
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
	all->entry[all->nr++] = e;
	return true;
}

static bool choose(struct all *all, const struct pl_bench_opts *base)
{
	const struct pl_workload *w;
	const struct pl_program *p;
	bool ok = true;

	for (size_t i = 0; ok && (w = pl_workload_nth(i)); i++)
		ok = add(all, base, w->name);
	for (size_t i = 0; ok && base->full && (p = pl_program_nth(i)); i++)
		ok = !pl_program_installed(p) || add(all, base, p->name);
	return ok;
}

int pl_bench_all(const struct pl_bench_opts *base, int argc, char **argv)
{
	static struct pl_results *done[MAX_ALL];
	static struct all all;
	size_t nr_done = 0;
	uint64_t spin_loops = 0;
	int ret = 0, failed = 0;

	if (!choose(&all, base)) {
		pl_say("out of memory");
		ret = 1;
	}
	for (size_t i = 0; i < all.nr && !ret; i++) {
		struct entry *e = all.entry[i];
		int err;

		e->opts.spin_loops = spin_loops; /* measured once for all */
		err = pl_bench_compare(&e->opts, &e->results, (int)i, (int)all.nr);
		spin_loops = e->opts.spin_loops;
		if (!err)
			done[nr_done++] = &e->results;
		else if (pl_child_signal())
			ret = 128 + pl_child_signal();
		else
			failed = err;
		if (err && !ret)
			pl_say("%s is left out", e->results.name);
	}
	if (!ret && nr_done)
		ret = pl_bench_report(done, nr_done, base, argc, argv);
	for (size_t i = 0; i < all.nr; i++)
		free(all.entry[i]);
	return ret ? ret : failed;
}
