// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Condition variables, both ABIs of POSIX and C11. The old ABI's object is a pointer where the new
 * one's is 48 bytes: a call must go on to the definition of its own version, never to the other.
 */
#include "intercept/around.h"

/*
 * A wait gives the mutex back first, inside the C library where pthread_mutex_unlock() does not see
 * it. The address is only a name: whichever ABI, it is not looked into.
 */
#define COND_WAIT(cond, mutex, call)                                                               \
	({                                                                                         \
		pl_hook_unlock(mutex);                                                             \
		pl_member_enter() ? PL_WAIT_ADDR_CANCEL(cond, call) : (call);                      \
	})

static int cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	return COND_WAIT(cond, mutex, NEXT(pthread_cond_wait)(cond, mutex));
}
PL_EXPORT_DEFAULT(cond_wait, pthread_cond_wait, "GLIBC_2.3.2");

static int cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
			  const struct timespec *until)
{
	return COND_WAIT(cond, mutex, NEXT(pthread_cond_timedwait)(cond, mutex, until));
}
PL_EXPORT_DEFAULT(cond_timedwait, pthread_cond_timedwait, "GLIBC_2.3.2");

static int cond_signal(pthread_cond_t *cond)
{
	pl_hook_wake_addr(cond);
	return NEXT(pthread_cond_signal)(cond);
}
PL_EXPORT_DEFAULT(cond_signal, pthread_cond_signal, "GLIBC_2.3.2");

static int cond_broadcast(pthread_cond_t *cond)
{
	pl_hook_wake_addr(cond);
	return NEXT(pthread_cond_broadcast)(cond);
}
PL_EXPORT_DEFAULT(cond_broadcast, pthread_cond_broadcast, "GLIBC_2.3.2");

#if PL_HAS_OLD_ABI
static int old_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	return COND_WAIT(cond, mutex, NEXT(old_cond_wait)(cond, mutex));
}
PL_EXPORT_OLD(old_cond_wait, pthread_cond_wait, "GLIBC_2.2.5");

static int old_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
			      const struct timespec *until)
{
	return COND_WAIT(cond, mutex, NEXT(old_cond_timedwait)(cond, mutex, until));
}
PL_EXPORT_OLD(old_cond_timedwait, pthread_cond_timedwait, "GLIBC_2.2.5");

static int old_cond_signal(pthread_cond_t *cond)
{
	pl_hook_wake_addr(cond);
	return NEXT(old_cond_signal)(cond);
}
PL_EXPORT_OLD(old_cond_signal, pthread_cond_signal, "GLIBC_2.2.5");

static int old_cond_broadcast(pthread_cond_t *cond)
{
	pl_hook_wake_addr(cond);
	return NEXT(old_cond_broadcast)(cond);
}
PL_EXPORT_OLD(old_cond_broadcast, pthread_cond_broadcast, "GLIBC_2.2.5");
#endif

PL_EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
				     const struct timespec *until)
{
	return COND_WAIT(cond, mutex, NEXT(pthread_cond_clockwait)(cond, mutex, clock, until));
}

PL_EXPORT int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
	return COND_WAIT(cond, mutex, NEXT(cnd_wait)(cond, mutex));
}

PL_EXPORT int cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *until)
{
	return COND_WAIT(cond, mutex, NEXT(cnd_timedwait)(cond, mutex, until));
}

PL_EXPORT int cnd_signal(cnd_t *cond)
{
	pl_hook_wake_addr(cond);
	return NEXT(cnd_signal)(cond);
}

PL_EXPORT int cnd_broadcast(cnd_t *cond)
{
	pl_hook_wake_addr(cond);
	return NEXT(cnd_broadcast)(cond);
}
