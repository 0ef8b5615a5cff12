// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See ready.h.
#include "tools/bench/ready.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "tools/bench/say.h"

static bool is_loopback(const struct sockaddr *sa)
{
	if (sa->sa_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)sa;

		return ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	}
	if (sa->sa_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)sa;

		return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
	}
	return false;
}

static bool resolve_path(const char *path, struct pl_ready *out)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(un.sun_path)) {
		pl_say("--ready %s: too long for a socket", path);
		return false;
	}
	strcpy(un.sun_path, path);
	memcpy(&out->addr, &un, sizeof(un));
	out->len = sizeof(un);
	return true;
}

bool pl_ready_resolve(const char *where, struct pl_ready *out)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *ai = NULL;
	char *host, *colon;
	bool ok;

	if (where[0] == '/')
		return resolve_path(where, out);
	host = strdup(where);
	colon = host ? strrchr(host, ':') : NULL;
	if (colon) {
		*colon = '\0';
		if (getaddrinfo(host, colon + 1, &hints, &ai))
			ai = NULL;
	}
	free(host);
	ok = ai && is_loopback(ai->ai_addr) && ai->ai_addrlen <= sizeof(out->addr);
	if (ok) {
		memcpy(&out->addr, ai->ai_addr, ai->ai_addrlen);
		out->len = ai->ai_addrlen;
	} else {
		pl_say("--ready %s: give HOST:PORT on the loopback device, as in 127.0.0.1:6379, "
		       "or the path of a socket",
		       where);
	}
	if (ai)
		freeaddrinfo(ai);
	return ok;
}

bool pl_ready_try(const struct pl_ready *r)
{
	int fd = socket(r->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool ok = fd >= 0 && connect(fd, (const struct sockaddr *)&r->addr, r->len) == 0;

	if (fd >= 0)
		close(fd);
	return ok;
}
