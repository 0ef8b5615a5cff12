// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place-balancer-cost [THREADS [SECONDS]]: what the balancer itself costs, on a made-up model (the
// machine's CPUs, one half of them of less capacity) so that there is a balancer on any machine.
// Prints its CPU time in percent of one CPU and its wake-ups a second, in steady state with threads
// that compute, and while all of them wait.
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply/balancer.h"
#include "base/clock.h"
#include "domain/thread.h"
#include "observe/hook.h"

enum { MAX_THREADS = 512, SETTLE_MS = 4000 };

static _Atomic bool waiting, over;
static pthread_barrier_t started;
static int gate[2];

/* Computes, then waits in a call that the hooks know of. */
static void *work(void *unused)
{
	char c;

	(void)unused;
	pl_hook_thread_begin(false);
	pthread_barrier_wait(&started);
	while (!atomic_load_explicit(&waiting, memory_order_relaxed))
		;
	pl_hook_wait_begin(NULL);
	while (!atomic_load(&over) && read(gate[0], &c, 1) == 1)
		;
	pl_hook_wait_end(NULL, false);
	pl_hook_thread_exit();
	return NULL;
}

static bool publish(struct pl_segment *seg)
{
	long nr = sysconf(_SC_NPROCESSORS_ONLN);
	struct pl_machine *m = &seg->machine[1];

	if (nr < 2 || nr > PL_MAX_CPUS)
		return false;
	memset(m, 0, sizeof(*m));
	m->nr_cpu_ids = (uint16_t)nr;
	for (int c = 0; c < nr; c++) {
		m->cpu[c].core = m->cpu[c].cluster = (uint16_t)c;
		m->cpu[c].capacity = m->cpu[c].actual = c < nr / 2 ? 1024 : 512;
		m->cpu[c].class = c >= nr / 2;
	}
	m->asymmetric = 1;
	pl_machine_finish(m);
	/* This program is the keeper, so that no other writes what it finds. */
	pl_set(&seg->keeper_pid, (uint32_t)getpid());
	pl_set(&seg->try_ns, UINT64_MAX / 2);
	pl_set_release(&seg->machine_ready, 1);
	return true;
}

static int find_balancer(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *e;
	int found = 0;

	while (dir && (e = readdir(dir))) {
		char path[300], name[32] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", e->d_name);
		f = fopen(path, "re");
		if (f && fgets(name, sizeof(name), f) && strcmp(name, "place-balancer\n") == 0)
			found = (int)strtol(e->d_name, NULL, 10);
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return found;
}

struct use {
	uint64_t at_ns, cpu_ns;
	long switches;
};

static bool read_use(int tid, struct use *u)
{
	char path[64], line[128];
	struct timespec ts;
	FILE *f;

	if (clock_gettime((clockid_t)(~(unsigned int)tid << 3 | 6), &ts) != 0)
		return false;
	u->at_ns = pl_now_ns();
	u->cpu_ns = (uint64_t)ts.tv_sec * PL_NS_PER_S + (uint64_t)ts.tv_nsec;
	u->switches = 0;
	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (fgets(line, sizeof(line), f))
		sscanf(line, "voluntary_ctxt_switches: %ld", &u->switches);
	fclose(f);
	return true;
}

static void pause_ms(long ms)
{
	struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) != 0)
		;
}

static void measure(const char *what, int tid, long seconds)
{
	struct use a, b;
	double wall;

	pause_ms(SETTLE_MS);
	if (!read_use(tid, &a))
		return;
	pause_ms(seconds * 1000);
	if (!read_use(tid, &b))
		return;
	wall = (double)(b.at_ns - a.at_ns) / 1e9;
	printf("%s cpu_pct %.4f wakeups_per_s %.2f\n", what,
	       (double)(b.cpu_ns - a.cpu_ns) / 1e7 / wall,
	       (double)(b.switches - a.switches) / wall);
}

int main(int argc, char **argv)
{
	static pthread_t thread[MAX_THREADS];
	long nr = argc > 1 ? strtol(argv[1], NULL, 10) : 64;
	long seconds = argc > 2 ? strtol(argv[2], NULL, 10) : 10;
	struct pl_segment *seg;
	int balancer = 0;

	if (argc > 3 || nr < 1 || nr > MAX_THREADS || seconds < 1) {
		fprintf(stderr, "usage: place-balancer-cost [THREADS (1..%d) [SECONDS]]\n",
			MAX_THREADS);
		return 2;
	}
	/* A segment of its own: the model in it is made up. */
	if (unshare(CLONE_NEWIPC) != 0 || !pl_member_enter() || pl_segment_join(&seg) < 0 ||
	    !publish(seg) || pipe(gate) != 0) {
		fprintf(stderr,
			"place-balancer-cost: needs root, for a new IPC namespace, and two CPUs\n");
		return 1;
	}
	pthread_barrier_init(&started, NULL, (unsigned int)nr + 1);
	for (long i = 0; i < nr; i++) {
		pl_hook_thread_coming();
		if (pthread_create(&thread[i], NULL, work, NULL) != 0) {
			fprintf(stderr, "place-balancer-cost: cannot start thread %ld\n", i);
			return 1;
		}
		pl_hook_thread_created();
	}
	pthread_barrier_wait(&started);
	for (int i = 0; i < 100 && !balancer; i++) {
		balancer = find_balancer();
		pause_ms(10);
	}
	pl_hook_wait_begin(NULL); /* this thread waits all the time */
	measure("computing", balancer, seconds);
	atomic_store(&waiting, true);
	measure("waiting", balancer, seconds);
	pl_hook_wait_end(NULL, false);
	atomic_store(&over, true);
	for (long i = 0; i < nr; i++)
		if (write(gate[1], "", 1) != 1)
			return 1;
	for (long i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
