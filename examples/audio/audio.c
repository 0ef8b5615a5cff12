// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// A thread with a deadline each 5 ms beside batch work. It runs in a real-time class where that is
// allowed, and is registered as pinned: libplace knows of it and never moves it. The batch threads
// are registered as movable, so that where cores have siblings they make room.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <libplace/place.h>
#include <libplace/stats.h>

enum { NR_BATCH = 2, NR_PERIODS = 200, PERIOD_NS = 5000000 };

static _Atomic int done;
static int was_moved = -1; /* -1: libplace is off */
static int64_t worst_ns;

static void *batch(void *result)
{
	uint64_t x = 1;

	place_thread_register(0);
	while (!atomic_load(&done))
		for (int i = 0; i < 100000; i++)
			x = x * 6364136223846793005u + 1;
	*(uint64_t *)result = x;
	place_thread_unregister();
	return NULL;
}

static int64_t ns_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)(now.tv_sec - then->tv_sec) * 1000000000 + now.tv_nsec - then->tv_nsec;
}

static void *audio(void *unused)
{
	struct place_thread_stats stats = {.size = sizeof(stats)};
	struct sched_param param = {.sched_priority = 10};
	struct timespec next;

	(void)unused;
	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) != 0)
		puts("not allowed to use SCHED_FIFO: as any other thread");
	place_thread_register(PLACE_THREAD_PINNED);
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (int i = 0; i < NR_PERIODS; i++) {
		int64_t late;

		next.tv_nsec += PERIOD_NS;
		if (next.tv_nsec >= 1000000000) {
			next.tv_nsec -= 1000000000;
			next.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		late = ns_since(&next);
		worst_ns = late > worst_ns ? late : worst_ns;
	}
	if (place_thread_stats_get(&stats) == 0)
		was_moved = !stats.pinned || stats.binds != 0;
	place_thread_unregister();
	return NULL;
}

int main(void)
{
	pthread_t thread[NR_BATCH], audio_thread;
	uint64_t result[NR_BATCH];

	place_start(NULL);
	for (int i = 0; i < NR_BATCH; i++)
		if (pthread_create(&thread[i], NULL, batch, &result[i]) != 0)
			return 1;
	if (pthread_create(&audio_thread, NULL, audio, NULL) != 0)
		return 1;
	pthread_join(audio_thread, NULL);
	atomic_store(&done, 1);
	for (int i = 0; i < NR_BATCH; i++)
		pthread_join(thread[i], NULL);
	place_stop();
	printf("%d periods, at most %lld us late, %s\n", NR_PERIODS, (long long)worst_ns / 1000,
	       was_moved < 0 ? "libplace is off"
	       : was_moved   ? "moved"
			     : "never moved");
	return was_moved > 0;
}
