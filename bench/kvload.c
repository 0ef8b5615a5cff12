// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place-kvload: clients of a memcached on the loopback device, each a thread with a connection of
// its own that stores one value and then gets it again and again.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/hist.h"

#define VALUE	    "abcdefghijklmnopqrstuvwxyz012345"
#define MAX_CLIENTS 256
#define WARMUP_PART 10

struct client {
	pthread_t thread;
	int number, fd;
	uint64_t begin_ns, end_ns;
	struct hist latency;
};

static int port, nr_clients = 1;
static uint64_t requests = 50000; /* of all clients */
static pthread_barrier_t ready;

static void send_all(int fd, const char *text)
{
	for (size_t len = strlen(text); len;) {
		ssize_t n = send(fd, text, len, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			bench_die("cannot send: %s", strerror(errno));
		text += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
}

/* Reads an answer of exactly this text. */
static void expect(int fd, const char *text)
{
	char buf[256];
	size_t len = strlen(text), got = 0;

	while (got < len) {
		ssize_t n = read(fd, buf + got, len - got);

		if (n == 0 || (n < 0 && errno != EINTR))
			bench_die("the server is gone");
		got += n > 0 ? (size_t)n : 0;
	}
	if (memcmp(buf, text, len) != 0)
		bench_die("the server said: %.*s", (int)len, buf);
}

static int connect_server(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				   .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		bench_die("cannot connect to port %d: %s", port, strerror(errno));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static void *client_main(void *p)
{
	struct client *me = p;
	uint64_t n = requests / (uint64_t)nr_clients, warm = n / WARMUP_PART;
	char set[128], get[64], answer[128];

	snprintf(set, sizeof(set), "set k%d 0 0 %zu\r\n" VALUE "\r\n", me->number, strlen(VALUE));
	snprintf(get, sizeof(get), "get k%d\r\n", me->number);
	snprintf(answer, sizeof(answer), "VALUE k%d 0 %zu\r\n" VALUE "\r\nEND\r\n", me->number,
		 strlen(VALUE));
	send_all(me->fd, set);
	expect(me->fd, "STORED\r\n");
	pthread_barrier_wait(&ready);
	for (uint64_t i = 0; i < warm + n; i++) {
		uint64_t from = pl_now_ns();

		if (i == warm)
			me->begin_ns = from;
		send_all(me->fd, get);
		expect(me->fd, answer);
		if (i >= warm)
			hist_add(&me->latency, pl_now_ns() - from);
	}
	me->end_ns = pl_now_ns();
	close(me->fd);
	return NULL;
}

static void usage(FILE *f)
{
	fputs("usage: place-kvload --port N [--clients N] [--requests N]\n"
	      "Loads a memcached on 127.0.0.1 and prints requests per second.\n",
	      f);
}

static bool parse(int argc, char **argv)
{
	enum { OPT_PORT = 1000, OPT_CLIENTS, OPT_REQUESTS, OPT_HELP };
	static const struct option options[] = {{"port", required_argument, NULL, OPT_PORT},
						{"clients", required_argument, NULL, OPT_CLIENTS},
						{"requests", required_argument, NULL, OPT_REQUESTS},
						{"help", no_argument, NULL, OPT_HELP},
						{NULL, 0, NULL, 0}};
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case OPT_PORT:
			port = (int)bench_number("port", optarg, 1, 65535);
			break;
		case OPT_CLIENTS:
			nr_clients = (int)bench_number("clients", optarg, 1, MAX_CLIENTS);
			break;
		case OPT_REQUESTS:
			requests = (uint64_t)bench_number("requests", optarg, MAX_CLIENTS, 1e12);
			break;
		case OPT_HELP:
			usage(stdout);
			exit(0);
		default:
			return false;
		}
	}
	return optind == argc && port;
}

int main(int argc, char **argv)
{
	struct client *client;
	static struct hist latency;
	uint64_t begin = UINT64_MAX, end = 0;

	if (!parse(argc, argv)) {
		usage(stderr);
		return 2;
	}
	client = calloc((size_t)nr_clients, sizeof(*client));
	if (!client)
		bench_die("out of memory");
	pthread_barrier_init(&ready, NULL, (unsigned int)nr_clients);
	for (int i = 0; i < nr_clients; i++) {
		client[i].number = i;
		client[i].fd = connect_server();
		if (pthread_create(&client[i].thread, NULL, client_main, &client[i]))
			bench_die("cannot start client %d", i);
	}
	for (int i = 0; i < nr_clients; i++) {
		pthread_join(client[i].thread, NULL);
		hist_merge(&latency, &client[i].latency);
		begin = client[i].begin_ns < begin ? client[i].begin_ns : begin;
		end = client[i].end_ns > end ? client[i].end_ns : end;
	}
	printf("requests %llu\n", (unsigned long long)latency.count);
	printf("requests_per_s %.2f\n", (double)latency.count * 1e9 / (double)(end - begin));
	hist_print(&latency, "latency");
	free(client);
	return 0;
}
