/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * The CPU this thread runs on. Not by sched_getcpu(): a program may have a function of that name,
 * and one in wide use (perf) has one that makes a system call.
 */
#ifndef PL_BASE_CPU_H
#define PL_BASE_CPU_H

#include <stddef.h>
#include <stdint.h>

#include "base/sys.h"

/* glibc 2.35 and later register an area that the kernel keeps up to date. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/* What thread-local storage of this thread is addressed by. gcc 10 has the builtin not for x86. */
static inline char *pl_thread_pointer(void)
{
#ifdef __x86_64__
	char *tp;

	__asm__("mov %%fs:0, %0" : "=r"(tp));
	return tp;
#else
	return __builtin_thread_pointer();
#endif
}

/* Where the kernel writes this thread's CPU, good while the thread lives, or NULL. */
static inline const volatile int32_t *pl_cpu_area(void)
{
	if (!&__rseq_size || !__rseq_size)
		return NULL;
	/* struct rseq: cpu_id_start, cpu_id; negative when not registered. */
	return (const volatile int32_t *)(pl_thread_pointer() + __rseq_offset) + 1;
}

/* The CPU from the rseq area, or -1 where there is none. Async-signal-safe, one load. */
static inline int pl_cpu_fast(void)
{
	const volatile int32_t *cpu_id = pl_cpu_area();

	return cpu_id ? *cpu_id : -1;
}

/* The same, by a system call where there is no such area. */
static inline int pl_cpu_now(void)
{
	unsigned int cpu = 0;
	int fast = pl_cpu_fast();

	if (fast >= 0)
		return fast;
	return pl_sys3(SYS_getcpu, &cpu, 0, 0) == 0 ? (int)cpu : 0;
}

#endif
