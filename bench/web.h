/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The parts of the shape "web". */
#ifndef BENCH_WEB_H
#define BENCH_WEB_H

#include <netinet/in.h>

#include "bench/hist.h"
#include "bench/shapes.h"

#define WEB_SERVICES	2
#define WEB_MAX_FRONTS	16
#define WEB_MAX_CLIENTS 256
#define WEB_TEXT	512 /* longest request or answer */
#define WEB_BODY	32  /* bytes of an answer behind its head */

/* Between a front end and a service, there and back. */
struct web_call {
	int fd; /* of the client */
	unsigned int item;
	unsigned int answer;
};

struct web_area {
	struct sockaddr_in addr;
	int listen_fd;
	int stop_fd;					 /* readable when all clients have ended */
	int service_fd[WEB_SERVICES][WEB_MAX_FRONTS][2]; /* end 0 is the front end's */
	_Atomic uint32_t measuring;
	_Atomic uint32_t clients_left;
	struct web_line {
		struct hist latency;
	} __attribute__((aligned(BENCH_LINE))) client[WEB_MAX_CLIENTS];
};

/* Task K, front end number K: serves until all clients have ended. */
void web_front(struct bench_team *t, int k);

/* Writes all of it; exits on failure. */
void web_send(int fd, const void *data, size_t len);

/* Reads one call whole; exits on failure. */
void web_receive_call(int fd, struct web_call *out);

#endif
