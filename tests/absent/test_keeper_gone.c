// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// A pair is held only while somebody watches: with the keeper killed, or unable to start, the
// program goes on with its own masks.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <sys/stat.h>

#include "preload/pingpong.h"

static char start_list[256];

static bool is_wide(void *arg)
{
	struct pingpong *pp = arg;

	return mask_is(pp->side[0].tid, start_list) && mask_is(pp->side[1].tid, start_list);
}

static bool is_another_keeper(void *arg)
{
	pid_t *old = arg, now = own_keeper();

	return now && now != *old;
}

static void kill_keeper_of(bool processes)
{
	struct pingpong *pp = pingpong_new();
	uint64_t rounds;
	pid_t keeper;

	pp->processes = processes;
	pingpong_start(pp);
	if (pingpong_wait_held(pp)) {
		keeper = own_keeper();
		assert_true(keeper > 0);
		assert_int_equal(kill(keeper, SIGKILL), 0);
		assert_true(own_poll(is_wide, pp, 1000));
		rounds = pp->side[0].rounds;
		assert_true(own_poll(is_another_keeper, &keeper, 10000));
		assert_true(pp->side[0].rounds > rounds);
		if (!own_poll(pingpong_is_held, pp, 10000))
			printf("# not held again within 10 s\n");
	}
	assert_int_equal(pingpong_stop(pp), 0);
	helper_assert_no_failure(&pp->failure);
}

static void threads_are_wide_after_their_keeper_was_killed(void **state)
{
	kill_keeper_of(false);
}

static void processes_are_wide_after_their_keeper_was_killed(void **state)
{
	kill_keeper_of(true);
}

/* Where the file that is mapped as NAME lies. */
static bool find_mapped(const char *name, char *out, size_t size)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 128];
	bool found = false;

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		char *path = strchr(line, '/');

		if (!path || !strstr(path, name))
			continue;
		path[strcspn(path, "\n")] = '\0';
		found = snprintf(out, size, "%s", path) < (int)size;
	}
	if (maps)
		fclose(maps);
	return found;
}

static bool copy_into(const char *dir, const char *name)
{
	char from[PATH_MAX], to[PATH_MAX];
	const char *argv[] = {"cp", from, to, NULL};
	struct helper_child c = {.argv = argv, .preload = ""};
	bool ok;

	if (!find_mapped(name, from, sizeof(from)) ||
	    snprintf(to, sizeof(to), "%s/%s", dir,
		     strstr(name, "preload") ? name : "libplace.so.0") >= (int)sizeof(to))
		return false;
	ok = helper_child_run(&c) == 0 && helper_child_exited(&c, 0);
	helper_child_free(&c);
	return ok;
}

/* Plays without a keeper for 2 s and says how often it was seen narrowed. */
static int play_unwatched(void)
{
	struct pingpong *pp = pingpong_new();
	int64_t until = own_now_ms() + 2000;
	int nr_narrow = 0;

	mask_list(getpid(), start_list, sizeof(start_list));
	pingpong_start(pp);
	while (own_now_ms() < until) {
		nr_narrow += !is_wide(pp);
		own_pause_ms(5);
	}
	pingpong_stop(pp);
	printf("%d %d %d\n", nr_narrow, pp->failure.taken, own_keeper() != 0);
	return 0;
}

static void nothing_is_held_when_no_keeper_can_start(void **state)
{
	char top[] = "/tmp/place-test-XXXXXX", dir[64], lib[128], preload[128];
	const char *argv[] = {"/proc/self/exe", "unwatched", NULL};
	const char *env[] = {lib, NULL};
	const char *rm[] = {"rm", "-rf", top, NULL};
	struct helper_child c = {.argv = argv, .env = env, .preload = preload};
	struct helper_child clean = {.argv = rm, .preload = ""};
	int ret;

	assert_non_null(mkdtemp(top));
	snprintf(dir, sizeof(dir), "%s/lib", top);
	snprintf(lib, sizeof(lib), "LD_LIBRARY_PATH=%s", dir);
	snprintf(preload, sizeof(preload), "%s/libplace-preload.so", dir);
	assert_int_equal(mkdir(dir, 0700), 0);
	assert_true(copy_into(dir, "libplace-preload.so"));
	ret = helper_child_run(&c);
	helper_child_run(&clean);
	helper_child_free(&clean);
	assert_int_equal(ret, 0);
	assert_string_equal(c.err, "");
	assert_string_equal(c.out, "0 0 0\n");
	assert_true(helper_child_exited(&c, 0));
	helper_child_free(&c);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(threads_are_wide_after_their_keeper_was_killed,
					  pingpong_end),
		cmocka_unit_test_teardown(processes_are_wide_after_their_keeper_was_killed,
					  pingpong_end),
		cmocka_unit_test(nothing_is_held_when_no_keeper_can_start),
	};

	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	if (argc > 1)
		return play_unwatched();
	mask_list(getpid(), start_list, sizeof(start_list));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
