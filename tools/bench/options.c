// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The command line of `place bench`: getopt_long, checks, and one clear line for what is wrong.
#include "tools/bench/options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/say.h"

static const char *const names[PL_NR_CONTENDERS] = {
	[PL_KERNEL] = "kernel",	  [PL_CONTROL] = "control",   [PL_LIBPLACE] = "libplace",
	[PL_ONE_CPU] = "one-cpu", [PL_TWO_CPUS] = "two-cpus",
};

enum {
	OPT_THREADS = 1000,
	OPT_PROCESSES,
	OPT_EXEC,
	OPT_WORK,
	OPT_PAIRS,
	OPT_PASS, /* handed through to the program as it is */
	OPT_CMD,
	OPT_KERNEL_CMD,
	OPT_METRIC,
	OPT_LOWER,
	OPT_OPS,
	OPT_KERNEL_OPS,
	OPT_SERVER,
	OPT_READY,
	OPT_CONTENDERS,
	OPT_PRELOAD,
	OPT_RUNS,
	OPT_MAX_RUNS,
	OPT_TIMEOUT,
	OPT_PAUSE,
	OPT_BAR,
	OPT_BAR_KERNEL,
	OPT_BAR_SPREAD,
	OPT_BAR_SLOWEST,
	OPT_JUDGE,
	OPT_JSON,
	OPT_HELP,
};

static const struct option options[] = {
	{"threads", no_argument, NULL, OPT_THREADS},
	{"processes", no_argument, NULL, OPT_PROCESSES},
	{"exec", no_argument, NULL, OPT_EXEC},
	{"work", required_argument, NULL, OPT_WORK},
	{"pairs", required_argument, NULL, OPT_PAIRS},
	{"kind", required_argument, NULL, OPT_PASS},
	{"rounds", required_argument, NULL, OPT_PASS},
	{"seconds", required_argument, NULL, OPT_PASS},
	{"warmup", required_argument, NULL, OPT_PASS},
	{"cycles", required_argument, NULL, OPT_PASS},
	{"phase", required_argument, NULL, OPT_PASS},
	{"messages", required_argument, NULL, OPT_PASS},
	{"workers", required_argument, NULL, OPT_PASS},
	{"cmd", required_argument, NULL, OPT_CMD},
	{"kernel-cmd", required_argument, NULL, OPT_KERNEL_CMD},
	{"metric", required_argument, NULL, OPT_METRIC},
	{"lower-is-better", no_argument, NULL, OPT_LOWER},
	{"ops", required_argument, NULL, OPT_OPS},
	{"kernel-ops", required_argument, NULL, OPT_KERNEL_OPS},
	{"server", required_argument, NULL, OPT_SERVER},
	{"ready", required_argument, NULL, OPT_READY},
	{"contenders", required_argument, NULL, OPT_CONTENDERS},
	{"preload", required_argument, NULL, OPT_PRELOAD},
	{"runs", required_argument, NULL, OPT_RUNS},
	{"max-runs", required_argument, NULL, OPT_MAX_RUNS},
	{"timeout", required_argument, NULL, OPT_TIMEOUT},
	{"pause", required_argument, NULL, OPT_PAUSE},
	{"bar", required_argument, NULL, OPT_BAR},
	{"bar-kernel", required_argument, NULL, OPT_BAR_KERNEL},
	{"bar-spread", required_argument, NULL, OPT_BAR_SPREAD},
	{"bar-slowest", required_argument, NULL, OPT_BAR_SLOWEST},
	{"judge", required_argument, NULL, OPT_JUDGE},
	{"json", no_argument, NULL, OPT_JSON},
	{"help", no_argument, NULL, OPT_HELP},
	{NULL, 0, NULL, 0},
};

static void usage(FILE *f)
{
	fprintf(f,
		"usage: place bench %s [OPTIONS]\n"
		"       place bench --cmd 'PROG ARGS' --metric REGEX [OPTIONS]\n"
		"Runs a load in turn without libplace (kernel), with it switched off (control), "
		"with\n"
		"it (libplace), and with masks by hand (one-cpu, two-cpus); compares what it "
		"says.\n"
		"\n"
		"Our own programs:\n"
		"  --threads | --processes   what the two ends are (default: threads)\n"
		"  --exec                    processes that are exec'ed one by one\n"
		"  --work US                 each side computes US microseconds before it waits\n"
		"  --pairs N                 pairs at once\n"
		"  --rounds N | --seconds S  how much one run measures (default: 1 second)\n"
		"  --warmup S                not measured (default: 0.25)\n"
		"  --kind KIND               for the shapes: how tasks wake each other (pipe)\n"
		"  --cycles N, --phase S     phases: cycles (5) and length of each phase (3)\n"
		"  --messages M, --workers W wakeup: message and worker threads\n"
		"A command:\n"
		"  --cmd CMD                 run by sh; must measure itself\n"
		"  --metric REGEX            extended; its first group is the figure, last match "
		"counts\n"
		"  --lower-is-better         the figure is a time, not a rate\n"
		"  --ops N                   operations of one run, for CPU seconds per operation\n"
		"  --kernel-cmd CMD, --kernel-ops N\n"
		"                            a shorter run of the same for kernel, control, "
		"two-cpus\n"
		"  --server CMD --ready HOST:PORT\n"
		"                            started and stopped with each run, loopback only\n"
		"The comparison:\n"
		"  --contenders LIST         of kernel,control,libplace,one-cpu,two-cpus\n"
		"  --preload run|bare        through `place run` (default), or LD_PRELOAD alone\n"
		"  --runs N, --max-runs N    at least (9); until the interval is within 3 %% (41)\n"
		"  --bar R                   libplace against the best by hand: at most R for a "
		"time,\n"
		"                            at least R for a rate; exit status 1 when it is not "
		"so\n"
		"  --bar-kernel R            the same against the kernel\n"
		"  --bar-spread R            against those runs of the kernel that used two CPUs\n"
		"  --bar-slowest R           the worst of nine runs against the best by hand\n"
		"  --judge KEY               the figure of our own program to be judged\n"
		"  --pause S                 between two runs (default: 0.1)\n"
		"  --timeout S               of one run (default: 120)\n"
		"  --json                    everything measured, instead of the table\n",
		pl_workload_names());
}

const char *pl_contender_name(enum pl_contender c)
{
	return names[c];
}

/* A number within [MIN, MAX]; says what is wrong otherwise. */
static bool number(const char *option, const char *arg, double min, double max, double *out)
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

static bool integer(const char *option, const char *arg, int min, int max, int *out)
{
	double v;

	if (!number(option, arg, min, max, &v))
		return false;
	*out = (int)v;
	return true;
}

static bool parse_contenders(struct pl_bench_opts *o, const char *arg)
{
	char *copy = strdup(arg), *save = NULL; /* the report quotes the command line whole */
	bool ok = copy;

	memset(o->contender, 0, sizeof(o->contender));
	for (char *s = copy ? strtok_r(copy, ",", &save) : NULL; ok && s;
	     s = strtok_r(NULL, ",", &save)) {
		int c = 0;

		while (c < PL_NR_CONTENDERS && strcmp(s, names[c]) != 0)
			c++;
		ok = c < PL_NR_CONTENDERS;
		if (ok)
			o->contender[c] = true;
		else
			pl_say("--contenders: no '%s': choose of "
			       "kernel,control,libplace,one-cpu,two-cpus",
			       s);
	}
	free(copy);
	return ok;
}

static bool parse_preload(struct pl_bench_opts *o, const char *arg)
{
	o->preload_bare = strcmp(arg, "bare") == 0;
	if (o->preload_bare || strcmp(arg, "run") == 0)
		return true;
	pl_say("--preload %s: give run or bare", arg);
	return false;
}

static bool pass_on(struct pl_bench_opts *o, const char *name, const char *value)
{
	if (o->nr_pass == (int)(sizeof(o->pass) / sizeof(o->pass[0]))) {
		pl_say("--%s: too many options", name);
		return false;
	}
	o->pass[o->nr_pass][0] = name;
	o->pass[o->nr_pass][1] = value;
	o->nr_pass++;
	return true;
}

static bool parse_one(struct pl_bench_opts *o, int opt, const char *name, const char *arg)
{
	switch (opt) {
	case OPT_THREADS:
		o->processes = false;
		return true;
	case OPT_PROCESSES:
		o->processes = true;
		return true;
	case OPT_EXEC:
		o->exec = true;
		return true;
	case OPT_WORK:
		return number(name, arg, 0, 1e6, &o->work_us);
	case OPT_PAIRS:
		return integer(name, arg, 1, 32, &o->pairs);
	case OPT_PASS:
		return pass_on(o, name, arg);
	case OPT_CMD:
		o->cmd = arg;
		return true;
	case OPT_KERNEL_CMD:
		o->kernel_cmd = arg;
		return true;
	case OPT_METRIC:
		o->metric = arg;
		return true;
	case OPT_LOWER:
		o->lower_is_better = true;
		return true;
	case OPT_OPS:
		return number(name, arg, 1, 1e15, &o->ops);
	case OPT_KERNEL_OPS:
		return number(name, arg, 1, 1e15, &o->kernel_ops);
	case OPT_SERVER:
		o->server = arg;
		return true;
	case OPT_READY:
		o->ready = arg;
		return true;
	case OPT_CONTENDERS:
		return parse_contenders(o, arg);
	case OPT_PRELOAD:
		return parse_preload(o, arg);
	case OPT_RUNS:
		return integer(name, arg, 1, PL_MAX_ROUNDS, &o->runs);
	case OPT_MAX_RUNS:
		return integer(name, arg, 1, PL_MAX_ROUNDS, &o->max_runs);
	case OPT_TIMEOUT:
		return number(name, arg, 0.1, 86400, &o->timeout_s);
	case OPT_PAUSE:
		return number(name, arg, 0, 60, &o->pause_s);
	case OPT_BAR:
		return number(name, arg, 1e-3, 1e3, &o->bar);
	case OPT_BAR_KERNEL:
		return number(name, arg, 1e-3, 1e3, &o->bar_kernel);
	case OPT_BAR_SPREAD:
		return number(name, arg, 1e-3, 1e3, &o->bar_spread);
	case OPT_BAR_SLOWEST:
		return number(name, arg, 1e-3, 1e3, &o->bar_slowest);
	case OPT_JUDGE:
		o->judge = arg;
		return true;
	case OPT_JSON:
		o->json = true;
		return true;
	default:
		pl_say("'place bench --help' lists the options");
		return false;
	}
}

static bool find_judged(struct pl_bench_opts *o)
{
	const struct pl_metric *metric;
	int n = (int)pl_bench_metrics(o, &metric);

	while (o->judge && o->judged < n && strcmp(metric[o->judged].key, o->judge) != 0)
		o->judged++;
	if (o->judged < n)
		return true;
	pl_say("--judge %s: no such figure here; the first is %s", o->judge, metric[0].key);
	return false;
}

/* What cannot be asked together. */
static bool check(struct pl_bench_opts *o)
{
	bool hand = o->contender[PL_ONE_CPU] || o->contender[PL_TWO_CPUS];
	bool kernel_bar = !isnan(o->bar_kernel) || !isnan(o->bar_spread);
	bool hand_bar = !isnan(o->bar) || !isnan(o->bar_slowest);

	if (!o->workload == !o->cmd)
		pl_say("name one load (%s) or give --cmd", pl_workload_names());
	else if (!hand && !o->contender[PL_KERNEL] && !o->contender[PL_CONTROL] &&
		 !o->contender[PL_LIBPLACE])
		pl_say("no contender is left: choose others with --contenders");
	else if (o->cmd && !o->metric)
		pl_say("--cmd needs --metric: which figure of its output is compared?");
	else if (o->workload && (o->metric || o->server || o->kernel_cmd))
		pl_say("--metric, --server and --kernel-cmd are for --cmd");
	else if (!o->server != !o->ready)
		pl_say("--server and --ready HOST:PORT go together");
	else if (o->cmd && (o->nr_pass || o->processes || o->work_us > 0 || o->pairs > 1))
		pl_say("--cmd takes no options of our own programs: put them into the command");
	else if (o->exec && !o->processes)
		pl_say("--exec is for --processes");
	else if (o->workload && o->workload->threads_only && o->processes)
		pl_say("%s has threads only: leave --processes out", o->workload->name);
	else if (o->workload && o->pairs > 1 && strcmp(o->workload->program, "place-pingpong"))
		pl_say("%s has no --pairs", o->workload->name);
	else if (hand_bar && !(hand && o->contender[PL_LIBPLACE]))
		pl_say("--bar needs libplace and a mask by hand among --contenders");
	else if (kernel_bar && !(o->contender[PL_KERNEL] && o->contender[PL_LIBPLACE]))
		pl_say("--bar-kernel needs libplace and kernel among --contenders");
	else
		return true;
	return false;
}

int pl_options_parse(struct pl_bench_opts *o, int argc, char **argv)
{
	int opt, index = 0;

	*o = (struct pl_bench_opts){.pairs = 1, .runs = 9, .max_runs = 41, .timeout_s = 120};
	o->pause_s = 0.1;
	o->bar = o->bar_kernel = o->bar_spread = o->bar_slowest = NAN;
	for (int c = 0; c < PL_NR_CONTENDERS; c++)
		o->contender[c] = true;
	optind = 1;
	while ((opt = getopt_long(argc, argv, "", options, &index)) != -1) {
		if (opt == OPT_HELP) {
			usage(stdout);
			return 0;
		}
		if (!parse_one(o, opt, options[index].name, optarg))
			return 2;
	}
	if (optind < argc) {
		o->workload = pl_workload_find(argv[optind]);
		if (!o->workload || optind + 1 < argc) {
			pl_say("'%s' is no load: choose of %s",
			       argv[o->workload ? optind + 1 : optind], pl_workload_names());
			return 2;
		}
	}
	if (o->workload && o->workload->no_hand)
		o->contender[PL_ONE_CPU] = o->contender[PL_TWO_CPUS] = false;
	if (o->max_runs < o->runs)
		o->max_runs = o->runs;
	return check(o) && find_judged(o) ? -1 : 2;
}
