// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// What a command line of `place bench` means once it is read: the load, the judged figure, and what
// cannot be asked together.
#include <math.h>
#include <string.h>

#include "tools/bench/options.h"
#include "tools/bench/programs.h"
#include "tools/bench/rows.h"
#include "tools/bench/say.h"

static const char *const names[PL_NR_CONTENDERS] = {
	[PL_KERNEL] = "kernel",		[PL_CONTROL] = "control",	[PL_LIBPLACE] = "libplace",
	[PL_ONE_CPU] = "one-cpu",	[PL_TWO_CPUS] = "two-cpus",	[PL_PER_CORE] = "per-core",
	[PL_ONE_LLC] = "one-llc",	[PL_TASKSET] = "taskset",	[PL_NUMACTL] = "numactl",
	[PL_HWLOC_BIND] = "hwloc-bind", [PL_LIKWID_PIN] = "likwid-pin",
};

const char *pl_contender_name(enum pl_contender c)
{
	return names[c];
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

static bool any_bar(const struct pl_bench_opts *o)
{
	return !isnan(o->bar) || !isnan(o->bar_kernel) || !isnan(o->bar_spread) ||
	       !isnan(o->bar_slowest);
}

static bool passes(const struct pl_bench_opts *o, const char *name)
{
	for (int i = 0; i < o->nr_pass; i++) {
		if (strcmp(o->pass[i][0], name) == 0)
			return true;
	}
	return false;
}

/* What cannot be asked together. */
static bool fits(const struct pl_bench_opts *o)
{
	bool hand = false, any = false;
	bool kernel_bar = !isnan(o->bar_kernel) || !isnan(o->bar_spread);
	bool hand_bar = !isnan(o->bar) || !isnan(o->bar_slowest);

	for (int c = 0; c < PL_NR_CONTENDERS; c++) {
		any = any || o->contender[c];
		hand = hand || (o->contender[c] && c >= PL_FIRST_HAND && c <= PL_LAST_HAND);
	}
	if (o->json && o->markdown)
		pl_say("--json and --markdown: choose one");
	else if (o->quick && o->full)
		pl_say("--quick and --full: choose one");
	else if (o->out && o->ask != PL_ASK_ALL)
		pl_say("--out is for all");
	else if (o->only && !(o->ask == PL_ASK_ALL && o->full))
		pl_say("--only is for all --full");
	else if (o->ask == PL_ASK_ALL && (o->cmd || o->nr_pass || any_bar(o)))
		pl_say("all takes no bars and no options of a single load");
	else if (o->ask != PL_ASK_ONE)
		return true;
	else if (o->program && (o->server || o->cmd || o->metric))
		pl_say("%s brings its own --cmd, --server and --metric", o->program->name);
	else if (!o->workload + !o->cmd + !o->program != 2)
		pl_say("name one load of 'place bench --list', or give --cmd");
	else if (!any)
		pl_say("no contender is left: choose others with --contenders");
	else if (o->cmd && !o->metric)
		pl_say("--cmd needs --metric: which figure of its output is compared?");
	else if (o->workload && (o->metric || o->server || o->kernel_cmd))
		pl_say("--metric, --server and --kernel-cmd are for --cmd");
	else if (!o->server != !o->ready)
		pl_say("--server and --ready HOST:PORT go together");
	else if (!o->workload && (o->nr_pass || o->processes || o->work_us > 0 || o->pairs > 1))
		pl_say("a command takes no options of our own programs: put them into the command");
	else if (o->exec && !o->processes)
		pl_say("--exec is for --processes");
	else if (o->workload && o->workload->threads_only && o->processes)
		pl_say("%s has threads only: leave --processes out", o->workload->name);
	else if (o->workload && !o->workload->any_number && passes(o, "tasks"))
		pl_say("%s has a fixed number of tasks", o->workload->name);
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

bool pl_options_check(struct pl_bench_opts *o)
{
	return fits(o) && (o->ask != PL_ASK_ONE || find_judged(o));
}

/* In front of what the command line has, which comes later and wins. */
static void pass_before(struct pl_bench_opts *o, const char *name, const char *value)
{
	memmove(o->pass + 1, o->pass, (size_t)o->nr_pass * sizeof(o->pass[0]));
	o->pass[0][0] = name;
	o->pass[0][1] = value;
	o->nr_pass++;
}

static void load_row(struct pl_bench_opts *o, const struct pl_row *row)
{
	o->row = row;
	o->processes = o->processes || row->processes;
	if (o->work_us <= 0)
		o->work_us = row->work_us;
	for (int i = PL_ROW_PASS; i-- > 0;) {
		if (row->pass[i][0])
			pass_before(o, row->pass[i][0], row->pass[i][1]);
	}
}

bool pl_options_load(struct pl_bench_opts *o, const char *name)
{
	const struct pl_row *row = pl_row_find(name);

	o->workload = pl_workload_find(name);
	o->program = o->workload ? NULL : pl_program_find(name);
	if (row)
		o->workload = pl_workload_find(row->load);
	if (o->workload && o->quick) {
		bool phases = strcmp(o->workload->name, "phases") == 0;

		pass_before(o, phases ? "phase" : "warmup", phases ? "0.15" : "0.05");
		pass_before(o, phases ? "cycles" : "seconds", phases ? "1" : "0.15");
	}
	if (row)
		load_row(o, row);
	return o->workload || o->program;
}

const char *pl_bench_name(const struct pl_bench_opts *o)
{
	return o->row	     ? o->row->name
	       : o->workload ? o->workload->name
	       : o->program  ? o->program->name
			     : o->cmd;
}

unsigned int pl_bench_sets(const struct pl_bench_opts *o)
{
	return o->row ? o->row->sets : o->program ? pl_program_sets(o->program) : 0;
}
