/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* --numa=follow: the stack and the thread-local storage of a moved thread come after it. */
#ifndef PL_APPLY_MEMORY_FOLLOW_H
#define PL_APPLY_MEMORY_FOLLOW_H

#include <stddef.h>
#include <stdint.h>

/* Pages moved: those of the thread's control block and thread-local storage, and of the upper end
 * of the stack below it. */
#define PL_FOLLOW_PAGES 64

/*
 * Moves the pages around the thread pointer TP of a thread of this process to NODE. Pages that are
 * not there, or may not be moved, stay. Nothing is done when the program set a memory policy (for
 * the calling thread, which is the balancer and inherited it). Returns the number of pages on NODE
 * afterwards, or a negative errno. Two system calls of up to some 100 us; no allocation.
 */
int pl_memory_follow(uintptr_t tp, int node);

#endif
