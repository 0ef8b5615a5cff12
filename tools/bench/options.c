// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The command line of `place bench`: getopt_long, checks, and one clear line for what is wrong.
#include "tools/bench/options.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/bench/options_value.h"
#include "tools/bench/rows.h"
#include "tools/bench/say.h"
#include "tools/bench/usage.h"

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
	OPT_MARKDOWN,
	OPT_PLOT,
	OPT_PEERS,
	OPT_QUICK,
	OPT_FULL,
	OPT_ONLY,
	OPT_OUT,
	OPT_LIST,
	OPT_HELP,
};

static const struct option options[] = {
	{"threads", optional_argument, NULL, OPT_THREADS},
	{"processes", optional_argument, NULL, OPT_PROCESSES},
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
	{"block", required_argument, NULL, OPT_PASS},
	{"duty", required_argument, NULL, OPT_PASS},
	{"beside-hog", no_argument, NULL, OPT_PASS},
	{"groups", required_argument, NULL, OPT_PASS},
	{"fds", required_argument, NULL, OPT_PASS},
	{"loops", required_argument, NULL, OPT_PASS},
	{"bytes", required_argument, NULL, OPT_PASS},
	{"clients", required_argument, NULL, OPT_PASS},
	{"depth", required_argument, NULL, OPT_PASS},
	{"pipe", required_argument, NULL, OPT_PASS},
	{"rps", required_argument, NULL, OPT_PASS},
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
	{"markdown", no_argument, NULL, OPT_MARKDOWN},
	{"plot", required_argument, NULL, OPT_PLOT},
	{"peers", no_argument, NULL, OPT_PEERS},
	{"quick", no_argument, NULL, OPT_QUICK},
	{"full", no_argument, NULL, OPT_FULL},
	{"only", required_argument, NULL, OPT_ONLY},
	{"out", required_argument, NULL, OPT_OUT},
	{"list", no_argument, NULL, OPT_LIST},
	{"help", no_argument, NULL, OPT_HELP},
	{NULL, 0, NULL, 0},
};

static bool pass_on(struct pl_bench_opts *o, const char *name, const char *value)
{
	if (o->nr_pass == PL_MAX_PASS) {
		pl_say("--%s: too many options", name);
		return false;
	}
	o->pass[o->nr_pass][0] = name;
	o->pass[o->nr_pass][1] = value;
	o->nr_pass++;
	return true;
}

/* ARG is what followed "="; a number that follows as a word of its own counts, too. */
static bool parse_kind(struct pl_bench_opts *o, const char *name, const char *arg, int argc,
		       char **argv)
{
	int n;

	o->processes = strcmp(name, "processes") == 0;
	if (!arg && optind < argc && argv[optind][strspn(argv[optind], "0123456789")] == '\0')
		arg = argv[optind++];
	return !arg || (pl_value_integer(name, arg, 1, 1024, &n) && pass_on(o, "tasks", arg));
}

void pl_options_quick(struct pl_bench_opts *o)
{
	o->quick = true;
	o->runs = o->max_runs = 5; /* fewer give no interval */
	o->pause_s = 0.02;
}

static bool parse_report(struct pl_bench_opts *o, int opt, const char *arg)
{
	switch (opt) {
	case OPT_JSON:
		o->json = true;
		return true;
	case OPT_MARKDOWN:
		o->markdown = true;
		return true;
	case OPT_PLOT:
		return pl_value_plot(o, arg);
	case OPT_PEERS:
		for (int c = PL_FIRST_PEER; c < PL_NR_CONTENDERS; c++)
			o->contender[c] = true;
		return true;
	case OPT_QUICK:
		pl_options_quick(o);
		return true;
	case OPT_FULL:
		o->full = true;
		return true;
	case OPT_ONLY:
		o->only = pl_sets_parse(arg);
		return o->only;
	case OPT_OUT:
		o->out = arg;
		return true;
	case OPT_LIST:
		o->ask = PL_ASK_LIST;
		return true;
	default:
		pl_say("'place bench --help' lists the options");
		return false;
	}
}

static bool parse_one(struct pl_bench_opts *o, int opt, const char *name, const char *arg)
{
	switch (opt) {
	case OPT_EXEC:
		o->exec = true;
		return true;
	case OPT_WORK:
		return pl_value_number(name, arg, 0, 1e6, &o->work_us);
	case OPT_PAIRS:
		return pl_value_integer(name, arg, 1, 32, &o->pairs);
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
		return pl_value_number(name, arg, 1, 1e15, &o->ops);
	case OPT_KERNEL_OPS:
		return pl_value_number(name, arg, 1, 1e15, &o->kernel_ops);
	case OPT_SERVER:
		o->server = arg;
		return true;
	case OPT_READY:
		o->ready = arg;
		return true;
	case OPT_CONTENDERS:
		return pl_value_contenders(o, arg);
	case OPT_PRELOAD:
		return pl_value_preload(o, arg);
	case OPT_RUNS:
		return pl_value_integer(name, arg, 1, PL_MAX_ROUNDS, &o->runs);
	case OPT_MAX_RUNS:
		return pl_value_integer(name, arg, 1, PL_MAX_ROUNDS, &o->max_runs);
	case OPT_TIMEOUT:
		return pl_value_number(name, arg, 0.1, 86400, &o->timeout_s);
	case OPT_PAUSE:
		return pl_value_number(name, arg, 0, 60, &o->pause_s);
	case OPT_BAR:
		return pl_value_number(name, arg, 1e-3, 1e3, &o->bar);
	case OPT_BAR_KERNEL:
		return pl_value_number(name, arg, 1e-3, 1e3, &o->bar_kernel);
	case OPT_BAR_SPREAD:
		return pl_value_number(name, arg, 1e-3, 1e3, &o->bar_spread);
	case OPT_BAR_SLOWEST:
		return pl_value_number(name, arg, 1e-3, 1e3, &o->bar_slowest);
	case OPT_JUDGE:
		o->judge = arg;
		return true;
	default:
		return parse_report(o, opt, arg);
	}
}

static bool parse_operand(struct pl_bench_opts *o, const char *name)
{
	if (strcmp(name, "all") == 0) {
		o->ask = PL_ASK_ALL;
		return true;
	}
	if (pl_options_load(o, name))
		return true;
	pl_say("'%s' is no load: 'place bench --list' names them", name);
	return false;
}

int pl_options_parse(struct pl_bench_opts *o, int argc, char **argv)
{
	int opt, index = 0;

	*o = (struct pl_bench_opts){.pairs = 1, .runs = 9, .timeout_s = 120};
	o->pause_s = 0.1;
	o->bar = o->bar_kernel = o->bar_spread = o->bar_slowest = NAN;
	for (int c = 0; c < PL_FIRST_PEER; c++)
		o->contender[c] = true;
	optind = 1;
	while ((opt = getopt_long(argc, argv, "", options, &index)) != -1) {
		const char *name = options[index].name;

		if (opt == OPT_HELP) {
			pl_usage(stdout);
			return 0;
		}
		if (opt == OPT_THREADS || opt == OPT_PROCESSES) {
			if (!parse_kind(o, name, optarg, argc, argv))
				return 2;
		} else if (!parse_one(o, opt, name, optarg)) {
			return 2;
		}
	}
	if (optind < argc && !parse_operand(o, argv[optind]))
		return 2;
	if (optind + 1 < argc) {
		pl_say("'%s': one load at a time", argv[optind + 1]);
		return 2;
	}
	/* All rows shall end in the estimated time. */
	if (!o->max_runs)
		o->max_runs = o->full ? o->runs : 41;
	if (o->max_runs < o->runs)
		o->max_runs = o->runs;
	return pl_options_check(o) ? -1 : 2;
}
