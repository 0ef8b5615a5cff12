// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// A mutex of one's own on a futex, in the three states of the well-known design: free, locked,
// locked with waiters. It reports to libplace where it hands over.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <libplace/place.h>
#include <libplace/stats.h>

enum { FREE, LOCKED, CONTENDED };
enum { NR_THREADS = 4, NR_ROUNDS = 20000 };

struct mutex {
	_Atomic uint32_t word;
};

static void mutex_lock(struct mutex *m)
{
	uint32_t old = FREE;

	if (atomic_compare_exchange_strong(&m->word, &old, LOCKED))
		return;
	place_wait_begin(m);
	while (atomic_exchange(&m->word, CONTENDED) != FREE)
		syscall(SYS_futex, &m->word, FUTEX_WAIT_PRIVATE, CONTENDED, NULL, NULL, 0);
	place_wait_end(m, 1);
}

static void mutex_unlock(struct mutex *m)
{
	/* Before the lock is free: then the next owner may be running already. */
	if (atomic_load(&m->word) == CONTENDED)
		place_wake(m);
	if (atomic_exchange(&m->word, FREE) == CONTENDED)
		syscall(SYS_futex, &m->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static struct mutex mutex;
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
