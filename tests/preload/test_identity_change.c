// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// A server that changes its user or namespace per request, again and again, while its threads hand
// work over: nothing breaks and nothing is left behind.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>

#include "preload/pingpong.h"

enum { NR_CHANGES = 400, NOBODY = 65534 };

static unsigned int nr_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned int n = 0;
	int c;

	while (maps && (c = fgetc(maps)) != EOF)
		n += c == '\n';
	if (maps)
		fclose(maps);
	return n;
}

/* One message to ourselves: descriptors are looked at anew after each change. */
static void hand_over(int fds[2])
{
	assert_true(pingpong_put(fds[1], 'x'));
	assert_int_equal(pingpong_get(fds[0]), 'x');
}

static void change_user_often(uid_t other, unsigned int nr)
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	for (unsigned int i = 0; i < nr; i++) {
		assert_int_equal(seteuid(other), 0);
		hand_over(fds);
		assert_int_equal(seteuid(0), 0);
		hand_over(fds);
	}
	close(fds[0]);
	close(fds[1]);
}

static void threads_go_on_while_the_user_changes(void **state)
{
	struct pingpong *pp = pingpong_new();
	uint64_t rounds;

	pingpong_start(pp);
	pingpong_wait_held(pp);
	rounds = pp->side[0].rounds;
	change_user_often(NOBODY, NR_CHANGES);
	change_user_often(0, NR_CHANGES);
	own_pause_ms(20);
	assert_true(pp->side[0].rounds > rounds);
	assert_int_equal(pingpong_stop(pp), 0);
	helper_assert_no_failure(&pp->failure);
}

static void threads_go_on_while_namespaces_change(void **state)
{
	struct pingpong *pp = pingpong_new();

	pingpong_start(pp);
	for (int i = 0; i < 50; i++) {
		assert_int_equal(unshare(i % 2 ? CLONE_NEWIPC : CLONE_FS), 0);
		own_pause_ms(2);
	}
	assert_int_equal(pingpong_stop(pp), 0);
	helper_assert_no_failure(&pp->failure);
}

static void changes_leave_no_mappings_behind(void **state)
{
	unsigned int before;

	change_user_often(NOBODY, 5);
	before = nr_mappings();
	change_user_often(NOBODY, 100);
	assert_in_range(nr_mappings(), 0, before + 10);
	change_user_often(0, 100);
	assert_in_range(nr_mappings(), 0, before + 10);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, pingpong_end)
	static const struct CMUnitTest tests[] = {
		TEST(threads_go_on_while_the_user_changes),
		TEST(changes_leave_no_mappings_behind),
		TEST(threads_go_on_while_namespaces_change),
	};

	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
