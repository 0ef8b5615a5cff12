// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See options_value.h.
#include "tools/bench/options_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/say.h"

bool pl_value_number(const char *option, const char *arg, double min, double max, double *out)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(arg, &end);
	if (errno || end == arg || *end || !(v >= min && v <= max)) {
		pl_say("--%s %s: give a number from %g to %g", option, arg, min, max);
		return false;
	}
	*out = v;
	return true;
}

bool pl_value_integer(const char *option, const char *arg, int min, int max, int *out)
{
	double v;

	if (!pl_value_number(option, arg, min, max, &v))
		return false;
	*out = (int)v;
	return true;
}

bool pl_value_contenders(struct pl_bench_opts *o, const char *arg)
{
	char *copy = strdup(arg), *save = NULL; /* the report quotes the command line whole */
	bool ok = copy;

	memset(o->contender, 0, sizeof(o->contender));
	o->chosen = true;
	for (char *s = copy ? strtok_r(copy, ",", &save) : NULL; ok && s;
	     s = strtok_r(NULL, ",", &save)) {
		int c = 0;

		while (c < PL_NR_CONTENDERS &&
		       strcmp(s, pl_contender_name((enum pl_contender)c)) != 0)
			c++;
		ok = c < PL_NR_CONTENDERS;
		if (ok)
			o->contender[c] = true;
		else
			pl_say("--contenders: no '%s': choose of "
			       "kernel,control,libplace,one-cpu,two-cpus,per-core,one-llc,taskset,"
			       "numactl,hwloc-bind,likwid-pin",
			       s);
	}
	free(copy);
	return ok;
}

bool pl_value_preload(struct pl_bench_opts *o, const char *arg)
{
	o->preload_bare = strcmp(arg, "bare") == 0;
	if (o->preload_bare || strcmp(arg, "run") == 0)
		return true;
	pl_say("--preload %s: give run or bare", arg);
	return false;
}

bool pl_value_plot(struct pl_bench_opts *o, const char *arg)
{
	const char *dot = strrchr(arg, '.');

	o->plot = arg;
	if (dot && (strcmp(dot, ".svg") == 0 || strcmp(dot, ".png") == 0))
		return true;
	pl_say("--plot %s: the name must end in .svg or .png", arg);
	return false;
}
