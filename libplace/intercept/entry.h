// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/* What the assembly of entry.c and the C half of syscall() in futex.c share. */
#ifndef PL_INTERCEPT_ENTRY_H
#define PL_INTERCEPT_ENTRY_H

#include "intercept/next.h"

#include <stdint.h>
#include <sys/syscall.h>

/* Younger than the oldest kernel headers we build with; the same on every architecture. */
#define PL_SYS_close_range 436
#define PL_SYS_futex_waitv 449

#define PL_NR_SYSCALLS 512 /* numbers above are passed on */

enum {
	PL_SYSCALL_AROUND = 1, /* returns once: pl_syscall_around() makes the call */
	PL_SYSCALL_BEFORE = 2, /* may return twice: hook, then jump */
};

extern const uint8_t pl_syscall_shape[PL_NR_SYSCALLS] PL_HIDDEN;

/* Entered by a jump from syscall(), with its arguments where the variadic caller put them. */
PL_HIDDEN long pl_syscall_around(long nr, long a, long b, long c, long d, long e, long f);

#endif
