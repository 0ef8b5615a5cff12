// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Names descriptors at first sight and whenever they may have changed; one to four system calls
// each.
#include "observe/fd.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <fcntl.h>

#include "base/clock.h"
#include "base/sys.h"
#include "domain/queue.h"
#include "observe/hook.h"

enum {
	FD_FRESH = 0x7fffffff, /* table value: a new eventfd, whose id may have named another */
	RELOOK_FILE = 4096,    /* calls until a file is looked at again: it may be closed unseen */
	RELOOK_SOON = 64,      /* ... a socket that is not connected yet */
	FIRST_LOOK = 128,      /* calls before it is looked at at all: most are used less */
	NR_PEERS = 512,
};

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

static uint64_t netns_cookie(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	pl_sys5(SYS_getsockopt, fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len);
	return cookie;
}

/* Asks the kernel for the inode of the socket connected to the AF_UNIX socket INO; 0: none. */
static uint32_t unix_peer(uint32_t ino)
{
	struct {
		struct nlmsghdr nlh;
		struct unix_diag_req req;
	} ask = {
		.nlh = {.nlmsg_len = sizeof(ask),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST},
		.req = {.sdiag_family = AF_UNIX,
			.udiag_states = UINT32_MAX,
			.udiag_ino = ino,
			.udiag_show = UDIAG_SHOW_PEER,
			.udiag_cookie = {UINT32_MAX, UINT32_MAX}},
	};
	char answer[256] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nlmsghdr *h = (struct nlmsghdr *)answer;
	uint32_t peer = 0;
	long fd, n;
	int left;

	fd = pl_sys3(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (fd < 0)
		return 0;
	n = pl_sys6(SYS_sendto, fd, (long)&ask, sizeof(ask), 0, 0, 0);
	if (n == (long)sizeof(ask))
		n = pl_sys6(SYS_recvfrom, fd, (long)answer, sizeof(answer), MSG_DONTWAIT, 0, 0);
	pl_sys1(SYS_close, fd);
	if (n <= 0 || !NLMSG_OK(h, (unsigned int)n) || h->nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return 0;
	left = (int)(h->nlmsg_len - NLMSG_LENGTH(sizeof(struct unix_diag_msg)));
	for (struct rtattr *a = (struct rtattr *)((char *)NLMSG_DATA(h) +
						  NLMSG_ALIGN(sizeof(struct unix_diag_msg)));
	     RTA_OK(a, left); a = RTA_NEXT(a, left))
		if (a->rta_type == UNIX_DIAG_PEER)
			memcpy(&peer, RTA_DATA(a), sizeof(peer));
	return peer;
}

/*
 * Both ends of socketpairs made here, so that no one need be asked for the peer; kept over fork,
 * where a pool of workers would ask for each of its descriptors. Inode and peer in one word, lossy.
 */
static _Atomic uint64_t pair_peers[NR_PEERS];

static uint32_t peer_of(uint32_t ino)
{
	uint64_t e = pl_get(&pair_peers[ino % NR_PEERS]);

	return e >> 32 == ino && ino ? (uint32_t)e : unix_peer(ino);
}

/* An end of a TCP connection as two words; v4 in v6 is the same end as v4. */
struct end {
	uint64_t host;
	uint64_t port;
	bool loopback;
};

static bool end_of(const struct sockaddr_storage *sa, struct end *e)
{
	if (sa->ss_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)sa;

		e->host = in->sin_addr.s_addr;
		e->port = in->sin_port;
		e->loopback = (ntohl(in->sin_addr.s_addr) >> 24) == 127;
		return true;
	}
	if (sa->ss_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)sa;
		uint32_t w[4];

		memcpy(w, &in6->sin6_addr, sizeof(w));
		e->port = in6->sin6_port;
		e->loopback = IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
		if (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr)) {
			e->host = w[3];
			e->loopback = (ntohl(w[3]) >> 24) == 127;
		} else {
			e->host = ((uint64_t)w[0] << 32 | w[1]) ^
				  ((uint64_t)w[2] << 32 | w[3]) * 0x9e3779b97f4a7c15ull;
		}
		return true;
	}
	return false;
}

static int name_tcp(int fd, bool in, uint64_t *key)
{
	struct sockaddr_storage own, peer;
	socklen_t own_len = sizeof(own), peer_len = sizeof(peer);
	struct end a, b;

	if (pl_sys3(SYS_getpeername, fd, &peer, &peer_len) != 0)
		return -1;
	if (pl_sys3(SYS_getsockname, fd, &own, &own_len) != 0 || !end_of(&own, &a) ||
	    !end_of(&peer, &b))
		return 0;
	if (!a.loopback && !b.loopback && a.host != b.host)
		return 0; /* the other end is on another machine */
	if (in) {
		struct end swap = a;

		a = b;
		b = swap;
	}
	*key = pl_queue_key(PL_QUEUE_TCP, netns_cookie(fd), a.host ^ a.port << 32,
			    (b.host ^ b.port << 32) * 3);
	return 1;
}

static int name_socket(int fd, const struct stat *st, bool in, uint64_t *key)
{
	int domain = 0, type = 0;
	socklen_t len = sizeof(domain);
	uint64_t receiver;

	if (pl_sys5(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) != 0)
		return 0;
	len = sizeof(type);
	if ((domain == AF_INET || domain == AF_INET6) &&
	    pl_sys5(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
	    type == SOCK_STREAM)
		return name_tcp(fd, in, key);
	if (domain != AF_UNIX)
		return 0;
	receiver = in ? st->st_ino : peer_of((uint32_t)st->st_ino);
	if (!receiver)
		return -1;
	*key = pl_queue_key(PL_QUEUE_UNIX, receiver, 0, 0);
	return 1;
}

/* eventfds share one inode; the kernel's own id is in fdinfo. */
static int name_eventfd(int fd, uint64_t *key)
{
	char path[48], text[160], *at;
	long file, n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = pl_sys4(SYS_readlinkat, AT_FDCWD, path, text, sizeof(text) - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	if (strcmp(text, "anon_inode:[eventfd]") != 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = pl_sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (file < 0)
		return -1;
	n = pl_sys3(SYS_read, file, text, sizeof(text) - 1);
	pl_sys1(SYS_close, file);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	at = strstr(text, "eventfd-id:");
	if (!at)
		return 0; /* kernel without ids: cannot be told from another */
	*key = pl_queue_key(PL_QUEUE_EVENTFD, strtoull(at + 11, NULL, 10), 0, 0);
	return 1;
}

int pl_fd_name(int fd, bool in, uint64_t *key)
{
	struct stat st;

	if (pl_sys4(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) != 0)
		return -1;
	if (S_ISFIFO(st.st_mode)) {
		*key = pl_queue_key(PL_QUEUE_PIPE, st.st_dev, st.st_ino, 0);
		return 1;
	}
	if (S_ISSOCK(st.st_mode))
		return name_socket(fd, &st, in, key);
	if ((st.st_mode & S_IFMT) == 0)
		return name_eventfd(fd, key);
	return 0;
}

bool pl_fd_is_still(int fd, uint32_t queue)
{
	uint64_t key;

	return queue < PL_NR_QUEUES && pl_fd_name(fd, true, &key) == 1 &&
	       pl_get(&pl_member.seg->queue[queue].key) == key;
}

static struct pl_queue *look(struct pl_tls *t, int fd, _Atomic uint32_t *entry, bool in)
{
	bool fresh = pl_get(entry) == FD_FRESH;
	uint64_t key;
	uint32_t n;
	int named = pl_fd_name(fd, in, &key);

	if (named <= 0) {
		pl_set(entry, PL_FD_NONE | (named ? RELOOK_SOON : RELOOK_FILE));
		if (named && t->task)
			pl_inc(&t->task->nr_unknown);
		return NULL;
	}
	if (!t->task && pl_member_attach(t) != 0)
		return NULL;
	n = pl_queue_find(pl_member.seg, key, (uint32_t)(pl_now_ns() / PL_NS_PER_S));
	if (fresh) {
		pl_set(&pl_member.seg->queue[n].reader, 0);
		pl_set(&pl_member.seg->queue[n].writer, 0);
	}
	pl_set(entry, n + 1);
	return &pl_member.seg->queue[n];
}

struct pl_queue *pl_hook_fd_slow(int fd, bool in)
{
	struct pl_tls *t = &pl_tls;
	_Atomic uint32_t *entry = in ? &t->gate->fd[fd].in : &t->gate->fd[fd].out;
	struct pl_queue *q;

	if (pl_get(entry) == 0) {
		pl_set(entry, PL_FD_NONE | FIRST_LOOK);
		return NULL;
	}
	if (t->busy)
		return NULL;
	t->busy = 1;
	q = look(t, fd, entry, in);
	t->busy = 0;
	return q;
}

void pl_hook_fd_range_changed(unsigned int first, unsigned int last)
{
	for (unsigned int fd = first; fd < PL_NR_FDS && fd <= last; fd++)
		pl_hook_fd_changed((int)fd);
}

void pl_hook_socketpair(const int fds[2])
{
	struct stat a, b;
	struct pl_tls *t = pl_member_enter();

	pl_hook_fd_changed(fds[0]);
	pl_hook_fd_changed(fds[1]);
	if (!t || pl_sys4(SYS_newfstatat, fds[0], "", &a, AT_EMPTY_PATH) != 0 ||
	    pl_sys4(SYS_newfstatat, fds[1], "", &b, AT_EMPTY_PATH) != 0)
		return;
	pl_set(&pair_peers[a.st_ino % NR_PEERS], a.st_ino << 32 | (uint32_t)b.st_ino);
	pl_set(&pair_peers[b.st_ino % NR_PEERS], b.st_ino << 32 | (uint32_t)a.st_ino);
}

void pl_hook_eventfd(int fd)
{
	if ((unsigned int)fd < PL_NR_FDS) {
		pl_set(&pl_tls.gate->fd[fd].in, FD_FRESH);
		pl_set(&pl_tls.gate->fd[fd].out, FD_FRESH);
	}
}
