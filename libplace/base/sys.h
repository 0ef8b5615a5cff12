/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * System calls of libplace itself, made by instruction: they pass no interposed name, leave errno
 * alone and answer a negative errno as the kernel does.
 */
#ifndef PL_BASE_SYS_H
#define PL_BASE_SYS_H

#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

#ifndef SYS_close_range /* the C library of Debian 11 does not know it */
#define SYS_close_range 436
#endif

/* Makes system call NR with up to six arguments; 0 or more on success, else a negative errno.
 * MT-safe, async-signal-safe. */
static inline long pl_sys6(long nr, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	long ret;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#else
#error "libplace supports x86-64 and aarch64"
#endif
}

#define pl_sys0(nr)		pl_sys6((nr), 0, 0, 0, 0, 0, 0)
#define pl_sys1(nr, a)		pl_sys6((nr), (long)(a), 0, 0, 0, 0, 0)
#define pl_sys2(nr, a, b)	pl_sys6((nr), (long)(a), (long)(b), 0, 0, 0, 0)
#define pl_sys3(nr, a, b, c)	pl_sys6((nr), (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define pl_sys4(nr, a, b, c, d) pl_sys6((nr), (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define pl_sys5(nr, a, b, c, d, e)                                                                 \
	pl_sys6((nr), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

#endif
