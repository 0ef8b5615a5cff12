// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See contender.h.
#include "tools/bench/contender.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/hand.h"
#include "tools/bench/say.h"
#include "tools/paths.h"

#define MAX_ARGS 64

void pl_contender_treat(const struct pl_bench_opts *o, enum pl_contender c, enum pl_role role,
			struct pl_treatment *out)
{
	*out = (struct pl_treatment){.bare = o->preload_bare};
	if (c == PL_CONTROL)
		out->policy = "off";
	else if (c == PL_LIBPLACE)
		out->policy = "auto";
	if (o->unprivileged) {
		out->uid = o->uid;
		out->gid = o->gid;
		out->home = o->dir;
	}
	out->has_mask = pl_hand_mask(o, c, role, &out->mask);
}

const char *pl_contender_cmd(const struct pl_bench_opts *o, enum pl_contender c, double *ret_ops)
{
	bool slow = c != PL_LIBPLACE && c != PL_ONE_CPU;

	*ret_ops = slow && o->kernel_ops > 0 ? o->kernel_ops : o->ops;
	return slow && o->kernel_cmd ? o->kernel_cmd : o->cmd;
}

struct args {
	char *v[MAX_ARGS + 1];
	int n;
	bool failed;
};

static void __attribute__((format(printf, 2, 3))) add(struct args *a, const char *fmt, ...)
{
	va_list ap;

	if (a->n == MAX_ARGS) {
		a->failed = true;
		return;
	}
	va_start(ap, fmt);
	if (vasprintf(&a->v[a->n], fmt, ap) < 0) {
		a->v[a->n] = NULL;
		a->failed = true;
	} else {
		a->n++;
	}
	va_end(ap);
}

static bool add_workload(struct args *a, const struct pl_bench_opts *o, enum pl_contender c)
{
	char path[PATH_MAX], cpus[1024];

	if (!pl_path_program(o->workload->program, path, sizeof(path))) {
		pl_say("%s is missing: build or install libplace with -Dbench=true", path);
		return false;
	}
	add(a, "%s", path);
	add(a, "%s", o->workload->name);
	add(a, "%s", o->processes ? "--processes" : "--threads");
	if (o->exec)
		add(a, "--exec");
	if (o->work_us > 0)
		add(a, "--work=%g", o->work_us);
	if (o->spin_loops)
		add(a, "--spin-loops=%llu", (unsigned long long)o->spin_loops);
	if (o->pairs > 1)
		add(a, "--pairs=%d", o->pairs);
	for (int i = 0; i < o->nr_pass; i++)
		add(a, "--%s%s%s", o->pass[i][0], o->pass[i][1] ? "=" : "",
		    o->pass[i][1] ? o->pass[i][1] : "");
	if (pl_hand_list(o, c, cpus, sizeof(cpus)))
		add(a, "--cpus=%s", cpus);
	return true;
}

/* The other tools as people call them, each with the mask it is known for. */
static void add_peer(struct args *a, const struct pl_bench_opts *o, enum pl_contender c)
{
	char text[1024];

	switch (c) {
	case PL_TASKSET:
		add(a, "taskset");
		add(a, "-c");
		add(a, "%d", o->cpu[0]);
		break;
	case PL_NUMACTL:
		add(a, "numactl");
		add(a, "--cpunodebind=%d", pl_hand_node(o));
		add(a, "--membind=%d", pl_hand_node(o));
		break;
	case PL_HWLOC_BIND:
		pl_hand_llc_mask(o, text, sizeof(text));
		add(a, "hwloc-bind");
		add(a, "%s", text);
		add(a, "--");
		break;
	default:
		pl_hand_cores(o, text, sizeof(text));
		add(a, "likwid-pin");
		add(a, "-q");
		add(a, "-c");
		add(a, "%s", text);
	}
}

/* NULL when something did not fit; A's strings are then freed by the caller. */
static char **take(struct args *a)
{
	char **argv = a->failed ? NULL : calloc((size_t)a->n + 1, sizeof(*argv));

	if (argv)
		memcpy(argv, a->v, (size_t)a->n * sizeof(*argv));
	return argv;
}

static void drop(struct args *a)
{
	for (int i = 0; i < a->n; i++)
		free(a->v[i]);
}

char **pl_contender_probe_argv(const struct pl_bench_opts *o, enum pl_contender c)
{
	struct args a = {.n = 0};
	char **argv;

	add_peer(&a, o, c);
	add(&a, "/bin/sh");
	add(&a, "-c");
	add(&a, ":");
	argv = take(&a);
	if (!argv)
		drop(&a);
	return argv;
}

char **pl_contender_argv(const struct pl_bench_opts *o, enum pl_contender c, enum pl_role role)
{
	struct args a = {.n = 0};
	struct pl_treatment t;
	char place[PATH_MAX], **argv;
	bool ok = true;
	double ops;

	pl_contender_treat(o, c, role, &t);
	if (t.policy && !t.bare) {
		/* This program is `place`. */
		if (!pl_path_self(place, sizeof(place))) {
			pl_say("cannot find this program in /proc: use --preload bare");
			return NULL;
		}
		add(&a, "%s", place);
		add(&a, "run");
		add(&a, "--policy=%s", t.policy);
		add(&a, "--");
	}
	if (c >= PL_FIRST_PEER)
		add_peer(&a, o, c);
	if (o->workload) {
		ok = add_workload(&a, o, c);
	} else {
		add(&a, "/bin/sh");
		add(&a, "-c");
		add(&a, "exec %s", role == PL_SERVER ? o->server : pl_contender_cmd(o, c, &ops));
	}
	argv = ok ? take(&a) : NULL;
	if (argv)
		return argv;
	if (ok)
		pl_say("the command of %s is too long", pl_contender_name(c));
	drop(&a);
	return NULL;
}

void pl_contender_free_argv(char **argv)
{
	if (!argv)
		return;
	for (char **p = argv; *p; p++)
		free(*p);
	free(argv);
}
