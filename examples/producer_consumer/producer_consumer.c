// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// A producer and a consumer over a ring of their own. Each side tells libplace when it waits and
// when it lets the other go on; when both alternate, and are measured to be faster on one CPU, they
// are held there. The consumer keeps libplace out of its last, long computation.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <libplace/place.h>
#include <libplace/stats.h>

enum { NR_SLOTS = 16, NR_ITEMS = 100000 };

static uint32_t slot[NR_SLOTS];
static _Atomic uint32_t put, got; /* counts; also what the other side waits on */

/* Waits until *WORD is another than OLD. */
static void wait_change(_Atomic uint32_t *word, uint32_t old)
{
	place_wait_begin(word);
	while (atomic_load(word) == old)
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
	place_wait_end(word, 1);
}

static void advance(_Atomic uint32_t *word)
{
	place_wake(word);
	atomic_fetch_add(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *produce(void *unused)
{
	(void)unused;
	place_thread_register(0);
	for (uint32_t i = 0; i < NR_ITEMS; i++) {
		uint32_t seen = atomic_load(&got);

		while (i - seen == NR_SLOTS) {
			wait_change(&got, seen);
			seen = atomic_load(&got);
		}
		slot[i % NR_SLOTS] = i;
		advance(&put);
	}
	return NULL; /* the end of a thread unregisters it */
}

int main(void)
{
	struct place_thread_stats stats = {.size = sizeof(stats)};
	uint64_t sum = 0, hash = 0;
	pthread_t producer;

	place_start(NULL);
	if (pthread_create(&producer, NULL, produce, NULL) != 0)
		return 1;
	for (uint32_t i = 0; i < NR_ITEMS; i++) {
		uint32_t seen = atomic_load(&put);

		while (seen == i) {
			wait_change(&put, seen);
			seen = atomic_load(&put);
		}
		sum += slot[i % NR_SLOTS];
		advance(&got);
	}
	pthread_join(producer, NULL);
	place_pause();
	for (uint64_t i = 0; i < 1000000; i++)
		hash = (hash ^ i) * 0x100000001b3u;
	place_resume();
	if (place_thread_stats_get(&stats) == 0)
		printf("%llu turns, %llu messages, bound %llu times\n",
		       (unsigned long long)stats.turns, (unsigned long long)stats.published,
		       (unsigned long long)stats.binds);
	printf("sum %llu, hash %llx\n", (unsigned long long)sum, (unsigned long long)hash);
	place_stop();
	return sum == (uint64_t)NR_ITEMS * (NR_ITEMS - 1) / 2 ? 0 : 1;
}
