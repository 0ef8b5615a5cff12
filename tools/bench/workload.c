// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The table of our own programs: what they are called, what they count, what is judged.
#include <string.h>

#include "tools/bench/options.h"

#define PINGPONG(kind)                                                                             \
	{                                                                                          \
		.name = kind, .program = "place-pingpong", .op = "round",                          \
		.metric = {                                                                        \
			{"us_per_round", "us per round", true},                                    \
			{"rounds_per_s", "rounds/s, all pairs", false},                            \
			{"stacked_after_ms", "ms until it stayed stacked", true},                  \
			{"slowest_pair_rounds_per_s", "rounds/s, slowest pair", false, true},      \
		},                                                                                 \
	}

static const struct pl_workload workloads[] = {
	PINGPONG("pipe"),
	PINGPONG("futex"),
	PINGPONG("cond"),
	PINGPONG("sem"),
	PINGPONG("eventfd"),
	PINGPONG("unix"),
	PINGPONG("tcp"),
	{
		.name = "ring",
		.program = "place-shapes",
		.op = "round",
		.metric = {{"rounds_per_s", "rounds/s", false}},
	},
	{
		.name = "switching",
		.program = "place-shapes",
		.op = "round",
		.metric = {{"rounds_per_s", "rounds/s", false}},
	},
	{
		.name = "hog",
		.program = "place-shapes",
		.op = "round",
		.needs_work = true,
		.metric = {{"rounds_per_s", "rounds/s of the pair", false},
			   {"hog_share", "CPUs the hog got", false},
			   {"hog_units_per_s", "hog's units/s", false}},
	},
	{
		.name = "phases",
		.program = "place-shapes",
		.op = "second",
		.needs_work = true,
		.metric = {{"compute_per_s", "units/s while computing", false},
			   {"pingpong_per_s", "ping-pong rounds/s", false},
			   {"pingpong_worst_to_first", "worst ping-pong phase to first", false},
			   {"last_together_max_ms", "ms on one CPU while computing, worst", true},
			   {"together_fraction", "part of computing on one CPU", true}},
	},
	{
		.name = "wakeup",
		.program = "place-shapes",
		.op = "request",
		.needs_work = true,
		.threads_only = true,
		.no_hand = true,
		.metric = {{"requests_per_s", "requests/s", false},
			   {"wakeup_p50_us", "us wake-up latency, p50", true},
			   {"wakeup_p99_us", "us wake-up latency, p99", true}},
	},
};

const struct pl_workload *pl_workload_find(const char *name)
{
	for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++) {
		if (strcmp(workloads[i].name, name) == 0)
			return &workloads[i];
	}
	return NULL;
}

const char *pl_workload_names(void)
{
	return "pipe|futex|cond|sem|eventfd|unix|tcp|ring|switching|hog|phases|wakeup";
}

size_t pl_bench_metrics(const struct pl_bench_opts *o, const struct pl_metric **ret_metrics)
{
	static struct pl_metric of_command = {.key = "metric", .label = "metric of the command"};
	size_t n = 0;

	if (!o->workload) {
		of_command.lower_is_better = o->lower_is_better;
		*ret_metrics = &of_command;
		return 1;
	}
	*ret_metrics = o->workload->metric;
	/* those of many pairs are last */
	while (n < PL_MAX_METRICS && o->workload->metric[n].key &&
	       (o->pairs > 1 || !o->workload->metric[n].many_pairs))
		n++;
	return n;
}

const struct pl_metric *pl_bench_judged(const struct pl_bench_opts *o)
{
	const struct pl_metric *metric;

	pl_bench_metrics(o, &metric);
	return &metric[o->judged];
}

bool pl_bench_lower_is_better(const struct pl_bench_opts *o)
{
	return pl_bench_judged(o)->lower_is_better;
}
