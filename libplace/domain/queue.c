// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Queue slots: a fixed table with few probes; the slot named longest ago gives way.
#include "domain/queue.h"

enum { PL_QUEUE_PROBES = 8 };

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

uint64_t pl_queue_key(enum pl_queue_kind kind, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t key = mix(mix(mix(mix(0x706c6163ull, kind), a), b), c);

	return key ? key : 1;
}

static void take(struct pl_queue *q, uint32_t now_s)
{
	pl_set(&q->writer, 0);
	pl_set(&q->reader, 0);
	pl_set(&q->consumed, pl_get(&q->seq));
	pl_set(&q->used_s, now_s);
}

uint32_t pl_queue_find(struct pl_segment *seg, uint64_t key, uint32_t now_s)
{
	uint32_t home = (uint32_t)(key >> 40), oldest = home & (PL_NR_QUEUES - 1);
	int32_t age = -1;

	for (uint32_t i = 0; i < PL_QUEUE_PROBES; i++) {
		uint32_t n = (home + i) & (PL_NR_QUEUES - 1);
		struct pl_queue *q = &seg->queue[n];
		uint64_t was = 0;

		if (pl_get(&q->key) == key) {
			pl_set(&q->used_s, now_s);
			return n;
		}
		if (pl_get(&q->key) == 0) {
			if (atomic_compare_exchange_strong(&q->key, &was, key))
				take(q, now_s);
			else if (was != key)
				continue;
			return n;
		}
		/* Another process may have named it a moment later than our clock reading. */
		if ((int32_t)(now_s - pl_get(&q->used_s)) > age) {
			age = (int32_t)(now_s - pl_get(&q->used_s));
			oldest = n;
		}
	}
	pl_set(&seg->queue[oldest].key, key);
	take(&seg->queue[oldest], now_s);
	return oldest;
}
