// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R17: who owns a rule, from literals, and the facts out of made-up trees.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "machine/rules.h"
#include "machine/tree.h"

enum { OURS = PL_RULE_OURS, HINT = PL_RULE_KERNEL_HINT, KERNEL = PL_RULE_KERNEL };
enum { UNKNOWN = PL_PROBE_UNKNOWN, NO = PL_PROBE_NO, YES = PL_PROBE_YES };

static void test_decide(void **state)
{
	static const struct {
		int major, minor, config, debug;
		int r7, r9, r11, r13;
	} cases[] = {
		{0, 0, UNKNOWN, UNKNOWN, OURS, OURS, OURS, OURS},
		{5, 10, UNKNOWN, UNKNOWN, OURS, OURS, OURS, OURS},
		{6, 18, NO, NO, OURS, OURS, OURS, OURS},
		{7, 1, UNKNOWN, UNKNOWN, OURS, OURS, OURS, OURS},
		{7, 2, UNKNOWN, UNKNOWN, HINT, HINT, HINT, OURS},
		{7, 2, YES, UNKNOWN, HINT, HINT, KERNEL, OURS},
		/* Left out of this build. */
		{7, 2, NO, UNKNOWN, HINT, HINT, OURS, OURS},
		{7, 2, NO, YES, HINT, HINT, KERNEL, OURS},
		{7, 3, UNKNOWN, UNKNOWN, HINT, HINT, HINT, HINT},
		{7, 10, UNKNOWN, YES, HINT, HINT, KERNEL, HINT},
		{8, 0, UNKNOWN, UNKNOWN, HINT, HINT, HINT, HINT},
		/* A backport. */
		{6, 12, YES, UNKNOWN, OURS, OURS, KERNEL, OURS},
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct pl_kernel_facts f = {
			.major = cases[i].major,
			.minor = cases[i].minor,
			.sched_cache = (enum pl_probe)cases[i].config,
			.sched_cache_debug = (enum pl_probe)cases[i].debug,
		};
		struct pl_kernel_rules r;

		pl_rules_decide(&f, false, &r);
		assert_int_equal(r.owner[PL_RULE_IDLE_ASYM], cases[i].r7);
		assert_int_equal(r.owner[PL_RULE_MISFIT], cases[i].r9);
		assert_int_equal(r.owner[PL_RULE_CACHE_AWARE], cases[i].r11);
		assert_int_equal(r.owner[PL_RULE_BALANCER], cases[i].r13);
		assert_false(r.observe_only);
		assert_int_equal(pl_rules_bits(&r),
				 (cases[i].r7 != OURS ? PL_KERNEL_HAS_ASYM : 0) |
					 (cases[i].r11 != OURS ? PL_KERNEL_HAS_CACHES : 0) |
					 (cases[i].r13 != OURS ? PL_KERNEL_HAS_BALANCER : 0));
		pl_rules_decide(&f, true, &r);
		assert_int_equal(pl_rules_bits(&r), 0);
		for (int n = 0; n < PL_RULE_NR; n++)
			assert_int_equal(r.owner[n], OURS);
	}
}

static void test_another_scheduler(void **state)
{
	struct pl_kernel_facts f = {.major = 6, .minor = 12, .sched_ext = true};
	struct pl_kernel_rules r;

	pl_rules_decide(&f, false, &r);
	assert_true(r.observe_only);
	assert_int_equal(pl_rules_bits(&r), PL_KERNEL_HAS_OTHER);
	pl_rules_decide(&f, true, &r);
	assert_false(r.observe_only);
}

static void read_facts(const struct tree *t, const char *release, struct pl_kernel_facts *f)
{
	struct pl_sysfs s = {.root = t->root};

	pl_rules_read(&s, release, f);
}

static void test_read(void **state)
{
	struct pl_kernel_facts f;
	struct tree t;

	tree_new(&t);
	read_facts(&t, "6.1.0-42-amd64", &f);
	assert_int_equal(f.major, 6);
	assert_int_equal(f.minor, 1);
	assert_int_equal(f.sched_cache, UNKNOWN);
	assert_int_equal(f.sched_cache_debug, UNKNOWN);
	assert_false(f.sched_ext);

	tree_put(&t, "boot/config-7.2.0-rc1", "#\nCONFIG_SMP=y\n# CONFIG_SCHED_CACHE is not set\n");
	read_facts(&t, "7.2.0-rc1", &f);
	assert_int_equal(f.major, 7);
	assert_int_equal(f.minor, 2);
	assert_int_equal(f.sched_cache, NO);
	tree_put(&t, "boot/config-7.2.0-rc1", "#\nCONFIG_SMP=y\nCONFIG_SCHED_CACHE=y\n");
	read_facts(&t, "7.2.0-rc1", &f);
	assert_int_equal(f.sched_cache, YES);
	/* The configuration of another kernel says nothing. */
	read_facts(&t, "7.2.0-rc2", &f);
	assert_int_equal(f.sched_cache, UNKNOWN);
	/* Neither does a file that is none. */
	tree_put(&t, "boot/config-7.2.0-rc2", "");
	read_facts(&t, "7.2.0-rc2", &f);
	assert_int_equal(f.sched_cache, UNKNOWN);
	read_facts(&t, "../boot/config", &f);
	assert_int_equal(f.major, 0);

	tree_put(&t, "sys/kernel/debug/sched/features", "GENTLE_FAIR_SLEEPERS\n");
	read_facts(&t, "7.2", &f);
	assert_int_equal(f.sched_cache_debug, NO);
	tree_put(&t, "sys/kernel/debug/sched/features", "GENTLE_FAIR_SLEEPERS NO_SCHED_CACHE\n");
	read_facts(&t, "7.2", &f);
	assert_int_equal(f.sched_cache_debug, YES);

	tree_put(&t, "sys/kernel/sched_ext/state", "disabled\n");
	read_facts(&t, "7.2", &f);
	assert_false(f.sched_ext);
	tree_put(&t, "sys/kernel/sched_ext/state", "enabled\n");
	read_facts(&t, "7.2", &f);
	assert_true(f.sched_ext);
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decide),
		cmocka_unit_test(test_another_scheduler),
		cmocka_unit_test(test_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
