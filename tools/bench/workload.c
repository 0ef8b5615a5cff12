// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The table of our own programs: what they are called, what they count, what is judged.
#include <stdio.h>
#include <string.h>

#include "tools/bench/options.h"

/* Figures of which less, or more, is better. */
#define LESS(k, text)                                                                              \
	{                                                                                          \
		.key = k, .label = text, .lower_is_better = true                                   \
	}
#define MORE(k, text)                                                                              \
	{                                                                                          \
		.key = k, .label = text                                                            \
	}
#define MORE_OF_MANY(k, text)                                                                      \
	{                                                                                          \
		.key = k, .label = text, .many_pairs = true                                        \
	}

/* One CPU for both ends, or one for each. */
#define PAIR (PL_BIT(PL_ONE_CPU) | PL_BIT(PL_TWO_CPUS))

#define PINGPONG(kind)                                                                             \
	{                                                                                          \
		.name = kind, .program = "place-pingpong", .op = "round", .hand = PAIR,            \
		.metric = {                                                                        \
			LESS("us_per_round", "us per round"),                                      \
			MORE("rounds_per_s", "rounds/s, all pairs"),                               \
			LESS("stacked_after_ms", "ms until it stayed stacked"),                    \
			MORE_OF_MANY("slowest_pair_rounds_per_s", "rounds/s, slowest pair"),       \
		},                                                                                 \
	}

/* A crowd: left to the kernel, all on one CPU, or all within one cache. */
#define CROWD (PL_BIT(PL_ONE_CPU) | PL_BIT(PL_ONE_LLC))

#define LATENCY                                                                                    \
	LESS("latency_p50_us", "us latency, p50"), LESS("latency_p95_us", "us latency, p95"),      \
		LESS("latency_p99_us", "us latency, p99")

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
		.metric = {MORE("rounds_per_s", "rounds/s")},
	},
	{
		.name = "switching",
		.program = "place-shapes",
		.op = "round",
		.hand = PAIR,
		.metric = {MORE("rounds_per_s", "rounds/s")},
	},
	{
		.name = "hog",
		.program = "place-shapes",
		.op = "round",
		.hand = PAIR,
		.needs_work = true,
		.metric = {MORE("rounds_per_s", "rounds/s of the pair"),
			   MORE("hog_share", "CPUs the hog got"),
			   MORE("hog_units_per_s", "hog's units/s")},
	},
	{
		.name = "phases",
		.program = "place-shapes",
		.op = "second",
		.hand = PAIR,
		.needs_work = true,
		.metric = {MORE("compute_per_s", "units/s while computing"),
			   MORE("pingpong_per_s", "ping-pong rounds/s"),
			   MORE("pingpong_worst_to_first", "worst ping-pong phase to first"),
			   LESS("last_together_max_ms", "ms on one CPU while computing, worst"),
			   LESS("together_fraction", "part of computing on one CPU")},
	},
	{
		.name = "wakeup",
		.program = "place-shapes",
		.op = "request",
		.needs_work = true,
		.threads_only = true,
		.hand = PL_BIT(PL_ONE_LLC),
		.metric = {MORE("requests_per_s", "requests/s"),
			   LESS("wakeup_p50_us", "us wake-up latency, p50"),
			   LESS("wakeup_p95_us", "us wake-up latency, p95"),
			   LESS("wakeup_p99_us", "us wake-up latency, p99"),
			   LESS("request_p50_us", "us until a request is done, p50"),
			   LESS("request_p99_us", "us until a request is done, p99")},
	},
	{
		.name = "compute",
		.program = "place-shapes",
		.op = "step",
		.any_number = true,
		.hand = PL_BIT(PL_PER_CORE),
		.metric = {MORE("gflops", "GFLOP/s"), MORE("steps_per_s", "steps/s"),
			   LESS("barrier_share", "part of the time at the barrier")},
	},
	{
		.name = "bursty",
		.program = "place-shapes",
		.op = "unit",
		.needs_work = true,
		.any_number = true,
		.hand = PL_BIT(PL_PER_CORE),
		.metric = {MORE("units_per_s", "units of 10 us work/s"),
			   LESS("burst_stretch", "length of a burst to that alone"),
			   LESS("late_p95_us", "us late after a sleep, p95"),
			   LESS("late_p99_us", "us late after a sleep, p99")},
	},
	{
		.name = "messaging",
		.program = "place-shapes",
		.op = "message",
		.hand = CROWD,
		.metric = {LESS("elapsed_s", "s for all messages"),
			   MORE("messages_per_s", "messages/s")},
	},
	{
		.name = "web",
		.program = "place-shapes",
		.op = "request",
		.hand = CROWD,
		.metric = {MORE("requests_per_s", "requests/s"), LATENCY},
	},
	{
		.name = "pipeline",
		.program = "place-shapes",
		.op = "message",
		.any_number = true,
		.hand = CROWD,
		.metric = {MORE("messages_per_s", "messages/s"), LATENCY},
	},
	{
		.name = "fanin",
		.program = "place-shapes",
		.op = "message",
		.any_number = true,
		.hand = CROWD,
		.metric = {MORE("messages_per_s", "messages/s"), LATENCY},
	},
	{
		.name = "fanout",
		.program = "place-shapes",
		.op = "round",
		.any_number = true,
		.hand = CROWD,
		.metric = {MORE("rounds_per_s", "rounds/s"), LATENCY},
	},
	{
		.name = "churn",
		.program = "place-shapes",
		.op = "start",
		.any_number = true,
		.hand = CROWD,
		.metric = {MORE("starts_per_s", "threads started and joined/s"), LATENCY},
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
