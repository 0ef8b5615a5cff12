// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * POSIX leaves open what errno is after a call that succeeded; the C library leaves it as it was
 * in all that threads hand work over with, and programs have come to rely on that. So it stays,
 * before a pair is held and while it is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <semaphore.h>
#include <sys/eventfd.h>

#include "preload/pingpong.h"

enum { MARK = 77, NR_ROUNDS = 20000 };

/* Index: the side that takes. */
static struct {
	int pipe[2][2];
	int event[2];
	sem_t sem[2];
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int turn;
} world = {.mutex = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER, .turn = -1};

static bool own; /* the IPC namespace is ours */

/* Notes when CALL did not yield WANT or changed errno. */
#define kept(f, call, want)                                                                        \
	do {                                                                                       \
		errno = MARK;                                                                      \
		helper_expect((f), (call) == (want));                                              \
		helper_check((f), errno == MARK, __FILE__, __LINE__, "errno after " #call);        \
	} while (0)

static void give_pipe(struct helper_failure *f, int to)
{
	kept(f, write(world.pipe[to][1], "x", 1), 1);
}

static void take_pipe(struct helper_failure *f, int self)
{
	char byte;

	kept(f, read(world.pipe[self][0], &byte, 1), 1);
}

static void give_event(struct helper_failure *f, int to)
{
	const uint64_t one = 1;

	kept(f, write(world.event[to], &one, sizeof(one)), (ssize_t)sizeof(one));
}

static void take_event(struct helper_failure *f, int self)
{
	uint64_t count;

	kept(f, read(world.event[self], &count, sizeof(count)), (ssize_t)sizeof(count));
}

static void give_sem(struct helper_failure *f, int to)
{
	kept(f, sem_post(&world.sem[to]), 0);
}

static void take_sem(struct helper_failure *f, int self)
{
	kept(f, sem_wait(&world.sem[self]), 0);
}

static void give_cond(struct helper_failure *f, int to)
{
	kept(f, pthread_mutex_lock(&world.mutex), 0);
	world.turn = to;
	kept(f, pthread_cond_signal(&world.cond), 0);
	kept(f, pthread_mutex_unlock(&world.mutex), 0);
}

static void take_cond(struct helper_failure *f, int self)
{
	kept(f, pthread_mutex_lock(&world.mutex), 0);
	while (world.turn != self)
		kept(f, pthread_cond_wait(&world.cond, &world.mutex), 0);
	world.turn = -1;
	kept(f, pthread_mutex_unlock(&world.mutex), 0);
}

struct way {
	void (*give)(struct helper_failure *f, int to);
	void (*take)(struct helper_failure *f, int self);
};

/* Side 0 counts its rounds from when pp->on is set; the last one carries pp->stop. */
static void *side_main(void *arg)
{
	struct pingpong_side *s = arg;
	struct pingpong *pp = s->pp;
	const struct way *way = pp->arg;
	int left = NR_ROUNDS;
	bool last = false;

	atomic_store(&s->tid, (int32_t)syscall(SYS_gettid));
	while (!last) {
		if (s->index == 0) {
			left -= atomic_load(&pp->on);
			last = left == 0;
			atomic_store(&pp->stop, last);
			way->give(&pp->failure, 1);
			way->take(&pp->failure, 0);
		} else {
			way->take(&pp->failure, 1);
			last = atomic_load(&pp->stop);
			way->give(&pp->failure, 0);
		}
	}
	return NULL;
}

static void keeps_errno(struct way way)
{
	struct pingpong *pp = pingpong_new();

	pp->arg = &way;
	for (int i = 0; i < 2; i++) {
		struct pingpong_side *s = &pp->side[i];

		s->pp = pp;
		s->index = i;
		assert_int_equal(pthread_create(&s->thread, NULL, side_main, s), 0);
	}
	if (own && pingpong_wait_held(pp))
		printf("# held\n");
	atomic_store(&pp->on, 1);
	for (int i = 0; i < 2; i++)
		pthread_join(pp->side[i].thread, NULL);
	helper_assert_no_failure(&pp->failure);
}

static void pipe_keeps_errno(void **state)
{
	keeps_errno((struct way){give_pipe, take_pipe});
}

static void eventfd_keeps_errno(void **state)
{
	keeps_errno((struct way){give_event, take_event});
}

static void semaphore_keeps_errno(void **state)
{
	keeps_errno((struct way){give_sem, take_sem});
}

static void condition_variable_keeps_errno(void **state)
{
	keeps_errno((struct way){give_cond, take_cond});
}

static int set_up(void **state)
{
	own = own_namespace();
	for (int i = 0; i < 2; i++) {
		world.event[i] = eventfd(0, EFD_CLOEXEC);
		if (world.event[i] < 0 || pipe2(world.pipe[i], O_CLOEXEC) != 0 ||
		    sem_init(&world.sem[i], 0, 0) != 0)
			return -1;
	}
	return 0;
}

static int tear_down(void **state)
{
	return own ? own_keeper_end(state) : 0;
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(pipe_keeps_errno),
		cmocka_unit_test(eventfd_keeps_errno),
		cmocka_unit_test(semaphore_keeps_errno),
		cmocka_unit_test(condition_variable_keeps_errno),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
