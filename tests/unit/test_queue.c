// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The lossy table of queues: names, which slot a key gets, whose slot gives way.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "domain/queue.h"
#include "helper/helper.h"

enum { PROBES = 8 /* slots that one key may use */ };

static struct pl_segment seg;

static int setup(void **state)
{
	memset(&seg, 0, sizeof(seg));
	return 0;
}

/* Keys with one home: the table takes it from the upper bits. */
static uint64_t key_at(uint32_t home, uint32_t n)
{
	return (uint64_t)home << 40 | (n + 1);
}

static uint64_t random64(unsigned int *seed)
{
	uint64_t v = 0;

	for (int i = 0; i < 5; i++)
		v = v << 15 ^ (uint64_t)rand_r(seed);
	return v;
}

static void test_key_tells_apart(void **state)
{
	uint64_t key = pl_queue_key(PL_QUEUE_PIPE, 1, 2, 3);

	assert_true(key == pl_queue_key(PL_QUEUE_PIPE, 1, 2, 3));
	assert_true(key != pl_queue_key(PL_QUEUE_UNIX, 1, 2, 3));
	assert_true(key != pl_queue_key(PL_QUEUE_PIPE, 2, 1, 3));
	assert_true(key != pl_queue_key(PL_QUEUE_PIPE, 1, 3, 2));
	assert_true(key != pl_queue_key(PL_QUEUE_PIPE, 1, 2, 4));
	/* TCP is directed: each end is a queue of its own. */
	assert_true(pl_queue_key(PL_QUEUE_TCP, 7, 10, 20) != pl_queue_key(PL_QUEUE_TCP, 7, 20, 10));
}

static void test_key_is_never_0(void **state)
{
	const uint64_t factor = 0x9e3779b97f4a7c15ull;
	uint64_t inverse = factor, y, x;
	unsigned int seed = 1;

	for (int i = 0; i < 100000; i++)
		assert_true(pl_queue_key((enum pl_queue_kind)(1 + i % 6), random64(&seed),
					 random64(&seed), random64(&seed)) != 0);

	/* The one third part that the last mixing step takes to 0: undo that step for part 0. */
	for (int i = 0; i < 6; i++)
		inverse *= 2 - factor * inverse;
	y = pl_queue_key(PL_QUEUE_PIPE, 1, 2, 0);
	x = y;
	for (int i = 0; i < 3; i++)
		x = y ^ x >> 29;
	assert_true(pl_queue_key(PL_QUEUE_PIPE, 1, 2, x * inverse) != 0);
}

static void test_same_key_same_slot(void **state)
{
	unsigned int seed = 2;
	uint64_t key[64];
	uint32_t slot[64];

	for (int i = 0; i < 64; i++) {
		key[i] = random64(&seed) | 1;
		slot[i] = pl_queue_find(&seg, key[i], 10);
		assert_in_range(slot[i], 0, PL_NR_QUEUES - 1);
		assert_true(pl_get(&seg.queue[slot[i]].key) == key[i]);
		for (int j = 0; j < i; j++)
			assert_int_not_equal(slot[i], slot[j]);
	}
	for (int i = 0; i < 64; i++)
		assert_int_equal(pl_queue_find(&seg, key[i], 11), slot[i]);
}

static void test_finding_keeps_contents(void **state)
{
	struct pl_queue *q = &seg.queue[pl_queue_find(&seg, 77, 10)];

	pl_set(&q->writer, 5);
	pl_set(&q->reader, 6);
	pl_set(&q->seq, 100);
	pl_set(&q->consumed, 90);
	assert_ptr_equal(&seg.queue[pl_queue_find(&seg, 77, 12)], q);
	assert_int_equal(pl_get(&q->writer), 5);
	assert_int_equal(pl_get(&q->reader), 6);
	assert_int_equal(pl_get(&q->seq), 100);
	assert_int_equal(pl_get(&q->consumed), 90);
	assert_int_equal(pl_get(&q->used_s), 12);
}

static void fill_home(uint32_t home, uint32_t *slot)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		slot[i] = pl_queue_find(&seg, key_at(home, i), 10 + i);
		for (uint32_t j = 0; j < i; j++)
			assert_int_not_equal(slot[i], slot[j]);
	}
}

static void test_oldest_gives_way(void **state)
{
	uint32_t slot[PROBES], n;

	fill_home(1000, slot);
	/* Named again, so the next one is the oldest now. */
	pl_queue_find(&seg, key_at(1000, 0), 30);
	pl_set(&seg.queue[slot[1]].writer, 5);
	pl_set(&seg.queue[slot[1]].reader, 6);
	pl_set(&seg.queue[slot[1]].seq, 100);
	pl_set(&seg.queue[slot[1]].consumed, 90);

	n = pl_queue_find(&seg, key_at(1000, PROBES), 40);
	assert_int_equal(n, slot[1]);
	assert_true(pl_get(&seg.queue[n].key) == key_at(1000, PROBES));
	/* The newcomer inherits no partner and no turn. */
	assert_int_equal(pl_get(&seg.queue[n].writer), 0);
	assert_int_equal(pl_get(&seg.queue[n].reader), 0);
	assert_int_equal(pl_get(&seg.queue[n].consumed), pl_get(&seg.queue[n].seq));
	assert_int_equal(pl_get(&seg.queue[n].used_s), 40);
	/* The others stayed. */
	for (uint32_t i = 0; i < PROBES; i++)
		if (i != 1)
			assert_int_equal(pl_queue_find(&seg, key_at(1000, i), 41), slot[i]);
}

static void test_table_wraps(void **state)
{
	uint32_t slot[PROBES];

	fill_home(PL_NR_QUEUES - 1, slot);
	for (uint32_t i = 0; i < PROBES; i++)
		assert_in_range(slot[i], 0, PL_NR_QUEUES - 1);
}

/* Whoever read the clock just before the second ended comes second: the slot is new, not ancient.
 */
static void test_named_a_second_ahead_is_not_oldest(void **state)
{
	uint32_t slot[PROBES];

	fill_home(2000, slot);
	pl_queue_find(&seg, key_at(2000, 4), 31);
	assert_int_equal(pl_queue_find(&seg, key_at(2000, PROBES), 30), slot[0]);
	assert_int_equal(pl_queue_find(&seg, key_at(2000, 4), 31), slot[4]);
}

static void test_hostile_contents(void **state)
{
	unsigned int seed = 3;
	unsigned char *bytes = (unsigned char *)seg.queue;

	for (size_t i = 0; i < sizeof(seg.queue); i++)
		bytes[i] = (unsigned char)rand_r(&seed);
	for (int i = 0; i < 10000; i++) {
		uint64_t key = random64(&seed) | 1;
		uint32_t n = pl_queue_find(&seg, key, (uint32_t)rand_r(&seed));

		assert_in_range(n, 0, PL_NR_QUEUES - 1);
		assert_true(pl_get(&seg.queue[n].key) == key);
	}
}

static pthread_barrier_t barrier;
static struct helper_failure failure;

static void *finder(void *arg)
{
	unsigned int seed = 4; /* the same keys in each thread */

	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 20000; i++) {
		uint64_t key = key_at((uint32_t)rand_r(&seed) & 63, (uint32_t)rand_r(&seed) & 31);

		helper_expect(&failure, pl_queue_find(&seg, key, 10 + i / 100) < PL_NR_QUEUES);
	}
	return NULL;
}

static void test_racing_finders(void **state)
{
	pthread_t t[2];

	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&t[i], NULL, finder, NULL), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	pthread_barrier_destroy(&barrier);
	helper_assert_no_failure(&failure);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key_tells_apart),
		cmocka_unit_test(test_key_is_never_0),
		cmocka_unit_test_setup(test_same_key_same_slot, setup),
		cmocka_unit_test_setup(test_finding_keeps_contents, setup),
		cmocka_unit_test_setup(test_oldest_gives_way, setup),
		cmocka_unit_test_setup(test_table_wraps, setup),
		cmocka_unit_test_setup(test_named_a_second_ahead_is_not_oldest, setup),
		cmocka_unit_test_setup(test_hostile_contents, setup),
		cmocka_unit_test_setup(test_racing_finders, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
