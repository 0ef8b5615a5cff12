// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Tells the program's callback what happened to the thread that it runs on: what is the case now is
// compared with what was told last, so nothing is queued and nothing can be lost but what passed.
#include "observe/event.h"

#include <errno.h>
#include <time.h>

#include "base/sys.h"
#include "domain/pair.h"
#include "domain/thread.h"
#include "observe/hook.h"
#include "trace/counters.h"

enum { NAP_NS = 50000 };

/* Written only while has_callback is 0 and nobody is inside. */
static place_event_fn callback;
static void *callback_arg;

int pl_event_set(place_event_fn fn, void *arg)
{
	struct timespec nap = {.tv_nsec = NAP_NS};
	struct pl_gate *gate = pl_gate;
	uint32_t nobody = 0;
	int ret = 0;

	if (pl_tls.in_callback)
		return -EDEADLK;
	if (!atomic_compare_exchange_strong(&gate->setting, &nobody, 1))
		return -EAGAIN;
	if (fn && pl_get(&gate->has_callback)) {
		ret = -EBUSY;
	} else if (fn) {
		callback = fn;
		callback_arg = arg;
		atomic_store(&gate->has_callback, 1);
	} else if (pl_get(&gate->has_callback)) {
		/* Whoever counts itself after this sees that there is none. */
		atomic_store(&gate->has_callback, 0);
		while (atomic_load(&gate->in_callback))
			pl_sys2(SYS_nanosleep, &nap, NULL);
	} else {
		ret = -EALREADY;
	}
	atomic_store(&gate->setting, 0);
	return ret;
}

static void tell(uint32_t type, int cpu, const char *why)
{
	struct place_event e = {.size = sizeof(e), .type = type, .cpu = cpu, .why = why};

	callback(&e, callback_arg);
}

static bool is_held(const struct pl_pair *p)
{
	uint32_t state = p ? pl_get_acquire(&p->state) : PL_PAIR_FREE;

	return state == PL_PAIR_HELD || state == PL_PAIR_PROBE;
}

/* A probe and a rest, which give the mask back for a while, are not told. */
static void tell_of_pair(struct pl_tls *t)
{
	struct pl_segment *seg = pl_member.seg;
	uint32_t n = t->task && seg ? pl_get(&t->task->pair) : 0;
	struct pl_pair *pair = seg ? pl_seg_pair(seg, n) : NULL;
	struct pl_pair *told = seg ? pl_seg_pair(seg, t->told_pair) : NULL;
	uint64_t since = pair ? pl_get(&pair->since_ns) : 0;

	if (told && (pair != told || !is_held(pair) || since != t->told_since)) {
		bool same = pl_get(&told->since_ns) == t->told_since;

		t->told_pair = 0;
		tell(PLACE_EVENT_RELEASED, -1,
		     pl_reason_name(same ? pl_get(&told->reason) : PL_REASON_NONE));
	}
	/* The callback may have changed all of that. */
	if (!t->told_pair && t->task && t->bound && pl_get(&t->task->pair) == n && is_held(pair)) {
		t->told_pair = n;
		t->told_since = since;
		tell(PLACE_EVENT_HELD, t->bound_cpu,
		     t->named ? "named by the program" : "faster when held");
	}
}

static void tell_of_moves(struct pl_tls *t)
{
	uint32_t n = t->thread ? pl_get_acquire(&t->thread->nr_moves) : t->told_moves;

	if (n == t->told_moves)
		return;
	t->told_moves = n;
	tell(PLACE_EVENT_MOVED, pl_get(&t->thread->moved_to), "moved by the balancer");
}

void pl_hook_events(struct pl_tls *t)
{
	int saved = errno;
	uint32_t n;

	if (t->busy || t->in_callback)
		return;
	t->in_callback = 1;
	atomic_fetch_add(&t->gate->in_callback, 1);
	if (atomic_load(&t->gate->has_callback)) {
		tell_of_pair(t);
		tell_of_moves(t);
	}
	/* Zero in a child that the callback forked: this page was wiped. */
	n = pl_get(&t->gate->in_callback);
	while (n && !atomic_compare_exchange_weak(&t->gate->in_callback, &n, n - 1))
		;
	t->in_callback = 0;
	errno = saved;
}
