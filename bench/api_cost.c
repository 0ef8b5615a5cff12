// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place-api-cost: nanoseconds of place_select_cpu() and of register and unregister of a thread, on
// a made-up machine of 2 to 512 CPUs, in a segment of its own. Needs root for that.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "domain/segment.h"
#include "libplace/place.h"

#define BATCHES	 101
#define WARMUP	 5
#define LLC_CPUS 16

static struct pl_segment *seg;
static volatile int sink;

/* Cores of two neighbours, LLCs of 16 CPUs; every third CPU is busy. */
static void make_machine(int nr)
{
	uint32_t ready = pl_get(&seg->machine_ready) + 1;
	struct pl_machine *m = &seg->machine[ready & 1];

	memset(m, 0, sizeof(*m));
	m->nr_cpu_ids = (uint16_t)nr;
	for (int i = 0; i < nr; i++) {
		struct pl_cpu *c = &m->cpu[i];

		c->core = c->cluster = (uint16_t)(i / 2);
		c->llc = (uint16_t)(i / LLC_CPUS);
		c->capacity = c->actual = 1024;
		pl_set(&seg->load[i].busy, i % 3 ? 0 : 1024);
	}
	pl_machine_finish(m);
	pl_set_release(&seg->machine_ready, ready);
}

static void select_cpu(int n)
{
	struct place_choice choice = {.size = sizeof(choice)};
	struct place_select s = {
		.size = sizeof(s),
		.flags = PLACE_SELECT_TARGET,
		.target = n % pl_seg_machine(seg)->nr_cpu_ids,
		.util = 200,
	};

	if (place_select_cpu(&s, &choice) != 0)
		abort();
	sink = choice.cpu;
}

static void register_thread(int n)
{
	(void)n;
	if (place_thread_register(0) != 0 || place_thread_unregister() != 0)
		abort();
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(const char *what, int nr, void (*call)(int), int batch)
{
	double ns[BATCHES];

	for (int b = -WARMUP; b < BATCHES; b++) {
		uint64_t t;

		/* The sample of the load is fresh. */
		pl_set(&seg->load_ns, pl_now_ns());
		t = pl_now_ns();
		for (int k = 0; k < batch; k++)
			call(k);
		t = pl_now_ns() - t;
		if (b >= 0)
			ns[b] = (double)t / batch;
	}
	qsort(ns, BATCHES, sizeof(ns[0]), compare);
	printf("%s_%d_ns_min %.0f\n", what, nr, ns[0]);
	printf("%s_%d_ns_median %.0f\n", what, nr, ns[BATCHES / 2]);
}

/* In a thread that is not the first: its registration is what a program pays for each. */
static void *measure_register(void *unused)
{
	(void)unused;
	measure("register", pl_seg_machine(seg)->nr_cpu_ids, register_thread, 200);
	return NULL;
}

int main(int argc, char **argv)
{
	static const int sizes[] = {2, 16, 64, 128, 512};
	pthread_t thread;

	if (argc > 1) {
		fputs("usage: place-api-cost\n  nanoseconds of calls of the interface\n",
		      strcmp(argv[1], "--help") == 0 ? stdout : stderr);
		return strcmp(argv[1], "--help") == 0 ? 0 : 2;
	}
	if (unshare(CLONE_NEWIPC) != 0) {
		perror("place-api-cost: no segment of its own");
		return 1;
	}
	/* There before the start, so that nobody reads the real machine. */
	if (pl_segment_join(&seg) < 0)
		return 1;
	make_machine(sizes[0]);
	if (place_start(NULL) != 0)
		return 1;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		make_machine(sizes[i]);
		measure("select", sizes[i], select_cpu, 500);
	}
	make_machine(LLC_CPUS);
	if (pthread_create(&thread, NULL, measure_register, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	return place_stop() == 0 ? 0 : 1;
}
