// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Changes of who a process or thread is: sandbox, user and group, namespaces, scheduling class. The
 * hooks are told; whether the change is wise is the program's business.
 */
#include "intercept/around.h"

#include <linux/seccomp.h>
#include <stdarg.h>

/* After a successful CALL the segment we use may be another user's. */
#define NEW_IDENTITY(call)                                                                         \
	({                                                                                         \
		int r_;                                                                            \
                                                                                                   \
		pl_hook_identity_change();                                                         \
		r_ = (call);                                                                       \
		pl_hook_identity_changed(!r_);                                                     \
		r_;                                                                                \
	})

#define NEW_CLASS(tid, call)                                                                       \
	({                                                                                         \
		int r_;                                                                            \
                                                                                                   \
		pl_hook_sched_change(tid);                                                         \
		r_ = (call);                                                                       \
		pl_hook_sched_changed(tid);                                                        \
		r_;                                                                                \
	})

PL_EXPORT int prctl(int option, ...)
{
	unsigned long a, b, c, d;
	va_list ap;

	va_start(ap, option);
	a = va_arg(ap, unsigned long);
	b = va_arg(ap, unsigned long);
	c = va_arg(ap, unsigned long);
	d = va_arg(ap, unsigned long);
	va_end(ap);
	/* Without a filter it is only asked whether filters exist. */
	if (option == PR_SET_SECCOMP && (a == SECCOMP_MODE_STRICT || b))
		pl_hook_sandbox();
	return NEXT(prctl)(option, a, b, c, d);
}

PL_EXPORT int unshare(int flags)
{
	return NEW_IDENTITY(NEXT(unshare)(flags));
}

PL_EXPORT int setns(int fd, int type)
{
	return NEW_IDENTITY(NEXT(setns)(fd, type));
}

PL_EXPORT int setuid(uid_t uid)
{
	return NEW_IDENTITY(NEXT(setuid)(uid));
}

PL_EXPORT int seteuid(uid_t uid)
{
	return NEW_IDENTITY(NEXT(seteuid)(uid));
}

PL_EXPORT int setreuid(uid_t real, uid_t effective)
{
	return NEW_IDENTITY(NEXT(setreuid)(real, effective));
}

PL_EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	return NEW_IDENTITY(NEXT(setresuid)(real, effective, saved));
}

PL_EXPORT int setgid(gid_t gid)
{
	return NEW_IDENTITY(NEXT(setgid)(gid));
}

PL_EXPORT int setegid(gid_t gid)
{
	return NEW_IDENTITY(NEXT(setegid)(gid));
}

PL_EXPORT int setregid(gid_t real, gid_t effective)
{
	return NEW_IDENTITY(NEXT(setregid)(real, effective));
}

PL_EXPORT int setresgid(gid_t real, gid_t effective, gid_t saved)
{
	return NEW_IDENTITY(NEXT(setresgid)(real, effective, saved));
}

PL_EXPORT int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
	if (pid < 0)
		return NEXT(sched_setscheduler)(pid, policy, param);
	return NEW_CLASS(pid, NEXT(sched_setscheduler)(pid, policy, param));
}

PL_EXPORT int __sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
	if (pid < 0)
		return NEXT(__sched_setscheduler)(pid, policy, param);
	return NEW_CLASS(pid, NEXT(__sched_setscheduler)(pid, policy, param));
}

PL_EXPORT int sched_setparam(pid_t pid, const struct sched_param *param)
{
	if (pid < 0)
		return NEXT(sched_setparam)(pid, param);
	return NEW_CLASS(pid, NEXT(sched_setparam)(pid, param));
}

#if __GLIBC_PREREQ(2, 41)
PL_EXPORT int sched_setattr(pid_t pid, struct sched_attr *attr, unsigned int flags)
{
	if (pid < 0)
		return NEXT(sched_setattr)(pid, attr, flags);
	return NEW_CLASS(pid, NEXT(sched_setattr)(pid, attr, flags));
}
#endif

/* As in affinity.c: 0 the caller, -1 some other thread of this process. */
static inline pid_t tid_of(pthread_t thread)
{
	return pthread_equal(thread, pthread_self()) ? 0 : -1;
}

PL_EXPORT int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param)
{
	return NEW_CLASS(tid_of(thread), NEXT(pthread_setschedparam)(thread, policy, param));
}

PL_EXPORT int pthread_setschedprio(pthread_t thread, int priority)
{
	return NEW_CLASS(tid_of(thread), NEXT(pthread_setschedprio)(thread, priority));
}
