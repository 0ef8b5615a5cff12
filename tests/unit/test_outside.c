// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Load of others: own use is taken off over the time of the sample, wherever the threads were.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "observe/outside.h"

#define MS 1000000ull

static struct pl_segment seg;
static struct pl_machine m;
static struct pl_own_use use;
static uint16_t out[PL_MAX_CPUS];

static int set_up(void **state)
{
	memset(&m, 0, sizeof(m));
	memset(&use, 0, sizeof(use));
	m.nr_cpu_ids = 4;
	for (int c = 0; c < 4; c++)
		m.cpu[c] = (struct pl_cpu){
			.core = (uint16_t)c, .cluster = (uint16_t)c, .capacity = 1024};
	pl_machine_finish(&m);
	memset(out, 0xff, sizeof(out));
	return 0;
}

/* The keeper's sample from FROM to TO, in ms. */
static void sample(uint64_t from, uint64_t to, uint16_t a, uint16_t b, uint16_t c, uint16_t d)
{
	const uint16_t busy[4] = {a, b, c, d};

	pl_set(&seg.load_from_ns, from * MS);
	pl_set(&seg.load_ns, to * MS);
	for (int i = 0; i < 4; i++)
		pl_set(&seg.load[i].busy, busy[i]);
}

static void assert_out(int a, int b, int c, int d)
{
	assert_in_range(out[0] + 30, a, a + 60);
	assert_in_range(out[1] + 30, b, b + 60);
	assert_in_range(out[2] + 30, c, c + 60);
	assert_in_range(out[3] + 30, d, d + 60);
}

/* One thread of ours that computes on CPU, looked at every STEP ms. */
static void compute(int cpu, uint64_t from, uint64_t to, uint64_t step)
{
	for (uint64_t t = from + step; t <= to; t += step) {
		pl_own_use_add(&use, cpu, cpu, step * MS);
		pl_own_use_looked(&use, t * MS, t * MS);
	}
}

static void test_own_load_is_nobody_elses(void **state)
{
	pl_own_use_looked(&use, 1000 * MS, 1000 * MS);
	compute(1, 1000, 1100, 10);
	sample(1000, 1100, 0, 1024, 0, 0);
	pl_outside_fill(&use, &seg, &m, 1105 * MS, out);
	assert_out(0, 0, 0, 0);
}

/* It was on CPU 1 for half of the sample, and on CPU 2 when it was looked at. */
static void test_a_thread_that_moved_leaves_no_shadow(void **state)
{
	pl_own_use_looked(&use, 1000 * MS, 1000 * MS);
	compute(2, 1000, 1100, 50);
	sample(1000, 1100, 0, 512, 512, 0);
	pl_outside_fill(&use, &seg, &m, 1105 * MS, out);
	assert_out(0, 0, 0, 0);
}

static void test_a_foreign_hog_shows(void **state)
{
	pl_own_use_looked(&use, 1000 * MS, 1000 * MS);
	sample(900, 1000, 0, 1024, 0, 1024);
	pl_outside_fill(&use, &seg, &m, 1000 * MS, out);
	compute(1, 1000, 1100, 10);
	sample(1000, 1100, 0, 1024, 0, 1024);
	pl_outside_fill(&use, &seg, &m, 1101 * MS, out);
	assert_out(0, 0, 0, 1024);
}

/* It shares CPU 1 with our thread. */
static void test_half_of_a_shared_cpu(void **state)
{
	pl_own_use_looked(&use, 1000 * MS, 1000 * MS);
	sample(900, 1000, 0, 1024, 0, 0);
	pl_outside_fill(&use, &seg, &m, 1000 * MS, out);
	for (uint64_t t = 1010; t <= 1100; t += 10) {
		pl_own_use_add(&use, 1, 1, 5 * MS);
		pl_own_use_looked(&use, t * MS, t * MS);
	}
	sample(1000, 1100, 0, 1024, 0, 0);
	pl_outside_fill(&use, &seg, &m, 1101 * MS, out);
	assert_out(0, 512, 0, 0);
}

/* The keeper looked while our threads were there and nobody looked at them yet. */
static void test_threads_before_the_first_look_are_nobody_elses(void **state)
{
	sample(900, 1000, 0, 1024, 0, 1024);
	pl_own_use_looked(&use, 990 * MS, 990 * MS);
	pl_outside_fill(&use, &seg, &m, 1001 * MS, out);
	assert_out(0, 0, 0, 0);
	compute(1, 990, 1100, 10);
	pl_outside_fill(&use, &seg, &m, 1100 * MS, out);
	assert_out(0, 0, 0, 0);
}

/* A program that had CPU 3 has ended; ours began later. */
static void test_who_ended_before_leaves_no_shadow(void **state)
{
	sample(800, 900, 0, 0, 0, 1024);
	pl_own_use_looked(&use, 1000 * MS, 1000 * MS);
	compute(1, 1000, 1100, 10);
	pl_outside_fill(&use, &seg, &m, 1100 * MS, out);
	assert_out(0, 0, 0, 0);
}

/* Bound to its core it ran on CPU 2, beside a hog on CPU 3, and was thought to be on CPU 1. */
static void test_a_thread_beside_where_it_was_thought_to_be(void **state)
{
	pl_own_use_looked(&use, 1000 * MS, 1000 * MS);
	sample(1000, 1100, 0, 0, 0, 0);
	pl_outside_fill(&use, &seg, &m, 1100 * MS, out);
	pl_own_use_add(&use, 1, 2, 100 * MS);
	pl_own_use_looked(&use, 1200 * MS, 1200 * MS);
	sample(1100, 1200, 0, 0, 1024, 1024);
	pl_outside_fill(&use, &seg, &m, 1201 * MS, out);
	assert_out(0, 0, 0, 1024);
}

/* We were kept from our CPU for 60 ms amidst a look: what was read before that is from before. */
static void test_a_look_that_took_long(void **state)
{
	pl_own_use_looked(&use, 1000 * MS, 1000 * MS);
	pl_own_use_add(&use, 1, 1, 40 * MS);
	pl_own_use_looked(&use, 1100 * MS, 1160 * MS);
	sample(1050, 1150, 0, 1024, 1024, 0);
	pl_outside_fill(&use, &seg, &m, 1160 * MS, out);
	assert_out(0, 0, 0, 0);
	compute(1, 1160, 1260, 10);
	sample(1160, 1260, 0, 1024, 0, 1024);
	pl_outside_fill(&use, &seg, &m, 1260 * MS, out);
	assert_out(0, 0, 0, 1024);
}

/* Looks a second apart, samples of 100 ms. */
static void test_looks_that_are_far_apart(void **state)
{
	pl_own_use_looked(&use, 1000 * MS, 1000 * MS);
	compute(1, 1000, 4000, 1000);
	sample(3850, 3950, 0, 1024, 0, 0);
	pl_outside_fill(&use, &seg, &m, 4000 * MS, out);
	assert_out(0, 0, 0, 0);
}

static void test_old_or_absurd_samples_say_nothing(void **state)
{
	sample(1000, 1100, 1024, 1024, 1024, 1024);
	pl_outside_fill(&use, &seg, &m, 2200 * MS, out);
	assert_out(0, 0, 0, 0);
	sample(1100, 1000, 1024, 1024, 1024, 1024);
	pl_outside_fill(&use, &seg, &m, 1101 * MS, out);
	assert_out(0, 0, 0, 0);
	sample(0, 1000, 1024, 1024, 1024, 1024);
	pl_outside_fill(&use, &seg, &m, 1001 * MS, out);
	assert_out(0, 0, 0, 0);
	sample(1000, 1100, UINT16_MAX, 0, 0, 0);
	pl_outside_fill(&use, &seg, &m, 1101 * MS, out);
	assert_in_range(out[0], 0, 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_own_load_is_nobody_elses, set_up),
		cmocka_unit_test_setup(test_a_thread_that_moved_leaves_no_shadow, set_up),
		cmocka_unit_test_setup(test_a_foreign_hog_shows, set_up),
		cmocka_unit_test_setup(test_half_of_a_shared_cpu, set_up),
		cmocka_unit_test_setup(test_threads_before_the_first_look_are_nobody_elses, set_up),
		cmocka_unit_test_setup(test_who_ended_before_leaves_no_shadow, set_up),
		cmocka_unit_test_setup(test_a_thread_beside_where_it_was_thought_to_be, set_up),
		cmocka_unit_test_setup(test_a_look_that_took_long, set_up),
		cmocka_unit_test_setup(test_looks_that_are_far_apart, set_up),
		cmocka_unit_test_setup(test_old_or_absurd_samples_say_nothing, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
