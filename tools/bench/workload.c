// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The table of our own programs: what they are called, what they count, what is judged.
#include <stdio.h>
#include <string.h>

#include "tools/bench/options.h"

/* One CPU for both ends, or one for each. */
#define PAIR (PL_BIT(PL_ONE_CPU) | PL_BIT(PL_TWO_CPUS))

#define PINGPONG(kind)                                                                             \
	{                                                                                          \
		.name = kind, .program = "place-pingpong", .op = "round", .hand = PAIR,            \
		.metric = {                                                                        \
			{"us_per_round", "us per round", true},                                    \
			{"rounds_per_s", "rounds/s, all pairs", false},                            \
			{"stacked_after_ms", "ms until it stayed stacked", true},                  \
			{"slowest_pair_rounds_per_s", "rounds/s, slowest pair", false, true},      \
		},                                                                                 \
	}

/* A crowd: left to the kernel, all on one CPU, or all within one cache. */
#define CROWD (PL_BIT(PL_ONE_CPU) | PL_BIT(PL_ONE_LLC))

#define LATENCY                                                                                    \
	{"latency_p50_us", "us latency, p50", true}, {"latency_p95_us", "us latency, p95", true},  \
	{                                                                                          \
		"latency_p99_us", "us latency, p99", true                                          \
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
		.hand = PAIR,
		.metric = {{"rounds_per_s", "rounds/s", false}},
	},
	{
		.name = "switching",
		.program = "place-shapes",
		.op = "round",
		.hand = PAIR,
		.metric = {{"rounds_per_s", "rounds/s", false}},
	},
	{
		.name = "hog",
		.program = "place-shapes",
		.op = "round",
		.hand = PAIR,
		.needs_work = true,
		.metric = {{"rounds_per_s", "rounds/s of the pair", false},
			   {"hog_share", "CPUs the hog got", false},
			   {"hog_units_per_s", "hog's units/s", false}},
	},
	{
		.name = "phases",
		.program = "place-shapes",
		.op = "second",
		.hand = PAIR,
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
		.hand = PL_BIT(PL_ONE_LLC),
		.metric = {{"requests_per_s", "requests/s", false},
			   {"wakeup_p50_us", "us wake-up latency, p50", true},
			   {"wakeup_p95_us", "us wake-up latency, p95", true},
			   {"wakeup_p99_us", "us wake-up latency, p99", true},
			   {"request_p50_us", "us until a request is done, p50", true},
			   {"request_p99_us", "us until a request is done, p99", true}},
	},
	{
		.name = "compute",
		.program = "place-shapes",
		.op = "step",
		.any_number = true,
		.hand = PL_BIT(PL_PER_CORE),
		.metric = {{"gflops", "GFLOP/s", false},
			   {"steps_per_s", "steps/s", false},
			   {"barrier_share", "part of the time at the barrier", true}},
	},
	{
		.name = "bursty",
		.program = "place-shapes",
		.op = "unit",
		.needs_work = true,
		.any_number = true,
		.hand = PL_BIT(PL_PER_CORE),
		.metric = {{"units_per_s", "units of 10 us work/s", false},
			   {"burst_stretch", "length of a burst to that alone", true},
			   {"late_p95_us", "us late after a sleep, p95", true},
			   {"late_p99_us", "us late after a sleep, p99", true}},
	},
	{
		.name = "messaging",
		.program = "place-shapes",
		.op = "message",
		.hand = CROWD,
		.metric = {{"elapsed_s", "s for all messages", true},
			   {"messages_per_s", "messages/s", false}},
	},
	{
		.name = "web",
		.program = "place-shapes",
		.op = "request",
		.hand = CROWD,
		.metric = {{"requests_per_s", "requests/s", false}, LATENCY},
	},
	{
		.name = "pipeline",
		.program = "place-shapes",
		.op = "message",
		.any_number = true,
		.hand = CROWD,
		.metric = {{"messages_per_s", "messages/s", false}, LATENCY},
	},
	{
		.name = "fanin",
		.program = "place-shapes",
		.op = "message",
		.any_number = true,
		.hand = CROWD,
		.metric = {{"messages_per_s", "messages/s", false}, LATENCY},
	},
	{
		.name = "fanout",
		.program = "place-shapes",
		.op = "round",
		.any_number = true,
		.hand = CROWD,
		.metric = {{"rounds_per_s", "rounds/s", false}, LATENCY},
	},
	{
		.name = "churn",
		.program = "place-shapes",
		.op = "start",
		.any_number = true,
		.hand = CROWD,
		.metric = {{"starts_per_s", "threads started and joined/s", false}, LATENCY},
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

const struct pl_workload *pl_workload_nth(size_t n)
{
	return n < sizeof(workloads) / sizeof(workloads[0]) ? &workloads[n] : NULL;
}

const char *pl_workload_names(void)
{
	static char list[512];

	if (!list[0]) {
		for (size_t i = 0, n = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++)
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? "|" : "",
					      workloads[i].name);
	}
	return list;
}

size_t pl_bench_metrics(const struct pl_bench_opts *o, const struct pl_metric **ret_metrics)
{
	static struct pl_metric of_command = {.key = "metric", .label = "metric of the command"};
	size_t n = 0;

	if (!o->workload) {
		of_command.lower_is_better = o->lower_is_better;
		of_command.label = o->label ? o->label : "metric of the command";
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
