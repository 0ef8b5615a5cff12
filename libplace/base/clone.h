/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * clone(2) by instruction: clone() of the C library may be another's by then (runtimes of
 * sanitizers replace it), which would look for thread-local storage in the child.
 */
#ifndef PL_BASE_CLONE_H
#define PL_BASE_CLONE_H

#include "base/compiler.h"

/*
 * The child calls FN(ARG) on the stack that ends at STACK and ends with what FN returns. FLAGS,
 * PTID, TLS and CTID as in clone(2); FLAGS must not lack both CLONE_VM and a way to its own stack.
 * Returns the child's id, or a negative errno. Keeps errno; async-signal-safe.
 */
PL_HIDDEN long pl_clone(int (*fn)(void *), void *stack, unsigned long flags, void *arg, int *ptid,
			void *tls, int *ctid);

#endif
