/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * Two threads, or two processes, that hand one byte back and forth over two pipes until told to
 * stop; and the mask that the kernel says a thread has.
 */
#ifndef PL_TESTS_PINGPONG_H
#define PL_TESTS_PINGPONG_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper/helper.h"
#include "libplace/place.h"
#include "preload/own_segment.h"

#define PINGPONG_QUIT 0xff

struct pingpong;

struct pingpong_side {
	struct pingpong *pp;
	int index; /* 0 serves */
	int in, out;
	pthread_t thread;
	_Atomic int32_t tid;
	_Atomic uint64_t rounds;
	bool has_named;
};

/* Lies in shared memory. Set what is before SIDE, zero the rest. */
struct pingpong {
	bool processes;				   /* side 1 is a process of its own */
	void (*every)(struct pingpong_side *side); /* called by each side now and then, ... */
	unsigned int period;			   /* ... after so many rounds ... */
	_Atomic int on;				   /* ... while this is set */
	void *arg;
	struct pingpong_side side[2];
	_Atomic int stop;
	_Atomic int named; /* each side is to name the other as its partner */
	_Atomic uint64_t nr_every;
	struct helper_failure failure;
	pid_t child;
};

static struct pingpong *pingpong_running;

static inline struct pingpong *pingpong_new(void)
{
	void *at = mmap(NULL, sizeof(struct pingpong), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		abort();
	return at;
}

static inline bool pingpong_put(int fd, unsigned char byte)
{
	ssize_t n;

	do
		n = write(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

static inline int pingpong_get(int fd)
{
	unsigned char byte;
	ssize_t n;

	do
		n = read(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1 ? byte : -1;
}

/* As a program does by place.h, whether it was linked with libplace or not. */
static inline void pingpong_name(struct pingpong_side *s)
{
	int (*pair)(int32_t, unsigned int) = NULL;

	*(void **)&pair = dlsym(RTLD_DEFAULT, "place_thread_pair");
	s->has_named =
		pair && pair(atomic_load(&s->pp->side[!s->index].tid), PLACE_PAIR_TRUST) == 0;
}

static inline void pingpong_round(struct pingpong_side *s)
{
	uint64_t n = atomic_fetch_add(&s->rounds, 1) + 1;

	if (atomic_load(&s->pp->named) && !s->has_named)
		pingpong_name(s);
	if (atomic_load(&s->pp->on) && n % s->pp->period == 0) {
		s->pp->every(s);
		atomic_fetch_add(&s->pp->nr_every, 1);
	}
}

static inline void *pingpong_main(void *arg)
{
	struct pingpong_side *s = arg;
	struct pingpong *pp = s->pp;
	unsigned char next = 0;

	atomic_store(&s->tid, (int32_t)syscall(SYS_gettid));
	while (s->index == 0 && !atomic_load(&pp->stop)) {
		next = (unsigned char)((next + 1) % PINGPONG_QUIT);
		if (!helper_expect(&pp->failure, pingpong_put(s->out, next)) ||
		    !helper_expect(&pp->failure, pingpong_get(s->in) == next))
			break;
		pingpong_round(s);
	}
	if (s->index == 0)
		pingpong_put(s->out, PINGPONG_QUIT);
	while (s->index == 1) {
		int got = pingpong_get(s->in);

		if (got == PINGPONG_QUIT || !helper_expect(&pp->failure, got >= 0) ||
		    !helper_expect(&pp->failure, pingpong_put(s->out, (unsigned char)got)))
			break;
		pingpong_round(s);
	}
	return NULL;
}

static inline void pingpong_start(struct pingpong *pp)
{
	int there[2], back[2];

	if (pipe(there) != 0 || pipe(back) != 0)
		abort();
	pingpong_running = pp;
	pp->side[0] = (struct pingpong_side){.pp = pp, .index = 0, .in = back[0], .out = there[1]};
	pp->side[1] = (struct pingpong_side){.pp = pp, .index = 1, .in = there[0], .out = back[1]};
	if (pp->processes) {
		pid_t child = fork();

		if (child == 0) {
			close(there[1]);
			close(back[0]);
			pingpong_main(&pp->side[1]);
			_exit(0);
		}
		pp->child = child;
		close(there[0]);
		close(back[1]);
	} else {
		pthread_create(&pp->side[1].thread, NULL, pingpong_main, &pp->side[1]);
	}
	pthread_create(&pp->side[0].thread, NULL, pingpong_main, &pp->side[0]);
	while (!atomic_load(&pp->side[0].tid) || !atomic_load(&pp->side[1].tid))
		own_pause_ms(1);
}

/* Ends both sides and closes the pipes. The wait status of a child, else 0. */
static inline int pingpong_stop(struct pingpong *pp)
{
	int status = 0;

	pingpong_running = NULL;
	atomic_store(&pp->stop, 1);
	pthread_join(pp->side[0].thread, NULL);
	if (pp->processes)
		waitpid(pp->child, &status, 0);
	else
		pthread_join(pp->side[1].thread, NULL);
	close(pp->side[0].in);
	close(pp->side[0].out);
	if (!pp->processes) {
		close(pp->side[1].in);
		close(pp->side[1].out);
	}
	return status;
}

/* Teardown of cmocka: ends what a failed test left going, and its keeper. */
static inline int pingpong_end(void **state)
{
	if (pingpong_running)
		pingpong_stop(pingpong_running);
	return own_keeper_end(state);
}

/* What the kernel lists as the CPUs of thread TID; empty when it is gone. Never asks libplace. */
static inline void mask_list(pid_t tid, char *out, size_t size)
{
	char path[64], text[4096], *at;
	int fd;
	ssize_t n;

	out[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, "Cpus_allowed_list:\t");
	if (!at)
		return;
	at += sizeof("Cpus_allowed_list:\t") - 1;
	snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
}

static inline bool mask_is(pid_t tid, const char *list)
{
	char now[256];

	mask_list(tid, now, sizeof(now));
	return strcmp(now, list) == 0;
}

/* True while both sides have the same mask of one CPU, as a held or tried pair has. */
static inline bool pingpong_is_narrow(void *arg)
{
	struct pingpong *pp = arg;
	char a[256], b[256];

	mask_list(pp->side[0].tid, a, sizeof(a));
	mask_list(pp->side[1].tid, b, sizeof(b));
	return a[0] && strcmp(a, b) == 0 && !strpbrk(a, ",-");
}

/* A pair of this namespace is held; its next slice of another kind is then some time away. */
static inline bool pingpong_is_held(void *arg)
{
	struct pl_segment *seg = own_segment();

	for (uint32_t i = 0; seg && i < PL_NR_PAIRS; i++)
		if (pl_get(&seg->pair[i].state) == PL_PAIR_HELD)
			return pingpong_is_narrow(arg);
	return false;
}

static inline struct pl_task *pingpong_task(struct pl_segment *seg,
					    const struct pingpong_side *side)
{
	uint32_t high = pl_get(&seg->task_high);

	for (uint32_t i = 0; i < high && i < PL_NR_TASKS; i++)
		if (pl_get(&seg->task[i].id) && pl_get(&seg->task[i].state) &&
		    pl_get(&seg->task[i].tid) == atomic_load(&side->tid))
			return &seg->task[i];
	return NULL;
}

/*
 * On a loaded machine the kernel itself puts both on one CPU, or others' load is a good reason not
 * to try. A test needs a pair all the same, so load is wiped from the segment, and the pair is
 * claimed here as libplace claims one; what follows is libplace's.
 */
static inline void pingpong_coax(struct pingpong *pp)
{
	struct pl_segment *seg = own_segment();
	struct pl_task *task[2];
	struct pl_pair *p;
	uint32_t n;

	if (!seg || !pl_seg_machine_ready(seg))
		return;
	for (uint32_t c = 0; c < PL_MAX_CPUS; c++)
		pl_set(&seg->load[c].outside, 0);
	for (int i = 0; i < 2; i++) {
		task[i] = pingpong_task(seg, &pp->side[i]);
		if (!task[i] || pl_get(&task[i]->pair))
			return;
	}
	for (n = 0; n < PL_NR_PAIRS && pl_get(&seg->pair[n].state) != PL_PAIR_FREE;)
		n++;
	if (n == PL_NR_PAIRS)
		return;
	p = &seg->pair[n];
	pl_set(&p->state, PL_PAIR_FORMING);
	for (int i = 0; i < 2; i++)
		pl_set(&p->member[i], pl_get(&task[i]->id));
	pl_set(&p->cpu[0], pl_get(&task[0]->cpu));
	pl_set(&p->cpu[1], pl_get(&task[0]->cpu));
	pl_set(&p->whole_core, 0);
	pl_set(&p->reason, PL_REASON_NONE);
	pl_set(&p->slice, 0);
	pl_set(&p->nr_looks, 0);
	pl_set(&p->command, (pl_get(&p->command) + 2) & ~1u);
	pl_set(&task[0]->pair, n + 1);
	pl_set(&task[1]->pair, n + 1);
	pl_set_release(&p->state, PL_PAIR_VERIFY);
}

/* True when a member set its own mask, which is its own from then on. */
static inline bool pingpong_is_pinned(struct pingpong *pp)
{
	struct pl_segment *seg = own_segment();

	for (int i = 0; seg && i < 2; i++) {
		const struct pl_task *task = pingpong_task(seg, &pp->side[i]);

		if (task && pl_get(&task->pinned) == 1)
			return true;
	}
	return false;
}

/*
 * Waits until the pair is held. False at once without libplace, where a member set its own mask,
 * and where the process has one CPU only, which libplace leaves alone: says so. Fails the test when
 * no pair is held otherwise, since the rest would prove nothing. Include cmocka.h before. Main
 * thread only.
 */
static inline bool pingpong_wait_held(struct pingpong *pp)
{
	int64_t start = own_now_ms();
	cpu_set_t mine;

	if (!helper_preload())
		return false;
	if (sched_getaffinity(0, sizeof(mine), &mine) == 0 && CPU_COUNT(&mine) < 2) {
		helper_skipped("needs two CPUs for a held pair");
		return false;
	}
	while (own_now_ms() < start + 30000) {
		if (pingpong_is_held(pp))
			return true;
		if (pingpong_is_pinned(pp)) {
			printf("# a member set its own mask: nothing is held\n");
			return false;
		}
		/* What is measured on a loaded machine may speak against the pair: then without. */
		if (own_now_ms() > start + 3000)
			atomic_store(&pp->named, 1);
		else if (own_now_ms() > start + 500)
			pingpong_coax(pp);
		own_pause_ms(2);
	}
	fail_msg("no pair was held within 30 s");
	return false;
}

#endif
