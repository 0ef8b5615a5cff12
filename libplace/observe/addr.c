// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Events on synchronisation objects: finds the queue of an address in a small cache. Part of the
// preload object, beside its callers; addr_name.c names an address at first sight.
#include "observe/hook.h"

enum { NR_CACHED = 1024, QUEUE_BITS = 16 };

/* One word per entry, so that racing threads never see half of one: tag | queue + 1. */
static _Atomic uint64_t cache[NR_CACHED];

PL_HOT struct pl_queue *pl_hook_addr(const volatile void *addr)
{
	struct pl_tls *t = pl_hook_enter();
	uint64_t a = (uint64_t)(uintptr_t)addr, tag, e;
	_Atomic uint64_t *entry;
	uint32_t n;
	int named;

	if (!t)
		return NULL;
	tag = (a ^ (uint64_t)t->epoch << 52) * 0x9e3779b97f4a7c15ull;
	entry = &cache[tag >> 54];
	tag &= ~(uint64_t)((1u << QUEUE_BITS) - 1);
	e = pl_get(entry);
	n = (uint32_t)(e & ((1u << QUEUE_BITS) - 1)) - 1;
	if (pl_likely(n < PL_NR_QUEUES && t->task &&
		      (e & ~(uint64_t)((1u << QUEUE_BITS) - 1)) == tag))
		return &pl_get(&t->gate->seg)->queue[n];
	named = pl_hook_addr_name(t, a);
	if (named < 0)
		return NULL;
	pl_set(entry, tag | ((uint32_t)named + 1));
	return &pl_get(&t->gate->seg)->queue[named];
}

PL_HOT void pl_hook_wake_addr(const volatile void *addr)
{
	pl_hook_publish(pl_hook_addr(addr));
}

void pl_hook_unlock_slow(const volatile void *addr)
{
	/* A shared object may have its waiter in another process; a private one shows in the count.
	 */
	if (pl_get(&pl_waiters[pl_waiter_hash(addr)]) || pl_get(&pl_shared_objects))
		pl_hook_publish(pl_hook_addr(addr));
}

PL_HOT struct pl_queue *pl_hook_wait_addr_begin(const volatile void *addr)
{
	struct pl_queue *q = pl_hook_addr(addr);

	atomic_fetch_add_explicit(&pl_waiters[pl_waiter_hash(addr)], 1, memory_order_relaxed);
	pl_hook_wait_begin(q);
	return q;
}

PL_HOT void pl_hook_wait_addr_end(const volatile void *addr, struct pl_queue *q, bool consumed)
{
	atomic_fetch_sub_explicit(&pl_waiters[pl_waiter_hash(addr)], 1, memory_order_relaxed);
	pl_tls.last_fd = 0;
	pl_hook_wait_end(q, consumed);
}
