// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// `place off` and `place on` on programs that run, LIBPLACE=0 and the policies at the start.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/pingpong.h"

enum { WATCH_MS = 500, STEP_MS = 10 };

static char start_list[256];

static bool is_wide(void *arg)
{
	struct pingpong *pp = arg;

	return mask_is(pp->side[0].tid, start_list) && mask_is(pp->side[1].tid, start_list);
}

/* Runs `place` with up to two arguments; its status and what it wrote are in *C. */
static void place(struct helper_child *c, const char *verb, const char *arg)
{
	const char *argv[] = {helper_place(), verb, arg, NULL};

	c->argv = argv;
	c->preload = "";
	assert_int_equal(helper_child_run(c), 0);
	c->argv = NULL;
}

static void place_ok(const char *verb, const char *arg)
{
	struct helper_child c = {0};

	place(&c, verb, arg);
	assert_string_equal(c.err, "");
	assert_string_equal(c.out, "");
	assert_true(helper_child_exited(&c, 0));
	helper_child_free(&c);
}

/* With COAX both are switched off: else the one that is not may try the pair until the other, which
 * may have to wait for a CPU, says no. */
static void stays_wide(struct pingpong *pp, bool coax)
{
	for (int64_t until = own_now_ms() + WATCH_MS; own_now_ms() < until; own_pause_ms(STEP_MS)) {
		if (coax)
			pingpong_coax(pp);
		assert_true(is_wide(pp));
	}
}

static void switch_off_and_on(bool processes, bool all)
{
	struct pingpong *pp = pingpong_new();
	char pid[16];

	pp->processes = processes;
	pingpong_start(pp);
	if (pingpong_wait_held(pp)) {
		snprintf(pid, sizeof(pid), "%d", processes ? pp->child : getpid());
		place_ok("off", all ? "--all" : pid);
		assert_true(own_poll(is_wide, pp, 2000));
		stays_wide(pp, !processes || all);
		place_ok("on", all ? "--all" : pid);
		pingpong_wait_held(pp);
	}
	assert_int_equal(pingpong_stop(pp), 0);
	helper_assert_no_failure(&pp->failure);
}

static void threads_are_let_go_by_the_process(void **state)
{
	switch_off_and_on(false, false);
}

static void processes_are_let_go_by_one_of_them(void **state)
{
	switch_off_and_on(true, false);
}

static void all_are_let_go(void **state)
{
	switch_off_and_on(false, true);
	switch_off_and_on(true, true);
}

/* Also after a failure amidst. */
static int on_again(void **state)
{
	struct helper_child c = {0};

	place(&c, "on", "--all");
	helper_child_free(&c);
	return pingpong_end(state);
}

static int play(void)
{
	struct pingpong *pp = pingpong_new();
	int64_t until = own_now_ms() + 1500;
	int nr_narrow = 0;

	pingpong_start(pp);
	while (own_now_ms() < until) {
		pingpong_coax(pp);
		nr_narrow += !is_wide(pp);
		own_pause_ms(5);
	}
	pingpong_stop(pp);
	return printf("%d %d\n", nr_narrow, pp->failure.taken) < 0;
}

static void play_with(const char *policy)
{
	const char *argv[] = {"/proc/self/exe", "play", NULL};
	const char *env[] = {policy, NULL};
	struct helper_child c = {.argv = argv, .env = env};

	assert_int_equal(helper_child_run(&c), 0);
	assert_string_equal(c.err, "");
	assert_string_equal(c.out, "0 0\n");
	assert_true(helper_child_exited(&c, 0));
	helper_child_free(&c);
}

static void nothing_is_placed_where_libplace_is_off(void **state)
{
	play_with("LIBPLACE=0");
	play_with("LIBPLACE_POLICY=off");
	play_with("LIBPLACE_POLICY=observe");
}

static unsigned int nr_lines(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void wrong_arguments_are_named_in_one_line(void **state)
{
	static const struct {
		const char *verb, *arg;
		int status;
	} wrong[] = {
		{"off", NULL, 2},	  {"on", NULL, 2},	    {"off", "x", 2},
		{"off", "-1", 2},	  {"off", "0", 2},	    {"off", "12x", 2},
		{"off", "", 2},		  {"on", "99999999999", 2}, {"off", "-z", 2},
		{"off", "2147483646", 1}, {"nosuch", NULL, 2},	    {NULL, NULL, 2},
	};

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct helper_child c = {0};

		place(&c, wrong[i].verb, wrong[i].arg);
		if (!helper_child_exited(&c, wrong[i].status) || nr_lines(c.err) < 1 || c.out_len)
			print_error("place %s %s: status %#x, '%s'\n", wrong[i].verb, wrong[i].arg,
				    c.status, c.err);
		assert_true(helper_child_exited(&c, wrong[i].status));
		assert_string_equal(c.out, "");
		assert_true(nr_lines(c.err) >= 1);
		if (wrong[i].verb && strncmp(wrong[i].verb, "o", 1) == 0)
			assert_int_equal(nr_lines(c.err), 1);
		helper_child_free(&c);
	}
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, on_again)
	static const struct CMUnitTest tests[] = {
		TEST(threads_are_let_go_by_the_process),
		TEST(processes_are_let_go_by_one_of_them),
		TEST(all_are_let_go),
		TEST(nothing_is_placed_where_libplace_is_off),
		TEST(wrong_arguments_are_named_in_one_line),
	};

	mask_list(getpid(), start_list, sizeof(start_list));
	if (argc > 1)
		return play();
	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	if (!helper_place() || access(helper_place(), X_OK) != 0) {
		helper_skipped("no place tool in this build");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
