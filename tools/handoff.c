// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// `place topo --handoff`: measures what a handoff costs, by two threads of its own on one pair of
// CPUs of each relation, and leaves that in the segment for the programs of this user.
#include "tools/handoff.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

enum { BATCHES = 9, ROUNDS = 500, WARMUP = 100 };

static const char *const names[PL_NR_RELATIONS] = {
	[PL_SAME_CPU] = "same CPU",	[PL_SAME_CORE] = "same core",
	[PL_SAME_LLC] = "same cache",	[PL_SAME_NODE] = "other cache",
	[PL_OTHER_NODE] = "other node",
};

struct ball {
	_Atomic uint32_t at;
	int cpu[2];
	_Atomic uint32_t refused;
	uint32_t ns; /* of a turn */
};

static void wait_turn(struct ball *b, uint32_t turn)
{
	uint32_t now;

	while ((now = atomic_load(&b->at)) < turn)
		syscall(SYS_futex, &b->at, FUTEX_WAIT_PRIVATE, now, NULL, NULL, 0);
}

static void pass_turn(struct ball *b)
{
	atomic_fetch_add(&b->at, 1);
	syscall(SYS_futex, &b->at, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void go_to(struct ball *b, int side)
{
	cpu_set_t *set = CPU_ALLOC(PL_MAX_CPUS);
	size_t size = CPU_ALLOC_SIZE(PL_MAX_CPUS);

	if (!set) {
		atomic_store(&b->refused, 1);
		return;
	}
	CPU_ZERO_S(size, set);
	CPU_SET_S(b->cpu[side], size, set);
	if (sched_setaffinity(0, size, set) != 0)
		atomic_store(&b->refused, 1);
	CPU_FREE(set);
}

static void *answer(void *arg)
{
	struct ball *b = arg;

	go_to(b, 1);
	for (uint32_t i = 0; i < WARMUP + BATCHES * ROUNDS; i++) {
		wait_turn(b, 2 * i + 1);
		pass_turn(b);
	}
	return NULL;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void *ask(void *arg)
{
	uint32_t ns[BATCHES], turn = 0;
	struct ball *b = arg;

	go_to(b, 0);
	for (int i = -1; i < BATCHES; i++) {
		int rounds = i < 0 ? WARMUP : ROUNDS;
		uint64_t from = pl_now_ns();

		for (int k = 0; k < rounds; k++) {
			pass_turn(b);
			turn += 2;
			wait_turn(b, turn);
		}
		if (i >= 0)
			ns[i] = (uint32_t)((pl_now_ns() - from) / (2 * (uint64_t)rounds));
	}
	qsort(ns, BATCHES, sizeof(ns[0]), compare);
	b->ns = ns[BATCHES / 2];
	return NULL;
}

/* ns of one turn between the CPUs A and B, 0 when they are not ours to use. */
static uint32_t measure(int a, int b)
{
	struct ball ball = {.cpu = {a, b}};
	pthread_t t[2];

	if (pthread_create(&t[0], NULL, answer, &ball) != 0)
		return 0;
	if (pthread_create(&t[1], NULL, ask, &ball) != 0)
		ask(&ball);
	else
		pthread_join(t[1], NULL);
	pthread_join(t[0], NULL);
	return atomic_load(&ball.refused) ? 0 : ball.ns;
}

/* The first two CPUs of the mask that are in RELATION. */
static bool find_cpus(const struct pl_machine *m, const cpu_set_t *may, size_t size,
		      enum pl_relation relation, int *a, int *b)
{
	for (int i = 0; i < m->nr_online; i++)
		for (int k = i; k < m->nr_online; k++) {
			*a = m->order[i];
			*b = m->order[k];
			if (CPU_ISSET_S(*a, size, may) && CPU_ISSET_S(*b, size, may) &&
			    pl_handoff_relation(m, *a, *b) == relation)
				return true;
		}
	return false;
}

int handoff_measure(const struct pl_machine *m, FILE *to)
{
	size_t size = CPU_ALLOC_SIZE(PL_MAX_CPUS);
	cpu_set_t *may = CPU_ALLOC(PL_MAX_CPUS);
	uint32_t ns[PL_NR_RELATIONS] = {0};
	struct pl_segment *seg;
	int a, b, id, ret = 0;

	if (!may || sched_getaffinity(0, size, may) != 0)
		ret = may ? -errno : -ENOMEM;
	for (int r = 0; !ret && r < PL_NR_RELATIONS; r++) {
		if (!find_cpus(m, may, size, (enum pl_relation)r, &a, &b))
			continue;
		ns[r] = measure(a, b);
		if (ns[r])
			fprintf(to, "%-12s %8.2f us  (CPUs %d, %d)\n", names[r], ns[r] / 1000.0, a,
				b);
	}
	CPU_FREE(may);
	if (ret)
		return ret;
	id = pl_segment_join(&seg);
	if (id < 0 || id == PL_SEGMENT_PRIVATE)
		return id < 0 ? id : -ENOMEM;
	for (int r = 0; r < PL_NR_RELATIONS; r++)
		pl_set(&seg->handoff.ns[r], ns[r]);
	pl_set_release(&seg->handoff.measured_ns, pl_now_ns());
	return 0;
}
