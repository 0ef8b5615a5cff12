// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R9: literals, and the reference on random machines.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decide/misfit.h"
#include "decide/random_case.h"
#include "decide/reference.h"

static struct pl_machine m;
static struct pl_snapshot s;
static struct pl_request r;
static struct pl_choice choice;
static struct ref ref;

/* Cores 0-1 and 2-3 of capacity 400, 4-5 of 990 and 6-7 of 1024. */
static int setup(void **state)
{
	static const uint16_t capacity[] = {400, 400, 990, 1024};

	memset(&m, 0, sizeof(m));
	memset(&s, 0, sizeof(s));
	m.nr_cpu_ids = 8;
	m.asymmetric = 1;
	for (int c = 0; c < 8; c++)
		m.cpu[c] = (struct pl_cpu){.core = (uint16_t)(c / 2),
					   .cluster = (uint16_t)(c / 2),
					   .capacity = capacity[c / 2],
					   .actual = capacity[c / 2]};
	pl_machine_finish(&m);
	s.machine = &m;
	pl_cpumask_fill(&s.idle);
	pl_snapshot_finish(&s);
	pl_snapshot_set_busy(&s, 0);
	r = (struct pl_request){.prev = 0, .util = 320, .umax = 1024};
	return 0;
}

static void a_task_that_does_not_fit_is_misfit(void **state)
{
	assert_true(pl_is_misfit(&s, &r));
	r.util = 319;
	assert_false(pl_is_misfit(&s, &r));
	r.util = 320;
	r.umax = 400; /* capped to what the core gives */
	assert_false(pl_is_misfit(&s, &r));
	r.umax = 1024;
	m.asymmetric = 0;
	assert_false(pl_is_misfit(&s, &r));
	m.asymmetric = 1;
	r.prev = 6; /* on the largest */
	r.util = 1024;
	assert_false(pl_is_misfit(&s, &r));
	r.prev = -1;
	assert_false(pl_is_misfit(&s, &r));
}

static void it_needs_a_larger_cpu_that_it_may_use(void **state)
{
	struct pl_cpumask allowed;

	pl_cpumask_zero(&allowed);
	r.allowed = &allowed;
	pl_cpumask_add(&allowed, 6);
	assert_false(pl_is_misfit(&s, &r)); /* one CPU only */
	pl_cpumask_add(&allowed, 0);
	assert_true(pl_is_misfit(&s, &r));
	pl_cpumask_del(&allowed, 6);
	pl_cpumask_add(&allowed, 2); /* of the same capacity */
	assert_false(pl_is_misfit(&s, &r));
}

static void assert_target(int cpu, enum pl_why why)
{
	pl_misfit_target(&s, &r, &choice);
	assert_int_equal(choice.cpu, cpu);
	assert_int_equal(choice.why, why);
}

static void it_moves_to_an_idle_core_that_is_larger(void **state)
{
	assert_target(6, PL_WHY_MISFIT);
	pl_snapshot_set_busy(&s, 7); /* the core is not entirely idle any more */
	assert_target(4, PL_WHY_MISFIT);
	pl_snapshot_set_busy(&s, 4);
	assert_target(-1, PL_WHY_NO_IDLE); /* cores of 400 are not larger */
	r.util = 100;
	assert_target(-1, PL_WHY_NOT_MISFIT);
}

static void five_percent_are_not_enough(void **state)
{
	r.prev = 4; /* 990 against 1024 */
	r.util = 900;
	assert_true(pl_is_misfit(&s, &r));
	assert_target(-1, PL_WHY_NO_IDLE);
}

static void equals_the_reference(void **state)
{
	uint32_t moved = 0;

	case_seed(9);
	for (int i = 0; i < NR_CASES; i++) {
		struct pl_choice again;

		case_next();
		ref_read(&ref);
		memset(&choice, 0, sizeof(choice));
		pl_misfit_target(&rc.snapshot, &rc.request, &choice);
		assert_int_equal(pl_is_misfit(&rc.snapshot, &rc.request), ref_misfit(&ref));
		assert_int_equal(choice.cpu, ref_r9(&ref));
		memset(&again, 0, sizeof(again));
		pl_misfit_target(&rc.snapshot, &rc.request, &again);
		assert_memory_equal(&again, &choice, sizeof(again));
		if (choice.cpu < 0)
			continue;
		moved++;
		assert_true(ref.allowed[choice.cpu] && ref_core_idle(&ref, choice.cpu));
		assert_true(ref.capacity[choice.cpu] > ref.capacity[ref.prev]);
	}
	assert_true(moved > NR_CASES / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_task_that_does_not_fit_is_misfit, setup),
		cmocka_unit_test_setup(it_needs_a_larger_cpu_that_it_may_use, setup),
		cmocka_unit_test_setup(it_moves_to_an_idle_core_that_is_larger, setup),
		cmocka_unit_test_setup(five_percent_are_not_enough, setup),
		cmocka_unit_test(equals_the_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
