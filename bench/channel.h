/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * The ways two workers can wake each other. A channel has two sides and one lane for each
 * direction; it lives in shared memory, so that processes use it as threads do.
 */
#ifndef BENCH_CHANNEL_H
#define BENCH_CHANNEL_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum bench_kind {
	BENCH_PIPE,
	BENCH_FUTEX,
	BENCH_COND,
	BENCH_SEM,
	BENCH_EVENTFD,
	BENCH_UNIX,
	BENCH_TCP,
	BENCH_NR_KINDS,
};

/* Messages in one direction; which fields are used depends on the kind. */
struct bench_lane {
	int rfd;
	int wfd;
	_Atomic uint32_t word; /* futex: 1 while a message waits */
	bool full;	       /* cond: the same, under the mutex */
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	sem_t sem;
} __attribute__((aligned(128)));

struct bench_chan {
	enum bench_kind kind;
	bool processes;
	struct bench_lane lane[2]; /* lane[s] carries what side s sends */
};

/* Name of a kind, and the kind of a name; false when there is none. */
const char *bench_kind_name(enum bench_kind kind);
bool bench_kind_parse(const char *name, enum bench_kind *out);

/* Prepares both lanes; descriptors are inherited over exec. Exits on failure. */
void bench_chan_open(struct bench_chan *ch, enum bench_kind kind, bool processes);

/* Closes this process's descriptors; those in other processes live on. */
void bench_chan_close(const struct bench_chan *ch);

/* In a process that is SIDE only: closes the descriptors of the other side. */
void bench_chan_keep(const struct bench_chan *ch, int side);

/* Sends one message from SIDE, and waits for one to SIDE. Exit on failure. */
void bench_chan_post(struct bench_chan *ch, int side);
void bench_chan_wait(struct bench_chan *ch, int side);

/* The futex calls, made through libc's syscall() as programs make them. */
void bench_futex_wait(_Atomic uint32_t *word, uint32_t while_equal, bool processes);
void bench_futex_wake(_Atomic uint32_t *word, int nr, bool processes);

#endif
