// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R6, R7, R8: tables from literals, and the choice against the reference on random machines.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decide/idle_cpu.h"
#include "decide/random_case.h"
#include "decide/reference.h"

static struct pl_machine m;
static struct pl_snapshot s;
static struct pl_request r;
static struct pl_choice choice;
static struct ref ref;

/* Eight CPUs, cores of neighbours 0-1, 2-3, 4-5, 6-7, two LLCs of two cores; all of capacity 1024.
 */
static int setup(void **state)
{
	memset(&m, 0, sizeof(m));
	memset(&s, 0, sizeof(s));
	m.nr_cpu_ids = 8;
	for (int c = 0; c < 8; c++)
		m.cpu[c] = (struct pl_cpu){.core = (uint16_t)(c / 2),
					   .cluster = (uint16_t)(c / 2),
					   .llc = (uint16_t)(c / 4),
					   .capacity = 1024,
					   .actual = 1024};
	pl_machine_finish(&m);
	s.machine = &m;
	r = (struct pl_request){.target = 0, .prev = -1, .recent = -1, .umax = 1024};
	return 0;
}

/* The same CPUs, each a core of its own. */
static void make_no_smt(void)
{
	for (int c = 0; c < 8; c++)
		m.cpu[c].core = m.cpu[c].cluster = (uint16_t)c;
	pl_machine_finish(&m);
}

/* One LLC, and the capacities given. */
static void make_asymmetric(const uint16_t capacity[8])
{
	for (int c = 0; c < 8; c++) {
		m.cpu[c].llc = 0;
		m.cpu[c].capacity = m.cpu[c].actual = capacity[c];
	}
	m.asymmetric = 1;
	pl_machine_finish(&m);
}

static void idle(const char *bits)
{
	pl_cpumask_zero(&s.idle);
	for (int c = 0; bits[c]; c++)
		if (bits[c] == '1')
			pl_cpumask_add(&s.idle, c);
	pl_snapshot_finish(&s);
}

static void assert_choice(int cpu, enum pl_why why)
{
	pl_select_idle_cpu(&s, &r, &choice);
	assert_int_equal(choice.cpu, cpu);
	assert_int_equal(choice.why, why);
}

static void steps_without_smt(void **state)
{
	make_no_smt();
	r = (struct pl_request){.target = 1, .prev = 2, .recent = 3, .umax = 1024};
	idle("11111111");
	assert_choice(1, PL_WHY_TARGET_IDLE);
	idle("10111111");
	assert_choice(2, PL_WHY_PREV_IDLE);
	idle("10011111");
	assert_choice(3, PL_WHY_RECENT_IDLE);
	r.prev = 5; /* another LLC */
	idle("10101111");
	assert_choice(2, PL_WHY_IDLE_CORE);
	idle("10001111");
	assert_choice(0, PL_WHY_IDLE_CORE); /* from target + 1, wrapping */
	idle("00001111");
	assert_choice(1, PL_WHY_TARGET);
}

static void steps_as_the_kernel_on_smt(void **state)
{
	s.idle_mode = PL_IDLE_AS_KERNEL;
	r.prev = 2;
	idle("10110000");
	assert_choice(0, PL_WHY_TARGET_IDLE); /* its sibling is busy, and it does not matter */
	idle("01011111");
	assert_choice(3, PL_WHY_IDLE_SIBLING); /* of prev, before any idle CPU */
	idle("01110000");
	assert_choice(2, PL_WHY_PREV_IDLE);
	r.prev = 5;
	idle("01010000");
	assert_choice(1, PL_WHY_IDLE_CPU);
}

static void steps_with_idle_core_first(void **state)
{
	r.prev = 3;
	idle("10110000");
	assert_choice(2, PL_WHY_PREV_IDLE); /* resolved to the core's first CPU */
	r.prev = -1;
	assert_choice(2, PL_WHY_IDLE_CORE);
	r.prev = 2;
	idle("01010000");
	assert_choice(1, PL_WHY_IDLE_CPU); /* not prev's sibling: that step is dropped */
	idle("00001111");
	assert_choice(0, PL_WHY_TARGET);
}

/* Whichever sibling the scan meets, and whatever else is allowed, one CPU stands for the core. */
static void one_representative_per_core(void **state)
{
	static struct pl_cpumask allowed; /* s keeps pointing to it */

	idle("00110000");
	for (r.target = 0; r.target < 4; r.target++)
		assert_choice(2, r.target == 2	 ? PL_WHY_TARGET_IDLE
				 : r.target == 3 ? PL_WHY_TARGET_IDLE
						 : PL_WHY_IDLE_CORE);
	pl_cpumask_fill(&allowed);
	pl_cpumask_del(&allowed, 2);
	s.allowed = &allowed;
	for (r.target = 0; r.target < 4; r.target += 3)
		assert_choice(3, r.target == 3 ? PL_WHY_TARGET_IDLE : PL_WHY_IDLE_CORE);
}

static void never_outside_allowed(void **state)
{
	struct pl_cpumask allowed, narrow;

	pl_cpumask_zero(&allowed);
	pl_cpumask_add(&allowed, 0);
	pl_cpumask_add(&allowed, 5);
	s.allowed = &allowed;
	idle("01111111");
	assert_choice(0, PL_WHY_TARGET);
	pl_cpumask_zero(&narrow);
	r.allowed = &narrow;
	assert_choice(-1, PL_WHY_NO_IDLE);
	r.target = 8;
	assert_choice(-1, PL_WHY_NOT_ALLOWED);
	r.target = -1;
	assert_choice(-1, PL_WHY_NOT_ALLOWED);
}

/* Each row of R7's table. */
static void ranks(void **state)
{
	/* Cores: big, big, small, small; target 0 is busy. */
	make_asymmetric((const uint16_t[]){1024, 1024, 1024, 1024, 400, 400, 400, 400});
	r.util = 600;
	idle("00111111");
	assert_choice(2, PL_WHY_FITS_PREFERRED);
	/* An idle core that is too small beats a busy core's sibling that is big enough. */
	idle("01011100");
	assert_choice(4, PL_WHY_SMALL_PREFERRED);
	/* No idle core at all: every idle CPU is as good as one. */
	idle("01010101");
	assert_choice(1, PL_WHY_FITS_PREFERRED);
	/* Nothing fits but for the least asked for: the larger by actual capacity. */
	r.umin = 1024;
	r.util = 100;
	m.cpu[2].actual = m.cpu[3].actual = 900;
	m.cpu[0].actual = m.cpu[1].actual = 800;
	idle("00111100");
	assert_choice(2, PL_WHY_UMIN_PREFERRED);
	r.target = 4;
	assert_choice(2, PL_WHY_UMIN_PREFERRED);
}

/* The idle core belongs to CPUs that are not allowed: the hint was wrong for this task. */
static void shared_ranks_and_the_hint(void **state)
{
	struct pl_cpumask allowed;

	make_asymmetric((const uint16_t[]){1024, 1024, 1024, 1024, 400, 400, 400, 400});
	pl_cpumask_fill(&allowed);
	pl_cpumask_del(&allowed, 6);
	pl_cpumask_del(&allowed, 7);
	s.allowed = &allowed;
	r.util = 600;
	idle("01000111");
	assert_choice(1, PL_WHY_FITS_SHARED);
	assert_true(choice.hint_stale);
	idle("00000111");
	assert_choice(5, PL_WHY_SMALL_SHARED);
	assert_true(choice.hint_stale);
	r.util = 100;
	r.umin = 700;
	assert_choice(5, PL_WHY_UMIN_SHARED);
	assert_true(choice.hint_stale);
	/* Cleared: all idle CPUs count as preferred, and the hint is not stale any more. */
	pl_snapshot_clear_hint(&s, 0);
	assert_false(s.asym.has_idle_core);
	assert_false(s.llc[0].has_idle_core);
	assert_choice(5, PL_WHY_UMIN_PREFERRED);
	assert_false(choice.hint_stale);
}

static void passed_over_candidates_are_named(void **state)
{
	make_asymmetric((const uint16_t[]){1024, 1024, 600, 600, 400, 400, 500, 500});
	r.util = 1000;
	idle("00111111");
	assert_choice(2, PL_WHY_SMALL_PREFERRED);
	assert_true(choice.nr_rejected > 0);
	for (int i = 0; i < choice.nr_rejected; i++)
		assert_int_equal(choice.rejected[i].why, PL_WHY_LESS_CAPACITY);
	/* Five other idle CPUs were there. */
	assert_int_equal(choice.nr_rejected + choice.nr_more, 5);
}

/* R14 refuses the search from 85 % on, and wake-ups stack. */
static void a_full_llc_is_not_searched(void **state)
{
	static const uint16_t util[8] = {900, 900, 900, 900};

	make_no_smt();
	s.scan_budget = true;
	s.util = util;
	idle("00010000");
	assert_int_equal(s.llc[0].budget, 0);
	assert_choice(0, PL_WHY_TARGET);
	s.scan_budget = false;
	idle("00010000");
	assert_choice(3, PL_WHY_IDLE_CORE);
}

static void check_common(int cpu)
{
	assert_true(cpu < 0 || ref.allowed[cpu]);
	assert_int_equal(choice.cpu, cpu);
	assert_in_range(choice.why, PL_WHY_NONE + 1, PL_WHY_NR - 1);
	assert_in_range(choice.nr_rejected, 0, PL_NR_REJECTED);
}

/* No partly busy core is taken while a whole one is idle in the LLC and the rule asks for it. */
static void check_scope(int cpu)
{
	int llc;

	if (cpu < 0 || !ref.core_first || choice.why == PL_WHY_TARGET || ref_core_idle(&ref, cpu))
		return;
	llc = ref.llc[cpu];
	for (int c = 0; c < ref.n; c++)
		assert_false(ref.budget[llc] != 0 && ref.allowed[c] && ref.llc[c] == llc &&
			     ref_core_idle(&ref, c));
}

static void symmetric_equals_the_reference(void **state)
{
	struct pl_choice again;

	case_seed(6);
	for (int i = 0; i < NR_CASES; i++) {
		case_next();
		ref_read(&ref);
		memset(&choice, 0, sizeof(choice));
		pl_idle_cpu_symmetric(&rc.snapshot, &rc.request, &choice);
		check_common(ref_r6(&ref));
		check_scope(choice.cpu);
		memset(&again, 0, sizeof(again));
		pl_idle_cpu_symmetric(&rc.snapshot, &rc.request, &again);
		assert_memory_equal(&again, &choice, sizeof(again));
	}
}

static void asymmetric_equals_the_reference(void **state)
{
	struct pl_choice again;

	case_seed(7);
	for (int i = 0; i < NR_CASES; i++) {
		bool stale;
		int cpu;

		case_next();
		ref_read(&ref);
		cpu = ref_r7(&ref, &stale);
		memset(&choice, 0, sizeof(choice));
		pl_idle_cpu_asymmetric(&rc.snapshot, &rc.request, &choice);
		assert_int_equal(choice.cpu, cpu);
		assert_true(cpu < 0 || ref.allowed[cpu]);
		assert_int_equal(choice.hint_stale, stale);
		memset(&again, 0, sizeof(again));
		pl_idle_cpu_asymmetric(&rc.snapshot, &rc.request, &again);
		assert_memory_equal(&again, &choice, sizeof(again));
	}
}

/*
 * A partly busy core is taken only when no core is idle in the scope: the whole machine, where SMT
 * counts.
 */
static void asymmetric_prefers_idle_cores(void **state)
{
	case_seed(77);
	for (int i = 0; i < NR_CASES / 4; i++) {
		case_next();
		ref_read(&ref);
		pl_idle_cpu_asymmetric(&rc.snapshot, &rc.request, &choice);
		if (choice.cpu < 0 || !ref.smt || ref_core_idle(&ref, choice.cpu))
			continue;
		for (int c = 0; c < ref.n; c++)
			assert_false(ref.allowed[c] && ref.idle[c] && ref_core_idle(&ref, c));
	}
}

/* Two tasks that choose one after the other never share a core while another is idle. */
static void a_taken_core_is_not_taken_again(void **state)
{
	case_seed(8);
	for (int i = 0; i < NR_CASES / 4; i++) {
		int first;

		case_next();
		rc.snapshot.idle_mode = PL_IDLE_CORE_FIRST;
		pl_select_idle_cpu(&rc.snapshot, &rc.request, &choice);
		first = choice.cpu;
		if (first < 0)
			continue;
		pl_snapshot_take_core(&rc.snapshot, first);
		ref_read(&ref);
		pl_select_idle_cpu(&rc.snapshot, &rc.request, &choice);
		if (choice.cpu < 0 || choice.why == PL_WHY_TARGET)
			continue;
		assert_int_not_equal(ref.core[choice.cpu], ref.core[first]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(steps_without_smt, setup),
		cmocka_unit_test_setup(steps_as_the_kernel_on_smt, setup),
		cmocka_unit_test_setup(steps_with_idle_core_first, setup),
		cmocka_unit_test_setup(one_representative_per_core, setup),
		cmocka_unit_test_setup(never_outside_allowed, setup),
		cmocka_unit_test_setup(ranks, setup),
		cmocka_unit_test_setup(shared_ranks_and_the_hint, setup),
		cmocka_unit_test_setup(passed_over_candidates_are_named, setup),
		cmocka_unit_test_setup(a_full_llc_is_not_searched, setup),
		cmocka_unit_test(symmetric_equals_the_reference),
		cmocka_unit_test(asymmetric_equals_the_reference),
		cmocka_unit_test(asymmetric_prefers_idle_cores),
		cmocka_unit_test(a_taken_core_is_not_taken_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
