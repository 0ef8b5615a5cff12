// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R5, each step from literals.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decide/wake_affine.h"

enum { THIS = 3, PREV = 5 };

static struct pl_wake_affine base(void)
{
	return (struct pl_wake_affine){.this_cpu = THIS,
				       .prev_cpu = PREV,
				       .share_llc = true,
				       .this_nr_running = 2,
				       .this_load = 1000,
				       .prev_load = 1000,
				       .waker_load = 500,
				       .wakee_load = 500,
				       .this_capacity = 1024,
				       .prev_capacity = 1024};
}

static void idle_waker_cpu_in_the_same_llc(void **state)
{
	struct pl_wake_affine in = base();

	in.this_idle = true;
	assert_int_equal(pl_wake_affine(&in), THIS);
	in.prev_idle = true;
	assert_int_equal(pl_wake_affine(&in), PREV);
	in.prev_idle = false;
	in.share_llc = false; /* then load decides: 1500 here against 500 * 108 % there */
	assert_int_equal(pl_wake_affine(&in), PREV);
}

static void sync_and_alone_goes_to_the_waker(void **state)
{
	struct pl_wake_affine in = base();

	in.sync = true;
	in.this_nr_running = 1;
	in.prev_idle = true;
	assert_int_equal(pl_wake_affine(&in), THIS);
	in.this_nr_running = 2;
	assert_int_equal(pl_wake_affine(&in), PREV);
}

static void load_decides_last(void **state)
{
	struct pl_wake_affine in = base();

	assert_int_equal(pl_wake_affine(&in), PREV);
	in.prev_load = 2000; /* 1500 against 1500 * 1.08 */
	assert_int_equal(pl_wake_affine(&in), THIS);
	in.siblings = true; /* 1500 * 1.05 still more */
	assert_int_equal(pl_wake_affine(&in), THIS);
	in.prev_load = 1900; /* 1400 * 1.05 = 1470 < 1500 */
	assert_int_equal(pl_wake_affine(&in), PREV);
	in.siblings = false; /* 1400 * 1.08 = 1512 > 1500 */
	assert_int_equal(pl_wake_affine(&in), THIS);
}

static void a_sync_waker_takes_its_load_along(void **state)
{
	struct pl_wake_affine in = base();

	in.sync = true;
	in.waker_load = 1001;
	assert_int_equal(pl_wake_affine(&in), THIS);
	in.waker_load = 1000; /* (1000 - 1000 + 500) against 500 * 1.08 */
	assert_int_equal(pl_wake_affine(&in), THIS);
	in.waker_load = 900; /* 600 against 540 */
	assert_int_equal(pl_wake_affine(&in), PREV);
}

static void capacity_weighs_the_load(void **state)
{
	struct pl_wake_affine in = base();

	in.this_capacity = 400; /* the load here weighs 1024/400 of what it does there */
	in.prev_load = 2000;
	assert_int_equal(pl_wake_affine(&in), PREV);
	in.this_capacity = 1024;
	in.prev_capacity = 400;
	in.prev_load = 1200;
	assert_int_equal(pl_wake_affine(&in), THIS);
}

static void equal_cpus_are_no_question(void **state)
{
	struct pl_wake_affine in = base();

	in.prev_cpu = THIS;
	assert_int_equal(pl_wake_affine(&in), THIS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_waker_cpu_in_the_same_llc),
		cmocka_unit_test(sync_and_alone_goes_to_the_waker),
		cmocka_unit_test(load_decides_last),
		cmocka_unit_test(a_sync_waker_takes_its_load_along),
		cmocka_unit_test(capacity_weighs_the_load),
		cmocka_unit_test(equal_cpus_are_no_question),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
