// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place-decide-cost: nanoseconds of one decision on machines of 2 to 512 CPUs, SMT 2, symmetric and
// asymmetric. Prints least and median batch of each rule, over random states and in the worst one.
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "decide/balance.h"
#include "decide/idle_cpu.h"
#include "decide/misfit.h"
#include "decide/new_thread.h"

#define BATCHES	    101
#define WARMUP	    5
#define STATES	    16
#define LLC_CPUS    16
#define NODE_CPUS   128
#define NR_REQUESTS 64
#define NR_THREADS  64

static struct pl_machine machine;
static struct pl_snapshot state[STATES];
static struct pl_request request[NR_REQUESTS];
static struct pl_thread_view thread[NR_THREADS];
static struct pl_plan plan;
static unsigned int seed = 1;
static volatile int sink;

/* Cores of two neighbours, LLCs of 16 CPUs, nodes of 128. */
static void make_machine(int nr, bool asymmetric)
{
	memset(&machine, 0, sizeof(machine));
	machine.nr_cpu_ids = (uint16_t)nr;
	machine.asymmetric = asymmetric;
	for (int i = 0; i < nr; i++) {
		struct pl_cpu *c = &machine.cpu[i];

		c->core = c->cluster = (uint16_t)(i / 2);
		/* An asymmetric machine is one LLC here: the longest search. */
		c->llc = asymmetric ? 0 : (uint16_t)(i / LLC_CPUS);
		c->node = (uint16_t)(i / NODE_CPUS);
		c->capacity = asymmetric && i % 4 >= 2 ? 512 : 1024;
		c->actual = c->capacity - asymmetric; /* none reaches 1024, see the worst case */
		c->class = c->capacity < 1024;
	}
	pl_machine_finish(&machine);
}

/* BUSY_PCT of the CPUs are busy; utilizations are random up to UTIL. */
static void make_states(int busy_pct, uint32_t util)
{
	int nr = machine.nr_cpu_ids;

	for (int n = 0; n < STATES; n++) {
		memset(&state[n], 0, sizeof(state[n]));
		state[n].machine = &machine;
		for (int i = 0; i < nr; i++)
			if (rand_r(&seed) % 100 >= busy_pct)
				pl_cpumask_add(&state[n].idle, i);
		pl_snapshot_finish(&state[n]);
	}
	for (int i = 0; i < NR_REQUESTS; i++)
		request[i] = (struct pl_request){
			.target = rand_r(&seed) % nr,
			.prev = rand_r(&seed) % nr,
			.recent = rand_r(&seed) % nr,
			.util = util ? (uint32_t)rand_r(&seed) % util : 1024,
			.umax = 1024,
		};
	for (int i = 0; i < NR_THREADS; i++)
		thread[i] = (struct pl_thread_view){
			.cpu = i * 2 % nr,
			.util = 300,
			.umax = 1024,
			.running = true,
			.preferred_llc = -1,
		};
}

static void select_idle(int n)
{
	struct pl_choice c;

	pl_select_idle_cpu(&state[n % STATES], &request[n % NR_REQUESTS], &c);
	sink = c.cpu;
}

static void misfit(int n)
{
	struct pl_choice c;

	pl_misfit_target(&state[n % STATES], &request[n % NR_REQUESTS], &c);
	sink = c.cpu;
}

static void new_thread(int n)
{
	struct pl_choice c;

	pl_place_new_thread(&state[n % STATES], &request[n % NR_REQUESTS], -1, &c);
	sink = c.cpu;
}

static void finish(int n)
{
	pl_snapshot_finish(&state[n % STATES]);
}

/* A sweep that finds nothing to do. */
static void balance(int n)
{
	struct pl_balance_input in = {
		.thread = thread,
		.nr_threads =
			(uint32_t)(machine.nr_cpu_ids / 2 < NR_THREADS ? machine.nr_cpu_ids / 2
								       : NR_THREADS),
	};

	pl_balance(&state[n % STATES], &in, &plan);
	sink = (int)plan.nr_moves;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(const char *rule, const char *what, void (*call)(int), int batch)
{
	static double ns[BATCHES];

	for (int b = -WARMUP; b < BATCHES; b++) {
		uint64_t t = pl_now_ns();

		for (int k = 0; k < batch; k++)
			call(k);
		t = pl_now_ns() - t;
		if (b >= 0)
			ns[b] = (double)t / batch;
	}
	qsort(ns, BATCHES, sizeof(ns[0]), compare);
	printf("%s_%s_%d_ns_min %.0f\n", rule, what, machine.nr_cpu_ids, ns[0]);
	printf("%s_%s_%d_ns_median %.0f\n", rule, what, machine.nr_cpu_ids, ns[BATCHES / 2]);
}

static void measure_machine(int nr, bool asymmetric)
{
	const char *kind = asymmetric ? "asymmetric" : "smt";

	make_machine(nr, asymmetric);
	make_states(50, 600);
	measure("select", kind, select_idle, 2000);
	measure("new_thread", kind, new_thread, 500);
	if (asymmetric)
		measure("misfit", kind, misfit, 500);
	measure("snapshot", kind, finish, 100);
	measure("balance", kind, balance, 50);
	/* Everything is idle and too small: no search ends early. */
	make_states(asymmetric ? 0 : 100, 0);
	measure("select_worst", kind, select_idle, 500);
}

static void usage(FILE *f)
{
	fputs("usage: place-decide-cost [CPUS...]\n"
	      "  nanoseconds of one decision on machines of CPUS CPUs (default: 2 16 64 128 512)\n",
	      f);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"help", no_argument, NULL, 'h'},
						{NULL, 0, NULL, 0}};
	static const int sizes[] = {2, 16, 64, 128, 512};
	int opt = getopt_long(argc, argv, "", options, NULL);

	if (opt != -1) {
		usage(opt == 'h' ? stdout : stderr);
		return opt == 'h' ? 0 : 2;
	}
	for (int i = optind; i < argc; i++) {
		int nr = atoi(argv[i]);

		if (nr < 2 || nr > PL_MAX_CPUS) {
			usage(stderr);
			return 2;
		}
		measure_machine(nr, false);
		measure_machine(nr, true);
	}
	for (size_t i = 0; optind == argc && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		measure_machine(sizes[i], false);
		measure_machine(sizes[i], true);
	}
	return 0;
}
