// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Creation, end and join of threads. A new thread starts in a trampoline, so that its end is seen
 * whichever way it comes. Must not allocate: the records lie in a fixed pool, and a thread that
 * finds none starts without trampoline.
 */
#include "intercept/around.h"

#include <string.h>

#define NR_STARTS      256
#define ATTR_MASK_SIZE 512 /* bytes: 4096 CPUs */

struct start {
	_Atomic uint32_t used; /* taken by the creator, given back by the new thread */
	bool pinned;	       /* the program chose its affinity */
	union {
		void *(*posix)(void *);
		thrd_start_t c11;
	} run;
	void *arg;
};

static struct start starts[NR_STARTS];

static struct start *start_get(void)
{
	struct start *s;

	for (s = starts; s < starts + NR_STARTS; s++) {
		uint32_t unused = 0;

		if (!pl_get(&s->used) &&
		    atomic_compare_exchange_strong_explicit(
			    &s->used, &unused, 1, memory_order_acquire, memory_order_relaxed))
			return s;
	}
	return NULL;
}

static void start_put(struct start *s)
{
	pl_set_release(&s->used, 0);
}

static void thread_end(void *unused)
{
	(void)unused;
	pl_hook_thread_exit();
}

static void *posix_thread(void *arg)
{
	struct start s;
	void *ret;

	memcpy(&s, arg, sizeof(s));
	start_put(arg);
	pl_hook_thread_begin(s.pinned);
	pthread_cleanup_push(thread_end, NULL);
	ret = s.run.posix(s.arg);
	pthread_cleanup_pop(1);
	return ret;
}

static int c11_thread(void *arg)
{
	struct start s;
	int ret;

	memcpy(&s, arg, sizeof(s));
	start_put(arg);
	pl_hook_thread_begin(s.pinned);
	pthread_cleanup_push(thread_end, NULL);
	ret = s.run.c11(s.arg);
	pthread_cleanup_pop(1);
	return ret;
}

static _Atomic bool default_pins; /* the attributes of threads made without any name a mask */

/* An attribute object without a mask answers all ones, which as a mask would mean the same. */
static bool attr_pins(const pthread_attr_t *attr)
{
	unsigned long mask[ATTR_MASK_SIZE / sizeof(unsigned long)];
	size_t i;

	if (!attr)
		return pl_get(&default_pins);
	if (pthread_attr_getaffinity_np(attr, sizeof(mask), (cpu_set_t *)mask))
		return true;
	for (i = 0; i < PL_ARRAY_SIZE(mask); i++)
		if (mask[i] != ~0UL)
			return true;
	return false;
}

PL_EXPORT int pthread_setattr_default_np(const pthread_attr_t *attr)
{
	int ret = NEXT(pthread_setattr_default_np)(attr);

	if (!ret)
		pl_set(&default_pins, attr_pins(attr));
	return ret;
}

PL_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			     void *arg)
{
	struct start *s;
	int ret;

	/* See process.c: fork is to find everything bound. */
	pl_next_bind_all();
	if (!pl_member_enter())
		return NEXT(pthread_create)(thread, attr, run, arg);
	pl_hook_thread_coming();
	s = start_get();
	if (s) {
		s->pinned = attr_pins(attr);
		s->run.posix = run;
		s->arg = arg;
		ret = NEXT(pthread_create)(thread, attr, posix_thread, s);
		if (ret)
			start_put(s);
	} else {
		ret = NEXT(pthread_create)(thread, attr, run, arg);
	}
	if (ret)
		pl_hook_thread_failed();
	else
		pl_hook_thread_created();
	return ret;
}

PL_EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *arg)
{
	struct start *s;
	int ret;

	pl_next_bind_all();
	if (!pl_member_enter())
		return NEXT(thrd_create)(thread, run, arg);
	pl_hook_thread_coming();
	s = start_get();
	if (s) {
		s->pinned = attr_pins(NULL);
		s->run.c11 = run;
		s->arg = arg;
		ret = NEXT(thrd_create)(thread, c11_thread, s);
		if (ret != thrd_success)
			start_put(s);
	} else {
		ret = NEXT(thrd_create)(thread, run, arg);
	}
	if (ret != thrd_success)
		pl_hook_thread_failed();
	else
		pl_hook_thread_created();
	return ret;
}

PL_EXPORT int pthread_join(pthread_t thread, void **result)
{
	return PL_WAIT(NEXT(pthread_join)(thread, result));
}

PL_EXPORT int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
	return PL_WAIT(NEXT(pthread_timedjoin_np)(thread, result, until));
}

PL_EXPORT int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
				   const struct timespec *until)
{
	return PL_WAIT(NEXT(pthread_clockjoin_np)(thread, result, clock, until));
}

PL_EXPORT int thrd_join(thrd_t thread, int *result)
{
	return PL_WAIT(NEXT(thrd_join)(thread, result));
}
