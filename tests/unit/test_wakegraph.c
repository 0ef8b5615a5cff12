// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Which cache the threads of a process prefer: those that talk to each other, where they ran most.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "observe/wakegraph.h"

#define MS 1000000ull

enum { NR = 4 };

static struct pl_segment seg;
static struct pl_machine m;
static struct pl_graph_node node[NR];
static struct pl_thread_view view[NR];
static uint64_t now = 1000 * MS;

static pl_task_id id_of(uint32_t i)
{
	return 1u << PL_TASK_BITS | i;
}

/* Two caches of eight cores each; threads 0..3 on CPUs 0, 1, 8, 9. */
static int set_up(void **state)
{
	static const int cpu[NR] = {0, 1, 8, 9};

	memset(&m, 0, sizeof(m));
	m.nr_cpu_ids = 16;
	for (int c = 0; c < 16; c++)
		m.cpu[c] = (struct pl_cpu){.core = (uint16_t)c,
					   .cluster = (uint16_t)c,
					   .llc = (uint16_t)(c / 8),
					   .capacity = 1024};
	pl_machine_finish(&m);
	memset(seg.task, 0, sizeof(seg.task));
	for (uint32_t i = 0; i < NR; i++) {
		pl_set(&seg.task[i].id, id_of(i));
		node[i] = (struct pl_graph_node){.id = id_of(i), .number = i};
		view[i] = (struct pl_thread_view){
			.cpu = cpu[i], .running = true, .umax = 1024, .preferred_llc = -1};
	}
	now += 10000 * MS; /* what was before is forgotten */
	return 0;
}

static void talk(uint32_t a, uint32_t b, uint32_t turns)
{
	pl_set(&seg.task[a].part[0].id, id_of(b));
	pl_set(&seg.task[a].part[0].turns, turns);
}

static void look(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const uint64_t ran[NR] = {a, b, c, d};

	for (int i = 0; i < NR; i++)
		node[i].run_ns = ran[i] * MS;
	now += 10 * MS;
	pl_wakegraph_prefer(&seg, &m, node, view, NR, false, now);
}

static void assert_prefer(int a, int b, int c, int d)
{
	assert_int_equal(view[0].preferred_llc, a);
	assert_int_equal(view[1].preferred_llc, b);
	assert_int_equal(view[2].preferred_llc, c);
	assert_int_equal(view[3].preferred_llc, d);
}

static void test_talkers_prefer_where_they_ran(void **state)
{
	talk(0, 2, 500);
	look(2, 5, 9, 5);
	assert_prefer(1, -1, 1, -1);
}

static void test_one_direction_is_enough(void **state)
{
	talk(3, 1, 100);
	look(5, 9, 5, 1);
	assert_prefer(-1, 0, -1, 0);
}

/* A group that the program names counts as if its threads had talked. */
static void test_a_named_group_is_a_set(void **state)
{
	pl_set(&seg.task[0].group, 7);
	pl_set(&seg.task[2].group, 7);
	pl_set(&seg.task[3].group, 8); /* alone in its own */
	look(2, 5, 9, 5);
	assert_prefer(1, -1, 1, -1);
	/* Talk joins it with others. */
	talk(3, 2, 500);
	look(9, 5, 5, 9);
	assert_int_equal(view[3].preferred_llc, view[0].preferred_llc);
	assert_int_equal(view[1].preferred_llc, -1);
}

static void test_few_turns_are_no_talk(void **state)
{
	talk(0, 2, 99);
	look(9, 9, 9, 9);
	assert_prefer(-1, -1, -1, -1);
}

static void test_two_sets(void **state)
{
	talk(0, 1, 500);
	talk(2, 3, 500);
	look(5, 5, 5, 5);
	assert_prefer(0, 0, 1, 1);
}

static void test_partners_elsewhere_do_not_count(void **state)
{
	talk(0, 2, 500);
	pl_set(&seg.task[1].part[0].id, 77u << PL_TASK_BITS | 3); /* a former task */
	pl_set(&seg.task[1].part[0].turns, 5000);
	pl_set(&seg.task[3].part[1].id, UINT32_MAX);
	pl_set(&seg.task[3].part[1].turns, UINT32_MAX);
	look(9, 5, 1, 5);
	assert_prefer(0, -1, 0, -1);
}

static void test_a_memory_policy_wins(void **state)
{
	talk(0, 2, 500);
	for (int i = 0; i < NR; i++)
		node[i].run_ns = 5 * MS;
	pl_wakegraph_prefer(&seg, &m, node, view, NR, true, now);
	assert_prefer(-1, -1, -1, -1);
}

static void test_one_cache_has_nothing_to_prefer(void **state)
{
	for (int c = 0; c < 16; c++)
		m.cpu[c].llc = 0;
	pl_machine_finish(&m);
	talk(0, 2, 500);
	look(9, 9, 9, 9);
	assert_prefer(-1, -1, -1, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_talkers_prefer_where_they_ran, set_up),
		cmocka_unit_test_setup(test_a_named_group_is_a_set, set_up),
		cmocka_unit_test_setup(test_one_direction_is_enough, set_up),
		cmocka_unit_test_setup(test_few_turns_are_no_talk, set_up),
		cmocka_unit_test_setup(test_two_sets, set_up),
		cmocka_unit_test_setup(test_partners_elsewhere_do_not_count, set_up),
		cmocka_unit_test_setup(test_a_memory_policy_wins, set_up),
		cmocka_unit_test_setup(test_one_cache_has_nothing_to_prefer, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
