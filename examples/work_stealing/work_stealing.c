// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// A thread pool with work stealing. Each worker is registered, so on machines where there is
// something to balance no two of them stay on one core while another is idle. Idle workers wait on
// the pool's own futex word, and say so.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <libplace/place.h>
#include <libplace/stats.h>

enum { NR_WORKERS = 4, NR_TASKS = 20000, SIZE = NR_TASKS };

struct deque {
	pthread_mutex_t lock;
	uint32_t task[SIZE];
	uint32_t first, end; /* the owner takes at the end, thieves at the first */
};

static struct deque deque[NR_WORKERS];
static _Atomic uint32_t nr_done, nr_stolen, bell;
static _Atomic uint64_t sum, nr_turns, nr_binds;

static int take(int own, uint32_t *task)
{
	for (int i = 0; i < NR_WORKERS; i++) {
		struct deque *d = &deque[(own + i) % NR_WORKERS];
		int found;

		pthread_mutex_lock(&d->lock);
		found = d->first < d->end;
		if (found)
			*task = d->task[i == 0 ? --d->end : d->first++];
		pthread_mutex_unlock(&d->lock);
		if (found) {
			if (i)
				atomic_fetch_add(&nr_stolen, 1);
			return 1;
		}
	}
	return 0;
}

static void ring(void)
{
	place_wake(&bell);
	atomic_fetch_add(&bell, 1);
	syscall(SYS_futex, &bell, FUTEX_WAKE_PRIVATE, NR_WORKERS, NULL, NULL, 0);
}

static void wait_for_bell(uint32_t heard)
{
	place_wait_begin(&bell);
	while (atomic_load(&bell) == heard)
		syscall(SYS_futex, &bell, FUTEX_WAIT_PRIVATE, heard, NULL, NULL, 0);
	place_wait_end(&bell, 1);
}

static void work(uint32_t n)
{
	uint64_t x = n;

	for (int i = 0; i < 1000; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	atomic_fetch_add(&sum, x != 0 ? n : n + 1);
	if (atomic_fetch_add(&nr_done, 1) + 1 == NR_TASKS)
		ring();
}

/* Its figures end with the thread. */
static void add_up(void)
{
	struct place_thread_stats stats = {.size = sizeof(stats)};

	if (place_thread_stats_get(&stats) != 0)
		return;
	nr_turns += stats.turns;
	nr_binds += stats.binds;
}

static void *worker(void *arg)
{
	int own = (int)(intptr_t)arg;
	uint32_t task;

	place_thread_register(0);
	for (;;) {
		uint32_t heard = atomic_load(&bell);

		if (take(own, &task))
			work(task);
		else if (atomic_load(&nr_done) == NR_TASKS)
			break;
		else
			wait_for_bell(heard);
	}
	add_up();
	place_thread_unregister();
	return NULL;
}

int main(void)
{
	pthread_t thread[NR_WORKERS];

	place_start(NULL);
	for (int i = 0; i < NR_WORKERS; i++)
		pthread_mutex_init(&deque[i].lock, NULL);
	for (int i = 0; i < NR_WORKERS; i++)
		if (pthread_create(&thread[i], NULL, worker, (void *)(intptr_t)i) != 0)
			return 1;
	/* All of it to one worker: the others steal. */
	for (uint32_t n = 0; n < NR_TASKS; n++) {
		pthread_mutex_lock(&deque[0].lock);
		deque[0].task[deque[0].end++] = n;
		pthread_mutex_unlock(&deque[0].lock);
		if (n % 64 == 0)
			ring();
	}
	ring();
	for (int i = 0; i < NR_WORKERS; i++)
		pthread_join(thread[i], NULL);
	place_stop();
	printf("%u tasks, %u stolen, sum %llu, %llu turns, bound %llu times\n",
	       (unsigned int)nr_done, (unsigned int)nr_stolen, (unsigned long long)sum,
	       (unsigned long long)nr_turns, (unsigned long long)nr_binds);
	return sum == (uint64_t)NR_TASKS * (NR_TASKS - 1) / 2 ? 0 : 1;
}
