/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Whether a server accepts connections yet. */
#ifndef PL_TOOLS_BENCH_READY_H
#define PL_TOOLS_BENCH_READY_H

#include <stdbool.h>
#include <sys/socket.h>

struct pl_ready {
	struct sockaddr_storage addr;
	socklen_t len;
};

/* WHERE: HOST:PORT on the loopback device, or the path of a socket, which begins with a slash.
 * False after saying why not. */
bool pl_ready_resolve(const char *where, struct pl_ready *out);

/* True when somebody accepts connections there. */
bool pl_ready_try(const struct pl_ready *r);

#endif
