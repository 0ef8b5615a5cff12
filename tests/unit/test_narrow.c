// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Whose a thread's mask is: the balancer narrows, the thread and its fellows take it back, somebody
// outside wins, and a thread that ends waits for the balancer.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "apply/narrow.h"
#include "helper/helper.h"

/* A thread that is there, does as it is told and ends. */
struct other {
	pthread_t thread;
	sem_t ready, go, done;
	void (*job)(struct other *);
	struct pl_thread *entry;
	pid_t tid;
	cpu_set_t saw;
	_Atomic bool left;
};

static struct pl_cpumask one;

static void *other_main(void *arg)
{
	struct other *o = arg;

	pl_tls.end_is_seen = true;
	pl_thread_enter(&pl_tls);
	o->entry = pl_tls.thread;
	o->tid = gettid();
	sem_post(&o->ready);
	for (;;) {
		sem_wait(&o->go);
		if (!o->job)
			break;
		o->job(o);
		sem_post(&o->done);
	}
	pl_narrow_take(pl_tls.thread);
	pl_thread_leave(&pl_tls);
	atomic_store(&o->left, true);
	return NULL;
}

static void tell(struct other *o, void (*job)(struct other *))
{
	o->job = job;
	sem_post(&o->go);
	if (job)
		sem_wait(&o->done);
}

static int set_up(void **state)
{
	static struct other other; /* one at a time */
	struct other *o = &other;

	memset(o, 0, sizeof(*o));
	sem_init(&o->ready, 0, 0);
	sem_init(&o->go, 0, 0);
	sem_init(&o->done, 0, 0);
	if (pthread_create(&o->thread, NULL, other_main, o))
		return -1;
	sem_wait(&o->ready);
	*state = o;
	return 0;
}

static int tear_down(void **state)
{
	struct other *o = *state;

	tell(o, NULL);
	pthread_join(o->thread, NULL);
	return 0;
}

static int nr_cpus_of(pid_t tid)
{
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(tid, sizeof(set), &set), 0);
	return CPU_COUNT(&set);
}

static int all_cpus;

static int read_base(void **state)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	all_cpus = CPU_COUNT(&set);
	for (int c = 0; c < CPU_SETSIZE; c++)
		if (CPU_ISSET(c, &set)) {
			pl_cpumask_add(&one, c);
			break;
		}
	return pl_base_mask_read() && pl_base_mask_compare() ? 0 : -1;
}

static bool has_two_cpus(void)
{
	if (all_cpus < 2)
		helper_skipped("needs two CPUs");
	return all_cpus >= 2;
}

static void test_narrow_and_undo(void **state)
{
	struct other *o = *state;

	if (!has_two_cpus())
		return;
	assert_int_equal(pl_narrow(o->entry, &one), 0);
	assert_int_equal(pl_thread_mask_state(o->entry), PL_MASK_SET);
	assert_int_equal(nr_cpus_of(o->tid), 1);
	pl_narrow_undo(o->entry);
	assert_int_equal(pl_thread_mask_state(o->entry), PL_MASK_WIDE);
	assert_int_equal(nr_cpus_of(o->tid), all_cpus);
	pl_narrow_undo(o->entry); /* nothing to undo */
	assert_int_equal(nr_cpus_of(o->tid), all_cpus);
}

static void take_own(struct other *o)
{
	pl_narrow_take(o->entry);
	sched_getaffinity(0, sizeof(o->saw), &o->saw);
}

static void test_taken_by_itself(void **state)
{
	struct other *o = *state;

	if (!has_two_cpus())
		return;
	assert_int_equal(pl_narrow(o->entry, &one), 0);
	tell(o, take_own);
	assert_int_equal(CPU_COUNT(&o->saw), all_cpus);
	assert_int_equal(pl_thread_mask_state(o->entry), PL_MASK_LEFT);
	/* The balancer keeps away, also after it was taken twice. */
	assert_int_equal(pl_narrow(o->entry, &one), -EAGAIN);
	tell(o, take_own);
	assert_int_equal(pl_narrow(o->entry, &one), -EAGAIN);
	assert_int_equal(nr_cpus_of(o->tid), all_cpus);
}

static void test_taken_by_a_fellow(void **state)
{
	struct other *o = *state;

	if (!has_two_cpus())
		return;
	assert_int_equal(pl_narrow(o->entry, &one), 0);
	pl_narrow_take_tid(o->tid, false);
	assert_int_equal(nr_cpus_of(o->tid), all_cpus);
	assert_false(pl_get(&o->entry->pinned));
	pl_narrow_take_tid(-1, true);
	assert_true(pl_get(&o->entry->pinned));
}

static void test_each_taking_counts(void **state)
{
	struct other *o = *state;
	uint32_t first;

	pl_narrow_take(o->entry);
	first = pl_get(&o->entry->mask);
	pl_narrow_take(o->entry);
	assert_int_not_equal(pl_get(&o->entry->mask), first);
	assert_int_equal(pl_thread_mask_state(o->entry), PL_MASK_LEFT);
}

static void test_mask_from_outside_wins(void **state)
{
	struct other *o = *state;
	cpu_set_t second;

	if (!has_two_cpus())
		return;
	/* While it is wide. */
	CPU_ZERO(&second);
	for (int c = 0; c < CPU_SETSIZE && !CPU_COUNT(&second); c++)
		if (pl_cpumask_has(&pl_base_mask.allowed, c) && !pl_cpumask_has(&one, c))
			CPU_SET(c, &second);
	assert_int_equal(sched_setaffinity(o->tid, sizeof(second), &second), 0);
	assert_int_equal(pl_narrow(o->entry, &one), -EBUSY);
	assert_true(pl_get(&o->entry->pinned));
	assert_int_equal(nr_cpus_of(o->tid), 1);
	assert_int_equal(pl_narrow(o->entry, &one), -EBUSY);
}

static void test_mask_from_outside_stays(void **state)
{
	struct other *o = *state;
	cpu_set_t second;

	if (!has_two_cpus())
		return;
	/* While it is narrowed. */
	assert_int_equal(pl_narrow(o->entry, &one), 0);
	CPU_ZERO(&second);
	for (int c = 0; c < CPU_SETSIZE && !CPU_COUNT(&second); c++)
		if (pl_cpumask_has(&pl_base_mask.allowed, c) && !pl_cpumask_has(&one, c))
			CPU_SET(c, &second);
	assert_int_equal(sched_setaffinity(o->tid, sizeof(second), &second), 0);
	pl_narrow_undo(o->entry);
	assert_true(pl_get(&o->entry->pinned));
	assert_int_equal(nr_cpus_of(o->tid), 1);
}

/* Somebody narrows it further, to CPUs that we had left it. */
static void test_mask_from_outside_within_ours(void **state)
{
	struct other *o = *state;
	cpu_set_t first;

	if (!has_two_cpus())
		return;
	assert_int_equal(pl_narrow(o->entry, &pl_base_mask.allowed), 0);
	CPU_ZERO(&first);
	for (int c = 0; c < CPU_SETSIZE; c++)
		if (pl_cpumask_has(&one, c))
			CPU_SET(c, &first);
	assert_int_equal(sched_setaffinity(o->tid, sizeof(first), &first), 0);
	pl_narrow_undo(o->entry);
	assert_true(pl_get(&o->entry->pinned));
	assert_int_equal(nr_cpus_of(o->tid), 1);
}

/* The cpuset has grown since it was looked at: that is nobody's wish for this thread. */
static void test_cpuset_has_grown(void **state)
{
	struct pl_cpumask allowed = pl_base_mask.allowed;
	struct other *o = *state;

	if (!has_two_cpus())
		return;
	pl_base_mask.allowed = one;
	assert_int_equal(pl_narrow(o->entry, &one), 0);
	assert_false(pl_get(&o->entry->pinned));
	assert_true(pl_cpumask_equal(&pl_base_mask.allowed, &allowed));
	assert_int_equal(nr_cpus_of(o->tid), 1);
	pl_narrow_undo(o->entry);
	assert_int_equal(nr_cpus_of(o->tid), all_cpus);
	pl_base_mask.allowed = allowed;
}

/* The cpuset took our CPU away and the kernel widened the thread. */
static void test_cpuset_has_moved(void **state)
{
	struct pl_cpumask allowed = pl_base_mask.allowed;
	struct other *o = *state;
	cpu_set_t all;

	if (!has_two_cpus())
		return;
	assert_int_equal(pl_narrow(o->entry, &one), 0);
	memset(&all, 255, sizeof(all));
	assert_int_equal(sched_setaffinity(o->tid, sizeof(all), &all), 0);
	pl_base_mask.allowed = one;
	pl_narrow_undo(o->entry);
	assert_false(pl_get(&o->entry->pinned));
	assert_int_equal(nr_cpus_of(o->tid), all_cpus);
	pl_base_mask.allowed = allowed;
}

/* A kernel that refuses from now on: what was narrowed before is given back all the same. */
static void test_given_back_after_refusals(void **state)
{
	struct other *o = *state;

	if (!has_two_cpus())
		return;
	assert_int_equal(pl_narrow(o->entry, &one), 0);
	pl_set(&pl_member.nr_denied, PL_MAX_DENIED);
	pl_narrow_undo(o->entry);
	pl_set(&pl_member.nr_denied, 0);
	assert_int_equal(nr_cpus_of(o->tid), all_cpus);
}

static void test_set_that_is_not_allowed(void **state)
{
	struct other *o = *state;
	struct pl_cpumask none;

	pl_cpumask_zero(&none);
	pl_cpumask_add(&none, PL_MAX_CPUS - 1);
	assert_int_equal(pl_narrow(o->entry, &none), -EINVAL);
	assert_int_equal(pl_thread_mask_state(o->entry), PL_MASK_WIDE);
	assert_int_equal(nr_cpus_of(o->tid), all_cpus);
}

static void *end_while_busy(void *arg)
{
	pl_narrow_take(arg);
	return NULL;
}

/* Whoever takes the mask waits until the balancer is done with it. */
static void test_taking_waits(void **state)
{
	struct other *o = *state;
	pthread_t taker;

	assert_true(pl_thread_begin(o->entry, PL_MASK_WIDE));
	assert_int_equal(pthread_create(&taker, NULL, end_while_busy, o->entry), 0);
	for (int i = 0; i < 20; i++) {
		sched_yield();
		assert_int_equal(pl_thread_mask_state(o->entry), PL_MASK_BUSY);
	}
	pl_thread_settle(o->entry, PL_MASK_WIDE);
	pthread_join(taker, NULL);
	assert_int_equal(pl_thread_mask_state(o->entry), PL_MASK_LEFT);
}

/* Its thread-local storage goes with it. */
static void test_ending_waits_for_a_look(void **state)
{
	struct other *o;
	void *again = NULL;
	pid_t tid;

	if (set_up(&again) != 0 || !(o = again)) {
		fail();
		return;
	}
	tid = o->tid;
	assert_true(pl_thread_look(o->entry, tid));
	tell(o, NULL);
	while (pl_get(&o->entry->tid) == tid)
		sched_yield();
	for (int i = 0; i < 200; i++) {
		sched_yield();
		assert_false(atomic_load(&o->left));
	}
	pl_thread_looked();
	pthread_join(o->thread, NULL);
	assert_true(atomic_load(&o->left));
	assert_false(pl_thread_look(o->entry, tid));
}

/* The balancer may be off its CPU for long, and is not to be overtaken then. */
static void test_taking_waits_for_long(void **state)
{
	struct other *o = *state;
	struct timespec ts = {.tv_nsec = 300000000};
	pthread_t taker;

	assert_true(pl_thread_begin(o->entry, PL_MASK_WIDE));
	assert_int_equal(pthread_create(&taker, NULL, end_while_busy, o->entry), 0);
	nanosleep(&ts, NULL);
	assert_int_equal(pl_thread_mask_state(o->entry), PL_MASK_BUSY);
	assert_int_equal(pthread_tryjoin_np(taker, NULL), EBUSY);
	pl_thread_settle(o->entry, PL_MASK_WIDE);
	pthread_join(taker, NULL);
	assert_int_equal(pl_thread_mask_state(o->entry), PL_MASK_LEFT);
}

static void test_entry_ends_with_its_thread(void **state)
{
	struct pl_thread *entry;
	struct other *o;
	void *again = NULL;

	if (set_up(&again) != 0 || !(o = again)) {
		fail();
		return;
	}
	entry = o->entry;
	assert_int_equal(pl_get(&entry->tid), o->tid);
	assert_false(pl_get(&entry->is_main));
	tear_down(&again);
	assert_int_equal(pl_get(&entry->tid), 0);
}

/* As if a CPU had been gone when the mask was given back, and had come again. */
static void test_renewed_when_cpus_come(void **state)
{
	struct other *o = *state;
	cpu_set_t half, now;

	if (!has_two_cpus())
		return;
	assert_int_equal(pl_narrow(o->entry, &one), 0);
	pl_narrow_undo(o->entry);
	CPU_ZERO(&half);
	for (int c = 0; c < CPU_SETSIZE; c++)
		if (pl_cpumask_has(&one, c))
			CPU_SET(c, &half);
	assert_int_equal(sched_setaffinity(o->tid, sizeof(half), &half), 0);
	o->entry->gave = one;
	pl_narrow_renew(o->entry);
	assert_int_equal(nr_cpus_of(o->tid), all_cpus);
	/* A mask that is not what the kernel made of ours is somebody's. */
	assert_int_equal(sched_setaffinity(o->tid, sizeof(half), &half), 0);
	pl_narrow_renew(o->entry);
	assert_int_equal(sched_getaffinity(o->tid, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&now, &half));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_narrow_and_undo, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_taken_by_itself, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_taken_by_a_fellow, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_each_taking_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_mask_from_outside_wins, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_mask_from_outside_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_mask_from_outside_within_ours, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_cpuset_has_grown, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_cpuset_has_moved, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_given_back_after_refusals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_set_that_is_not_allowed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_taking_waits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_taking_waits_for_long, set_up, tear_down),
		cmocka_unit_test(test_ending_waits_for_a_look),
		cmocka_unit_test_setup_teardown(test_renewed_when_cpus_come, set_up, tear_down),
		cmocka_unit_test(test_entry_ends_with_its_thread),
	};

	return cmocka_run_group_tests(tests, read_base, NULL);
}
