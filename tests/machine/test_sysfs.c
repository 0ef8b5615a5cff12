// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Small files: what is a number, what is a list, and what is neither.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "base/env.h"
#include "machine/sysfs.h"
#include "machine/tree.h"

static struct tree tree;
static struct pl_sysfs s;

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t value;
	} cases[] = {
		{"0\n", 0, 0},
		{"1024\n", 0, 1024},
		{"18446744073709551615\n", 0, UINT64_MAX},
		{"18446744073709551616\n", -EBADMSG, 0},
		{"1024", -EBADMSG, 0}, /* cut off: the kernel writes a newline */
		{"", -EBADMSG, 0},
		{"\n", -EBADMSG, 0},
		{" 5\n", -EBADMSG, 0},
		{"+5\n", -EBADMSG, 0},
		{"-1\n", -EBADMSG, 0},
		{"0x10\n", -EBADMSG, 0},
		{"10 20\n", -EBADMSG, 0},
		{"10\n20\n", -EBADMSG, 0},
		{"<unsupported>\n", -EBADMSG, 0},
		{"0000000000000000000000000000000000000000000000000000000000000000001\n", -EBADMSG,
		 0},
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		uint64_t v = 77;
		int ret;

		tree_put(&tree, "n", cases[i].text);
		ret = pl_sysfs_number(&s, "n", &v);
		if (ret != cases[i].ret || v != (ret ? 77 : cases[i].value))
			fail_msg("\"%s\": %d, %llu", cases[i].text, ret, (unsigned long long)v);
	}
}

static void test_lists(void **state)
{
	static const struct {
		const char *text;
		int ret, weight, first;
	} cases[] = {
		{"0\n", 0, 1, 0},
		{"0-3,7\n", 0, 5, 0},
		{"5,9,100,4095\n", 0, 4, 5},
		{"\n", 0, 0, -1},
		{"", 0, 0, -1},
		{"4090-9999\n", 0, 6, 4090},
		{"(null)\n", -EBADMSG, 0, 0},
		{"0-3 5\n", -EBADMSG, 0, 0},
		{"all\n", -EBADMSG, 0, 0},
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct pl_cpumask m, before;
		int ret;

		memset(&before, 0x5a, sizeof(before));
		m = before;
		tree_put(&tree, "l", cases[i].text);
		ret = pl_sysfs_cpulist(&s, "l", &m);
		if (ret != cases[i].ret)
			fail_msg("\"%s\": %d", cases[i].text, ret);
		if (ret) {
			assert_true(pl_cpumask_equal(&m, &before));
			continue;
		}
		assert_int_equal(pl_cpumask_weight(&m), cases[i].weight);
		if (cases[i].weight)
			assert_true(pl_cpumask_has(&m, cases[i].first));
	}
}

static void test_odd_files(void **state)
{
	char buf[8];
	uint64_t v = 77;

	assert_int_equal(pl_sysfs_number(&s, "absent", &v), -ENOENT);
	assert_int_equal(pl_sysfs_number(&s, "n/below", &v), -ENOTDIR);
	assert_int_equal(mkdir(tree_path(&tree, "folder"), 0700), 0);
	assert_int_equal(pl_sysfs_number(&s, "folder", &v), -EINVAL);
	/* Nobody writes into it: an ordinary open would wait for ever. */
	assert_int_equal(mkfifo(tree_path(&tree, "fifo"), 0600), 0);
	assert_int_equal(pl_sysfs_number(&s, "fifo", &v), -EINVAL);
	/* A file that is there and cannot be read, as those of some firmware: nothing is mapped at
	 * address 0. */
	assert_int_equal(symlink("/proc/self/mem", tree_path(&tree, "mem")), 0);
	assert_int_equal(pl_sysfs_number(&s, "mem", &v), -EIO);
	assert_int_equal(v, 77);
	tree_put(&tree, "long", "12345678");
	assert_int_equal(pl_sysfs_read(&s, "long", buf, sizeof(buf)), -E2BIG);
	tree_put(&tree, "fits", "1234567");
	assert_int_equal(pl_sysfs_read(&s, "fits", buf, sizeof(buf)), 7);
	assert_string_equal(buf, "1234567");
}

static void test_root_is_the_system_by_default(void **state)
{
	static const char *const roots[] = {NULL, ""};
	struct pl_cpumask m;

	for (size_t i = 0; i < PL_ARRAY_SIZE(roots); i++) {
		struct pl_sysfs here = {.root = roots[i]};

		pl_cpumask_zero(&m);
		assert_int_equal(pl_sysfs_cpulist(&here, "sys/devices/system/cpu/possible", &m), 0);
		assert_true(pl_cpumask_has(&m, 0));
	}
}

static void test_environment(void **state)
{
	struct pl_env env;

	unsetenv("LIBPLACE_SYSFS_ROOT");
	unsetenv("LIBPLACE_CAPACITY");
	pl_env_read(&env);
	assert_null(env.sysfs_root);
	assert_int_equal(env.capacity_mode, -1);
	setenv("LIBPLACE_SYSFS_ROOT", "", 1);
	setenv("LIBPLACE_CAPACITY", "Exact", 1); /* a bad value keeps the default */
	pl_env_read(&env);
	assert_null(env.sysfs_root);
	assert_int_equal(env.capacity_mode, -1);
	setenv("LIBPLACE_SYSFS_ROOT", "/a/tree", 1);
	setenv("LIBPLACE_CAPACITY", "exact", 1);
	pl_env_read(&env);
	assert_string_equal(env.sysfs_root, "/a/tree");
	assert_int_equal(env.capacity_mode, 1);
	unsetenv("LIBPLACE_SYSFS_ROOT");
	unsetenv("LIBPLACE_CAPACITY");
}

static int make_tree(void **state)
{
	tree_new(&tree);
	s.root = tree.root;
	return 0;
}

static int remove_tree(void **state)
{
	tree_remove(&tree);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_odd_files),
		cmocka_unit_test(test_root_is_the_system_by_default),
		cmocka_unit_test(test_environment),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
