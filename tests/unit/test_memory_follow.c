// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Pages of a thread follow it to its node, unless the program has a memory policy.
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "apply/memory_follow.h"
#include "base/cpu.h"
#include "helper/helper.h"

static int node_of(const volatile void *addr)
{
	int status = -1;

	return syscall(SYS_move_pages, 0, 1ul, &addr, NULL, &status, 0) == 0 ? status : -1;
}

struct other {
	uintptr_t tp;
	const volatile void *local; /* on its stack */
	pthread_barrier_t ready, done;
};

static void *other_main(void *arg)
{
	struct other *o = arg;
	volatile int local = 1;

	o->tp = (uintptr_t)pl_thread_pointer();
	o->local = &local;
	pthread_barrier_wait(&o->ready);
	pthread_barrier_wait(&o->done);
	return NULL;
}

/* Calls FN while another thread is there. */
static void with_other(void (*fn)(const struct other *))
{
	struct other o;
	pthread_t t;

	pthread_barrier_init(&o.ready, NULL, 2);
	pthread_barrier_init(&o.done, NULL, 2);
	assert_int_equal(pthread_create(&t, NULL, other_main, &o), 0);
	pthread_barrier_wait(&o.ready);
	fn(&o);
	pthread_barrier_wait(&o.done);
	pthread_join(t, NULL);
}

static void follow_where_it_is(const struct other *o)
{
	int node = node_of(o->local);

	if (node < 0) {
		helper_skipped("this kernel moves no pages");
		return;
	}
	/* At least the page of the control block and that of the stack's end. */
	assert_in_range(pl_memory_follow(o->tp, node), 2, PL_FOLLOW_PAGES);
	assert_int_equal(node_of(o->local), node);
}

static void test_counts_what_is_there(void **state)
{
	with_other(follow_where_it_is);
}

static void follow_to_nowhere(const struct other *o)
{
	int node = node_of(o->local);

	assert_true(pl_memory_follow(o->tp, 1023) <= 0);
	assert_int_equal(node_of(o->local), node);
}

static void test_a_node_that_does_not_exist(void **state)
{
	with_other(follow_to_nowhere);
}

static void follow_against_policy(const struct other *o)
{
	unsigned long node0 = 1;
	int node = node_of(o->local);

	if (node < 0 || syscall(SYS_set_mempolicy, 2 /* bind */, &node0, 64ul) != 0) {
		helper_skipped("this kernel has no memory policies");
		return;
	}
	assert_int_equal(pl_memory_follow(o->tp, node), -EBUSY);
	assert_int_equal(syscall(SYS_set_mempolicy, 0, NULL, 0ul), 0);
	assert_true(pl_memory_follow(o->tp, node) >= 2);
}

static void test_a_memory_policy_wins(void **state)
{
	with_other(follow_against_policy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_what_is_there),
		cmocka_unit_test(test_a_node_that_does_not_exist),
		cmocka_unit_test(test_a_memory_policy_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
