/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * Asking the kernel for a mask where it may refuse: at most PL_MAX_DENIED refused calls a process,
 * however many threads ask at the same time. Callable inside a hook, and in a thread without
 * thread-local storage. MT-safe.
 */
#ifndef PL_APPLY_ASK_H
#define PL_APPLY_ASK_H

#include <sys/types.h>

#include "domain/member.h"

#define PL_NOT_ASKED 1

/* This process was refused PL_MAX_DENIED times and asks no more. */
bool pl_ask_is_over(void);

/*
 * Before a call: reserves one of the refusals that are left. While calls going on might use all of
 * them up it waits for one to return, for a limited number of system calls. False: do not ask.
 */
bool pl_ask_begin(void);

/* After that call: whether the kernel refused it. */
void pl_ask_end(bool refused);

/*
 * sched_setaffinity(TID, M) between those two. What the kernel said, or PL_NOT_ASKED. ANY: whatever
 * error counts as a refusal; else a thread that has ended and a CPU that went away do not.
 */
long pl_ask_mask(pid_t tid, const struct pl_cpumask *m, bool any);

#endif
