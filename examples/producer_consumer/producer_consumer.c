// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// A producer and a consumer over a ring of their own. Each side tells libplace when it waits and
// when it lets the other go on, and the consumer names the producer as its partner, so that both
// are held on one CPU from the start. (With the argument "infer" it does not: they are then held
// when they alternate and are measured to be faster there.) The consumer keeps libplace out of its
// last, long computation.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <libplace/place.h>
#include <libplace/stats.h>

enum { NR_SLOTS = 1, NR_ITEMS = 100000, STAMP_ITEMS = 100, NR_STAMPS = NR_ITEMS / STAMP_ITEMS };

static uint32_t slot[NR_SLOTS];
static uint64_t stamp_ns[NR_STAMPS]; /* when each hundredth item came */
static _Atomic int32_t producer_tid;
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
	atomic_store(&producer_tid, (int32_t)syscall(SYS_gettid));
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

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* From when on ten stamps in a row came at 95 % of the rate of the last quarter. */
static double ms_to_final_rate(uint64_t start_ns)
{
	const int run = 10, tail = NR_STAMPS / 4;
	uint64_t final = (stamp_ns[NR_STAMPS - 1] - stamp_ns[NR_STAMPS - 1 - tail]) / tail;

	for (int i = 0; i + run < NR_STAMPS; i++)
		if ((stamp_ns[i + run] - stamp_ns[i]) * 95 <= final * run * 100)
			return (double)(stamp_ns[i] - start_ns) / 1e6;
	return (double)(stamp_ns[NR_STAMPS - 1] - start_ns) / 1e6;
}

int main(int argc, char **argv)
{
	int infer = argc > 1 && strcmp(argv[1], "infer") == 0;
	struct place_thread_stats stats = {.size = sizeof(stats)};
	uint64_t sum = 0, hash = 0, start_ns;
	pthread_t producer;

	place_start(NULL);
	if (pthread_create(&producer, NULL, produce, NULL) != 0)
		return 1;
	while (!infer && !atomic_load(&producer_tid))
		;
	if (!infer)
		place_thread_pair(atomic_load(&producer_tid), 0);
	start_ns = now_ns();
	for (uint32_t i = 0; i < NR_ITEMS; i++) {
		uint32_t seen = atomic_load(&put);

		while (seen == i) {
			wait_change(&put, seen);
			seen = atomic_load(&put);
		}
		sum += slot[i % NR_SLOTS];
		advance(&got);
		if (i % STAMP_ITEMS == STAMP_ITEMS - 1)
			stamp_ns[i / STAMP_ITEMS] = now_ns();
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
	printf("95 %% of the final rate (%.0f items/s) after %.1f ms\n",
	       NR_ITEMS / 4 * 1e9 /
		       (double)(stamp_ns[NR_STAMPS - 1] - stamp_ns[NR_STAMPS - 1 - NR_STAMPS / 4]),
	       ms_to_final_rate(start_ns));
	printf("sum %llu, hash %llx\n", (unsigned long long)sum, (unsigned long long)hash);
	place_stop();
	return sum == (uint64_t)NR_ITEMS * (NR_ITEMS - 1) / 2 ? 0 : 1;
}
