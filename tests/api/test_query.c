// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Questions: the machine as the keeper read it, and where a task would go.
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "api/api.h"

static struct place_machine machine;

static bool machine_is_read(void *arg)
{
	machine.size = sizeof(machine);
	return place_machine_get(&machine) == 0;
}

static int start(void **state)
{
	if (place_start(NULL) != 0)
		return -1;
	return own_poll(machine_is_read, NULL, 20000) ? 0 : -1;
}

static int stop(void **state)
{
	return place_stop();
}

static void test_machine(void **state)
{
	struct place_machine m = {.size = sizeof(m) - 1};

	assert_int_equal(place_machine_get(NULL), -EINVAL);
	assert_int_equal(place_machine_get(&m), -EINVAL);
	assert_int_equal(machine.nr_online, sysconf(_SC_NPROCESSORS_ONLN));
	assert_in_range(machine.nr_cores, 1, machine.nr_online);
	assert_in_range(machine.nr_llcs, 1, machine.nr_cores);
	assert_true(machine.nr_packages >= 1 && machine.nr_nodes >= 1);
	assert_true(machine.nr_siblings >= 1 && machine.nr_cpu_ids >= machine.nr_online);
	assert_true(machine.generation >= 1);
}

static void test_cpus(void **state)
{
	struct place_cpu c = {.size = sizeof(c) - 1};
	uint32_t online = 0, largest = 0;

	assert_int_equal(place_cpu_get(0, NULL), -EINVAL);
	assert_int_equal(place_cpu_get(0, &c), -EINVAL);
	c.size = sizeof(c);
	assert_int_equal(place_cpu_get(-1, &c), -ENODEV);
	assert_int_equal(place_cpu_get((int)machine.nr_cpu_ids, &c), -ENODEV);
	assert_int_equal(place_cpu_get(1 << 30, &c), -ENODEV);
	for (uint32_t cpu = 0; cpu < machine.nr_cpu_ids; cpu++) {
		if (place_cpu_get((int)cpu, &c) != 0)
			continue;
		online++;
		assert_in_range(c.capacity, 1, 1024);
		assert_in_range(c.capacity_now, 0, 1024);
		assert_true(c.core < machine.nr_cores && c.llc < machine.nr_llcs);
		largest = c.capacity > largest ? c.capacity : largest;
	}
	assert_int_equal(online, machine.nr_online);
	assert_int_equal(largest, 1024);
	assert_int_equal(place_cpu_distance(0, -1), -ENODEV);
	assert_int_equal(place_cpu_distance((int)machine.nr_cpu_ids, 0), -ENODEV);
	assert_in_range(place_cpu_distance(0, 0), 0, 10);
}

static void test_handoff_cost(void **state)
{
	struct pl_segment *seg = own_segment();
	struct place_handoff h = {.size = sizeof(h) - 1};

	assert_int_equal(place_handoff_cost(0, 0, NULL), -EINVAL);
	assert_int_equal(place_handoff_cost(0, 0, &h), -EINVAL);
	h.size = sizeof(h);
	assert_int_equal(place_handoff_cost(-1, 0, &h), -ENODEV);
	assert_int_equal(place_handoff_cost(0, (int)machine.nr_cpu_ids, &h), -ENODEV);
	for (uint32_t a = 0; a < machine.nr_cpu_ids; a++) {
		struct place_cpu x = {.size = sizeof(x)}, y = x;

		for (uint32_t b = 0; b < machine.nr_cpu_ids; b++) {
			if (place_cpu_get((int)a, &x) != 0 || place_cpu_get((int)b, &y) != 0)
				continue;
			assert_int_equal(place_handoff_cost((int)a, (int)b, &h), 0);
			assert_int_equal(h.cost_ns, PLACE_COST_UNKNOWN);
			assert_true(h.age_ns == UINT64_MAX);
			assert_int_equal(h.relation == PLACE_SAME_CPU, a == b);
			assert_int_equal(h.relation <= PLACE_SAME_CORE, x.core == y.core);
			assert_int_equal(h.relation <= PLACE_SAME_LLC, x.llc == y.llc);
		}
	}
	/* Measured on request: by a tool of this namespace. */
	{
		const char *argv[] = {helper_place(), "topo", "--handoff", NULL};
		struct helper_child c = {.argv = argv};

		assert_int_equal(helper_child_run(&c), 0);
		assert_true(helper_child_exited(&c, 0));
		helper_child_free(&c);
	}
	assert_int_equal(place_handoff_cost(0, 0, &h), 0);
	assert_int_equal(h.cost_ns, pl_get(&seg->handoff.ns[PL_SAME_CPU]));
	assert_in_range(h.cost_ns, 100, 1000000000);
	assert_true(h.age_ns < 60000000000ull);
}

static void test_select_misuse(void **state)
{
	struct place_choice choice = {.size = sizeof(choice), .cpu = 77};
	struct {
		struct place_select known;
		uint32_t later;
	} s = {.known = {.size = sizeof(s)}, .later = 1};

	assert_int_equal(place_select_cpu(NULL, &choice), -EINVAL);
	assert_int_equal(place_select_cpu(&s.known, &choice), -E2BIG);
	s.known.size = 4;
	assert_int_equal(place_select_cpu(&s.known, &choice), -EINVAL);
	s.known.size = sizeof(s.known);
	assert_int_equal(place_select_cpu(&s.known, NULL), -EINVAL);
	s.known.util = 1025;
	assert_int_equal(place_select_cpu(&s.known, &choice), -EINVAL);
	s.known.util = 0;
	s.known.flags = 4;
	assert_int_equal(place_select_cpu(&s.known, &choice), -EINVAL);
	s.known.flags = 0;
	s.known.cpus = (const unsigned long[]){1};
	assert_int_equal(place_select_cpu(&s.known, &choice), -EINVAL);
	s.known.nr_cpus = 4097;
	assert_int_equal(place_select_cpu(&s.known, &choice), -EINVAL);
	choice.size = 4;
	s.known.nr_cpus = 1;
	assert_int_equal(place_select_cpu(&s.known, &choice), -EINVAL);
	assert_int_equal(choice.cpu, 77);
}

/* Only an allowed CPU is ever named, wherever the search begins. */
static void test_select_keeps_to_the_set(void **state)
{
	for (uint32_t cpu = 0; cpu < machine.nr_cpu_ids; cpu++) {
		struct place_cpu c = {.size = sizeof(c)};
		struct place_choice choice = {.size = sizeof(choice)};
		unsigned long set[4096 / (8 * sizeof(long))] = {0};
		struct place_select s = {
			.size = sizeof(s), .cpus = set, .nr_cpus = machine.nr_cpu_ids};

		if (place_cpu_get((int)cpu, &c) != 0)
			continue;
		set[cpu / (8 * sizeof(long))] = 1ul << cpu % (8 * sizeof(long));
		for (uint32_t target = 0; target < machine.nr_cpu_ids; target++) {
			s.flags = PLACE_SELECT_TARGET | PLACE_SELECT_PREV;
			s.target = (int32_t)target;
			s.prev = (int32_t)(machine.nr_cpu_ids - 1 - target);
			assert_int_equal(place_select_cpu(&s, &choice), 0);
			assert_int_equal(choice.cpu, cpu);
			assert_true(choice.why[0] != '\0');
			assert_non_null(choice.rule);
		}
	}
}

static void test_select_none_allowed(void **state)
{
	struct place_choice choice = {.size = sizeof(choice)};
	unsigned long none[4096 / (8 * sizeof(long))] = {0};
	struct place_select s = {.size = sizeof(s), .cpus = none, .nr_cpus = 4096};

	assert_int_equal(place_select_cpu(&s, &choice), 0);
	assert_int_equal(choice.cpu, -1);
}

/* Nothing is applied, whatever the answer. */
static void test_select_is_a_question(void **state)
{
	struct place_choice choice = {.size = sizeof(choice)};
	struct place_select s = {.size = sizeof(s)};
	struct place_thread_stats before = api_stats(), after;
	cpu_set_t was, is;

	assert_int_equal(sched_getaffinity(0, sizeof(was), &was), 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(place_select_cpu(&s, &choice), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(is), &is), 0);
	assert_true(CPU_EQUAL(&was, &is));
	after = api_stats();
	assert_memory_equal(&before, &after, sizeof(after));
	assert_in_range(choice.cpu, 0, machine.nr_cpu_ids - 1);
	for (int i = 0; i < 4096; i++)
		assert_int_equal(pl_get(&own_segment()->claim[i]), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_handoff_cost),
		cmocka_unit_test(test_select_misuse),
		cmocka_unit_test(test_select_keeps_to_the_set),
		cmocka_unit_test(test_select_none_allowed),
		cmocka_unit_test(test_select_is_a_question),
	};

	if (!own_namespace()) {
		printf("1..0 # SKIP needs root for a namespace of its own\n");
		return 0;
	}
	if (start(NULL) != 0) {
		printf("Bail out! the machine was not read\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, own_keeper_end) + (stop(NULL) != 0);
}
