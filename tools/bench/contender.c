// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See contender.h.
#include "tools/bench/contender.h"

#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/say.h"
#include "tools/paths.h"

#define MAX_ARGS 64

static int core_of(int cpu)
{
	char path[96];
	int core = -1 - cpu; /* unknown: a core of its own */
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/core_cpus_list", cpu);
	f = fopen(path, "re");
	if (!f)
		return core;
	/* The first CPU of the list names the core. */
	if (fscanf(f, "%d", &core) != 1)
		core = -1 - cpu;
	fclose(f);
	return core;
}

/* CPU 0 serves most interrupts, so the last one is the better single CPU. */
static void choose_cpus(struct pl_bench_opts *o)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set))
		CPU_SET(0, &set);
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
		if (CPU_ISSET(cpu, &set) && o->nr_allowed < (int)(sizeof(o->allowed) / sizeof(int)))
			o->allowed[o->nr_allowed++] = cpu;
	}
	o->cpu[0] = o->allowed[0];
	o->nr_cpus = 1;
	for (int i = o->nr_allowed - 1; i > 0; i--) {
		/* The lowest CPU on another core; failing that, the sibling. */
		if (o->nr_cpus == 2 && core_of(o->allowed[i]) == core_of(o->cpu[0]))
			continue;
		o->cpu[1] = o->allowed[i];
		o->nr_cpus = 2;
		if (core_of(o->allowed[i]) != core_of(o->cpu[0]))
			break;
	}
}

void pl_contender_prepare(struct pl_bench_opts *o, const char **ret_note)
{
	*ret_note = NULL;
	choose_cpus(o);
	if (!o->contender[PL_TWO_CPUS])
		return;
	if (o->nr_cpus < 2) {
		o->contender[PL_TWO_CPUS] = false;
		*ret_note = "two-cpus is left out: one CPU is allowed";
	} else if (o->cmd && !o->server && o->nr_allowed == 2) {
		o->contender[PL_TWO_CPUS] = false;
		*ret_note = "two-cpus is left out: a mask of both CPUs of this machine is kernel";
	}
}

/* By hand, our own programs bind their own tasks where one mask for all would not do. */
static bool binds_itself(const struct pl_bench_opts *o, enum pl_contender c)
{
	if (!o->workload)
		return false;
	return c == PL_TWO_CPUS ||
	       (c == PL_ONE_CPU && (o->pairs > 1 || strcmp(o->workload->name, "hog") == 0));
}

void pl_contender_treat(const struct pl_bench_opts *o, enum pl_contender c, enum pl_role role,
			struct pl_treatment *out)
{
	*out = (struct pl_treatment){.bare = o->preload_bare};
	if (c == PL_CONTROL)
		out->policy = "off";
	else if (c == PL_LIBPLACE)
		out->policy = "auto";
	if ((c != PL_ONE_CPU && c != PL_TWO_CPUS) || binds_itself(o, c))
		return;
	out->nr_cpus = c == PL_ONE_CPU || o->server ? 1 : 2;
	out->cpu[0] = o->cpu[0];
	out->cpu[1] = o->cpu[1];
	if (c == PL_TWO_CPUS && role == PL_SERVER)
		out->cpu[0] = o->cpu[1];
}

const char *pl_contender_cmd(const struct pl_bench_opts *o, enum pl_contender c, double *ret_ops)
{
	bool slow = c == PL_KERNEL || c == PL_CONTROL || c == PL_TWO_CPUS;

	*ret_ops = slow && o->kernel_ops > 0 ? o->kernel_ops : o->ops;
	return slow && o->kernel_cmd ? o->kernel_cmd : o->cmd;
}

/* The k-th task's CPU, for --cpus; see team.c: task k takes entry k modulo the length. */
static void cpu_list(const struct pl_bench_opts *o, enum pl_contender c, char *out, size_t n)
{
	int a = o->cpu[0], b = o->nr_cpus > 1 ? o->cpu[1] : o->cpu[0];
	size_t len = 0;

	if (strcmp(o->workload->name, "hog") == 0) {
		/* tasks: the pair, then the hog */
		snprintf(out, n, "%d,%d,%d", a, c == PL_ONE_CPU ? a : b, b);
	} else if (strcmp(o->workload->name, "switching") == 0) {
		snprintf(out, n, "%d,%d,%d,%d", a, b, b, b);
	} else if (c == PL_TWO_CPUS) {
		snprintf(out, n, "%d,%d", a, b);
	} else {
		for (int i = 0; i < o->pairs && len < n; i++) {
			int cpu = o->allowed[i % o->nr_allowed];

			len += (size_t)snprintf(out + len, n - len, "%s%d,%d", i ? "," : "", cpu,
						cpu);
		}
	}
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
	char path[PATH_MAX], cpus[512];

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
		add(a, "--%s=%s", o->pass[i][0], o->pass[i][1]);
	if (binds_itself(o, c)) {
		cpu_list(o, c, cpus, sizeof(cpus));
		add(a, "--cpus=%s", cpus);
	}
	return true;
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
	if (o->workload) {
		ok = add_workload(&a, o, c);
	} else {
		add(&a, "/bin/sh");
		add(&a, "-c");
		add(&a, "exec %s", role == PL_SERVER ? o->server : pl_contender_cmd(o, c, &ops));
	}
	argv = ok && !a.failed ? calloc((size_t)a.n + 1, sizeof(*argv)) : NULL;
	if (argv) {
		memcpy(argv, a.v, (size_t)a.n * sizeof(*argv));
		return argv;
	}
	if (ok)
		pl_say("the command of %s is too long", pl_contender_name(c));
	for (int i = 0; i < a.n; i++)
		free(a.v[i]);
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
