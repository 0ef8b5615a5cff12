// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Affinity calls of the program, and questions that the C library answers from the caller's mask.
 * The mask it is told of must be its own, so the kernel is asked with that one in force; the answer
 * is never made up here.
 */
#include "intercept/around.h"

/*
 * The hooks' word for a thread: 0 the caller, else -1, some other of this process: the C library
 * tells no thread's id before version 2.42.
 */
static inline pid_t tid_of(pthread_t thread)
{
	return pthread_equal(thread, pthread_self()) ? 0 : -1;
}

/* A negative PID is the kernel's to refuse, and would mean something else to the hooks. */
#define SET_AFFINITY(pid, call)                                                                    \
	({                                                                                         \
		int r_;                                                                            \
                                                                                                   \
		if ((pid) >= 0)                                                                    \
			pl_hook_affinity_change(pid);                                              \
		r_ = (call);                                                                       \
		if ((pid) >= 0)                                                                    \
			pl_hook_affinity_changed(pid, !r_);                                        \
		r_;                                                                                \
	})

#define SET_THREAD_AFFINITY(thread, call)                                                          \
	({                                                                                         \
		pid_t tid_ = tid_of(thread);                                                       \
		int r_;                                                                            \
                                                                                                   \
		pl_hook_affinity_change(tid_);                                                     \
		r_ = (call);                                                                       \
		pl_hook_affinity_changed(tid_, !r_);                                               \
		r_;                                                                                \
	})

/* TID in the hooks' words. */
#define ASK(tid, call)                                                                             \
	({                                                                                         \
		pid_t tid_ = (tid);                                                                \
                                                                                                   \
		pl_hook_affinity_query(tid_);                                                      \
		__auto_type r_ = (call);                                                           \
		pl_hook_affinity_queried(tid_);                                                    \
		r_;                                                                                \
	})

static int set_affinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	return SET_AFFINITY(pid, NEXT(sched_setaffinity)(pid, size, set));
}
PL_EXPORT_DEFAULT(set_affinity, sched_setaffinity, "GLIBC_2.3.4");

static int get_affinity(pid_t pid, size_t size, cpu_set_t *set)
{
	if (pid < 0)
		return NEXT(sched_getaffinity)(pid, size, set);
	return ASK(pid, NEXT(sched_getaffinity)(pid, size, set));
}
PL_EXPORT_DEFAULT(get_affinity, sched_getaffinity, "GLIBC_2.3.4");

static int thread_set_affinity(pthread_t thread, size_t size, const cpu_set_t *set)
{
	return SET_THREAD_AFFINITY(thread, NEXT(pthread_setaffinity_np)(thread, size, set));
}
/* Moved from one library to another, the names were given new versions of the same function. */
PL_EXPORT_MIDDLE(thread_set_affinity, pthread_setaffinity_np, "GLIBC_2.3.4");
PL_EXPORT_DEFAULT(thread_set_affinity, pthread_setaffinity_np, "GLIBC_2.34");

static int thread_get_affinity(pthread_t thread, size_t size, cpu_set_t *set)
{
	return ASK(tid_of(thread), NEXT(pthread_getaffinity_np)(thread, size, set));
}
PL_EXPORT_MIDDLE(thread_get_affinity, pthread_getaffinity_np, "GLIBC_2.3.4");
PL_EXPORT_DEFAULT(thread_get_affinity, pthread_getaffinity_np, "GLIBC_2.32");

#if PL_HAS_OLD_ABI
/* The first versions took no length: a set of 1024 CPUs is meant. */
static int old_set_affinity(pid_t pid, const cpu_set_t *set)
{
	return SET_AFFINITY(pid, NEXT(old_sched_setaffinity)(pid, set));
}
PL_EXPORT_OLD(old_set_affinity, sched_setaffinity, "GLIBC_2.3.3");

static int old_get_affinity(pid_t pid, cpu_set_t *set)
{
	if (pid < 0)
		return NEXT(old_sched_getaffinity)(pid, set);
	return ASK(pid, NEXT(old_sched_getaffinity)(pid, set));
}
PL_EXPORT_OLD(old_get_affinity, sched_getaffinity, "GLIBC_2.3.3");

static int old_thread_set_affinity(pthread_t thread, const cpu_set_t *set)
{
	return SET_THREAD_AFFINITY(thread, NEXT(old_pthread_setaffinity)(thread, set));
}
PL_EXPORT_OLD(old_thread_set_affinity, pthread_setaffinity_np, "GLIBC_2.3.3");

static int old_thread_get_affinity(pthread_t thread, cpu_set_t *set)
{
	return ASK(tid_of(thread), NEXT(old_pthread_getaffinity)(thread, set));
}
PL_EXPORT_OLD(old_thread_get_affinity, pthread_getaffinity_np, "GLIBC_2.3.3");
#endif

/* The attributes of a running thread include its mask. */
PL_EXPORT int pthread_getattr_np(pthread_t thread, pthread_attr_t *attr)
{
	return ASK(tid_of(thread), NEXT(pthread_getattr_np)(thread, attr));
}

PL_EXPORT int get_nprocs(void)
{
	return ASK(0, NEXT(get_nprocs)());
}

PL_EXPORT long sysconf(int name)
{
	if (name == _SC_NPROCESSORS_ONLN)
		return ASK(0, NEXT(sysconf)(name));
	return NEXT(sysconf)(name);
}

PL_EXPORT long __sysconf(int name)
{
	if (name == _SC_NPROCESSORS_ONLN)
		return ASK(0, NEXT(__sysconf)(name));
	return NEXT(__sysconf)(name);
}
