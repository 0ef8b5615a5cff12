// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Semaphores. A wait is not tried first, as sem_wait() is a cancellation point also when the
 * semaphore is free and sem_trywait() never is. sem_post() may run in a signal handler.
 */
#include "intercept/around.h"

#define SEM_WAIT(sem, call) (pl_member_enter() ? PL_WAIT_ADDR_CANCEL(sem, call) : (call))

PL_HOT PL_EXPORT int sem_wait(sem_t *sem)
{
	return SEM_WAIT(sem, NEXT(sem_wait)(sem));
}

PL_EXPORT int sem_timedwait(sem_t *sem, const struct timespec *until)
{
	return SEM_WAIT(sem, NEXT(sem_timedwait)(sem, until));
}

PL_EXPORT int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until)
{
	return SEM_WAIT(sem, NEXT(sem_clockwait)(sem, clock, until));
}

PL_EXPORT int sem_trywait(sem_t *sem)
{
	int ret = NEXT(sem_trywait)(sem);

	if (!ret && pl_member_enter())
		pl_hook_consume(pl_hook_addr(sem));
	return ret;
}

PL_HOT PL_EXPORT int sem_post(sem_t *sem)
{
	pl_hook_wake_addr(sem);
	return NEXT(sem_post)(sem);
}
