// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Calls in which the C library itself makes a thread or a process, by paths that pass no other name
 * of ours: what is born there inherits the caller's mask, and a helper thread keeps it for ever. So
 * the caller gets the program's mask back first, as in process.c.
 */
#include "intercept/around.h"

PL_EXPORT int wordexp(const char *words, wordexp_t *out, int flags)
{
	pl_hook_before_child();
	return NEXT(wordexp)(words, out, flags);
}

/*
 * Before 2.34 these are in libraries that may be loaded later, and call pthread_create() where we
 * see it.
 */
#if __GLIBC_PREREQ(2, 34)
static int make_timer(clockid_t clock, struct sigevent *event, timer_t *timer)
{
	pl_hook_before_child();
	return NEXT(timer_create)(clock, event, timer);
}
PL_EXPORT_MIDDLE(make_timer, timer_create, "GLIBC_2.3.3");
PL_EXPORT_DEFAULT(make_timer, timer_create, "GLIBC_2.34");

PL_EXPORT int mq_notify(mqd_t mq, const struct sigevent *event)
{
	pl_hook_before_child();
	return NEXT(mq_notify)(mq, event);
}

PL_EXPORT int getaddrinfo_a(int mode, struct gaicb *list[], int n, struct sigevent *event)
{
	pl_hook_before_child();
	return NEXT(getaddrinfo_a)(mode, list, n, event);
}

PL_EXPORT int aio_read(struct aiocb *op)
{
	pl_hook_before_child();
	return NEXT(aio_read)(op);
}

PL_EXPORT int aio_read64(struct aiocb64 *op)
{
	pl_hook_before_child();
	return NEXT(aio_read64)(op);
}

PL_EXPORT int aio_write(struct aiocb *op)
{
	pl_hook_before_child();
	return NEXT(aio_write)(op);
}

PL_EXPORT int aio_write64(struct aiocb64 *op)
{
	pl_hook_before_child();
	return NEXT(aio_write64)(op);
}

PL_EXPORT int aio_fsync(int how, struct aiocb *op)
{
	pl_hook_before_child();
	return NEXT(aio_fsync)(how, op);
}

PL_EXPORT int aio_fsync64(int how, struct aiocb64 *op)
{
	pl_hook_before_child();
	return NEXT(aio_fsync64)(how, op);
}

static int list_io(int mode, struct aiocb *const list[], int n, struct sigevent *event)
{
	pl_hook_before_child();
	return NEXT(lio_listio)(mode, list, n, event);
}
PL_EXPORT_MIDDLE(list_io, lio_listio, "GLIBC_2.4");
PL_EXPORT_DEFAULT(list_io, lio_listio, "GLIBC_2.34");

static int list_io64(int mode, struct aiocb64 *const list[], int n, struct sigevent *event)
{
	pl_hook_before_child();
	return NEXT(lio_listio64)(mode, list, n, event);
}
PL_EXPORT_MIDDLE(list_io64, lio_listio64, "GLIBC_2.4");
PL_EXPORT_DEFAULT(list_io64, lio_listio64, "GLIBC_2.34");

#if PL_HAS_OLD_ABI
/* A timer's id was an int. */
static int old_make_timer(clockid_t clock, struct sigevent *event, int *timer)
{
	pl_hook_before_child();
	return NEXT(old_timer_create)(clock, event, timer);
}
PL_EXPORT_OLD(old_make_timer, timer_create, "GLIBC_2.2.5");

/* Without an event the first versions sent a signal all the same. */
static int old_list_io(int mode, struct aiocb *const list[], int n, struct sigevent *event)
{
	pl_hook_before_child();
	return NEXT(old_lio_listio)(mode, list, n, event);
}
PL_EXPORT_OLD(old_list_io, lio_listio, "GLIBC_2.2.5");

static int old_list_io64(int mode, struct aiocb64 *const list[], int n, struct sigevent *event)
{
	pl_hook_before_child();
	return NEXT(old_lio_listio64)(mode, list, n, event);
}
PL_EXPORT_OLD(old_list_io64, lio_listio64, "GLIBC_2.2.5");
#endif
#endif
