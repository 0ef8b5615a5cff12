// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See usage.h.
#include "tools/bench/usage.h"

#include "tools/bench/programs.h"
#include "tools/bench/rows.h"

static const char text[] =
	"usage: place bench LOAD [OPTIONS]\n"
	"       place bench --cmd 'PROG ARGS' --metric REGEX [OPTIONS]\n"
	"       place bench all --quick|--full [OPTIONS]\n"
	"       place bench --list\n"
	"Runs a load in turn without libplace (kernel), with it switched off (control), with\n"
	"it (libplace), and with masks by hand (one-cpu, two-cpus, per-core, one-llc); compares\n"
	"what it says. --list names the loads: our own, and programs that are installed.\n"
	"\n"
	"Our own loads:\n"
	"  --threads [N] | --processes [N]\n"
	"                            what the tasks are (default: threads); how many where the\n"
	"                            load takes any number: compute, bursty, pipeline, fanin,\n"
	"                            fanout, churn\n"
	"  --exec                    processes that are exec'ed one by one\n"
	"  --work US                 each side computes US microseconds before it waits\n"
	"  --pairs N                 pairs at once, for the ping-pongs\n"
	"  --rounds N | --seconds S  how much one run measures (default: 1 second)\n"
	"  --warmup S                not measured (default: 0.25)\n"
	"  --kind KIND               how tasks wake each other: pipe (default), futex, cond, sem,\n"
	"                            eventfd, unix, tcp\n"
	"  --cycles N, --phase S     phases: cycles (5) and length of each phase (3)\n"
	"  --messages M, --workers W wakeup: message and worker threads\n"
	"  --rps N, --pipe BYTES     wakeup: requests per second in all; messages with a load\n"
	"  --block N                 compute: rows of a matrix block (96)\n"
	"  --duty PERCENT            bursty: computed part of each period (50)\n"
	"  --beside-hog              compute, bursty: a foreign program computes beside\n"
	"  --groups N, --fds N, --loops N, --bytes N\n"
	"                            messaging: groups (2), senders and receivers of each (10),\n"
	"                            messages of each sender to each receiver (100), size (100)\n"
	"  --clients N               web: clients at once (8)\n"
	"  --depth N                 pipeline: messages under way at once (1)\n"
	"A command:\n"
	"  --cmd CMD                 run by sh; must measure itself\n"
	"  --metric REGEX            extended; its first group is the figure, last match counts;\n"
	"                            or the word wall: seconds of the whole command\n"
	"  --lower-is-better         the figure is a time, not a rate\n"
	"  --ops N                   operations of one run, for CPU seconds per operation\n"
	"  --kernel-cmd CMD, --kernel-ops N\n"
	"                            a shorter run of the same for all but libplace and one-cpu\n"
	"  --server CMD --ready HOST:PORT|PATH\n"
	"                            started and stopped with each run; loopback, or a socket "
	"file\n"
	"The comparison:\n"
	"  --contenders LIST         of kernel,control,libplace,one-cpu,two-cpus,per-core,one-llc\n"
	"  --peers                   also taskset, numactl, hwloc-bind, likwid-pin if installed\n"
	"  --preload run|bare        through `place run` (default), or LD_PRELOAD alone\n"
	"  --runs N, --max-runs N    at least (9); until the interval is within 3 % (41)\n"
	"  --quick                   five short runs; with all: below three minutes\n"
	"  --full                    with all: the rows of --list and every installed program,\n"
	"                            9 runs each unless --max-runs says more\n"
	"  --only SETS               with all --full: of handoff,no-harm,compute,overlap,shapes,\n"
	"                            programs\n"
	"  --out DIR                 with all: also DIR/ROW.json as soon as a row is done\n"
	"  --bar R                   libplace against the best by hand: at most R for a time,\n"
	"                            at least R for a rate; exit status 1 when it is not so\n"
	"  --bar-kernel R            the same against the kernel\n"
	"  --bar-spread R            against those runs of the kernel that used two CPUs\n"
	"  --bar-slowest R           the worst of nine runs against the best by hand\n"
	"  --judge KEY               the figure of our own program to be judged\n"
	"  --pause S                 between two runs (default: 0.1)\n"
	"  --timeout S               of one run (default: 120)\n"
	"The result:\n"
	"  --json | --markdown       everything measured, or a table for a page\n"
	"  --plot FILE.svg|FILE.png  a picture of all runs, drawn by gnuplot\n";

void pl_usage(FILE *f)
{
	fputs(text, f);
}

void pl_usage_list(FILE *f)
{
	const struct pl_workload *w;
	const struct pl_program *p;
	const struct pl_row *row;
	char line[256];

	for (size_t i = 0; (w = pl_workload_nth(i)); i++)
		fprintf(f, "%-28s built in    %s\n", w->name, w->metric[0].label);
	for (size_t i = 0; (row = pl_row_nth(i)); i++)
		fprintf(f, "%-28s %-11s %s\n", row->name, pl_set_name(row->sets),
			pl_row_options(row, line, sizeof(line)));
	for (size_t i = 0; (p = pl_program_nth(i)); i++) {
		if (pl_program_installed(p))
			fprintf(f, "%-28s installed   %s\n", p->name, p->label);
		else
			fprintf(f, "%-28s missing     install %s\n", p->name, p->package);
	}
}
