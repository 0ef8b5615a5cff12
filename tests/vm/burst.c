// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// vm-burst: threads that alternate bursts of work and short sleeps, the load on which a stock
// kernel fills both siblings of one core. Prints what each thread got done, where, the sum, and how
// much of it beside another thread on the same core.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cores.h"

#define MAX_THREADS 256
#define UNIT_STEPS  20000 /* steps of the generator in one unit of work */

static struct worker {
	pthread_t thread;
	int cpu;	  /* bound to this one, or -1 */
	_Atomic int core; /* at work there, or -1 */
	uint64_t units;
	uint64_t shared; /* of these, begun while another was at work on the same core */
	uint64_t bursts;
	uint32_t on_cpu[MAX_CPUS]; /* bursts that began there */
} __attribute__((aligned(128))) workers[MAX_THREADS];

static _Atomic bool stop;
static long units_a_burst, sleep_us;
static int nr_workers;

static void work_unit(void)
{
	uint64_t x = 88172645463325252ull;

	for (int i = 0; i < UNIT_STEPS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	__asm__ volatile("" : : "r"(x));
}

/* True while another worker is at work on the core of W. */
static bool is_beside_another(const struct worker *w, int core)
{
	for (int k = 0; k < nr_workers; k++)
		if (&workers[k] != w && core >= 0 &&
		    atomic_load_explicit(&workers[k].core, memory_order_relaxed) == core)
			return true;
	return false;
}

static void *run(void *arg)
{
	struct worker *w = arg;
	struct timespec nap = {sleep_us / 1000000, sleep_us % 1000000 * 1000};
	cpu_set_t set;
	int cpu, core;

	CPU_ZERO(&set);
	if (w->cpu >= 0) {
		CPU_SET(w->cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set) != 0) {
			fprintf(stderr, "vm-burst: cannot use CPU %d\n", w->cpu);
			exit(1);
		}
	}
	while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
		cpu = sched_getcpu();
		if (cpu >= 0 && cpu < MAX_CPUS)
			w->on_cpu[cpu]++;
		w->bursts++;
		for (long i = 0; i < units_a_burst; i++) {
			if (atomic_load_explicit(&stop, memory_order_relaxed))
				return NULL;
			core = vm_core(sched_getcpu());
			atomic_store_explicit(&w->core, core, memory_order_relaxed);
			w->shared += is_beside_another(w, core);
			work_unit();
			w->units++;
		}
		atomic_store_explicit(&w->core, -1, memory_order_relaxed);
		if (sleep_us)
			clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
	}
	return NULL;
}

static double number(const char *text, double min, double max)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !(v >= min && v <= max)) {
		fprintf(stderr, "vm-burst: '%s' is no number from %g to %g\n", text, min, max);
		exit(2);
	}
	return v;
}

static void report(void)
{
	uint64_t sum = 0, shared = 0;

	for (int k = 0; k < nr_workers; k++) {
		const struct worker *w = &workers[k];

		printf("thread %d units %llu cpus", k, (unsigned long long)w->units);
		for (int c = 0; c < MAX_CPUS; c++)
			if (w->on_cpu[c])
				printf(" %d:%.0f%%", c, 100.0 * w->on_cpu[c] / (double)w->bursts);
		printf("\n");
		sum += w->units;
		shared += w->shared;
	}
	printf("sum %llu\n", (unsigned long long)sum);
	printf("shared_core %.1f%%\n", sum ? 100.0 * (double)shared / (double)sum : 0.0);
}

int main(int argc, char **argv)
{
	struct timespec length;
	double seconds;

	if (argc < 5) {
		fprintf(stderr, "usage: vm-burst THREADS SECONDS UNITS_A_BURST SLEEP_US [CPU...]\n"
				"  THREADS threads compute UNITS_A_BURST units, sleep, and so on;\n"
				"  thread k binds itself to the k-th CPU when one is given\n");
		return 2;
	}
	nr_workers = (int)number(argv[1], 1, MAX_THREADS);
	seconds = number(argv[2], 0.01, 3600);
	units_a_burst = (long)number(argv[3], 1, 1e9);
	sleep_us = (long)number(argv[4], 0, 1e9);
	vm_cpus_read();
	for (int k = 0; k < nr_workers; k++) {
		workers[k].cpu = k + 5 < argc ? (int)number(argv[k + 5], 0, CPU_SETSIZE - 1) : -1;
		atomic_store(&workers[k].core, -1);
	}
	for (int k = 0; k < nr_workers; k++) {
		int err = pthread_create(&workers[k].thread, NULL, run, &workers[k]);

		if (err) {
			fprintf(stderr, "vm-burst: cannot start a thread: %s\n", strerror(err));
			return 1;
		}
	}
	length.tv_sec = (time_t)seconds;
	length.tv_nsec = (long)((seconds - (double)length.tv_sec) * 1e9);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL);
	atomic_store(&stop, true);
	for (int k = 0; k < nr_workers; k++)
		pthread_join(workers[k].thread, NULL);
	report();
	return 0;
}
