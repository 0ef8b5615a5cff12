// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/* Waits for time, for signals and for children: only that the thread waits is told. */
#include "intercept/around.h"

PL_EXPORT int nanosleep(const struct timespec *time, struct timespec *left)
{
	return PL_WAIT(NEXT(nanosleep)(time, left));
}

PL_EXPORT int __nanosleep(const struct timespec *time, struct timespec *left)
{
	return PL_WAIT(NEXT(__nanosleep)(time, left));
}

PL_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
			      struct timespec *left)
{
	return PL_WAIT(NEXT(clock_nanosleep)(clock, flags, time, left));
}

PL_EXPORT int usleep(useconds_t us)
{
	return PL_WAIT(NEXT(usleep)(us));
}

PL_EXPORT unsigned int sleep(unsigned int seconds)
{
	return PL_WAIT(NEXT(sleep)(seconds));
}

PL_EXPORT int thrd_sleep(const struct timespec *time, struct timespec *left)
{
	return PL_WAIT(NEXT(thrd_sleep)(time, left));
}

PL_EXPORT int pause(void)
{
	return PL_WAIT(NEXT(pause)());
}

PL_EXPORT int sigsuspend(const sigset_t *set)
{
	return PL_WAIT(NEXT(sigsuspend)(set));
}

PL_EXPORT int __sigsuspend(const sigset_t *set)
{
	return PL_WAIT(NEXT(__sigsuspend)(set));
}

PL_EXPORT int sigwait(const sigset_t *set, int *sig)
{
	return PL_WAIT(NEXT(sigwait)(set, sig));
}

PL_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return PL_WAIT(NEXT(sigwaitinfo)(set, info));
}

PL_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	return PL_WAIT(NEXT(sigtimedwait)(set, info, timeout));
}

PL_EXPORT pid_t wait(int *status)
{
	return PL_WAIT(NEXT(wait)(status));
}

PL_EXPORT pid_t __wait(int *status)
{
	return PL_WAIT(NEXT(__wait)(status));
}

PL_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	if (options & WNOHANG)
		return NEXT(waitpid)(pid, status, options);
	return PL_WAIT(NEXT(waitpid)(pid, status, options));
}

PL_EXPORT pid_t __waitpid(pid_t pid, int *status, int options)
{
	if (options & WNOHANG)
		return NEXT(__waitpid)(pid, status, options);
	return PL_WAIT(NEXT(__waitpid)(pid, status, options));
}

PL_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	if (options & WNOHANG)
		return NEXT(wait3)(status, options, usage);
	return PL_WAIT(NEXT(wait3)(status, options, usage));
}

PL_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	if (options & WNOHANG)
		return NEXT(wait4)(pid, status, options, usage);
	return PL_WAIT(NEXT(wait4)(pid, status, options, usage));
}

PL_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	if (options & WNOHANG)
		return NEXT(waitid)(type, id, info, options);
	return PL_WAIT(NEXT(waitid)(type, id, info, options));
}
