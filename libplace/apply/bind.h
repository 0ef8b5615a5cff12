/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * A thread narrows itself and gives its mask back. Nobody narrows a thread of another process; the
 * keeper may widen one. Before each change the mask in force is compared with the one expected: a
 * difference means that somebody else set it, and then it is theirs for good.
 */
#ifndef PL_APPLY_BIND_H
#define PL_APPLY_BIND_H

#include <sys/types.h>

#include "domain/member.h"

/*
 * Binds the calling thread to CPU, or to CPU's core when WHOLE_CORE. PAIR, when not NULL, receives
 * how to give the mask of member SIDE back. 0 or a negative errno: -EBUSY when the mask belongs to
 * the program or an administrator (the task is pinned from then on), -EPERM when the kernel refused
 * too often, -EINVAL when CPU is not allowed here. Three to five system calls; errno kept.
 */
int pl_bind_self(struct pl_tls *t, int cpu, bool whole_core, struct pl_pair *pair, int side);

/*
 * Gives the calling thread its mask back; no effect when it is not bound. With CPU >= 0 it moves
 * there first, if its mask allows: it leaves the partner as far apart as it found it, where the
 * kernel would keep both together for a while.
 */
void pl_widen_self_at(struct pl_tls *t, int cpu);

static inline void pl_widen_self(struct pl_tls *t)
{
	pl_widen_self_at(t, -1);
}

/*
 * What this thread clones by pl_clone() inherits the program's mask: it gets that back first, and
 * is bound again on a later return from a wait. For clones of ours, which pass no hook.
 */
void pl_widen_for_child(void);

/*
 * Gives the thread TID its mask back if it still has the mask that PAIR gave it: for the keeper and
 * "place off". SIDE is the member. With ASIDE it leaves the pair's CPU on the way: two threads that
 * compute stayed on one CPU for 10 to 105 ms after a mere widening, until the kernel balanced them.
 * True when the thread needs no further look: gone, or it has a mask of somebody else.
 */
bool pl_widen_other(struct pl_segment *seg, struct pl_pair *pair, int side, pid_t tid, bool aside);

/*
 * Waits while TASK is between two calls of its own that change its mask; false when that takes too
 * long. The caller set its mark `pinned` before.
 */
bool pl_bind_settled(const struct pl_task *task);

/* Whether the mask of TID is the one that PAIR gives its member SIDE; true also when it cannot be
 * read. */
bool pl_bound_as_told(struct pl_segment *seg, const struct pl_pair *pair, int side, pid_t tid);

/* Whether the mask of TID (0: the caller) holds CPU. One system call. */
bool pl_may_use(pid_t tid, int cpu);

#endif
