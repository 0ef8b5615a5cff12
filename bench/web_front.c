// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The front end of the shape "web": one epoll loop over the listening socket, its clients and its
// two services, as event-driven servers are written.
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/web.h"

#define MAX_FD	   4096
#define MAX_EVENTS 64

/* One client, by its descriptor. A request is asked for only when the last is answered. */
struct conn {
	size_t len;
	char text[WEB_TEXT];
	int answers; /* of the services, so far */
	unsigned int sum;
};

struct front {
	struct web_area *a;
	int number;
	int epoll_fd;
	struct conn *conn[MAX_FD];
};

void web_send(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			bench_die("cannot send: %s", strerror(errno));
		p += n;
		len -= (size_t)n;
	}
}

void web_receive_call(int fd, struct web_call *out)
{
	size_t len = 0;

	while (len < sizeof(*out)) {
		ssize_t n = read(fd, (char *)out + len, sizeof(*out) - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			bench_die("a service is gone");
		len += (size_t)n;
	}
}

static void watch(struct front *f, int fd, uint32_t events)
{
	struct epoll_event ev = {.events = events, .data.fd = fd};

	if (epoll_ctl(f->epoll_fd, EPOLL_CTL_ADD, fd, &ev))
		bench_die("epoll_ctl: %s", strerror(errno));
}

static void accept_client(struct front *f)
{
	int fd = accept4(f->a->listen_fd, NULL, NULL, SOCK_CLOEXEC), one = 1;

	if (fd < 0) {
		/* another front end was faster, or the client has gone */
		if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
			return;
		bench_die("cannot accept: %s", strerror(errno));
	}
	if (fd >= MAX_FD)
		bench_die("too many connections");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	f->conn[fd] = calloc(1, sizeof(*f->conn[fd]));
	if (!f->conn[fd])
		bench_die("out of memory");
	watch(f, fd, EPOLLIN);
}

static void end_client(struct front *f, int fd)
{
	free(f->conn[fd]);
	f->conn[fd] = NULL;
	close(fd);
}

/* Reads what has come; a whole request goes to both services. */
static void on_request(struct front *f, int fd)
{
	struct conn *c = f->conn[fd];
	ssize_t n = read(fd, c->text + c->len, sizeof(c->text) - 1 - c->len);
	struct web_call call = {.fd = fd};

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		end_client(f, fd);
		return;
	}
	c->len += (size_t)n;
	c->text[c->len] = '\0';
	if (!strstr(c->text, "\r\n\r\n")) {
		if (c->len == sizeof(c->text) - 1)
			bench_die("a request is too long");
		return;
	}
	if (sscanf(c->text, "GET /item/%u HTTP/1.1\r\n", &call.item) != 1)
		bench_die("no such request: %s", c->text);
	c->len = 0;
	c->answers = 0;
	c->sum = 0;
	for (int s = 0; s < WEB_SERVICES; s++)
		web_send(f->a->service_fd[s][f->number][0], &call, sizeof(call));
}

static void on_answer(struct front *f, int service_fd)
{
	struct web_call call;
	char text[WEB_TEXT];
	struct conn *c;
	int n;

	web_receive_call(service_fd, &call);
	c = f->conn[call.fd];
	c->sum += call.answer;
	if (++c->answers < WEB_SERVICES)
		return;
	n = snprintf(text, sizeof(text),
		     "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%-15u %-15u\n", WEB_BODY,
		     call.item, c->sum);
	web_send(call.fd, text, (size_t)n);
}

static void dispatch(struct front *f, int fd)
{
	if (fd == f->a->listen_fd) {
		accept_client(f);
		return;
	}
	for (int s = 0; s < WEB_SERVICES; s++) {
		if (fd == f->a->service_fd[s][f->number][0]) {
			on_answer(f, fd);
			return;
		}
	}
	on_request(f, fd);
}

static void open_front(struct front *f)
{
	f->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (f->epoll_fd < 0)
		bench_die("epoll_create1: %s", strerror(errno));
	watch(f, f->a->listen_fd, EPOLLIN | EPOLLEXCLUSIVE);
	watch(f, f->a->stop_fd, EPOLLIN);
	for (int s = 0; s < WEB_SERVICES; s++)
		watch(f, f->a->service_fd[s][f->number][0], EPOLLIN);
}

void web_front(struct bench_team *t, int k)
{
	struct front *f = calloc(1, sizeof(*f));
	struct epoll_event ev[MAX_EVENTS];
	struct bench_usage base;
	bool measuring = false, stop = false;

	if (!f)
		bench_die("out of memory");
	f->a = t->area;
	f->number = k;
	open_front(f);
	bench_ready(t);
	base = bench_usage();
	while (!stop) {
		int n = epoll_wait(f->epoll_fd, ev, MAX_EVENTS, -1);

		if (n < 0 && errno != EINTR)
			bench_die("epoll_wait: %s", strerror(errno));
		if (!measuring && atomic_load_explicit(&f->a->measuring, memory_order_relaxed)) {
			measuring = true;
			base = bench_usage();
		}
		for (int i = 0; i < n; i++) {
			if (ev[i].data.fd == f->a->stop_fd)
				stop = true;
			else
				dispatch(f, ev[i].data.fd);
		}
	}
	bench_usage_store(&t->sh->slot[k], base);
	for (int fd = 0; fd < MAX_FD; fd++) {
		if (f->conn[fd])
			end_client(f, fd);
	}
	close(f->epoll_fd);
	free(f);
}
