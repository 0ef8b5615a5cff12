// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R10: literals, and the reference on random machines.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decide/new_thread.h"
#include "decide/random_case.h"
#include "decide/reference.h"

static struct pl_machine m;
static struct pl_snapshot s;
static struct pl_request r;
static struct pl_choice choice;
static struct ref ref;

/* 16 CPUs, cores of neighbours, LLCs of 4 CPUs, nodes of 8. */
static int setup(void **state)
{
	memset(&m, 0, sizeof(m));
	memset(&s, 0, sizeof(s));
	m.nr_cpu_ids = 16;
	for (int c = 0; c < 16; c++)
		m.cpu[c] = (struct pl_cpu){.core = (uint16_t)(c / 2),
					   .cluster = (uint16_t)(c / 2),
					   .llc = (uint16_t)(c / 4),
					   .node = (uint16_t)(c / 8),
					   .capacity = 1024,
					   .actual = 1024};
	m.distance[0][1] = m.distance[1][0] = 20;
	pl_machine_finish(&m);
	s.machine = &m;
	pl_cpumask_fill(&s.idle);
	pl_snapshot_finish(&s);
	r = (struct pl_request){.target = 9, .util = 500, .umax = 1024};
	return 0;
}

static void assert_place(int preferred, int cpu, enum pl_why why)
{
	pl_place_new_thread(&s, &r, preferred, &choice);
	assert_int_equal(choice.cpu, cpu);
	assert_int_equal(choice.why, why);
}

static void the_preferred_llc_is_filled_first(void **state)
{
	static const int order[] = {0, 2};

	r.target = 0;
	for (int i = 0; i < 2; i++) {
		assert_place(0, order[i], PL_WHY_NEW_PREFERRED);
		pl_snapshot_take_core(&s, choice.cpu);
	}
	/* Full: the idlest of the others, in the parent's node. */
	assert_place(0, 4, PL_WHY_NEW_IDLEST);
}

static void idle_cores_then_room_then_distance(void **state)
{
	static uint16_t util[16];

	/* All alike: the parent's node, there the lower LLC. */
	assert_place(-1, 8, PL_WHY_NEW_IDLEST); /* stands for the core of CPU 9 */
	pl_snapshot_take_core(&s, 8);
	assert_place(-1, 12, PL_WHY_NEW_IDLEST);
	pl_snapshot_take_core(&s, 12);
	assert_place(-1, 0, PL_WHY_NEW_IDLEST); /* two idle cores against one */
	util[0] = 90;
	s.util = util;
	assert_place(-1, 4, PL_WHY_NEW_IDLEST); /* as many, but more room */
}

static void without_an_idle_core_an_idle_cpu(void **state)
{
	for (int c = 0; c < 16; c += 2)
		pl_snapshot_set_busy(&s, c);
	assert_place(-1, 9, PL_WHY_NEW_IDLEST);
	for (int c = 1; c < 16; c += 2)
		pl_snapshot_set_busy(&s, c);
	assert_place(-1, -1, PL_WHY_NO_IDLE);
}

static void nothing_allowed(void **state)
{
	struct pl_cpumask none;

	pl_cpumask_zero(&none);
	r.allowed = &none;
	assert_place(-1, -1, PL_WHY_NOT_ALLOWED);
	assert_place(0, -1, PL_WHY_NOT_ALLOWED);
}

static void equals_the_reference(void **state)
{
	case_seed(10);
	for (int i = 0; i < NR_CASES; i++) {
		struct pl_choice again;
		int preferred;

		case_next();
		ref_read(&ref);
		preferred = (int)case_random(rc.machine.nr_llcs + 2u) - 1;
		memset(&choice, 0, sizeof(choice));
		pl_place_new_thread(&rc.snapshot, &rc.request, preferred, &choice);
		assert_int_equal(choice.cpu,
				 ref_r10(&ref, preferred < rc.machine.nr_llcs ? preferred : -1));
		memset(&again, 0, sizeof(again));
		pl_place_new_thread(&rc.snapshot, &rc.request, preferred, &again);
		assert_memory_equal(&again, &choice, sizeof(again));
		if (choice.cpu < 0)
			continue;
		assert_true(ref.allowed[choice.cpu] && ref.idle[choice.cpu]);
	}
}

/* Never a partly busy core while one that it may use is idle anywhere (R8's scope). */
static void an_idle_core_anywhere_first(void **state)
{
	case_seed(11);
	for (int i = 0; i < NR_CASES / 4; i++) {
		case_next();
		ref_read(&ref);
		pl_place_new_thread(&rc.snapshot, &rc.request, -1, &choice);
		if (choice.cpu < 0 || ref_core_idle(&ref, choice.cpu))
			continue;
		for (int c = 0; c < ref.n; c++)
			assert_false(ref.allowed[c] && ref_core_idle(&ref, c));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_preferred_llc_is_filled_first, setup),
		cmocka_unit_test_setup(idle_cores_then_room_then_distance, setup),
		cmocka_unit_test_setup(without_an_idle_core_an_idle_cpu, setup),
		cmocka_unit_test_setup(nothing_allowed, setup),
		cmocka_unit_test(equals_the_reference),
		cmocka_unit_test(an_idle_core_anywhere_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
