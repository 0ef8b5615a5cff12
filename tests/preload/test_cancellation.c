// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * A thread may be cancelled in any wait: it ends, its cleanup handlers run with what POSIX promises
 * them, and the others go on. True of the C library alone, and to stay true with the preload
 * object.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define NR_CYCLES 2000

/* What nobody ever makes ready. */
static struct {
	int pipe[2], pair[2], epoll;
	pthread_mutex_t mutex; /* error checking: says who holds it */
	pthread_cond_t cond;
	mtx_t mtx;
	cnd_t cnd;
	sem_t sem;
	pthread_t never; /* a thread that does not end */
	sem_t end_never;
} world;

static _Atomic int handlers; /* cleanup handlers that ran */
static _Atomic int errors;   /* of threads other than the main one */

static struct timespec in_an_hour(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += 3600;
	return ts;
}

static void handler(void *unused)
{
	(void)unused;
	handlers++;
}

/* The error-checking mutex is given back only by its holder. */
static void handler_with_mutex(void *unused)
{
	(void)unused;
	handlers++;
	if (pthread_mutex_unlock(&world.mutex))
		errors++;
}

static void in_read(void)
{
	char c;

	if (read(world.pipe[0], &c, 1) >= 0)
		errors++;
}

static void in_recv(void)
{
	char c;

	if (recv(world.pair[0], &c, 1, 0) >= 0)
		errors++;
}

static void in_poll(void)
{
	struct pollfd p = {.fd = world.pipe[0], .events = POLLIN};

	if (poll(&p, 1, -1) >= 0)
		errors++;
}

static void in_epoll_wait(void)
{
	struct epoll_event event;

	if (epoll_wait(world.epoll, &event, 1, -1) >= 0)
		errors++;
}

static void in_cond_wait(void)
{
	if (pthread_mutex_lock(&world.mutex))
		errors++;
	pthread_cleanup_push(handler_with_mutex, NULL);
	for (;;)
		pthread_cond_wait(&world.cond, &world.mutex);
	pthread_cleanup_pop(0);
}

static void in_cond_timedwait(void)
{
	struct timespec until = in_an_hour();

	if (pthread_mutex_lock(&world.mutex))
		errors++;
	pthread_cleanup_push(handler_with_mutex, NULL);
	while (pthread_cond_timedwait(&world.cond, &world.mutex, &until) == 0)
		continue;
	pthread_cleanup_pop(0);
	errors++;
}

static void mtx_handler(void *unused)
{
	(void)unused;
	handlers++;
	mtx_unlock(&world.mtx);
}

static void in_cnd_wait(void)
{
	mtx_lock(&world.mtx);
	pthread_cleanup_push(mtx_handler, NULL);
	for (;;)
		cnd_wait(&world.cnd, &world.mtx);
	pthread_cleanup_pop(0);
}

static void in_sem_wait(void)
{
	if (sem_wait(&world.sem) == 0)
		errors++;
}

static void in_sem_timedwait(void)
{
	struct timespec until = in_an_hour();

	if (sem_timedwait(&world.sem, &until) == 0)
		errors++;
}

static void in_join(void)
{
	pthread_join(world.never, NULL);
	errors++;
}

static void in_nanosleep(void)
{
	nanosleep(&(struct timespec){.tv_sec = 3600}, NULL);
	errors++;
}

static const struct wait {
	const char *name;
	void (*run)(void);
	bool asynchronous; /* the call is a plain system call, so it may be cancelled at any point
			    */
	int handlers;
} waits[] = {
	{"read", in_read, true, 1},
	{"recv", in_recv, true, 1},
	{"poll", in_poll, true, 1},
	{"epoll_wait", in_epoll_wait, true, 1},
	{"nanosleep", in_nanosleep, true, 1},
	{"pthread_cond_wait", in_cond_wait, false, 2},
	{"pthread_cond_timedwait", in_cond_timedwait, false, 2},
	{"cnd_wait", in_cnd_wait, false, 2},
	{"sem_wait", in_sem_wait, false, 1},
	{"sem_timedwait", in_sem_timedwait, false, 1},
	{"pthread_join", in_join, false, 1},
};

#define NR_WAITS (sizeof(waits) / sizeof(waits[0]))

struct cycle {
	const struct wait *wait;
	bool asynchronous;
	sem_t begun;
};

static void *cancelled(void *arg)
{
	struct cycle *c = arg;

	pthread_cleanup_push(handler, NULL);
	sem_post(&c->begun);
	if (c->asynchronous)
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	c->wait->run();
	pthread_cleanup_pop(1);
	return NULL;
}

/* Spins, so that the cancellation comes before, at or after the beginning of the wait. */
static void spin(unsigned int us)
{
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - start.tv_sec) * 1000000L + (now.tv_nsec - start.tv_nsec) / 1000 < us);
}

/* Two threads that play on, and a third that begins and ends threads, while others are cancelled.
 */
static struct {
	int there[2], back[2];
	_Atomic bool stop;
	_Atomic unsigned int rounds, threads;
} play;

static void *ping(void *unused)
{
	char c = 0;

	(void)unused;
	while (!play.stop) {
		if (write(play.there[1], &c, 1) != 1 || read(play.back[0], &c, 1) != 1)
			errors++;
		play.rounds++;
	}
	close(play.there[1]);
	return NULL;
}

static void *pong(void *unused)
{
	char c;

	(void)unused;
	while (read(play.there[0], &c, 1) == 1)
		if (write(play.back[1], &c, 1) != 1)
			errors++;
	return NULL;
}

static void *empty(void *arg)
{
	return arg;
}

static void *creator(void *unused)
{
	pthread_t thread;
	void *result;

	(void)unused;
	while (!play.stop) {
		if (pthread_create(&thread, NULL, empty, &play) || pthread_join(thread, &result) ||
		    result != &play)
			errors++;
		play.threads++;
	}
	return NULL;
}

static void every_wait_can_be_cancelled(void **state)
{
	pthread_t players[3];

	assert_int_equal(pipe(play.there), 0);
	assert_int_equal(pipe(play.back), 0);
	assert_int_equal(pthread_create(&players[0], NULL, pong, NULL), 0);
	assert_int_equal(pthread_create(&players[1], NULL, ping, NULL), 0);
	assert_int_equal(pthread_create(&players[2], NULL, creator, NULL), 0);

	for (unsigned int i = 0; i < NR_CYCLES; i++) {
		const struct wait *w = &waits[i % NR_WAITS];
		struct cycle c = {.wait = w, .asynchronous = w->asynchronous && i / NR_WAITS % 2};
		pthread_t thread;
		void *result;

		assert_int_equal(sem_init(&c.begun, 0, 0), 0);
		handlers = 0;
		assert_int_equal(pthread_create(&thread, NULL, cancelled, &c), 0);
		assert_int_equal(sem_wait(&c.begun), 0);
		spin(i * 37 % 200);
		assert_int_equal(pthread_cancel(thread), 0);
		assert_int_equal(pthread_join(thread, &result), 0);
		if (result != PTHREAD_CANCELED || handlers != w->handlers || errors)
			fail_msg("%s: result %p, %d handlers, %d errors", w->name, result, handlers,
				 errors);
		assert_int_equal(pthread_mutex_trylock(&world.mutex), 0);
		assert_int_equal(pthread_mutex_unlock(&world.mutex), 0);
	}

	play.stop = true;
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_join(players[i], NULL), 0);
	assert_true(play.rounds > 0);
	assert_true(play.threads > 0);
	assert_int_equal(errors, 0);
}

/* After all that, the objects the cancelled threads waited for still work. */
static void *take_turns(void *unused)
{
	char c;

	(void)unused;
	if (read(world.pipe[0], &c, 1) != 1 || recv(world.pair[0], &c, 1, 0) != 1 ||
	    sem_wait(&world.sem) || pthread_mutex_lock(&world.mutex))
		errors++;
	handlers = -1;
	if (pthread_cond_signal(&world.cond) || pthread_mutex_unlock(&world.mutex))
		errors++;
	return NULL;
}

static void the_objects_still_work(void **state)
{
	pthread_t thread;

	handlers = 0;
	assert_int_equal(pthread_mutex_lock(&world.mutex), 0);
	assert_int_equal(pthread_create(&thread, NULL, take_turns, NULL), 0);
	assert_int_equal(write(world.pipe[1], "a", 1), 1);
	assert_int_equal(send(world.pair[1], "b", 1, 0), 1);
	assert_int_equal(sem_post(&world.sem), 0);
	while (handlers == 0)
		assert_int_equal(pthread_cond_wait(&world.cond, &world.mutex), 0);
	assert_int_equal(pthread_mutex_unlock(&world.mutex), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(errors, 0);
}

static void *never(void *unused)
{
	(void)unused;
	while (sem_wait(&world.end_never))
		continue;
	return NULL;
}

static int setup(void **state)
{
	struct epoll_event event = {.events = EPOLLIN};
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	world.epoll = epoll_create1(0);
	return pipe(world.pipe) || socketpair(AF_UNIX, SOCK_STREAM, 0, world.pair) ||
	       epoll_ctl(world.epoll, EPOLL_CTL_ADD, world.pipe[0], &event) ||
	       pthread_mutex_init(&world.mutex, &attr) || pthread_cond_init(&world.cond, NULL) ||
	       mtx_init(&world.mtx, mtx_plain) || cnd_init(&world.cnd) ||
	       sem_init(&world.sem, 0, 0) || sem_init(&world.end_never, 0, 0) ||
	       pthread_create(&world.never, NULL, never, NULL);
}

static int teardown(void **state)
{
	return sem_post(&world.end_never) || pthread_join(world.never, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_wait_can_be_cancelled),
		cmocka_unit_test(the_objects_still_work),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
