// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// One partner dies by SIGKILL at any moment of a handoff: the other meets the end of the pipe,
// later programs are unaffected, what the dead one had in the segment is reclaimed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>

#include "preload/pingpong.h"

enum { NR_KILLS = 300, RECLAIM_MS = 5000, KEEPER_END_MS = 10000 };

static char start_list[256];

/* A side as a process of its own: 0 when the other end was closed, 1 for a wrong byte. */
static int play(int in, int out, bool serve)
{
	unsigned char next = 0;

	if (serve && !pingpong_put(out, next))
		return 0;
	for (;;) {
		int got = pingpong_get(in);

		if (got < 0)
			return 0;
		next = (unsigned char)(next + serve);
		if (serve ? got != (unsigned char)(next - 1) : false)
			return 1;
		if (!pingpong_put(out, serve ? next : (unsigned char)got))
			return errno == EPIPE ? 0 : 1;
	}
}

static pid_t start_side(int in, int out, int other_in, int other_out, bool serve)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	close(other_in);
	close(other_out);
	signal(SIGPIPE, SIG_IGN);
	_exit(play(in, out, serve));
}

/* Waits for PID in MS; its wait status, or -1 when it goes on. */
static int wait_ms(pid_t pid, int ms)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	int status = -1;

	if (poll(&end, 1, ms) == 1)
		waitpid(pid, &status, 0);
	close(end.fd);
	return status;
}

/* AFTER_NS from the start one of the two dies. The mask of the survivor is wide at its end. */
static void kill_one(unsigned int i, long after_ns)
{
	struct timespec ts = {.tv_nsec = after_ns};
	int there[2], back[2], status;
	pid_t pid[2];

	assert_int_equal(pipe(there), 0);
	assert_int_equal(pipe(back), 0);
	pid[0] = start_side(back[0], there[1], there[0], back[1], true);
	pid[1] = start_side(there[0], back[1], back[0], there[1], false);
	for (int k = 0; k < 2; k++) {
		close(there[k]);
		close(back[k]);
	}
	nanosleep(&ts, NULL);
	kill(pid[i % 2], SIGKILL);
	status = wait_ms(pid[i % 2], 30000);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	status = wait_ms(pid[!(i % 2)], 30000);
	if (status == -1)
		kill(pid[!(i % 2)], SIGKILL);
	assert_int_equal(status, 0);
}

static void the_survivor_meets_the_end_of_the_pipe(void **state)
{
	const char *wish = getenv("LIBPLACE_TEST_KILLS");
	unsigned int n = wish ? (unsigned int)strtoul(wish, NULL, 10) : NR_KILLS;

	/* From the first bytes to a held pair: 0 to 40 ms, each tenth time up to 250. */
	for (unsigned int i = 0; i < n; i++) {
		long at = (long)(i * 7919 % 400) * 100000;

		kill_one(i, i % 10 == 9 ? at * 6 : at);
	}
}

static unsigned int nr_tasks(struct pl_segment *seg)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < PL_NR_TASKS; i++)
		n += pl_get(&seg->task[i].id) != 0 &&
		     pl_get(&seg->task[i].pid) != (int32_t)getpid();
	return n;
}

static bool all_is_reclaimed(void *arg)
{
	struct pl_segment *seg = arg;

	for (uint32_t i = 0; i < PL_NR_PAIRS; i++)
		if (pl_get(&seg->pair[i].state) != PL_PAIR_FREE)
			return false;
	return nr_tasks(seg) == 0;
}

/* The keeper must be there for it: the test process itself is a member. */
static void what_the_dead_had_is_reclaimed(void **state)
{
	struct pl_segment *seg = own_segment();

	assert_non_null(seg);
	assert_true(own_poll(all_is_reclaimed, seg, RECLAIM_MS));
}

static void later_programs_are_unaffected(void **state)
{
	struct pingpong *pp = pingpong_new();

	pp->processes = true;
	pingpong_start(pp);
	pingpong_wait_held(pp);
	assert_int_equal(pingpong_stop(pp), 0);
	helper_assert_no_failure(&pp->failure);
	assert_true(mask_is(getpid(), start_list));
}

/* A program of which no process is left. */
static int play_alone(void)
{
	struct pingpong *pp = pingpong_new();

	pingpong_start(pp);
	while (pp->side[0].rounds < 20000)
		own_pause_ms(2);
	pingpong_stop(pp);
	return 0;
}

static bool no_keeper(void *arg)
{
	return own_keeper() == 0;
}

/* A process is a member until it ends, so this test's own must not be one. */
static void the_keeper_ends_after_the_last_member(void **state)
{
	const char *argv[] = {"/proc/self/exe", "alone", NULL};
	struct helper_child c = {.argv = argv};

	own_keeper_end(NULL);
	assert_true(own_namespace());
	assert_int_equal(helper_child_run(&c), 0);
	assert_true(helper_child_exited(&c, 0));
	helper_child_free(&c);
	assert_true(own_poll(no_keeper, NULL, KEEPER_END_MS));
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_survivor_meets_the_end_of_the_pipe),
		cmocka_unit_test(what_the_dead_had_is_reclaimed),
		cmocka_unit_test_teardown(later_programs_are_unaffected, pingpong_end),
		cmocka_unit_test(the_keeper_ends_after_the_last_member),
	};

	if (argc > 1)
		return play_alone();
	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	mask_list(getpid(), start_list, sizeof(start_list));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
