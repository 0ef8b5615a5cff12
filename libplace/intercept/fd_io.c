// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Reads and writes of descriptors. Must not look into a buffer, a vector or a message header: a bad
 * pointer is the kernel's to report.
 */
#include "intercept/around.h"

/* Receiving with these flags leaves the message where it is, or takes none. */
static inline bool takes(int flags)
{
	return !(flags & (MSG_PEEK | MSG_ERRQUEUE));
}

PL_HOT PL_EXPORT ssize_t read(int fd, void *buf, size_t n)
{
	return PL_READ(fd, true, NEXT(read)(fd, buf, n));
}

PL_EXPORT ssize_t __read(int fd, void *buf, size_t n)
{
	return PL_READ(fd, true, NEXT(__read)(fd, buf, n));
}

PL_EXPORT ssize_t __read_chk(int fd, void *buf, size_t n, size_t room)
{
	return PL_READ(fd, true, NEXT(__read_chk)(fd, buf, n, room));
}

PL_EXPORT ssize_t readv(int fd, const struct iovec *vec, int n)
{
	return PL_READ(fd, true, NEXT(readv)(fd, vec, n));
}

PL_HOT PL_EXPORT ssize_t recv(int fd, void *buf, size_t n, int flags)
{
	return PL_READ(fd, takes(flags), NEXT(recv)(fd, buf, n, flags));
}

PL_EXPORT ssize_t __recv_chk(int fd, void *buf, size_t n, size_t room, int flags)
{
	return PL_READ(fd, takes(flags), NEXT(__recv_chk)(fd, buf, n, room, flags));
}

PL_HOT PL_EXPORT ssize_t recvfrom(int fd, void *buf, size_t n, int flags, __SOCKADDR_ARG addr,
				  socklen_t *len)
{
	return PL_READ(fd, takes(flags), NEXT(recvfrom)(fd, buf, n, flags, addr, len));
}

PL_EXPORT ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t room, int flags,
				 __SOCKADDR_ARG addr, socklen_t *len)
{
	return PL_READ(fd, takes(flags), NEXT(__recvfrom_chk)(fd, buf, n, room, flags, addr, len));
}

PL_HOT PL_EXPORT ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	return PL_READ(fd, takes(flags), NEXT(recvmsg)(fd, msg, flags));
}

PL_EXPORT int recvmmsg(int fd, struct mmsghdr *msgs, unsigned int n, int flags,
		       struct timespec *timeout)
{
	return (int)PL_READ(fd, takes(flags), NEXT(recvmmsg)(fd, msgs, n, flags, timeout));
}

PL_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
	struct pl_queue *q = pl_hook_fd_reads(fd);
	int ret;

	if (!q)
		return NEXT(eventfd_read)(fd, value);
	pl_hook_wait_begin(q);
	ret = NEXT(eventfd_read)(fd, value);
	if (!ret)
		pl_hook_note_fd(fd);
	pl_hook_wait_end(q, !ret);
	return ret;
}

PL_HOT PL_EXPORT ssize_t write(int fd, const void *buf, size_t n)
{
	pl_write_begin(fd);
	return NEXT(write)(fd, buf, n);
}

PL_EXPORT ssize_t __write(int fd, const void *buf, size_t n)
{
	pl_write_begin(fd);
	return NEXT(__write)(fd, buf, n);
}

PL_EXPORT ssize_t writev(int fd, const struct iovec *vec, int n)
{
	pl_write_begin(fd);
	return NEXT(writev)(fd, vec, n);
}

PL_HOT PL_EXPORT ssize_t send(int fd, const void *buf, size_t n, int flags)
{
	pl_write_begin(fd);
	return NEXT(send)(fd, buf, n, flags);
}

PL_EXPORT ssize_t __send(int fd, const void *buf, size_t n, int flags)
{
	pl_write_begin(fd);
	return NEXT(__send)(fd, buf, n, flags);
}

PL_HOT PL_EXPORT ssize_t sendto(int fd, const void *buf, size_t n, int flags,
				__CONST_SOCKADDR_ARG addr, socklen_t len)
{
	/* With an address the receiver is another one than the queue we know. */
	if (!addr.__sockaddr__)
		pl_write_begin(fd);
	return NEXT(sendto)(fd, buf, n, flags, addr, len);
}

PL_HOT PL_EXPORT ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	pl_write_begin(fd);
	return NEXT(sendmsg)(fd, msg, flags);
}

PL_EXPORT int sendmmsg(int fd, struct mmsghdr *msgs, unsigned int n, int flags)
{
	pl_write_begin(fd);
	return NEXT(sendmmsg)(fd, msgs, n, flags);
}

PL_EXPORT ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t n,
			 unsigned int flags)
{
	pl_write_begin(out);
	return PL_READ(in, true, NEXT(splice)(in, in_at, out, out_at, n, flags));
}

PL_EXPORT ssize_t sendfile(int out, int in, off_t *at, size_t n)
{
	pl_write_begin(out);
	return NEXT(sendfile)(out, in, at, n);
}

PL_EXPORT ssize_t sendfile64(int out, int in, off64_t *at, size_t n)
{
	pl_write_begin(out);
	return NEXT(sendfile64)(out, in, at, n);
}

PL_EXPORT int eventfd_write(int fd, eventfd_t value)
{
	pl_write_begin(fd);
	return NEXT(eventfd_write)(fd, value);
}
