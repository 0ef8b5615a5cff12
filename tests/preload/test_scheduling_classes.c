// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Real-time, deadline and idle classes, nice values: set on a thread that hands work over, by
 * itself, by its partner or by an administrator. Each call ends as on a thread at rest, the class
 * stays what was set, and a real-time or deadline thread has its whole mask from then on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <sys/resource.h>

#include "base/sys.h"
#include "helper/baseline.h"
#include "preload/held.h"

enum { WATCH_MS = 300, DEADLINE = 6 };

/* Older headers have no struct sched_attr. */
struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static char start_list[256];

static const struct attr attrs[] = {
	{.size = sizeof(struct attr), .policy = SCHED_FIFO, .priority = 10},
	{.size = sizeof(struct attr), .policy = SCHED_RR, .priority = 5},
	{.size = sizeof(struct attr),
	 .policy = DEADLINE,
	 .runtime = 1000000,
	 .deadline = 10000000,
	 .period = 10000000},
};
static const struct attr normal = {.size = sizeof(struct attr)};

/* 0 or the errno, by the kernel's call; what a thread at rest gets, first of all. */
static int at_rest[sizeof(attrs) / sizeof(attrs[0])];

static void *try_all(void *unused)
{
	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		at_rest[i] = (int)-pl_sys3(SYS_sched_setattr, 0, &attrs[i], 0);
		pl_sys3(SYS_sched_setattr, 0, &normal, 0);
	}
	return unused;
}

struct order {
	const struct attr *attr;
	int expected;
	int way;   /* see set_class() */
	pid_t tid; /* of the thread that was set */
	struct pingpong *pp;
};

static int by_library(pid_t tid, const struct attr *attr)
{
	struct sched_param param = {.sched_priority = (int)attr->priority};

	if (attr->policy == DEADLINE)
		return syscall(SYS_sched_setattr, tid, attr, 0) ? errno : 0;
	return sched_setscheduler(tid, (int)attr->policy, &param) ? errno : 0;
}

static void set_class(struct helper_failure *f, struct pingpong_side *s, struct order *o)
{
	struct sched_param param = {.sched_priority = (int)o->attr->priority};
	pid_t self = (pid_t)pl_sys0(SYS_gettid);
	int got;

	o->tid = self;
	if (o->way == 0) {
		got = by_library(0, o->attr);
	} else if (o->way == 1) {
		got = by_library(self, o->attr);
	} else if (o->way == 2) {
		o->tid = atomic_load(&s->pp->side[1].tid);
		got = by_library(o->tid, o->attr);
	} else if (o->attr->policy == DEADLINE) {
		got = syscall(SYS_sched_setattr, self, o->attr, 0) ? errno : 0;
	} else {
		got = pthread_setschedparam(pthread_self(), (int)o->attr->policy, &param);
	}
	if (got != o->expected)
		fprintf(stderr, "class %u, way %d: error %d, not %d\n", o->attr->policy, o->way,
			got, o->expected);
	helper_expect(f, got == o->expected);
}

static _Atomic int obeyed;
static _Atomic int order_given;

static void obey(struct pingpong_side *s)
{
	if (s->index != 0 || atomic_exchange(&order_given, 0) == 0)
		return;
	set_class(&s->pp->failure, s, s->pp->arg);
	atomic_store(&obeyed, 1);
}

static bool is_obeyed(void *unused)
{
	(void)unused;
	return atomic_load(&obeyed);
}

static void set_while_held(size_t which, int way, bool processes)
{
	struct order o = {.attr = &attrs[which], .expected = at_rest[which], .way = way};
	struct pingpong *pp = pingpong_new();
	long policy;

	pp->processes = processes;
	pp->every = obey;
	pp->period = 1;
	pp->arg = &o;
	pingpong_start(pp);
	atomic_store(&pp->on, 1);
	pingpong_wait_held(pp);
	atomic_store(&obeyed, 0);
	atomic_store(&order_given, 1);
	assert_true(own_poll(is_obeyed, NULL, 20000));
	policy = at_rest[which] ? SCHED_OTHER : attrs[which].policy;
	for (int64_t until = own_now_ms() + WATCH_MS; own_now_ms() < until; own_pause_ms(5)) {
		assert_int_equal(pl_sys1(SYS_sched_getscheduler, o.tid), policy);
		if (policy != SCHED_OTHER)
			assert_true(mask_is(o.tid, start_list));
	}
	assert_int_equal(pingpong_stop(pp), 0);
	helper_assert_no_failure(&pp->failure);
}

static void a_thread_sets_its_own_class(void **state)
{
	set_while_held(1, 0, false);
	set_while_held(2, 1, false);
}

static void a_thread_sets_its_partners_class(void **state)
{
	set_while_held(0, 2, true);
	set_while_held(2, 2, false);
}

static void a_thread_sets_its_class_by_pthread(void **state)
{
	set_while_held(0, 3, false);
}

static void nice_values(struct helper_failure *f, void *unused)
{
	pid_t self = (pid_t)pl_sys0(SYS_gettid);
	struct sched_param none = {0};

	(void)unused;
	helper_expect(f, setpriority(PRIO_PROCESS, (id_t)self, 7) == 0);
	helper_expect(f, getpriority(PRIO_PROCESS, (id_t)self) == 7);
	helper_expect(f, sched_setscheduler(0, SCHED_BATCH, &none) == 0);
	helper_expect(f, sched_getscheduler(0) == SCHED_BATCH);
	helper_expect(f, sched_setscheduler(0, SCHED_IDLE, &none) == 0);
	helper_expect(f, sched_getscheduler(0) == SCHED_IDLE);
	helper_expect(f, getpriority(PRIO_PROCESS, (id_t)self) == 7);
}

static void nice_and_idle_stay_as_set(void **state)
{
	held_call(false, 1, nice_values, NULL);
}

/* As `chrt -p` does: libplace is not asked, and must find out. */
static void the_class_set_from_outside_stays(void **state)
{
	struct pingpong *pp = pingpong_new();
	char id[16];
	const char *argv[] = {"chrt", "-f", "-p", "10", id, NULL};
	struct helper_child c = {.argv = argv, .preload = ""};
	pid_t tid;

	pingpong_start(pp);
	pingpong_wait_held(pp);
	tid = pp->side[1].tid;
	snprintf(id, sizeof(id), "%d", tid);
	assert_int_equal(helper_child_run(&c), 0);
	if (!at_rest[0]) {
		assert_true(helper_child_exited(&c, 0));
		for (int64_t until = own_now_ms() + WATCH_MS; own_now_ms() < until; own_pause_ms(5))
			assert_int_equal(pl_sys1(SYS_sched_getscheduler, tid), SCHED_FIFO);
	}
	helper_child_free(&c);
	assert_int_equal(pingpong_stop(pp), 0);
	helper_assert_no_failure(&pp->failure);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, pingpong_end)
	static const struct CMUnitTest tests[] = {
		TEST(a_thread_sets_its_own_class),	  TEST(a_thread_sets_its_partners_class),
		TEST(a_thread_sets_its_class_by_pthread), TEST(nice_and_idle_stay_as_set),
		TEST(the_class_set_from_outside_stays),
	};
	pthread_t thread;

	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	mask_list(getpid(), start_list, sizeof(start_list));
	if (pthread_create(&thread, NULL, try_all, NULL) != 0 || pthread_join(thread, NULL) != 0)
		return 1;
	/* Not on stdout: the results have to begin with their version. */
	fprintf(stderr, "at rest: FIFO %d, RR %d, DEADLINE %d\n", at_rest[0], at_rest[1],
		at_rest[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
