// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * POSIX lets a signal handler call write(), sem_post() and poll() whatever the thread was in, and
 * leave read() and poll() for good by siglongjmp(). Nothing that was handed over gets lost, and a
 * thread that jumped out of a wait can do all that it could before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/futex.h>
#include <semaphore.h>
#include <sys/eventfd.h>

#include "preload/pingpong.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { NR_TICKS = 300, NR_JUMPS = 50 };

/* What one thread waits for, and its peer's handler hands over. */
struct waiter {
	struct waiter *peer;
	void (*wait)(struct waiter *w);
	pthread_t thread;
	_Atomic int32_t tid;
	int pipe[2], event; /* what is written to does not block, the rest does */
	sem_t sem;
	uint32_t word;
	_Atomic uint64_t bytes_put, posts_put, events_put, nr_signals;
	uint64_t bytes, posts, events;
};

static struct helper_failure failure;
static _Atomic int stop;
static __thread struct waiter *self;
static bool own; /* the IPC namespace is ours */

static void hand_to(struct waiter *w)
{
	const uint64_t one = 1;

	atomic_fetch_add(&w->bytes_put, helper_expect(&failure, write(w->pipe[1], "x", 1) == 1));
	atomic_fetch_add(&w->posts_put, helper_expect(&failure, sem_post(&w->sem) == 0));
	atomic_fetch_add(&w->events_put, helper_expect(&failure, write(w->event, &one, 8) == 8));
}

static void on_tick(int signo)
{
	int saved = errno;
	struct pollfd pfd;

	if (!self)
		return;
	pfd = (struct pollfd){.fd = self->pipe[0], .events = POLLIN};
	hand_to(self->peer);
	helper_expect(&failure, poll(&pfd, 1, 0) >= 0);
	helper_expect(&failure, syscall(SYS_futex, &self->word, FUTEX_WAKE, 1, NULL, NULL, 0) == 0);
	atomic_fetch_add(&self->nr_signals, 1);
	errno = saved;
}

static void take_bytes(struct waiter *w)
{
	char bytes[64];
	ssize_t n = read(w->pipe[0], bytes, sizeof(bytes));

	if (helper_expect(&failure, n > 0 || (n < 0 && errno == EINTR)) && n > 0)
		w->bytes += (uint64_t)n;
}

static void take_post(struct waiter *w)
{
	if (sem_wait(&w->sem) == 0)
		w->posts++;
	else
		helper_expect(&failure, errno == EINTR);
}

static void take_polled(struct waiter *w)
{
	struct pollfd pfd[] = {{.fd = w->pipe[0], .events = POLLIN},
			       {.fd = w->event, .events = POLLIN}};
	uint64_t count;

	if (poll(pfd, 2, -1) < 0) {
		helper_expect(&failure, errno == EINTR);
		return;
	}
	if (pfd[0].revents)
		take_bytes(w);
	if (pfd[1].revents && helper_expect(&failure, read(w->event, &count, 8) == 8))
		w->events += count;
}

static void *waiter_main(void *arg)
{
	self = arg;
	atomic_store(&self->tid, (int32_t)syscall(SYS_gettid));
	while (!atomic_load(&stop))
		self->wait(self);
	return NULL;
}

/* What is left, without waiting. */
static void drain(struct waiter *w)
{
	struct pollfd pfd = {.fd = w->pipe[0], .events = POLLIN};
	uint64_t count;

	while (sem_trywait(&w->sem) == 0)
		w->posts++;
	while (poll(&pfd, 1, 0) == 1)
		take_bytes(w);
	while (read(w->event, &count, 8) == 8)
		w->events += count;
}

static void on_signal(int signo, void (*handler)(int), int flags)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = flags};

	sigemptyset(&act.sa_mask);
	assert_int_equal(sigaction(signo, &act, NULL), 0);
}

static void waiter_open(struct waiter *w, struct waiter *peer)
{
	w->peer = peer;
	assert_int_equal(pipe2(w->pipe, O_CLOEXEC), 0);
	assert_int_equal(fcntl(w->pipe[1], F_SETFL, O_NONBLOCK), 0);
	w->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	assert_true(w->event >= 0);
	assert_int_equal(sem_init(&w->sem, 0, 0), 0);
}

static void waiter_close(struct waiter *w)
{
	close(w->pipe[0]);
	close(w->pipe[1]);
	close(w->event);
	sem_destroy(&w->sem);
}

/* Ticks of 1 kHz: from a timer of each thread's, or from this thread. */
static void is_exact(void (*wait)(struct waiter *w), bool timers, int flags)
{
	struct waiter w[2] = {{.wait = wait}, {.wait = wait}};
	const struct itimerspec each_ms = {{.tv_nsec = 1000000}, {.tv_nsec = 1000000}};
	timer_t timer[2];

	on_signal(SIGUSR1, on_tick, flags);
	atomic_store(&stop, 0);
	for (int i = 0; i < 2; i++)
		waiter_open(&w[i], &w[!i]);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&w[i].thread, NULL, waiter_main, &w[i]), 0);
	for (int i = 0; i < 2; i++) {
		struct sigevent ev = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};

		while (!atomic_load(&w[i].tid))
			own_pause_ms(1);
		ev.sigev_notify_thread_id = w[i].tid;
		assert_int_equal(timer_create(CLOCK_MONOTONIC, &ev, &timer[i]), 0);
		if (timers)
			assert_int_equal(timer_settime(timer[i], 0, &each_ms, NULL), 0);
	}
	while (w[0].nr_signals < NR_TICKS || w[1].nr_signals < NR_TICKS) {
		own_pause_ms(1);
		for (int i = 0; i < 2 && !timers; i++)
			assert_int_equal(pthread_kill(w[i].thread, SIGUSR1), 0);
	}
	for (int i = 0; i < 2; i++)
		timer_delete(timer[i]);
	atomic_store(&stop, 1);
	for (int i = 0; i < 2; i++)
		hand_to(&w[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(w[i].thread, NULL);
	for (int i = 0; i < 2; i++) {
		drain(&w[i]);
		assert_int_equal(w[i].bytes, w[i].bytes_put);
		assert_int_equal(w[i].posts, w[i].posts_put);
		assert_int_equal(w[i].events, w[i].events_put);
		waiter_close(&w[i]);
	}
	helper_assert_no_failure(&failure);
}

static void nothing_is_lost_around_read(void **state)
{
	is_exact(take_bytes, true, 0);
	is_exact(take_bytes, false, SA_RESTART);
}

static void nothing_is_lost_around_sem_wait(void **state)
{
	is_exact(take_post, true, 0);
	is_exact(take_post, false, SA_RESTART);
}

static void nothing_is_lost_around_poll(void **state)
{
	is_exact(take_polled, true, 0);
	is_exact(take_polled, false, SA_RESTART);
}

static sigjmp_buf out_of_wait;
static _Atomic int armed, nr_jumps;

static void jump_out(int signo)
{
	if (atomic_exchange(&armed, 0))
		siglongjmp(out_of_wait, 1);
}

static void *nothing(void *arg)
{
	return arg;
}

/* All calls, alone; nothing of W is left ready. */
static void use_all(struct waiter *w)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	const struct timespec past = {.tv_sec = 1};
	uint64_t count = 0;
	pthread_t thread;

	hand_to(w);
	helper_expect(&failure, pingpong_get(w->pipe[0]) == 'x');
	helper_expect(&failure, sem_wait(&w->sem) == 0);
	helper_expect(&failure, read(w->event, &count, 8) == 8 && count == 1);
	helper_expect(&failure, pthread_mutex_lock(&mutex) == 0);
	helper_expect(&failure, pthread_cond_timedwait(&cond, &mutex, &past) == ETIMEDOUT);
	helper_expect(&failure, pthread_mutex_unlock(&mutex) == 0);
	helper_expect(&failure, pthread_create(&thread, NULL, nothing, NULL) == 0 &&
					pthread_join(thread, NULL) == 0);
}

/* Waits for what never comes, so each wait ends by a jump. */
static void *jumper_main(void *arg)
{
	struct waiter *w = arg;

	for (volatile int i = 0; i < NR_JUMPS; i++) {
		if (sigsetjmp(out_of_wait, 1) == 0) {
			struct pollfd pfd = {.fd = w->pipe[0], .events = POLLIN};
			char byte;

			atomic_store(&armed, 1);
			if (i % 2)
				poll(&pfd, 1, -1);
			else
				(void)!read(w->pipe[0], &byte, 1);
			helper_check(&failure, false, __FILE__, __LINE__, "came out of a wait");
		}
		use_all(w);
		atomic_fetch_add(&nr_jumps, 1);
	}
	return NULL;
}

static void a_thread_that_jumped_out_of_a_wait_goes_on(void **state)
{
	struct waiter w = {0};
	pthread_t thread;

	on_signal(SIGUSR2, jump_out, 0);
	waiter_open(&w, &w);
	assert_int_equal(pthread_create(&thread, NULL, jumper_main, &w), 0);
	for (int i = 0; i < NR_JUMPS; i++) {
		while (!atomic_load(&armed))
			own_pause_ms(1);
		own_pause_ms(
			2); /* most are in the wait by then; the others jump out of before it */
		assert_int_equal(pthread_kill(thread, SIGUSR2), 0);
		while (atomic_load(&nr_jumps) == i && !failure.taken)
			own_pause_ms(1);
	}
	pthread_join(thread, NULL);
	assert_int_equal(nr_jumps, NR_JUMPS);
	waiter_close(&w);
	helper_assert_no_failure(&failure);
}

static int set_up(void **state)
{
	own = own_namespace();
	return 0;
}

static int tear_down(void **state)
{
	return own ? own_keeper_end(state) : 0;
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost_around_read),
		cmocka_unit_test(nothing_is_lost_around_sem_wait),
		cmocka_unit_test(nothing_is_lost_around_poll),
		cmocka_unit_test(a_thread_that_jumped_out_of_a_wait_goes_on),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
