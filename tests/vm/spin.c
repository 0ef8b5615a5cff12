// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// vm-spin: CPU-bound threads, and a look every 50 ms at where they are. Prints in how many looks
// two of them shared a core, since when none did, and on CPUs of which capacity they were.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cores.h"

#define MAX_THREADS 256
#define LOOK_MS	    50
#define SPIN_STEPS  2000 /* between two looks of a worker at its CPU */

static struct worker {
	pthread_t thread;
	_Atomic int cpu; /* where it was just now; -1: has not run yet */
	unsigned long long turns;
} __attribute__((aligned(128))) workers[MAX_THREADS];

static unsigned long looks_on[MAX_CPUS];
static _Atomic bool stop;

static void *run(void *arg)
{
	struct worker *w = arg;

	while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
		atomic_store_explicit(&w->cpu, sched_getcpu(), memory_order_relaxed);
		for (int i = 0; i < SPIN_STEPS; i++)
			__asm__ volatile("" : : "r"(i));
		w->turns++;
	}
	return NULL;
}

/* Workers that are on the core of an earlier one, or have not run at all. */
static int look(int nr)
{
	static unsigned int taken[MAX_CPUS], round;
	int shared = 0;

	round++;
	for (int k = 0; k < nr; k++) {
		int cpu = atomic_load_explicit(&workers[k].cpu, memory_order_relaxed);
		int core = vm_core(cpu);

		if (core < 0) {
			shared++;
			continue;
		}
		shared += taken[core] == round;
		taken[core] = round;
		looks_on[cpu]++;
	}
	return shared;
}

static bool is_first_of_class(int cpu)
{
	for (int c = 0; c < cpu; c++)
		if (vm_cpus[c].capacity == vm_cpus[cpu].capacity)
			return false;
	return vm_cpus[cpu].capacity > 0;
}

static void report(int nr, int looks, int shared_looks, int settled_ms)
{
	unsigned long long turns = 0;

	printf("looks %d\nshared_looks %d\nsettled_ms %d\n", looks, shared_looks, settled_ms);
	for (int c = 0; c < MAX_CPUS; c++) {
		unsigned long sum = 0;

		if (!is_first_of_class(c))
			continue;
		for (int d = c; d < MAX_CPUS; d++)
			if (vm_cpus[d].capacity == vm_cpus[c].capacity)
				sum += looks_on[d];
		printf("class %d %.1f%%\n", vm_cpus[c].capacity,
		       100.0 * (double)sum / ((double)looks * nr));
	}
	printf("cpus");
	for (int k = 0; k < nr; k++) {
		printf(" %d", atomic_load(&workers[k].cpu));
		turns += workers[k].turns;
	}
	printf("\nsum %llu\n", turns);
}

static long number(const char *text, long min, long max)
{
	char *end;
	long v = strtol(text, &end, 10);

	if (end == text || *end || v < min || v > max) {
		fprintf(stderr, "vm-spin: '%s' is no number from %ld to %ld\n", text, min, max);
		exit(2);
	}
	return v;
}

int main(int argc, char **argv)
{
	int nr, nr_looks, shared_looks = 0, settled_ms = -1;
	struct timespec next;

	if (argc != 3) {
		fprintf(stderr, "usage: vm-spin THREADS MILLISECONDS\n");
		return 2;
	}
	nr = (int)number(argv[1], 1, MAX_THREADS);
	nr_looks = (int)number(argv[2], LOOK_MS, 3600000) / LOOK_MS;
	vm_cpus_read();
	for (int k = 0; k < nr; k++) {
		int err;

		atomic_store(&workers[k].cpu, -1);
		err = pthread_create(&workers[k].thread, NULL, run, &workers[k]);
		if (err) {
			fprintf(stderr, "vm-spin: cannot start a thread: %s\n", strerror(err));
			return 1;
		}
	}
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (int i = 1; i <= nr_looks; i++) {
		next.tv_nsec += LOOK_MS * 1000000l;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		if (look(nr)) {
			shared_looks++;
			settled_ms = -1;
		} else if (settled_ms < 0) {
			settled_ms = i * LOOK_MS;
		}
	}
	atomic_store(&stop, true);
	for (int k = 0; k < nr; k++)
		pthread_join(workers[k].thread, NULL);
	report(nr, nr_looks, shared_looks, settled_ms);
	return 0;
}
