// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The four memory functions that compilers call by themselves, local to libplace.so: runtimes of
// sanitizers replace those of the C library by some that look for thread-local storage, and the
// balancer has none. They move masks of 512 bytes, seldom.
#include <stddef.h>

/* Declared here: headers may define them as macros of something else. */
void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);

/* volatile: or the compiler makes a call of the very function out of the loop. */
static void forward(volatile unsigned char *to, const volatile unsigned char *from, size_t n)
{
#if defined(__x86_64__)
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
#else
	while (n--)
		*to++ = *from++;
#endif
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	forward(to, from, n);
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	volatile unsigned char *t = to;
	const volatile unsigned char *f = from;

	if (t <= f || t >= f + n)
		forward(t, f, n);
	else
		while (n--)
			t[n] = f[n];
	return to;
}

void *memset(void *to, int c, size_t n)
{
	volatile unsigned char *t = to;

#if defined(__x86_64__)
	__asm__ volatile("rep stosb" : "+D"(t), "+c"(n) : "a"(c) : "memory");
#else
	while (n--)
		*t++ = (unsigned char)c;
#endif
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const volatile unsigned char *x = a, *y = b;

	for (; n; n--, x++, y++)
		if (*x != *y)
			return *x < *y ? -1 : 1;
	return 0;
}
