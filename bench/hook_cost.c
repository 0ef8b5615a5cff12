// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place-hook-cost: nanoseconds of calls that neither wait nor hand off, on one thread. Run it with
// and without the preload: the difference is what a hook costs. Prints least and median batch.
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"

#define BATCHES 301
#define WARMUP	10

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int pipe_fd[2], null_fd, zero_fd;

static void lock_unlock(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void pipe_write_read(void)
{
	char c = 1;

	if (write(pipe_fd[1], &c, 1) != 1 || read(pipe_fd[0], &c, 1) != 1)
		bench_die("pipe: %s", strerror(errno));
}

static void file_write_read(void)
{
	char c = 1;

	if (write(null_fd, &c, 1) != 1 || read(zero_fd, &c, 1) != 1)
		bench_die("/dev/null, /dev/zero: %s", strerror(errno));
}

static void cond_signal(void)
{
	pthread_cond_signal(&cond);
}

static void sem_post_trywait(void)
{
	sem_post(&sem);
	sem_trywait(&sem);
}

static const struct {
	const char *name;
	void (*call)(void);
	int batch; /* about 100 us */
} cases[] = {
	{"lock_unlock", lock_unlock, 10000},	       {"pipe_write_read", pipe_write_read, 200},
	{"file_write_read", file_write_read, 500},     {"cond_signal", cond_signal, 10000},
	{"sem_post_trywait", sem_post_trywait, 10000},
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(size_t i)
{
	static double ns[BATCHES];

	for (int b = -WARMUP; b < BATCHES; b++) {
		uint64_t t = pl_now_ns();

		for (int k = 0; k < cases[i].batch; k++)
			cases[i].call();
		t = pl_now_ns() - t;
		if (b >= 0)
			ns[b] = (double)t / cases[i].batch;
	}
	qsort(ns, BATCHES, sizeof(ns[0]), compare);
	printf("%s_ns_min %.3f\n", cases[i].name, ns[0]);
	printf("%s_ns_median %.3f\n", cases[i].name, ns[BATCHES / 2]);
}

static void *idle_thread(void *arg)
{
	for (;;)
		pause();
	return NULL;
}

static void usage(FILE *f)
{
	fputs("usage: place-hook-cost [--second-thread]\n"
	      "  --second-thread  beside a thread that sleeps for ever: libc and libplace may "
	      "take\n"
	      "                   shorter ways while a program has one thread only\n",
	      f);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"second-thread", no_argument, NULL, 't'},
						{"help", no_argument, NULL, 'h'},
						{NULL, 0, NULL, 0}};
	pthread_t thread;
	bool second = false;
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt != 't') {
			usage(opt == 'h' ? stdout : stderr);
			return opt == 'h' ? 0 : 2;
		}
		second = true;
	}
	if (optind != argc) {
		usage(stderr);
		return 2;
	}
	null_fd = open("/dev/null", O_WRONLY);
	zero_fd = open("/dev/zero", O_RDONLY);
	if (null_fd < 0 || zero_fd < 0 || pipe(pipe_fd) || sem_init(&sem, 0, 0))
		bench_die("cannot prepare: %s", strerror(errno));
	if (second && pthread_create(&thread, NULL, idle_thread, NULL))
		bench_die("cannot start a thread");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		measure(i);
	return 0;
}
