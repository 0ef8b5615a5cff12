// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Mutexes. A lock is tried first, so a free one costs no more than the try; only one that is taken
 * is a wait. Errors are always those of the call that was made.
 */
#include "intercept/around.h"

/* RET: what trying to lock MUTEX answered, other than success. */
PL_COLD static int lock_taken(pthread_mutex_t *mutex, int ret)
{
	if (ret == EOWNERDEAD)
		return ret;
	if (ret != EBUSY)
		return NEXT(pthread_mutex_lock)(mutex);
	return PL_WAIT_ADDR(mutex, NEXT(pthread_mutex_lock)(mutex));
}

PL_HOT PL_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int ret;

	/* With one thread the C library needs no atomic instruction, and nobody can wait. */
	if (pl_single_threaded() || !pl_member_enter())
		return NEXT(pthread_mutex_lock)(mutex);
	ret = NEXT(pthread_mutex_trylock)(mutex);
	return pl_likely(!ret) ? ret : lock_taken(mutex, ret);
}

PL_EXPORT int __pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int ret;

	if (pl_single_threaded() || !pl_member_enter())
		return NEXT(__pthread_mutex_lock)(mutex);
	ret = NEXT(pthread_mutex_trylock)(mutex);
	return pl_likely(!ret) ? ret : lock_taken(mutex, ret);
}

#if !__GLIBC_PREREQ(2, 34)
/*
 * No wait, and only here because a lookup may call an allocator (see next.c): what that locks with
 * this it unlocks with pthread_mutex_unlock(), and both have to be stood in for, or neither.
 */
PL_EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	return NEXT(pthread_mutex_trylock)(mutex);
}
#endif

/* Trying first would hide an error in the clock or the time, which these check first. */
PL_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	return PL_WAIT_ADDR(mutex, NEXT(pthread_mutex_timedlock)(mutex, until));
}

PL_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
				      const struct timespec *until)
{
	return PL_WAIT_ADDR(mutex, NEXT(pthread_mutex_clocklock)(mutex, clock, until));
}

PL_HOT PL_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	pl_hook_unlock(mutex);
	return NEXT(pthread_mutex_unlock)(mutex);
}

PL_EXPORT int __pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	pl_hook_unlock(mutex);
	return NEXT(__pthread_mutex_unlock)(mutex);
}

PL_EXPORT int mtx_lock(mtx_t *mutex)
{
	int ret;

	if (pl_single_threaded() || !pl_member_enter())
		return NEXT(mtx_lock)(mutex);
	ret = NEXT(mtx_trylock)(mutex);
	if (pl_likely(ret == thrd_success))
		return ret;
	if (ret != thrd_busy)
		return NEXT(mtx_lock)(mutex);
	return PL_WAIT_ADDR(mutex, NEXT(mtx_lock)(mutex));
}

PL_EXPORT int mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
	return PL_WAIT_ADDR(mutex, NEXT(mtx_timedlock)(mutex, until));
}

PL_EXPORT int mtx_unlock(mtx_t *mutex)
{
	pl_hook_unlock(mutex);
	return NEXT(mtx_unlock)(mutex);
}
