// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Read-write locks, tried first as mutexes are, and barriers. The lock's own state is never looked
 * at: it differs between C libraries.
 */
#include "intercept/around.h"

PL_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	int ret;

	if (pl_single_threaded() || !pl_member_enter())
		return NEXT(pthread_rwlock_rdlock)(lock);
	ret = NEXT(pthread_rwlock_tryrdlock)(lock);
	if (pl_likely(!ret))
		return ret;
	if (ret != EBUSY)
		return NEXT(pthread_rwlock_rdlock)(lock);
	return PL_WAIT_ADDR(lock, NEXT(pthread_rwlock_rdlock)(lock));
}

PL_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	int ret;

	if (pl_single_threaded() || !pl_member_enter())
		return NEXT(pthread_rwlock_wrlock)(lock);
	ret = NEXT(pthread_rwlock_trywrlock)(lock);
	if (pl_likely(!ret))
		return ret;
	if (ret != EBUSY)
		return NEXT(pthread_rwlock_wrlock)(lock);
	return PL_WAIT_ADDR(lock, NEXT(pthread_rwlock_wrlock)(lock));
}

/* Trying first would hide a bad time, which the C library reports also when the lock is free. */
PL_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	return PL_WAIT_ADDR(lock, NEXT(pthread_rwlock_timedrdlock)(lock, until));
}

PL_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	return PL_WAIT_ADDR(lock, NEXT(pthread_rwlock_timedwrlock)(lock, until));
}

PL_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
					 const struct timespec *until)
{
	return PL_WAIT_ADDR(lock, NEXT(pthread_rwlock_clockrdlock)(lock, clock, until));
}

PL_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
					 const struct timespec *until)
{
	return PL_WAIT_ADDR(lock, NEXT(pthread_rwlock_clockwrlock)(lock, clock, until));
}

PL_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	pl_hook_unlock(lock);
	return NEXT(pthread_rwlock_unlock)(lock);
}

/* Each arrival may be the one that wakes all, and every thread leaves with the wake-up. */
PL_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	struct pl_queue *q;
	int ret;

	pl_hook_wake_addr(barrier);
	q = pl_hook_wait_addr_begin(barrier);
	ret = NEXT(pthread_barrier_wait)(barrier);
	pl_hook_wait_addr_end(barrier, q, true);
	return ret;
}
