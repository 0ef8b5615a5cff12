// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/* Yields: a thread that spins on them waits for somebody; they are counted for reports. */
#include "intercept/around.h"

PL_EXPORT int sched_yield(void)
{
	pl_hook_yield();
	return NEXT(sched_yield)();
}

PL_EXPORT int __sched_yield(void)
{
	pl_hook_yield();
	return NEXT(__sched_yield)();
}

PL_EXPORT void thrd_yield(void)
{
	pl_hook_yield();
	NEXT(thrd_yield)();
}
