// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Programs are killed or stopped at any instant of their start while others start: none of those
// fails or prints, and nothing of the dead is left in the segment.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <signal.h>

#include "preload/pingpong.h"

enum {
	NR_KILLS = 300,
	NR_STARTERS = 4,
	KILL_STEP_NS = 100000, /* after 0 to 20 ms */
	NR_STEPS = 200,
	STOP_EVERY = 16, /* one is stopped, and killed when the next one is */
	RECLAIM_MS = 10000,
	ROUNDS = 300,
};

/* Shared with the starters. */
struct storm {
	_Atomic int stop;
	_Atomic unsigned int nr_started;
	struct helper_failure failure;
};

static struct storm *storm;

static bool has_played(void *arg)
{
	const struct pingpong *pp = arg;

	return pp->failure.taken || atomic_load(&pp->side[0].rounds) >= ROUNDS;
}

/* A program of two threads; one that goes on until it is killed. */
static int play(bool for_ever)
{
	struct pingpong *pp = pingpong_new();

	pingpong_start(pp);
	if (for_ever)
		pause();
	if (!own_poll(has_played, pp, 60000))
		return 1;
	return pingpong_stop(pp) != 0 || pp->failure.taken;
}

static void start(const char *program, const char *arg)
{
	const char *argv[] = {program, arg, NULL};
	struct helper_child c = {.argv = argv, .timeout_ms = 60000};
	int ret = helper_child_run(&c);

	if (!helper_expect(&storm->failure, ret == 0 && helper_child_exited(&c, 0)) ||
	    !helper_expect(&storm->failure, c.out_len == 0 && c.err_len == 0))
		fprintf(stderr, "%s: %d, status %#x, \"%s\" \"%s\"\n", program, ret,
			(unsigned int)c.status, c.out, c.err);
	helper_child_free(&c);
	atomic_fetch_add(&storm->nr_started, 1);
}

static void start_others(void)
{
	while (!atomic_load(&storm->stop) && !storm->failure.taken) {
		start("true", NULL);
		start("/proc/self/exe", "play");
	}
	_exit(0);
}

static pid_t start_victim(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl("/proc/self/exe", "victim", "for-ever", (char *)NULL);
		_exit(127);
	}
	return pid;
}

static void end_victim(pid_t pid)
{
	int status = -1;

	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static int nr_files(void)
{
	DIR *dir = opendir("/dev/shm");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static int nr_segments(void)
{
	struct shm_info info = {0};

	shmctl(0, SHM_INFO, (struct shmid_ds *)&info);
	return info.used_ids;
}

static bool is_dead(pid_t pid)
{
	return pid > 0 && kill(pid, 0) != 0 && errno == ESRCH;
}

static bool nothing_of_the_dead_is_left(void *unused)
{
	struct pl_segment *seg = own_segment();

	for (uint32_t i = 0; seg && i < PL_NR_TASKS; i++)
		if (pl_get(&seg->task[i].id) && is_dead((pid_t)pl_get(&seg->task[i].pid)))
			return false;
	for (uint32_t i = 0; seg && i < PL_NR_PROCS; i++)
		if (is_dead((pid_t)pl_get(&seg->proc[i].pid)))
			return false;
	for (uint32_t i = 0; seg && i < PL_NR_PAIRS; i++)
		if (pl_get(&seg->pair[i].state) != PL_PAIR_FREE)
			return false;
	return true;
}

static void starts_among_killed_programs(void **state)
{
	int before = nr_files();
	pid_t starter[NR_STARTERS], stopped = 0;

	for (int i = 0; i < NR_STARTERS; i++) {
		starter[i] = fork();
		if (starter[i] == 0)
			start_others();
		assert_true(starter[i] > 0);
	}
	for (int i = 0; i < NR_KILLS && !storm->failure.taken; i++) {
		struct timespec ts = {.tv_nsec = (long)(i * 79 % NR_STEPS) * KILL_STEP_NS};
		pid_t pid = start_victim();

		assert_true(pid > 0);
		nanosleep(&ts, NULL); /* the instant is the input of this test */
		if (i % STOP_EVERY) {
			end_victim(pid);
			continue;
		}
		kill(pid, SIGSTOP);
		if (stopped)
			end_victim(stopped);
		stopped = pid;
	}
	if (stopped)
		end_victim(stopped);
	atomic_store(&storm->stop, 1);
	for (int i = 0; i < NR_STARTERS; i++) {
		int status = -1;

		assert_int_equal(waitpid(starter[i], &status, 0), starter[i]);
		assert_int_equal(status, 0);
	}
	helper_assert_no_failure(&storm->failure);
	assert_in_range(storm->nr_started, NR_STARTERS, UINT32_MAX);
	assert_true(own_poll(nothing_of_the_dead_is_left, NULL, RECLAIM_MS));
	assert_in_range(nr_segments(), 0, 1);
	assert_in_range(nr_files(), 0, before);
}

static void a_program_after_the_storm(void **state)
{
	struct pingpong *pp = pingpong_new();

	pp->processes = true;
	pingpong_start(pp);
	pingpong_wait_held(pp);
	assert_int_equal(pingpong_stop(pp), 0);
	helper_assert_no_failure(&pp->failure);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(starts_among_killed_programs, own_keeper_end),
		cmocka_unit_test_teardown(a_program_after_the_storm, pingpong_end),
	};

	if (argc > 1)
		return play(strcmp(argv[1], "for-ever") == 0);
	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	storm = mmap(NULL, sizeof(*storm), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (storm == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
