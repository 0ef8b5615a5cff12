// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// What the keeper publishes, and when: a segment in private memory, made-up machines, time as told.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "machine/tree.h"
#include "tools/keeper/machine.h"

static struct tree tree;
static struct pl_segment *seg;
static struct machine_watch *w;
static uint64_t now;

/* A second later. */
static bool step(void)
{
	now += PL_NS_PER_S;
	return machine_step(w, seg, now);
}

static const struct pl_machine *model(void)
{
	const struct pl_machine *m = pl_seg_machine(seg);

	assert_true(pl_seg_machine_ready(seg));
	assert_true(pl_machine_is_valid(m));
	return m;
}

static void put_online(const char *list)
{
	tree_put(&tree, "sys/devices/system/cpu/online", list);
}

static void test_once(void **state)
{
	assert_true(step());
	assert_int_equal(pl_get(&seg->machine_ready), 1);
	assert_ptr_equal(model(), &seg->machine[1]);
	assert_int_equal(model()->nr_online, 8);
	for (int i = 0; i < 5; i++)
		assert_false(step());
	assert_int_equal(pl_get(&seg->machine_ready), 1);
}

static void test_online_list(void **state)
{
	const struct pl_machine *old;

	assert_true(step());
	old = model();
	put_online("0-3,7\n");
	assert_true(step());
	assert_int_equal(pl_get(&seg->machine_ready), 2);
	assert_int_equal(model()->nr_online, 5);
	/* A reader amidst finishes on the old one. */
	assert_ptr_not_equal(model(), old);
	assert_int_equal(old->nr_online, 8);
	put_online("0-7\n");
	assert_true(step());
	assert_int_equal(pl_get(&seg->machine_ready), 3);
	assert_int_equal(model()->nr_online, 8);
}

static void test_not_within_a_second(void **state)
{
	assert_true(step());
	put_online("0-3\n");
	now -= PL_NS_PER_S / 2;
	assert_false(step()); /* half a second after */
	assert_int_equal(model()->nr_online, 8);
	now -= PL_NS_PER_S / 2;
	assert_true(step());
	assert_int_equal(model()->nr_online, 4);
}

static void test_capped(void **state)
{
	for (int c = 0; c < 8; c++) {
		tree_put_cpu(&tree, c, "cpufreq/cpuinfo_max_freq", 4000000);
		tree_put_cpu(&tree, c, "cpufreq/scaling_max_freq", 4000000);
	}
	assert_true(step());
	assert_int_equal(model()->cpu[5].actual, 1024);
	tree_put_cpu(&tree, 5, "cpufreq/scaling_max_freq", 1000000);
	assert_true(step());
	assert_int_equal(model()->cpu[5].actual, 256);
	assert_int_equal(model()->cpu[5].capacity, 1024);
	tree_put_cpu(&tree, 5, "cpufreq/scaling_max_freq", 4000000);
	assert_true(step());
	assert_int_equal(model()->cpu[5].actual, 1024);
}

static void test_capacity_changes(void **state)
{
	for (int c = 0; c < 8; c++)
		tree_put_cpu(&tree, c, "cpu_capacity", 1024);
	assert_true(step());
	assert_false(model()->asymmetric);
	tree_put_cpu(&tree, 0, "cpu_capacity", 512);
	assert_true(step());
	assert_true(model()->asymmetric);
	assert_int_equal(model()->cpu[0].capacity, 512);
}

/* More files than one step looks at. */
static void test_many_cpus(void **state)
{
	int steps = 0;

	tree_put_cpus(&tree, 128, 1);
	for (int c = 0; c < 128; c++) {
		tree_put_cpu(&tree, c, "cpufreq/cpuinfo_max_freq", 4000000);
		tree_put_cpu(&tree, c, "cpufreq/scaling_max_freq", 4000000);
	}
	assert_true(step());
	tree_put_cpu(&tree, 100, "cpufreq/scaling_max_freq", 2000000);
	while (!step() && steps < 10)
		steps++;
	assert_in_range(steps, 1, 3);
	assert_int_equal(model()->cpu[100].actual, 512);
}

static void test_mode(void **state)
{
	for (int c = 0; c < 8; c++)
		tree_put_cpu(&tree, c, "cpu_capacity", (unsigned long long)(1024 - c));
	assert_true(step());
	assert_int_equal(model()->nr_classes, 1);
	assert_int_equal(model()->capacity_mode, PL_CAPACITY_GROUP);
	pl_set(&seg->capacity_mode, PL_CAPACITY_EXACT + 1);
	assert_true(step());
	assert_int_equal(model()->nr_classes, 8);
	assert_int_equal(model()->capacity_mode, PL_CAPACITY_EXACT);
	pl_set(&seg->capacity_mode, 77); /* nonsense is as not asked */
	assert_true(step());
	assert_int_equal(model()->capacity_mode, PL_CAPACITY_GROUP);
	pl_set(&seg->capacity_mode, PL_CAPACITY_OFF + 1);
	assert_true(step());
	assert_int_equal(model()->capacity_mode, PL_CAPACITY_OFF);
	pl_set(&seg->capacity_mode, 0);
	assert_true(step());
	assert_int_equal(model()->capacity_mode, PL_CAPACITY_GROUP);
}

/* Asked for before there is a model. */
static void test_first_mode(void **state)
{
	pl_set(&seg->capacity_mode, PL_CAPACITY_OFF + 1);
	assert_true(step());
	assert_int_equal(pl_get(&seg->machine_ready), 1);
	assert_int_equal(model()->capacity_mode, PL_CAPACITY_OFF);
}

/* A keeper that follows another finds its model. */
static void test_next_keeper(void **state)
{
	assert_true(step());
	memset(w, 0, sizeof(*w));
	w->from.sysfs.root = tree.root;
	assert_false(step());
	assert_int_equal(pl_get(&seg->machine_ready), 1);
	put_online("0-5\n");
	assert_true(step());
	assert_int_equal(pl_get(&seg->machine_ready), 2);
}

static void test_scribbled_over(void **state)
{
	assert_true(step());
	memset(&seg->machine[1], 0x77, sizeof(seg->machine[1]));
	assert_true(step());
	assert_int_equal(model()->nr_online, 8);
}

static void test_number_wraps(void **state)
{
	const struct pl_machine *old;

	pl_set(&seg->machine_ready, UINT32_MAX - 1);
	assert_true(step());
	assert_int_equal(pl_get(&seg->machine_ready), UINT32_MAX);
	old = model();
	put_online("0-5\n");
	assert_true(step());
	assert_ptr_not_equal(model(), old);
	assert_int_equal(model()->nr_online, 6);
}

/* While the machine cannot be read the old model stays. */
static void test_unreadable_for_a_while(void **state)
{
	assert_true(step());
	put_online("0-5\n");
	w->from.xml = "/nonexistent.xml";
	assert_false(step());
	assert_false(step());
	assert_int_equal(model()->nr_online, 8);
	w->from.xml = NULL;
	assert_true(step());
	assert_int_equal(model()->nr_online, 6);
}

static int new_machine(void **state)
{
	tree_new(&tree);
	tree_put_cpus(&tree, 8, 1);
	seg = calloc(1, sizeof(*seg));
	w = calloc(1, sizeof(*w));
	if (!seg || !w)
		return -1;
	w->from.sysfs.root = tree.root;
	now = 1000 * PL_NS_PER_S;
	return 0;
}

static int free_machine(void **state)
{
	tree_remove(&tree);
	free(seg);
	free(w);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_machine, free_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_once),
		TEST(test_online_list),
		TEST(test_not_within_a_second),
		TEST(test_capped),
		TEST(test_capacity_changes),
		TEST(test_many_cpus),
		TEST(test_mode),
		TEST(test_first_mode),
		TEST(test_next_keeper),
		TEST(test_scribbled_over),
		TEST(test_number_wraps),
		TEST(test_unreadable_for_a_while),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
