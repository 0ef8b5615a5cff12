// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Fixed-size CPU sets: borders of words and of the set.
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "base/cpumask.h"

static const int inside[] = {0, 1, 63, 64, 65, 1023, 1024, PL_MAX_CPUS - 1};
static const int outside[] = {-1, -64, PL_MAX_CPUS, PL_MAX_CPUS + 63, INT_MIN, INT_MAX};

static void test_add_has(void **state)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(inside); i++) {
		struct pl_cpumask m;

		pl_cpumask_zero(&m);
		pl_cpumask_add(&m, inside[i]);
		for (size_t j = 0; j < PL_ARRAY_SIZE(inside); j++)
			assert_int_equal(pl_cpumask_has(&m, inside[j]), i == j);
		assert_int_equal(pl_cpumask_weight(&m), 1);
	}
}

static void test_outside_is_in_no_set(void **state)
{
	struct pl_cpumask m, full, empty;

	pl_cpumask_zero(&empty);
	pl_cpumask_zero(&m);
	pl_cpumask_fill(&full);
	for (size_t i = 0; i < PL_ARRAY_SIZE(outside); i++) {
		pl_cpumask_add(&m, outside[i]);
		assert_false(pl_cpumask_has(&full, outside[i]));
	}
	assert_true(pl_cpumask_equal(&m, &empty));
}

static void test_fill_weight(void **state)
{
	struct pl_cpumask m;

	pl_cpumask_fill(&m);
	assert_int_equal(pl_cpumask_weight(&m), PL_MAX_CPUS);
	for (int c = 0; c < PL_MAX_CPUS; c++)
		assert_true(pl_cpumask_has(&m, c));
	pl_cpumask_zero(&m);
	assert_int_equal(pl_cpumask_weight(&m), 0);
	for (int c = 0; c < PL_MAX_CPUS; c += 3)
		pl_cpumask_add(&m, c);
	assert_int_equal(pl_cpumask_weight(&m), (PL_MAX_CPUS + 2) / 3);
}

static void test_equal(void **state)
{
	struct pl_cpumask a, b;

	pl_cpumask_zero(&a);
	pl_cpumask_zero(&b);
	pl_cpumask_add(&a, 7);
	assert_false(pl_cpumask_equal(&a, &b));
	pl_cpumask_add(&b, 7);
	pl_cpumask_add(&b, 7);
	assert_true(pl_cpumask_equal(&a, &b));
	pl_cpumask_add(&b, PL_MAX_CPUS - 1);
	assert_false(pl_cpumask_equal(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add_has),
		cmocka_unit_test(test_outside_is_in_no_set),
		cmocka_unit_test(test_fill_weight),
		cmocka_unit_test(test_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
