// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * The main thread counts its CPUs by the kernel's call itself, which nothing can stand in for: in a
 * constructor, first in main, after idling, while other threads hand work over and after they
 * ended, and after it was half of a pair itself. The number is the same each time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>

#include "base/sys.h"
#include "helper/baseline.h"
#include "preload/pingpong.h"

enum { NR_PAIRS = 4, IDLE_MS = 1000, PLAY_MS = 500, NR_ROUNDS = 20000 };

static struct seen {
	cpu_set_t set;
	char list[256];
} at_constructor;

static void look(struct seen *s)
{
	memset(s, 0, sizeof(*s));
	if (pl_sys3(SYS_sched_getaffinity, 0, sizeof(s->set), &s->set) <= 0)
		abort();
	mask_list((pid_t)pl_sys0(SYS_gettid), s->list, sizeof(s->list));
}

/* As a language runtime or an allocator does that sizes itself when it is loaded. */
__attribute__((constructor)) static void count_early(void)
{
	look(&at_constructor);
}

static void tell(const char *when)
{
	struct seen s;

	look(&s);
	printf("%s: %d, %s%s\n", when, CPU_COUNT(&s.set), s.list,
	       CPU_EQUAL(&s.set, &at_constructor.set) && strcmp(s.list, at_constructor.list) == 0
		       ? ""
		       : ", not as at the start");
}

/* The main thread itself plays with a new thread. */
static void play_with_main(void)
{
	struct pingpong *pp = pingpong_new();
	int there[2], back[2];

	if (pipe(there) != 0 || pipe(back) != 0)
		abort();
	pp->side[0] = (struct pingpong_side){.pp = pp, .index = 0, .in = back[0], .out = there[1]};
	pp->side[1] = (struct pingpong_side){.pp = pp, .index = 1, .in = there[0], .out = back[1]};
	pthread_create(&pp->side[1].thread, NULL, pingpong_main, &pp->side[1]);
	for (int i = 0; i < NR_ROUNDS; i++)
		if (!pingpong_put(there[1], 1) || pingpong_get(back[0]) != 1)
			abort();
	pingpong_put(there[1], PINGPONG_QUIT);
	pthread_join(pp->side[1].thread, NULL);
}

static int count_all_along(void)
{
	struct pingpong *pp[NR_PAIRS];

	tell("in main");
	own_pause_ms(IDLE_MS);
	tell("after a second");
	for (int i = 0; i < NR_PAIRS; i++) {
		pp[i] = pingpong_new();
		pingpong_start(pp[i]);
	}
	own_pause_ms(PLAY_MS);
	tell("with threads");
	for (int i = 0; i < NR_PAIRS; i++)
		pingpong_stop(pp[i]);
	tell("after threads");
	play_with_main();
	tell("after a pair");
	return 0;
}

static void the_main_thread_counts_the_same_all_along(void **state)
{
	const char *argv[] = {helper_self(), "count", NULL};
	struct helper_child c = {.argv = argv};

	assert_int_equal(helper_child_run(&c), 0);
	assert_true(helper_child_exited(&c, 0));
	assert_string_equal(c.err, "");
	if (strstr(c.out, "not as"))
		fail_msg("%s", c.out);
	helper_child_free(&c);
	assert_true(helper_same(argv, NULL));
}

/* Also from the start of a program that a shell with the preload starts, which has done as much. */
static void programs_of_a_shell_count_the_same(void **state)
{
	static const char script[] = "i=0; while [ $i -lt 200 ]; do i=$((i + 1)); echo $i; done | "
				     "while read -r n; do echo $n; done | tail -n 1; "
				     "grep Cpus_allowed /proc/self/status; nproc; nproc --all; "
				     "getconf _NPROCESSORS_ONLN";

	assert_true(helper_same_script(script, NULL));
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, pingpong_end)
	static const struct CMUnitTest tests[] = {
		TEST(the_main_thread_counts_the_same_all_along),
		TEST(programs_of_a_shell_count_the_same),
	};

	if (argc > 1)
		return count_all_along();
	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
