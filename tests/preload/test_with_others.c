// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Together with what else stands between a program and the system: debuggers and tracers, other
 * preloads that fake the time, the user or the buffering. Each says and does what it
 * would without libplace, and a clock that is faked for the program does not fool libplace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>

#include "base/sys.h"
#include "helper/baseline.h"
#include "preload/pingpong.h"

enum { NR_ROUNDS = 6000 };

static char self_env[PATH_MAX + 8];
static const char *const env[] = {self_env, NULL};

/* Threads that exchange bytes for a while: long enough for a keeper, if there is to be one. */
static int play(void)
{
	struct pingpong *pp = pingpong_new();

	pingpong_start(pp);
	while (pp->side[0].rounds < NR_ROUNDS)
		sched_yield();
	if (pingpong_stop(pp) != 0 || pp->failure.taken)
		return 1;
	return puts("played") < 0;
}

static void same(const char *script)
{
	assert_true(helper_same_script(script, env));
}

static void under_strace(void **state)
{
	if (!helper_has("strace"))
		return;
	same("strace -f -o /dev/null \"$SELF\" play");
	same("strace -f -o /dev/null -e trace=none sh -c 'echo a | cat; exit 3'; echo $?");
}

/* It waits for all that it traces: a keeper must not be among them. */
static void a_tracer_ends_with_the_program(void **state)
{
	const char *argv[] = {"strace", "-f", "-o", "/dev/null", helper_self(), "play", NULL};
	struct helper_child c = {.argv = argv};
	int64_t start = own_now_ms(), plain;
	int id = own_segment_id();
	const char *alone[] = {helper_self(), "play", NULL};
	struct helper_child bare = {.argv = alone, .preload = ""};

	if (!helper_has("strace"))
		return;
	assert_int_equal(helper_child_run(&bare), 0);
	plain = own_now_ms() - start;
	/* In a new segment the second thread starts a keeper, to read the machine. */
	if (id >= 0)
		assert_int_equal(shmctl(id, IPC_RMID, NULL), 0);
	start = own_now_ms();
	assert_int_equal(helper_child_run(&c), 0);
	printf("# %ld ms without, %ld ms traced\n", (long)plain, (long)(own_now_ms() - start));
	assert_string_equal(c.out, "played\n");
	/* The keeper outlives the program; it is still there, so nobody waited for it. */
	if (helper_preload())
		assert_true(own_keeper() > 0);
	helper_child_free(&c);
	helper_child_free(&bare);
}

static void under_gdb(void **state)
{
	if (!helper_has("gdb"))
		return;
	same("gdb -q -nx -batch -ex 'set debuginfod enabled off' -ex run -ex 'info inferiors' "
	     "--args \"$SELF\" play 2>&1 | grep -o -E 'played|exited normally' | sort");
	same("gdb -q -nx -batch -ex 'set debuginfod enabled off' -ex 'set follow-fork-mode child' "
	     "-ex run --args \"$SELF\" play 2>&1 | grep -o 'played'");
}

static void under_valgrind(void **state)
{
	if (!helper_has("valgrind"))
		return;
	same("valgrind -q --error-exitcode=9 /bin/echo in; echo $?");
}

static void with_fakeroot(void **state)
{
	if (!helper_has("fakeroot"))
		return;
	same("fakeroot sh -c 'id -u; touch \"${TMPDIR:-/tmp}/place-f$$\"; "
	     "chown 7:8 \"${TMPDIR:-/tmp}/place-f$$\"; stat -c %u:%g "
	     "\"${TMPDIR:-/tmp}/place-f$$\"; "
	     "rm \"${TMPDIR:-/tmp}/place-f$$\"; \"$SELF\" play'");
}

static void with_stdbuf(void **state)
{
	same("stdbuf -oL sh -c 'echo a; \"$SELF\" play' | stdbuf -o0 tr a-z A-Z");
}

/* A pair that is placed, seen by its masks; libplace's time must go on for that. */
static int play_placed(void)
{
	struct pingpong *pp = pingpong_new();
	struct timespec pause = {.tv_nsec = 2000000};
	bool placed = false;

	pingpong_start(pp);
	for (int i = 0; i < 3000 && !placed; i++) {
		pl_sys2(SYS_nanosleep, &pause, 0);
		pingpong_coax(pp);
		placed = pingpong_is_narrow(pp);
	}
	if (pingpong_stop(pp) != 0 || pp->failure.taken)
		return 1;
	return puts(placed ? "placed" : "not placed") < 0;
}

/* Time stands still for the program, or runs a thousand times as fast. */
static void with_a_faked_clock(void **state)
{
	static const char *const fakes[] = {"@2000-01-01 00:00:00 x1000", "2000-01-01 00:00:00"};

	if (!helper_has("faketime"))
		return;
	same("faketime '2001-02-03 04:05:06' date +%s");
	for (size_t i = 0; i < sizeof(fakes) / sizeof(fakes[0]); i++) {
		const char *argv[] = {"faketime", "-f", fakes[i], helper_self(), "placed", NULL};
		struct helper_child c = {.argv = argv};

		if (!helper_preload())
			argv[4] = "play";
		assert_int_equal(helper_child_run(&c), 0);
		assert_string_equal(c.err, "");
		assert_string_equal(c.out, helper_preload() ? "placed\n" : "played\n");
		assert_true(helper_child_exited(&c, 0));
		helper_child_free(&c);
	}
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, own_keeper_end)
	static const struct CMUnitTest tests[] = {
		TEST(under_strace),	  TEST(a_tracer_ends_with_the_program),
		TEST(under_gdb),	  TEST(under_valgrind),
		TEST(with_fakeroot),	  TEST(with_stdbuf),
		TEST(with_a_faked_clock),
	};

	if (argc > 1)
		return strcmp(argv[1], "placed") == 0 ? play_placed() : play();
	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	snprintf(self_env, sizeof(self_env), "SELF=%s", helper_self());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
