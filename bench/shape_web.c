// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Shape "web": clients ask a front end over loopback TCP; it accepts, parses the request, asks two
// services over Unix sockets at once, and answers when both have. A client takes a new connection
// every hundred requests. This file has the clients, the services and the report; the front end is
// in web_front.c.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/web.h"

#define REQUESTS_A_CONNECTION 100

static int connect_front(const struct web_area *a)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	if (fd < 0 || connect(fd, (const struct sockaddr *)&a->addr, sizeof(a->addr)))
		bench_die("cannot connect: %s", strerror(errno));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

/* Sends one request and reads its answer, which must be about the same item. */
static void ask(int fd, unsigned int item)
{
	char text[WEB_TEXT], *body = NULL;
	size_t len = 0;
	int n = snprintf(text, sizeof(text), "GET /item/%u HTTP/1.1\r\nHost: localhost\r\n\r\n",
			 item);

	web_send(fd, text, (size_t)n);
	do {
		ssize_t got = read(fd, text + len, sizeof(text) - 1 - len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			bench_die("the front end is gone");
		len += (size_t)got;
		text[len] = '\0';
		body = strstr(text, "\r\n\r\n");
	} while (!body || strlen(body + 4) < WEB_BODY);
	if (strtoul(body + 4, NULL, 10) != item)
		bench_die("asked for item %u, got: %s", item, body + 4);
}

/* The last client to finish ends the servers. */
static void client(struct bench_team *t, int k, int number)
{
	struct web_area *a = t->area;
	struct web_line *me = &a->client[number];
	struct bench_usage base;
	uint64_t now, all = 1;
	bool measuring = false;
	unsigned int asked = 0;
	struct bench_window w;
	int fd = -1;

	bench_ready(t);
	w = bench_window(t);
	base = bench_usage();
	do {
		uint64_t from = pl_now_ns();

		if (asked % REQUESTS_A_CONNECTION == 0) {
			if (fd >= 0)
				close(fd);
			fd = connect_front(a);
		}
		ask(fd, (unsigned int)number * 1000000 + asked++);
		now = pl_now_ns();
		if (now >= w.from_ns && now < w.to_ns)
			hist_add(&me->latency, now - from);
		if (!measuring && now >= w.from_ns) {
			measuring = true;
			base = bench_usage();
			atomic_store_explicit(&a->measuring, 1, memory_order_relaxed);
		}
	} while (now < w.to_ns);
	close(fd);
	bench_usage_store(&t->sh->slot[k], base);
	if (atomic_fetch_sub(&a->clients_left, 1) == 1 &&
	    write(a->stop_fd, &all, sizeof(all)) != sizeof(all))
		bench_die("cannot end the servers: %s", strerror(errno));
}

/* Answers every front end in turn until told to end. */
static void service(struct bench_team *t, int k, int number)
{
	struct web_area *a = t->area;
	uint64_t loops = (uint64_t)(t->opts->work_us * (double)t->opts->spin_loops);
	struct pollfd fds[WEB_MAX_FRONTS + 1];
	int nr = shape_opts.fronts;
	struct bench_usage base;
	bool measuring = false;

	for (int f = 0; f < nr; f++)
		fds[f] = (struct pollfd){.fd = a->service_fd[number][f][1], .events = POLLIN};
	fds[nr] = (struct pollfd){.fd = a->stop_fd, .events = POLLIN};
	bench_ready(t);
	base = bench_usage();
	for (;;) {
		struct web_call call;

		if (poll(fds, (nfds_t)nr + 1, -1) < 0) {
			if (errno == EINTR)
				continue;
			bench_die("poll: %s", strerror(errno));
		}
		if (fds[nr].revents)
			break;
		if (!measuring && atomic_load_explicit(&a->measuring, memory_order_relaxed)) {
			measuring = true;
			base = bench_usage();
		}
		for (int f = 0; f < nr; f++) {
			if (!fds[f].revents)
				continue;
			web_receive_call(fds[f].fd, &call);
			bench_work(loops);
			call.answer = call.item * (unsigned int)(number + 2);
			web_send(fds[f].fd, &call, sizeof(call));
		}
	}
	bench_usage_store(&t->sh->slot[k], base);
}

/* Tasks: the front ends, the two services, the clients. */
static void web_worker(struct bench_team *t, int k)
{
	int fronts = shape_opts.fronts;

	if (k < fronts)
		web_front(t, k);
	else if (k < fronts + WEB_SERVICES)
		service(t, k, k - fronts);
	else
		client(t, k, k - fronts - WEB_SERVICES);
}

static void web_prepare(struct bench_team *t)
{
	struct web_area *a = t->area;
	socklen_t len = sizeof(a->addr);

	atomic_store(&a->clients_left, (uint32_t)shape_opts.clients);
	a->stop_fd = eventfd(0, 0);
	a->addr = (struct sockaddr_in){.sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	a->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (a->stop_fd < 0 || a->listen_fd < 0 ||
	    bind(a->listen_fd, (struct sockaddr *)&a->addr, sizeof(a->addr)) ||
	    listen(a->listen_fd, WEB_MAX_CLIENTS) ||
	    getsockname(a->listen_fd, (struct sockaddr *)&a->addr, &len))
		bench_die("cannot listen: %s", strerror(errno));
	for (int s = 0; s < WEB_SERVICES; s++) {
		for (int f = 0; f < shape_opts.fronts; f++) {
			if (socketpair(AF_UNIX, SOCK_STREAM, 0, a->service_fd[s][f]))
				bench_die("cannot make a socket: %s", strerror(errno));
		}
	}
}

static void web_report(const struct bench_team *t)
{
	const struct web_area *a = t->area;
	static struct hist latency;

	for (int i = 0; i < shape_opts.clients; i++)
		hist_merge(&latency, &a->client[i].latency);
	printf("clients %d\n", shape_opts.clients);
	printf("requests %llu\n", (unsigned long long)latency.count);
	printf("elapsed_s %.6f\n", t->opts->seconds);
	printf("requests_per_s %.2f\n", (double)latency.count / t->opts->seconds);
	hist_print(&latency, "latency");
	bench_print_usage(t, "request", (double)latency.count);
}

static int web_tasks(void)
{
	return shape_opts.fronts + WEB_SERVICES + shape_opts.clients;
}

const struct shape shape_web = {
	.name = "web",
	.area = sizeof(struct web_area),
	.nr_tasks = web_tasks,
	.prepare = web_prepare,
	.worker = web_worker,
	.report = web_report,
};
