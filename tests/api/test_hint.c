// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place_thread_hint(): arguments, and what the balancer and the pair rule find of it in the
// segment. What follows from that is tested in decide/ (hints, balance) and unit/ (wakegraph).
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "api/api.h"
#include "decide/hints.h"

static const struct pl_task *my_task(void)
{
	struct pl_segment *seg = own_segment();

	for (uint32_t i = 0; seg && i < PL_NR_TASKS; i++)
		if (pl_get(&seg->task[i].id) && pl_get(&seg->task[i].tid) == (int32_t)gettid())
			return &seg->task[i];
	return NULL;
}

static void test_misuse(void **state)
{
	struct {
		struct place_hints known;
		uint32_t later;
	} h = {.known = {.size = sizeof(h)}};

	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(place_thread_hint(NULL), -EINVAL);
	assert_int_equal(place_thread_hint(&h.known), 0);
	h.later = 1;
	assert_int_equal(place_thread_hint(&h.known), -E2BIG);
	h.known.size = sizeof(uint32_t);
	assert_int_equal(place_thread_hint(&h.known), -EINVAL);
	h.known.size = sizeof(h.known);
	h.known.thread_class = PLACE_CLASS_BACKGROUND + 1;
	assert_int_equal(place_thread_hint(&h.known), -EINVAL);
	h.known.thread_class = 0;
	h.known.util_min = 1025;
	assert_int_equal(place_thread_hint(&h.known), -EINVAL);
	h.known.util_min = 0;
	h.known.util_max = 1025;
	assert_int_equal(place_thread_hint(&h.known), -EINVAL);
	h.known.util_max = 0;
	h.known.reserved = 1;
	assert_int_equal(place_thread_hint(&h.known), -EINVAL);
	assert_int_equal(place_stop(), 0);
}

static void test_said_and_replaced(void **state)
{
	struct place_hints h = {.size = sizeof(h),
				.thread_class = PLACE_CLASS_LATENCY,
				.util_min = 300,
				.util_max = 700,
				.group = 9};
	struct pl_hints seen;

	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(place_thread_hint(&h), 0);
	assert_non_null(my_task());
	seen = pl_hints_unpack(pl_get(&my_task()->hints));
	assert_int_equal(seen.class, PL_CLASS_LATENCY);
	assert_int_equal(seen.umin, 300);
	assert_int_equal(seen.umax, 700);
	assert_int_equal(pl_get(&my_task()->group), 9);
	/* A partner is another matter, and stays. */
	assert_int_equal(place_thread_pair(1, PLACE_PAIR_TRUST), 0);
	h = (struct place_hints){.size = sizeof(h)};
	assert_int_equal(place_thread_hint(&h), 0);
	seen = pl_hints_unpack(pl_get(&my_task()->hints));
	assert_int_equal(seen.class, PL_CLASS_THROUGHPUT);
	assert_int_equal(seen.umin, 0);
	assert_int_equal(seen.umax, 1024);
	assert_true(seen.trust);
	assert_int_equal(pl_get(&my_task()->group), 0);
	assert_int_equal(pl_get(&my_task()->named), 1);
	assert_int_equal(place_thread_pair(0, 0), 0);
	assert_int_equal(place_stop(), 0);
}

static bool child_said_nothing(void)
{
	bool nothing = place_start(NULL) == 0 && my_task() && !pl_get(&my_task()->hints) &&
		       !pl_get(&my_task()->group);

	return nothing && place_stop() == 0;
}

static void test_after_fork(void **state)
{
	struct place_hints h = {.size = sizeof(h), .util_min = 300, .group = 9};

	assert_int_equal(place_start(NULL), 0);
	assert_int_equal(place_thread_hint(&h), 0);
	assert_true(api_in_child(child_said_nothing));
	assert_int_equal(pl_get(&my_task()->group), 9);
	assert_int_equal(place_stop(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_misuse),
		cmocka_unit_test(test_said_and_replaced),
		cmocka_unit_test(test_after_fork),
	};

	if (!own_namespace()) {
		printf("1..0 # SKIP needs root for a namespace of its own\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, own_keeper_end);
}
