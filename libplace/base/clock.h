/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The one clock of all decisions: CLOCK_MONOTONIC in ns, the same in every process of a segment. */
#ifndef PL_BASE_CLOCK_H
#define PL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "base/sys.h"

#define PL_NS_PER_MS 1000000ull
#define PL_NS_PER_S  1000000000ull

/*
 * Nanoseconds of CLOCK_MONOTONIC, as the kernel keeps it: through the vDSO (24 ns where measured, a
 * system call 1,090), but not through the C library's call, which may be another preload's that
 * fakes the time for the program. MT-safe, callable inside a hook; errno is not touched.
 */
uint64_t pl_now_ns(void);

/* The same by system call, for a thread without thread-local storage: a preloaded library that
 * replaces clock_gettime() would look for some. */
static inline uint64_t pl_now_sys_ns(void)
{
	struct timespec ts = {0};

	pl_sys2(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * PL_NS_PER_S + (uint64_t)ts.tv_nsec;
}

#endif
