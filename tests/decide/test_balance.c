// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The balancer's plan: literals, and what has to hold of every plan on random machines.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "decide/balance.h"
#include "decide/random_case.h"
#include "decide/reference.h"

enum { MAX_THREADS = 40 };

static struct pl_machine m;
static struct pl_snapshot s;
static struct pl_thread_view thread[MAX_THREADS];
static struct pl_balance_input in;
static struct pl_plan plan, again;
static uint16_t outside[PL_MAX_CPUS];
static struct pl_cpumask claimed;

/* 8 CPUs, cores of neighbours, two LLCs of two cores. */
static int setup(void **state)
{
	memset(&m, 0, sizeof(m));
	memset(&s, 0, sizeof(s));
	memset(outside, 0, sizeof(outside));
	m.nr_cpu_ids = 8;
	for (int c = 0; c < 8; c++)
		m.cpu[c] = (struct pl_cpu){.core = (uint16_t)(c / 2),
					   .cluster = (uint16_t)(c / 2),
					   .llc = (uint16_t)(c / 4),
					   .capacity = 1024,
					   .actual = 1024};
	pl_machine_finish(&m);
	s.machine = &m;
	for (int i = 0; i < MAX_THREADS; i++)
		thread[i] = (struct pl_thread_view){.util = 1024,
						    .umax = 1024,
						    .running = true,
						    .cpu_bound = true,
						    .preferred_llc = -1};
	in = (struct pl_balance_input){.thread = thread};
	return 0;
}

static void make_capacities(const uint16_t by_core[4])
{
	for (int c = 0; c < 8; c++) {
		m.cpu[c].llc = 0;
		m.cpu[c].capacity = m.cpu[c].actual = by_core[c / 2];
	}
	m.asymmetric = 1;
	pl_machine_finish(&m);
}

static void at(const int *cpu, uint32_t nr)
{
	in.nr_threads = nr;
	for (uint32_t i = 0; i < nr; i++)
		thread[i].cpu = cpu[i];
}

static void assert_move(uint32_t n, uint32_t who, int cpu, enum pl_set set, enum pl_why why)
{
	assert_true(n < plan.nr_moves);
	assert_int_equal(plan.move[n].thread, who);
	assert_int_equal(plan.move[n].choice.cpu, cpu);
	assert_int_equal(plan.move[n].set, set);
	assert_int_equal(plan.move[n].choice.why, why);
}

static void apply(void)
{
	for (uint32_t i = 0; i < plan.nr_moves; i++) {
		struct pl_thread_view *t = &thread[plan.move[i].thread];

		if (plan.move[i].choice.cpu >= 0)
			t->cpu = plan.move[i].choice.cpu;
		t->bound = plan.move[i].set != PL_SET_NONE;
		t->bound_to = plan.move[i].set;
	}
}

static void assert_nothing_to_do(void)
{
	pl_balance(&s, &in, &plan);
	assert_int_equal(plan.nr_moves, 0);
}

static void one_of_two_siblings_moves(void **state)
{
	at((const int[]){0, 1}, 2);
	pl_balance(&s, &in, &plan);
	assert_int_equal(plan.nr_moves, 1);
	assert_move(0, 0, 2, PL_SET_CORE, PL_WHY_CORE_SHARED);
	apply();
	assert_nothing_to_do();
}

/* One core is idle and two are shared: who gets it is what the program says. */
static void the_idle_core_goes_by_class(void **state)
{
	static const int cpu[] = {0, 1, 2, 3, 4};

	thread[3].class = PL_CLASS_LATENCY;
	thread[3].util = 200;
	thread[3].cpu_bound = false;
	at(cpu, 5);
	pl_balance(&s, &in, &plan);
	assert_int_equal(plan.nr_moves, 1);
	assert_move(0, 3, 6, PL_SET_CORE, PL_WHY_CORE_SHARED);
	/* Background last: of the rest the first one. */
	thread[3].class = PL_CLASS_THROUGHPUT;
	thread[0].class = thread[1].class = PL_CLASS_BACKGROUND;
	at(cpu, 5);
	pl_balance(&s, &in, &plan);
	assert_int_equal(plan.nr_moves, 1);
	assert_move(0, 2, 6, PL_SET_CORE, PL_WHY_CORE_SHARED);
}

/* CPU-bound on a small core while a large one is idle. */
static void hints_decide_who_is_misfit(void **state)
{
	static const uint16_t capacities[] = {400, 400, 1024, 1024};

	make_capacities(capacities);
	at((const int[]){0}, 1);
	pl_balance(&s, &in, &plan);
	assert_int_equal(plan.nr_moves, 1);
	assert_int_equal(plan.move[0].choice.why, PL_WHY_MISFIT);
	thread[0].class = PL_CLASS_BACKGROUND;
	assert_nothing_to_do();
	thread[0].class = PL_CLASS_THROUGHPUT;
	thread[0].umax = 300; /* capped: it fits */
	assert_nothing_to_do();
	/* And one that hardly runs, but wants more than a small core has. */
	thread[0].umax = 1024;
	thread[0].util = 150;
	thread[0].cpu_bound = false;
	assert_nothing_to_do();
	thread[0].umin = 600;
	pl_balance(&s, &in, &plan);
	assert_int_equal(plan.nr_moves, 1);
	assert_int_equal(plan.move[0].choice.why, PL_WHY_MISFIT);
}

static void nothing_shared_nothing_moved(void **state)
{
	at((const int[]){0, 2, 4, 6}, 4);
	assert_nothing_to_do();
	at((const int[]){0, 1, 2, 3, 4, 5, 6, 7}, 8); /* no core is idle */
	assert_nothing_to_do();
	thread[1].running = false;
	at((const int[]){0, 1}, 2); /* who waits shares nothing */
	assert_nothing_to_do();
	at(NULL, 0);
	assert_nothing_to_do();
}

/* Each takes a core of its own, the nearest LLC first. */
static void two_moves_never_take_one_core(void **state)
{
	at((const int[]){0, 0, 1, 1}, 4);
	pl_balance(&s, &in, &plan);
	assert_int_equal(plan.nr_moves, 3);
	assert_move(0, 0, 2, PL_SET_CORE, PL_WHY_CORE_SHARED);
	assert_true(plan.move[1].choice.cpu >= 4 && plan.move[2].choice.cpu >= 4);
	assert_int_not_equal(plan.move[1].choice.cpu / 2, plan.move[2].choice.cpu / 2);
	apply();
	assert_nothing_to_do();
}

/* One idle core, and one of several may have it: the one on the CPU that is shared most. */
static void the_one_that_frees_most(void **state)
{
	at((const int[]){0, 1, 2, 4, 4, 4}, 6);
	thread[4].util = 900;
	thread[3].util = 1000;
	thread[5].util = 950;
	pl_balance(&s, &in, &plan);
	assert_int_equal(plan.nr_moves, 1);
	assert_move(0, 3, 6, PL_SET_CORE, PL_WHY_CORE_SHARED);
}

static void away_from_outside_load_and_claims(void **state)
{
	at((const int[]){0}, 1);
	in.outside = outside;
	outside[1] = 102; /* below 10 % */
	assert_nothing_to_do();
	outside[1] = 500;
	pl_balance(&s, &in, &plan);
	assert_move(0, 0, 2, PL_SET_CORE, PL_WHY_CORE_SHARED);
	outside[1] = 0;
	pl_cpumask_zero(&claimed);
	pl_cpumask_add(&claimed, 1);
	pl_cpumask_add(&claimed, 2);
	in.claimed = &claimed;
	pl_balance(&s, &in, &plan);
	assert_move(0, 0, 4, PL_SET_CORE, PL_WHY_CORE_SHARED);
}

/* 10.5 % outside here, 8 % there: not worth a migration. */
static void no_move_that_gains_nothing(void **state)
{
	at((const int[]){0}, 1);
	in.outside = outside;
	outside[0] = 108;
	for (int c = 2; c < 8; c++)
		outside[c] = 82;
	assert_nothing_to_do();
	/* A core of a third of the capacity is no better than half of this one. */
	make_capacities((const uint16_t[]){1024, 340, 340, 340});
	memset(outside, 0, sizeof(outside));
	at((const int[]){0, 1}, 2);
	assert_nothing_to_do();
}

static void the_big_cores_first(void **state)
{
	make_capacities((const uint16_t[]){600, 1024, 600, 1024});
	at((const int[]){0, 1}, 2);
	pl_balance(&s, &in, &plan);
	assert_int_equal(plan.nr_moves, 2);
	assert_move(0, 0, 2, PL_SET_CORE, PL_WHY_CORE_SHARED);
	assert_move(1, 1, 6, PL_SET_CORE, PL_WHY_MISFIT);
	apply();
	assert_nothing_to_do();
	/* Four threads on one big core: all four cores. */
	at((const int[]){2, 2, 3, 3}, 4);
	pl_balance(&s, &in, &plan);
	assert_int_equal(plan.nr_moves, 3);
	assert_int_equal(plan.move[0].choice.cpu, 6);
	apply();
	assert_nothing_to_do();
}

/* One large core is idle: who is on the smallest gets it, and nobody waits for what is left. */
static void the_smallest_core_is_left_first(void **state)
{
	make_capacities((const uint16_t[]){1024, 600, 300, 600});
	at((const int[]){2, 4}, 2);
	pl_balance(&s, &in, &plan);
	assert_int_equal(plan.nr_moves, 1);
	assert_move(0, 1, 0, PL_SET_CORE, PL_WHY_MISFIT);
	apply();
	assert_nothing_to_do();
}

static void a_bound_thread_is_moved_or_given_back(void **state)
{
	struct pl_cpumask allowed;

	at((const int[]){0, 1}, 2);
	thread[1].pinned = true;
	thread[0].bound = true;
	pl_balance(&s, &in, &plan);
	assert_int_equal(plan.nr_moves, 1);
	assert_move(0, 0, 2, PL_SET_CORE, PL_WHY_CORE_SHARED);
	/* It may use its own core only. */
	pl_cpumask_zero(&allowed);
	pl_cpumask_add(&allowed, 0);
	pl_cpumask_add(&allowed, 1);
	thread[0].allowed = &allowed;
	pl_balance(&s, &in, &plan);
	assert_int_equal(plan.nr_moves, 1);
	assert_move(0, 0, -1, PL_SET_NONE, PL_WHY_GIVE_BACK);
	apply();
	assert_nothing_to_do();
}

static void into_the_preferred_llc(void **state)
{
	at((const int[]){0, 4}, 2);
	thread[0].util = thread[1].util = 500;
	thread[0].preferred_llc = thread[1].preferred_llc = 1;
	pl_balance(&s, &in, &plan);
	assert_int_equal(plan.nr_moves, 1);
	assert_move(0, 0, 6, PL_SET_LLC, PL_WHY_AGGREGATE);
	apply();
	assert_nothing_to_do();
	/* Sharing a core of the preferred LLC: not out of it while it is not over 50 %. */
	at((const int[]){4, 5, 6}, 3);
	thread[2].util = 500;
	thread[2].preferred_llc = 1;
	assert_nothing_to_do();
	/* But bound to the core it would be too narrow. */
	thread[0].bound_to = PL_SET_CORE;
	pl_balance(&s, &in, &plan);
	assert_int_equal(plan.nr_moves, 1);
	assert_move(0, 0, -1, PL_SET_LLC, PL_WHY_GIVE_BACK);
	apply();
	assert_nothing_to_do();
}

static void sets_where_a_core_is_one_cpu(void **state)
{
	for (int c = 0; c < 8; c++)
		m.cpu[c].core = m.cpu[c].cluster = (uint16_t)c;
	pl_machine_finish(&m);
	at((const int[]){0, 0}, 2);
	pl_balance(&s, &in, &plan);
	assert_move(0, 0, 1, PL_SET_LLC, PL_WHY_CORE_SHARED);
	for (int c = 0; c < 8; c++)
		m.cpu[c].llc = 0;
	pl_machine_finish(&m);
	pl_balance(&s, &in, &plan);
	assert_move(0, 0, 1, PL_SET_NONE, PL_WHY_CORE_SHARED);
}

/* Four cores of two CPUs and four small ones of one, all in one LLC. */
static void make_mixed_cores(void)
{
	m.nr_cpu_ids = 12;
	for (int c = 0; c < 12; c++)
		m.cpu[c] = (struct pl_cpu){.core = (uint16_t)(c < 8 ? c / 2 : c - 4),
					   .cluster = (uint16_t)(c < 8 ? c / 2 : c - 4),
					   .capacity = c < 8 ? 1024 : 600,
					   .actual = c < 8 ? 1024 : 600};
	m.asymmetric = 1;
	pl_machine_finish(&m);
}

/* On a core of one CPU among others a wider mask would not keep a thread there. */
static void each_stays_where_a_core_is_one_cpu_of_several(void **state)
{
	make_mixed_cores();
	at((const int[]){0, 1, 2, 3, 4, 5, 6, 7}, 8);
	pl_balance(&s, &in, &plan);
	assert_int_equal(plan.nr_moves, 4);
	for (int i = 0; i < 4; i++) {
		assert_true(plan.move[i].choice.cpu >= 8);
		assert_int_equal(plan.move[i].set, PL_SET_CPU);
	}
	apply();
	assert_nothing_to_do();
	/* A second thread came to one of them, and no core is idle. */
	thread[7].bound = true;
	thread[7].bound_to = PL_SET_CPU;
	at((const int[]){0, 2, 4, 6, 8, 9, 10, 11, 11}, 9);
	thread[8].pinned = true;
	pl_balance(&s, &in, &plan);
	assert_move(plan.nr_moves - 1, 7, -1, PL_SET_NONE, PL_WHY_GIVE_BACK);
}

/* Threads on random CPUs of the present random machine, crowded ones in half of the cases. */
static void random_threads(void)
{
	static struct pl_cpumask narrow[4];
	bool crowded = case_chance(50), preferences = case_chance(50);
	int few = (int)case_random(rc.machine.nr_online);

	in = (struct pl_balance_input){.thread = thread};
	in.nr_threads = case_random(MAX_THREADS + 1);
	for (int k = 0; k < 4; k++)
		case_mask(&narrow[k], 30 + 20 * (uint32_t)k);
	for (uint32_t i = 0; i < in.nr_threads; i++) {
		int n = (int)case_random(rc.machine.nr_online);

		thread[i] = (struct pl_thread_view){
			.cpu = rc.machine.order[crowded ? n * few / rc.machine.nr_online : n],
			.util = case_random(1025),
			.umin = case_chance(90) ? 0 : case_random(1025),
			.umax = case_chance(90) ? 1024 : case_random(1025),
			.running = case_chance(80),
			.pinned = case_chance(10),
			.bound = case_chance(30),
			.preferred_llc = -1,
		};
		thread[i].cpu_bound = thread[i].util >= 800;
		if (thread[i].bound)
			thread[i].bound_to = PL_SET_NONE + case_random(5);
		if (case_chance(2))
			thread[i].cpu = (int)case_random(rc.machine.nr_cpu_ids + 2u) - 1;
		if (preferences)
			thread[i].preferred_llc =
				(int16_t)((int)case_random(rc.machine.nr_llcs + 2u) - 1);
		if (case_chance(20))
			thread[i].allowed = &narrow[case_random(4)];
	}
	for (int c = 0; c < rc.machine.nr_cpu_ids; c++)
		outside[c] = (uint16_t)case_random(case_chance(20) ? 1025 : 110);
	case_mask(&claimed, 10);
	if (case_chance(60))
		in.outside = outside;
	if (case_chance(40))
		in.claimed = &claimed;
}

/* The state that a plan is replayed on: running threads by CPU, and the others. */
static int on[REF_MAX];
static struct ref ref;

static bool busy_by_others(int c)
{
	return (in.outside && in.outside[c] * 100 >= 1024 * 10) ||
	       (in.claimed && pl_cpumask_has(in.claimed, c));
}

static void read_state(void)
{
	rc.request.allowed = NULL;
	ref_read(&ref);
	memset(on, 0, sizeof(on));
	for (uint32_t i = 0; i < in.nr_threads; i++)
		if (thread[i].running && thread[i].cpu >= 0 && thread[i].cpu < ref.n &&
		    ref.online[thread[i].cpu])
			on[thread[i].cpu]++;
}

static bool entirely_idle(int cpu)
{
	for (int c = 0; c < ref.n; c++)
		if (ref.online[c] && ref.core[c] == ref.core[cpu] && (on[c] || busy_by_others(c)))
			return false;
	return true;
}

static bool may_use(const struct pl_thread_view *t, int c)
{
	return ref.program[c] && (!t->allowed || pl_cpumask_has(t->allowed, c));
}

/* What is left to thread T on its core, in capacity; -1: it has the core for itself. */
static int left_to(const struct pl_thread_view *t)
{
	int most = 0, company = 0;
	bool thread_or_claim = false;

	for (int c = 0; c < ref.n; c++) {
		int others = on[c] - (c == t->cpu);

		if (!ref.online[c] || ref.core[c] != ref.core[t->cpu])
			continue;
		company += others + busy_by_others(c);
		if (others || (in.claimed && pl_cpumask_has(in.claimed, c)))
			thread_or_claim = true;
		if (in.outside && in.outside[c] > most)
			most = in.outside[c];
	}
	if (!company)
		return -1;
	return thread_or_claim ? ref.capacity[t->cpu] / 2
			       : ref.capacity[t->cpu] * (1024 - most) / 1024;
}

static int left_on_idle(int cpu)
{
	int most = 0;

	for (int c = 0; c < ref.n; c++)
		if (in.outside && ref.online[c] && ref.core[c] == ref.core[cpu] &&
		    in.outside[c] > most)
			most = in.outside[c];
	return ref.capacity[cpu] * (1024 - most) / 1024;
}

/* Replays the plan with every check that one move allows. */
static void replay(void)
{
	bool seen[MAX_THREADS] = {false};

	for (uint32_t i = 0; i < plan.nr_moves; i++) {
		const struct pl_move *move = &plan.move[i];
		struct pl_thread_view *t = &thread[move->thread];
		int cpu = move->choice.cpu;

		assert_true(move->thread < in.nr_threads);
		assert_true(t->running && !t->pinned);
		assert_true(!seen[move->thread] || move->chained);
		seen[move->thread] = true;
		if (cpu < 0) {
			assert_int_equal(move->choice.why, PL_WHY_GIVE_BACK);
			assert_true(t->bound && left_to(t) >= 0);
			t->bound = move->set != PL_SET_NONE;
			t->bound_to = move->set;
			continue;
		}
		assert_true(cpu < ref.n && may_use(t, cpu));
		assert_true(entirely_idle(cpu));
		if (move->choice.why == PL_WHY_CORE_SHARED)
			assert_true(left_to(t) >= 0);
		else
			assert_true(ref.capacity[cpu] >= ref.capacity[t->cpu]);
		on[t->cpu]--;
		on[cpu]++;
		t->cpu = cpu;
		t->bound = move->set != PL_SET_NONE;
		t->bound_to = move->set;
	}
}

/* Nobody without a preference shares while a core is idle that would leave it more. */
static void check_nobody_shares_in_vain(void)
{
	for (uint32_t i = 0; i < in.nr_threads; i++) {
		const struct pl_thread_view *t = &thread[i];
		int now, most = 0;
		uint32_t others = 0;

		if (!t->running || t->pinned || t->cpu < 0 || t->cpu >= ref.n ||
		    !ref.online[t->cpu] || t->preferred_llc >= 0)
			continue;
		now = left_to(t);
		if (now < 0)
			continue;
		for (int c = 0; c < ref.n; c++)
			if (may_use(t, c) && entirely_idle(c)) {
				others++;
				if (left_on_idle(c) > most)
					most = left_on_idle(c);
			}
		/* With unequal cores the rule's table picks one, which may not be the best. */
		if (!others || ref.asymmetric || rc.snapshot.capacity || in.outside)
			continue;
		assert_false(most * 1024 > now * 1078);
	}
}

static void check_no_misfit_waits(void)
{
	for (uint32_t i = 0; i < in.nr_threads; i++) {
		const struct pl_thread_view *t = &thread[i];

		if (!t->running || t->pinned || t->cpu < 0 || t->cpu >= ref.n ||
		    !ref.online[t->cpu])
			continue;
		for (int c = 0; c < ref.n; c++) {
			ref.idle[c] = ref.online[c] && !on[c] && !busy_by_others(c);
			ref.allowed[c] = may_use(t, c);
		}
		ref.prev = t->cpu;
		ref.u = (int)t->util;
		ref.umin = (int)t->umin;
		ref.umax = (int)t->umax;
		assert_int_equal(ref_r9(&ref), -1);
	}
}

static void every_plan(void **state)
{
	uint32_t moves = 0, chained = 0, given_back = 0, aggregated = 0, misfit = 0;

	case_seed(20);
	for (int i = 0; i < NR_CASES; i++) {
		case_next();
		random_threads();
		read_state();
		pl_balance(&rc.snapshot, &in, &plan);
		memset(&again, 0, sizeof(again));
		pl_balance(&rc.snapshot, &in, &again);
		assert_int_equal(again.nr_moves, plan.nr_moves);
		for (uint32_t k = 0; k < plan.nr_moves; k++) {
			assert_int_equal(again.move[k].thread, plan.move[k].thread);
			assert_int_equal(again.move[k].set, plan.move[k].set);
			assert_int_equal(again.move[k].choice.cpu, plan.move[k].choice.cpu);
			assert_int_equal(again.move[k].choice.why, plan.move[k].choice.why);
			chained += plan.move[k].chained;
			given_back += plan.move[k].choice.cpu < 0;
			aggregated += plan.move[k].choice.why == PL_WHY_AGGREGATE;
			misfit += plan.move[k].choice.why == PL_WHY_MISFIT;
		}
		moves += plan.nr_moves;
		assert_false(plan.full);
		replay();
		check_nobody_shares_in_vain();
		check_no_misfit_waits();
		/* Applied, nothing is left to do. */
		pl_balance(&rc.snapshot, &in, &plan);
		assert_int_equal(plan.nr_moves, 0);
	}
	/* The cases reach every kind of move. */
	assert_true(moves > NR_CASES / 2);
	assert_true(chained && given_back > 100 && aggregated > 100 && misfit > 100);
}

/* As many CPU-bound threads as big cores, anywhere: afterwards each has one of them. */
static void cpu_bound_threads_get_the_big_cores(void **state)
{
	case_seed(21);
	for (int i = 0; i < NR_CASES / 5; i++) {
		uint32_t big = 0;

		case_next();
		rc.snapshot.allowed = NULL;
		rc.snapshot.capacity = NULL;
		for (int c = 0; c < rc.machine.nr_cpu_ids; c++)
			rc.machine.cpu[c].actual = rc.machine.cpu[c].capacity;
		in = (struct pl_balance_input){.thread = thread};
		read_state();
		for (int c = 0; c < ref.n; c++)
			if (ref.online[c] && ref.actual[c] == 1024 &&
			    ref_representative(&ref, c) == c)
				big++;
		if (!ref.asymmetric || !big || big > MAX_THREADS)
			continue;
		in.nr_threads = big;
		for (uint32_t k = 0; k < big; k++)
			thread[k] = (struct pl_thread_view){.cpu = case_cpu(),
							    .util = 1024,
							    .umax = 1024,
							    .running = true,
							    .cpu_bound = true,
							    .preferred_llc = -1};
		read_state();
		pl_balance(&rc.snapshot, &in, &plan);
		replay();
		for (uint32_t k = 0; k < big; k++) {
			assert_int_equal(left_to(&thread[k]), -1);
			assert_false(1024 * 1024 > ref.actual[thread[k].cpu] * 1078);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(one_of_two_siblings_moves, setup),
		cmocka_unit_test_setup(the_idle_core_goes_by_class, setup),
		cmocka_unit_test_setup(hints_decide_who_is_misfit, setup),
		cmocka_unit_test_setup(nothing_shared_nothing_moved, setup),
		cmocka_unit_test_setup(two_moves_never_take_one_core, setup),
		cmocka_unit_test_setup(the_one_that_frees_most, setup),
		cmocka_unit_test_setup(away_from_outside_load_and_claims, setup),
		cmocka_unit_test_setup(no_move_that_gains_nothing, setup),
		cmocka_unit_test_setup(the_big_cores_first, setup),
		cmocka_unit_test_setup(the_smallest_core_is_left_first, setup),
		cmocka_unit_test_setup(a_bound_thread_is_moved_or_given_back, setup),
		cmocka_unit_test_setup(into_the_preferred_llc, setup),
		cmocka_unit_test_setup(sets_where_a_core_is_one_cpu, setup),
		cmocka_unit_test_setup(each_stays_where_a_core_is_one_cpu_of_several, setup),
		cmocka_unit_test(every_plan),
		cmocka_unit_test(cpu_bound_threads_get_the_big_cores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
