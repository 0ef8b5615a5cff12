// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Birth and death of descriptors: what was known of a number is forgotten before it is closed and
 * after it is given out. Closes inside the C library are not seen; observe/ checks again before
 * use.
 */
#include "intercept/around.h"

#include <stdarg.h>

/* FD as returned by a call that opens one. */
static inline int opened(int fd)
{
	if (fd >= 0)
		pl_hook_fd_changed(fd);
	return fd;
}

/* RET as returned by a call that opens two. */
static inline int opened_two(int ret, const int fds[2])
{
	if (!ret) {
		pl_hook_fd_changed(fds[0]);
		pl_hook_fd_changed(fds[1]);
	}
	return ret;
}

PL_EXPORT int close(int fd)
{
	pl_hook_fd_changed(fd);
	return NEXT(close)(fd);
}

PL_EXPORT int __close(int fd)
{
	pl_hook_fd_changed(fd);
	return NEXT(__close)(fd);
}

#if __GLIBC_PREREQ(2, 34)
PL_EXPORT int close_range(unsigned int first, unsigned int last, int flags)
{
	pl_hook_fd_range_changed(first, last);
	if (!((unsigned int)flags & PL_CLOSE_RANGE_UNSHARE))
		return NEXT(close_range)(first, last, flags);
	return PL_ALONE(NEXT(close_range)(first, last, flags));
}

PL_EXPORT void closefrom(int first)
{
	pl_hook_fd_range_changed(first < 0 ? 0 : (unsigned int)first, ~0U);
	NEXT(closefrom)(first);
}
#endif

PL_EXPORT int dup(int fd)
{
	return opened(NEXT(dup)(fd));
}

PL_EXPORT int dup2(int fd, int to)
{
	return opened(NEXT(dup2)(fd, to));
}

PL_EXPORT int __dup2(int fd, int to)
{
	return opened(NEXT(__dup2)(fd, to));
}

PL_EXPORT int dup3(int fd, int to, int flags)
{
	return opened(NEXT(dup3)(fd, to, flags));
}

static inline int fcntl_done(int ret, int command)
{
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? opened(ret) : ret;
}

/* The third argument, if any, is an int or a pointer; as a long both come through unchanged. */
PL_EXPORT int fcntl(int fd, int command, ...)
{
	va_list ap;
	long arg;

	va_start(ap, command);
	arg = va_arg(ap, long);
	va_end(ap);
	return fcntl_done(NEXT(fcntl)(fd, command, arg), command);
}

PL_EXPORT int __fcntl(int fd, int command, ...)
{
	va_list ap;
	long arg;

	va_start(ap, command);
	arg = va_arg(ap, long);
	va_end(ap);
	return fcntl_done(NEXT(__fcntl)(fd, command, arg), command);
}

PL_EXPORT int fcntl64(int fd, int command, ...)
{
	va_list ap;
	long arg;

	va_start(ap, command);
	arg = va_arg(ap, long);
	va_end(ap);
	return fcntl_done(NEXT(fcntl64)(fd, command, arg), command);
}

PL_EXPORT int pipe(int fds[2])
{
	return opened_two(NEXT(pipe)(fds), fds);
}

PL_EXPORT int __pipe(int fds[2])
{
	return opened_two(NEXT(__pipe)(fds), fds);
}

PL_EXPORT int pipe2(int fds[2], int flags)
{
	return opened_two(NEXT(pipe2)(fds, flags), fds);
}

PL_EXPORT int socket(int domain, int type, int protocol)
{
	return opened(NEXT(socket)(domain, type, protocol));
}

PL_EXPORT int socketpair(int domain, int type, int protocol, int fds[2])
{
	int ret = NEXT(socketpair)(domain, type, protocol, fds);

	if (!ret)
		pl_hook_socketpair(fds);
	return ret;
}

PL_EXPORT int accept(int fd, __SOCKADDR_ARG addr, socklen_t *len)
{
	return opened(PL_WAIT(NEXT(accept)(fd, addr, len)));
}

PL_EXPORT int accept4(int fd, __SOCKADDR_ARG addr, socklen_t *len, int flags)
{
	return opened(PL_WAIT(NEXT(accept4)(fd, addr, len, flags)));
}

/* Also when it fails: a connect in progress has its addresses already. */
PL_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG addr, socklen_t len)
{
	int ret = PL_WAIT(NEXT(connect)(fd, addr, len));

	pl_hook_fd_changed(fd);
	return ret;
}

PL_EXPORT int __connect(int fd, __CONST_SOCKADDR_ARG addr, socklen_t len)
{
	int ret = PL_WAIT(NEXT(__connect)(fd, addr, len));

	pl_hook_fd_changed(fd);
	return ret;
}

PL_EXPORT int eventfd(unsigned int count, int flags)
{
	int fd = NEXT(eventfd)(count, flags);

	if (fd >= 0)
		pl_hook_eventfd(fd);
	return fd;
}
