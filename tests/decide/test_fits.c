// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R1 from the table of the rules.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decide/fits.h"

static void table_of_fits(void **state)
{
	static const struct {
		uint32_t util, umin, umax, capacity;
		int result;
	} row[] = {
		{819, 0, 1024, 1024, 1}, {820, 0, 1024, 1024, 0}, {319, 0, 1024, 400, 1},
		{320, 0, 1024, 400, 0},	 {900, 0, 400, 400, 1},	  {100, 600, 1024, 400, -1},
		{100, 600, 300, 400, 1},
	};

	for (unsigned int i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct pl_cpu_capacity cpu = {row[i].capacity, row[i].capacity, row[i].capacity};

		assert_int_equal(pl_util_fits_cpu(row[i].util, row[i].umin, row[i].umax, &cpu),
				 row[i].result);
		assert_int_equal(pl_task_fits_cpu(row[i].util, row[i].umin, row[i].umax, &cpu),
				 row[i].result > 0);
	}
}

static void capacity_greater_needs_five_percent(void **state)
{
	assert_false(pl_capacity_greater(1024, 1024));
	assert_false(pl_capacity_greater(1024, 990));
	assert_false(pl_capacity_greater(1078, 1024));
	assert_true(pl_capacity_greater(1079, 1024));
	assert_true(pl_capacity_greater(1024, 972));
}

static void steal_leaves_at_least_one(void **state)
{
	assert_int_equal(pl_capacity_left(1024, 0), 1024);
	assert_int_equal(pl_capacity_left(990, 512), 495);
	assert_int_equal(pl_capacity_left(1024, 1024), 1);
	assert_int_equal(pl_capacity_left(1024, 5000), 1);
	assert_int_equal(pl_capacity_left(0, 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_of_fits),
		cmocka_unit_test(capacity_greater_needs_five_percent),
		cmocka_unit_test(steal_leaves_at_least_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
