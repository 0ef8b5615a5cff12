/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The snapshot of two tasks on which the pair rule (R4, R4s) decides. */
#ifndef PL_APPLY_PAIR_VIEW_H
#define PL_APPLY_PAIR_VIEW_H

#include "decide/reciprocal.h"

/*
 * What is known of W, the caller's task, and P at NOW_NS into *V. Two system calls. False when a
 * CPU of theirs is not in the model: its capacity is 0 then. MT-safe.
 */
bool pl_pair_view(struct pl_segment *seg, const struct pl_task *w, const struct pl_task *p,
		  uint64_t now_ns, struct pl_pair_view *v);

/* Of that, what pl_reciprocal_hold() looks at. No system call. */
void pl_pair_view_hold(const struct pl_task *w, const struct pl_task *p, struct pl_pair_view *v);

#endif
