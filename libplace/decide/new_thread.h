/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* R10: where a new thread, or a program after exec, starts. Pure. */
#ifndef PL_DECIDE_NEW_THREAD_H
#define PL_DECIDE_NEW_THREAD_H

#include "decide/reason.h"
#include "decide/snapshot.h"

/*
 * The CPU for a new thread whose parent runs on R->target. PREFERRED_LLC (R11; -1: none) comes
 * first as long as it has an idle core that may be used; then the LLC with most such cores, of
 * those the one with most spare capacity, of those the one nearest to the parent's node, of those
 * the lowest number. In it an idle core, else an idle CPU, by R7 and R8. *OUT is -1 with
 * PL_WHY_NO_IDLE when that LLC has nothing idle: the kernel's choice stands.
 */
void pl_place_new_thread(const struct pl_snapshot *s, const struct pl_request *r, int preferred_llc,
			 struct pl_choice *out);

#endif
