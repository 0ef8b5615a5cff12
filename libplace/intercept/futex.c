// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * System calls made through syscall(), first of all futex. Must not look through an argument: which
 * of them are pointers differs by operation, and a bad one is the kernel's to report.
 */
#include "intercept/entry.h"

#include <linux/futex.h>
#include <linux/seccomp.h>

#include "intercept/around.h"

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

#define FORWARD() NEXT(syscall)(nr, a, b, c, d, e, f)

static inline const volatile void *address(long arg)
{
	return (const volatile void *)arg;
}

static long futex(long nr, long a, long b, long c, long d, long e, long f)
{
	const volatile void *addr = address(a);
	struct pl_queue *q;
	long ret;

	switch ((int)b & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		q = pl_hook_wait_addr_begin(addr);
		ret = FORWARD();
		/* EAGAIN: the word changed before we slept, so the message was there already. */
		pl_hook_wait_addr_end(addr, q, !ret || (ret < 0 && errno == EAGAIN));
		return ret;
	case FUTEX_WAKE_OP:
		pl_hook_wake_addr(address(e));
		pl_hook_wake_addr(addr);
		return FORWARD();
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_CMP_REQUEUE_PI:
	case FUTEX_UNLOCK_PI:
		pl_hook_wake_addr(addr);
		return FORWARD();
	default:
		return FORWARD();
	}
}

/* RET as returned by a call that opens a descriptor. */
static inline long opened(long ret)
{
	if (ret >= 0)
		pl_hook_fd_changed((int)ret);
	return ret;
}

__attribute__((used)) long pl_syscall_around(long nr, long a, long b, long c, long d, long e,
					     long f)
{
	long ret;

	switch (nr) {
	case SYS_futex:
		return futex(nr, a, b, c, d, e, f);
	case PL_SYS_futex_waitv:
		return PL_WAIT(FORWARD());
	case SYS_close:
		pl_hook_fd_changed((int)a);
		return FORWARD();
	case PL_SYS_close_range:
		pl_hook_fd_range_changed((unsigned int)a, (unsigned int)b);
		if (!((unsigned long)c & PL_CLOSE_RANGE_UNSHARE))
			return FORWARD();
		return PL_ALONE(FORWARD());
	case SYS_dup:
#ifdef SYS_dup2
	case SYS_dup2:
#endif
	case SYS_dup3:
		return opened(FORWARD());
	case SYS_sched_getaffinity:
		if ((pid_t)a < 0)
			return FORWARD();
		pl_hook_affinity_query((pid_t)a);
		ret = FORWARD();
		pl_hook_affinity_queried((pid_t)a);
		return ret;
	case SYS_sched_setaffinity:
		if ((pid_t)a < 0)
			return FORWARD();
		pl_hook_affinity_change((pid_t)a);
		ret = FORWARD();
		pl_hook_affinity_changed((pid_t)a, !ret);
		return ret;
	case SYS_sched_setscheduler:
	case SYS_sched_setparam:
	case SYS_sched_setattr:
		if ((pid_t)a < 0)
			return FORWARD();
		pl_hook_sched_change((pid_t)a);
		ret = FORWARD();
		pl_hook_sched_changed((pid_t)a);
		return ret;
	case SYS_unshare:
	case SYS_setns:
		pl_hook_identity_change();
		ret = FORWARD();
		pl_hook_identity_changed(!ret);
		return ret;
	case SYS_seccomp:
		/* Without a filter it is only asked whether filters exist. */
		if (a == SECCOMP_SET_MODE_STRICT || (a == SECCOMP_SET_MODE_FILTER && c))
			pl_hook_sandbox();
		return FORWARD();
	case SYS_prctl:
		if (a == PR_SET_SECCOMP && (b == SECCOMP_MODE_STRICT || c))
			pl_hook_sandbox();
		return FORWARD();
	default:
		return FORWARD();
	}
}
