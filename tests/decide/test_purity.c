// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// No rule allocates. That none makes a system call or keeps a global is read from the objects by
// tests/pure.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "decide/aggregate.h"
#include "decide/balance.h"
#include "decide/balancer_place.h"
#include "decide/energy.h"
#include "decide/idle_cpu.h"
#include "decide/misfit.h"
#include "decide/new_thread.h"
#include "decide/random_case.h"

/* The allocator as the program sees it, counted. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);

static unsigned long nr_allocations;

void *malloc(size_t size)
{
	nr_allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	nr_allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	nr_allocations++;
	return __libc_realloc(p, size);
}

void *aligned_alloc(size_t align, size_t size)
{
	nr_allocations++;
	return __libc_memalign(align, size);
}

static void run_every_rule(void)
{
	static struct pl_plan plan;
	static struct pl_cpumask mask;
	static uint64_t ns[PL_MAX_CPUS];
	static uint16_t group[64];
	const struct pl_snapshot *s = &rc.snapshot;
	const struct pl_edge edge = {1, 2, 500};
	struct pl_occupancy o = {.ns = ns, .nr_llcs = rc.machine.nr_llcs};
	const struct pl_aggr_limits limits = {.nr_threads = 4, .nr_running = 1};
	const struct pl_thread_view thread[2] = {
		{.cpu = case_cpu(), .util = 900, .umax = 1024, .running = true, .preferred_llc = 0},
		{.cpu = case_cpu(), .util = 900, .umax = 1024, .running = true, .bound = true},
	};
	const struct pl_balance_input in = {.thread = thread, .nr_threads = 2};
	struct pl_choice c;

	pl_idle_cpu_symmetric(s, &rc.request, &c);
	pl_idle_cpu_asymmetric(s, &rc.request, &c);
	pl_misfit_target(s, &rc.request, &c);
	pl_place_new_thread(s, &rc.request, 0, &c);
	pl_select_energy(s, &rc.request, NULL, &c);
	pl_balancer_mask(s, &mask);
	pl_set_mask(s, case_cpu(), pl_smallest_set(s, case_cpu(), PL_SET_CORE, NULL), NULL, &mask);
	pl_occupancy_add(&o, 0, 1000, 1000000000);
	pl_aggregate_preferred(&o, &rc.machine, &limits, 1000000000);
	pl_communicating_sets(&edge, 1, group, 64);
	pl_balance(&rc.snapshot, &in, &plan);
}

static void no_rule_allocates(void **state)
{
	unsigned long before = nr_allocations;
	void *volatile p = malloc(1); /* the count works */

	free(p);
	assert_int_equal(nr_allocations, before + 1);
	case_seed(30);
	for (int i = 0; i < NR_CASES / 10; i++) {
		case_next();
		before = nr_allocations;
		run_every_rule();
		assert_int_equal(nr_allocations, before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(no_rule_allocates)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
