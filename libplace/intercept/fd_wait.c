// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Waits for several descriptors. Which of them woke the thread shows at its next read, so these
 * only say that it waits; a call that may not wait passes straight through.
 */
#include "intercept/around.h"

static inline bool waits(const struct timespec *timeout)
{
	return !timeout || timeout->tv_sec || timeout->tv_nsec;
}

PL_EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	return timeout ? PL_WAIT(NEXT(poll)(fds, n, timeout)) : NEXT(poll)(fds, n, timeout);
}

PL_EXPORT int __poll(struct pollfd *fds, nfds_t n, int timeout)
{
	return timeout ? PL_WAIT(NEXT(__poll)(fds, n, timeout)) : NEXT(__poll)(fds, n, timeout);
}

PL_EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
	return timeout ? PL_WAIT(NEXT(__poll_chk)(fds, n, timeout, room))
		       : NEXT(__poll_chk)(fds, n, timeout, room);
}

/* The C library itself reads the time-outs of these three, so a bad pointer fails there too. */
PL_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		    const sigset_t *set)
{
	return waits(timeout) ? PL_WAIT(NEXT(ppoll)(fds, n, timeout, set))
			      : NEXT(ppoll)(fds, n, timeout, set);
}

PL_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
			  const sigset_t *set, size_t room)
{
	return waits(timeout) ? PL_WAIT(NEXT(__ppoll_chk)(fds, n, timeout, set, room))
			      : NEXT(__ppoll_chk)(fds, n, timeout, set, room);
}

PL_EXPORT int pselect(int n, fd_set *in, fd_set *out, fd_set *except,
		      const struct timespec *timeout, const sigset_t *set)
{
	return waits(timeout) ? PL_WAIT(NEXT(pselect)(n, in, out, except, timeout, set))
			      : NEXT(pselect)(n, in, out, except, timeout, set);
}

/* Before glibc 2.34 the kernel reads this time-out and reports a bad pointer: not looked at. */
PL_EXPORT int select(int n, fd_set *in, fd_set *out, fd_set *except, struct timeval *timeout)
{
	return PL_WAIT(NEXT(select)(n, in, out, except, timeout));
}

PL_EXPORT int __select(int n, fd_set *in, fd_set *out, fd_set *except, struct timeval *timeout)
{
	return PL_WAIT(NEXT(__select)(n, in, out, except, timeout));
}

PL_EXPORT int epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
	return timeout ? PL_WAIT(NEXT(epoll_wait)(fd, events, n, timeout))
		       : NEXT(epoll_wait)(fd, events, n, timeout);
}

PL_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout,
			  const sigset_t *set)
{
	return timeout ? PL_WAIT(NEXT(epoll_pwait)(fd, events, n, timeout, set))
		       : NEXT(epoll_pwait)(fd, events, n, timeout, set);
}

#if __GLIBC_PREREQ(2, 35)
PL_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int n,
			   const struct timespec *timeout, const sigset_t *set)
{
	return PL_WAIT(NEXT(epoll_pwait2)(fd, events, n, timeout, set));
}
#endif
