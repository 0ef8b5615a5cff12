// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// What a snapshot derives: R8's representative, R14's budget, R15's separate states; reasons.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decide/random_case.h"
#include "decide/reason.h"
#include "decide/reference.h"

static struct ref ref;
static struct pl_snapshot copy;

static void budget_table(void **state)
{
	static const struct {
		uint32_t pct, budget;
	} row[] = {{0, 16}, {25, 14}, {50, 10}, {70, 5}, {75, 3}, {85, 0}, {90, 0}, {100, 0}};

	for (unsigned int i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_int_equal(pl_scan_budget(16, row[i].pct * 1024 / 100), row[i].budget);
	assert_int_equal(pl_scan_budget(0, 512), 0);
	assert_int_equal(pl_scan_budget(16, UINT32_MAX), 0);
}

static void finish_equals_the_reference(void **state)
{
	case_seed(15);
	for (int i = 0; i < NR_CASES / 5; i++) {
		const struct pl_snapshot *s = &rc.snapshot;

		case_next();
		ref_read(&ref);
		assert_int_equal(s->asym.has_idle_core, ref.asym_hint);
		assert_int_equal(s->asym.nr_cpus, rc.machine.nr_online);
		for (int l = 0; l < rc.machine.nr_llcs; l++) {
			assert_int_equal(s->llc[l].has_idle_core, ref.hint[l]);
			assert_int_equal(s->llc[l].budget,
					 ref.budget[l] < 0 ? PL_NO_BUDGET : ref.budget[l]);
		}
		for (int c = 0; c < ref.n; c++) {
			assert_int_equal(pl_cpumask_has(&s->idle, c), ref.idle[c]);
			assert_int_equal(pl_cpumask_has(&s->idle_core, c),
					 ref.online[c] && ref_core_idle(&ref, c));
			if (ref.online[c])
				assert_int_equal(pl_core_representative(s, c, rc.request.allowed),
						 ref_representative(&ref, c));
		}
	}
}

static void assert_same_state(const struct pl_snapshot *a, const struct pl_snapshot *b)
{
	assert_memory_equal(&a->idle, &b->idle, sizeof(a->idle));
	assert_memory_equal(&a->idle_core, &b->idle_core, sizeof(a->idle_core));
	for (int l = -1; l < rc.machine.nr_llcs; l++) {
		const struct pl_domain_state *x = l < 0 ? &a->asym : &a->llc[l];
		const struct pl_domain_state *y = l < 0 ? &b->asym : &b->llc[l];

		assert_int_equal(x->nr_cpus, y->nr_cpus);
		assert_int_equal(x->nr_busy, y->nr_busy);
		assert_int_equal(x->nr_idle_cores, y->nr_idle_cores);
		assert_int_equal(x->has_idle_core, y->has_idle_core);
		assert_int_equal(x->budget, y->budget);
	}
}

/* One change at a time leads to the same state as deriving it anew. */
static void changes_equal_finish(void **state)
{
	case_seed(16);
	for (int i = 0; i < NR_CASES / 20; i++) {
		case_next();
		for (int k = 0; k < 8; k++) {
			int cpu = (int)case_random(rc.machine.nr_cpu_ids + 2u) - 1;

			if (case_chance(20))
				pl_snapshot_take_core(&rc.snapshot, cpu);
			else if (case_chance(50))
				pl_snapshot_set_busy(&rc.snapshot, cpu);
			else
				pl_snapshot_set_idle(&rc.snapshot, cpu);
		}
		copy = rc.snapshot;
		pl_snapshot_finish(&copy);
		assert_same_state(&rc.snapshot, &copy);
		for (int l = 0; l < rc.machine.nr_llcs; l++) {
			memset(&copy.llc[l], 0, sizeof(copy.llc[l]));
			pl_snapshot_finish_llc(&copy, l);
		}
		assert_same_state(&rc.snapshot, &copy);
	}
}

/* R15: the states are separate objects even where there is one LLC and both spans are equal. */
static void domains_do_not_share_their_state(void **state)
{
	static struct pl_machine m = {.nr_cpu_ids = 2, .asymmetric = 1};
	static struct pl_snapshot s;

	m.cpu[0] = (struct pl_cpu){.capacity = 1024, .actual = 1024};
	m.cpu[1] = (struct pl_cpu){.core = 1, .cluster = 1, .capacity = 512, .actual = 512};
	pl_machine_finish(&m);
	s.machine = &m;
	pl_cpumask_fill(&s.idle);
	pl_snapshot_finish(&s);
	assert_int_equal(s.llc[0].nr_cpus, s.asym.nr_cpus);
	s.llc[0].has_idle_core = false;
	s.llc[0].budget = 0;
	assert_true(s.asym.has_idle_core);
	assert_int_equal(s.asym.budget, PL_NO_BUDGET);
}

static void every_reason_has_a_text(void **state)
{
	for (uint32_t a = 0; a < PL_WHY_NR; a++) {
		assert_non_null(pl_why_text(a));
		assert_non_null(pl_why_rule(a));
		for (uint32_t b = 0; b < a; b++)
			assert_string_not_equal(pl_why_text(a), pl_why_text(b));
	}
	assert_string_equal(pl_why_text(PL_WHY_NR), pl_why_text(PL_WHY_NONE));
	assert_string_equal(pl_why_text(UINT32_MAX), pl_why_text(PL_WHY_NONE));
	assert_string_equal(pl_why_rule(UINT32_MAX), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(budget_table),
		cmocka_unit_test(finish_equals_the_reference),
		cmocka_unit_test(changes_equal_finish),
		cmocka_unit_test(domains_do_not_share_their_state),
		cmocka_unit_test(every_reason_has_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
