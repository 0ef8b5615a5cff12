// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// A fair lock of one's own on a futex: who comes draws a number and waits until it is served, so
// two threads that both want the lock take turns. It reports to libplace where it hands over.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <libplace/place.h>
#include <libplace/stats.h>

enum { NR_THREADS = 2, NR_ROUNDS = 100000 };

struct mutex {
	_Atomic uint32_t drawn, served;
};

static void mutex_lock(struct mutex *m)
{
	uint32_t own = atomic_fetch_add(&m->drawn, 1), served = atomic_load(&m->served);

	if (served == own)
		return;
	place_wait_begin(m);
	for (; served != own; served = atomic_load(&m->served))
		syscall(SYS_futex, &m->served, FUTEX_WAIT_PRIVATE, served, NULL, NULL, 0);
	place_wait_end(m, 1);
}

static void mutex_unlock(struct mutex *m)
{
	uint32_t next = atomic_load(&m->served) + 1;

	/* Before the next owner is served: then it may be running already. */
	if (atomic_load(&m->drawn) != next)
		place_wake(m);
	atomic_store(&m->served, next);
	/* All of them: the futex does not know which one drew this number. */
	if (atomic_load(&m->drawn) != next)
		syscall(SYS_futex, &m->served, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

static struct mutex mutex;
static pthread_barrier_t start;
static uint64_t counter;
static _Atomic uint64_t nr_turns, nr_binds;

/* Its figures end with the thread. */
static void add_up(void)
{
	struct place_thread_stats stats = {.size = sizeof(stats)};

	if (place_thread_stats_get(&stats) != 0)
		return;
	nr_turns += stats.turns;
	nr_binds += stats.binds;
}

static void *count(void *unused)
{
	(void)unused;
	place_thread_register(0);
	pthread_barrier_wait(&start);
	for (int i = 0; i < NR_ROUNDS; i++) {
		mutex_lock(&mutex);
		counter++;
		mutex_unlock(&mutex);
	}
	add_up();
	place_thread_unregister();
	return NULL;
}

int main(void)
{
	pthread_t thread[NR_THREADS];

	place_start(NULL);
	pthread_barrier_init(&start, NULL, NR_THREADS);
	for (int i = 0; i < NR_THREADS; i++)
		if (pthread_create(&thread[i], NULL, count, NULL) != 0)
			return 1;
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(thread[i], NULL);
	place_stop();
	printf("counted %llu, %llu turns, bound %llu times\n", (unsigned long long)counter,
	       (unsigned long long)nr_turns, (unsigned long long)nr_binds);
	return counter == (uint64_t)NR_THREADS * NR_ROUNDS ? 0 : 1;
}
