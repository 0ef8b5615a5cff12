/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * Pairs that the program names: held from the start, verified later by the probes of every held
 * pair. Who named a partner is paired with nobody else.
 */
#ifndef PL_APPLY_EXPLICIT_H
#define PL_APPLY_EXPLICIT_H

#include "domain/member.h"

/*
 * Notes that the calling thread wants the thread TID as its partner, 0: none any more. With TRUST
 * their pair is not verified. Where the partner is of another process both must name each other,
 * and trust takes both.
 */
void pl_explicit_name(struct pl_tls *t, int32_t tid, bool trust, uint64_t now_ns);

/*
 * Forms the pair of the calling thread, which named a partner and is in no pair, and orders both to
 * be bound. R4: pl_reciprocal_named(). T->busy held; makes system calls. True when another try soon
 * would find the same.
 */
bool pl_explicit_entry(struct pl_tls *t, struct pl_segment *seg, uint64_t now_ns);

/* Whether OTHER named a thread that is not TASK's. */
static inline bool pl_explicit_is_promised(const struct pl_task *task, const struct pl_task *other)
{
	int32_t named = pl_get(&other->named);

	return named && named != pl_get(&task->tid);
}

#endif
