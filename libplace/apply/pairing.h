/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Runs the pair rule for the calling thread: entry, slices of verification, hold, probes. */
#ifndef PL_APPLY_PAIRING_H
#define PL_APPLY_PAIRING_H

#include "domain/member.h"
#include "domain/pair.h"

/* A watcher whose last heartbeat is older does not count. */
#define PL_HEARTBEAT_NS 20000000ull

/*
 * At the end of a turn window, T->busy held: NOW_NS is the present. Makes system calls. True when
 * the next windows will hardly decide anything: a held pair that obeyed, no candidate, or one that
 * was refused. T->task is NULL afterwards when the membership ended.
 */
bool pl_pairing_window(struct pl_tls *t, uint64_t now_ns);

/* Slow half of pl_pairing_obey(). */
void pl_pairing_obey_slow(struct pl_tls *t);

/*
 * On return from a wait: binds or widens this thread when its pair was told so. The common path is
 * one or two loads.
 */
static inline void pl_pairing_obey(struct pl_tls *t)
{
	struct pl_pair *p = pl_seg_pair(pl_get(&t->gate->seg), pl_get(&t->task->pair));

	if (pl_unlikely((p ? pl_get_acquire(&p->command) : 0) != t->have))
		pl_pairing_obey_slow(t);
}

/* True when somebody watches over pairs right now. */
static inline bool pl_is_watched(struct pl_segment *seg, uint64_t now_ns)
{
	return now_ns - pl_get(&seg->heartbeat_ns) <= PL_HEARTBEAT_NS ||
	       pl_get(&seg->heartbeat_ns) > now_ns;
}

/* Ends this thread's pair, if any, and gives the thread its mask back at once. T->busy is free. */
void pl_pairing_leave(struct pl_tls *t, enum pl_reason reason);

#endif
