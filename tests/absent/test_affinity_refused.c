// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Affinity calls that a sandbox refuses: libplace asks at most three times in a process, the
// program is told of its own refusal only, and its work goes on.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/answered.h"
#include "preload/pingpong.h"

enum { NR_PAIRS = 4, PLAY_MS = 700, MAX_REFUSED = 3, NR_PROCESSES = 80 };
enum { MANY_PROCESSES = 64, AT_ONCE = 8, MANY_PAIRS = 16, MANY_ROUNDS = 300 };

/* The supervisor of one sandboxed program: answers and counts. */
struct supervisor {
	int answer;   /* errno */
	bool self_ok; /* calls on the caller itself are let through */
	struct {
		pid_t pid;
		int refused;
	} process[NR_PROCESSES];
};

static pid_t process_of(pid_t tid)
{
	char path[64], text[1024], *at;
	int fd;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return tid;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, "Tgid:");
	return at ? (pid_t)strtol(at + 5, NULL, 10) : tid;
}

static bool is_keeper(pid_t pid)
{
	char path[64], name[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, name, sizeof(name) - 1) < 0)
		name[0] = '\0';
	close(fd);
	return strncmp(name, "place-keeper", 12) == 0;
}

static void count(struct supervisor *s, pid_t tid)
{
	pid_t pid = process_of(tid);
	int i;

	for (i = 0; i < NR_PROCESSES - 1 && s->process[i].pid && s->process[i].pid != pid;)
		i++;
	s->process[i].pid = pid;
	s->process[i].refused++;
}

static int64_t supervise(void *arg, pid_t tid, const struct seccomp_data *call)
{
	struct supervisor *s = arg;

	if (s->self_ok && call->args[0] == 0)
		return ANSWERED_BY_KERNEL;
	if (!is_keeper(tid))
		count(s, tid);
	return -s->answer;
}

/* Runs this program as MODE in the sandbox; what it wrote into TEXT. Its wait status. */
static int run_sandboxed(struct supervisor *s, const char *mode, char *text, size_t size)
{
	struct answered a = {.set = true, .answer = supervise, .arg = s};
	char answer[16];
	char *const argv[] = {(char[]){"refused"}, (char *)(uintptr_t)mode, answer, NULL};

	snprintf(answer, sizeof(answer), "%d", s->answer);
	return answered_run(&a, argv, text, size);
}

static void refuse(int answer, bool self_ok, const char *mode)
{
	struct supervisor s = {.answer = answer, .self_ok = self_ok};
	char text[4096], expected[64];
	int status = run_sandboxed(&s, mode, text, sizeof(text));

	snprintf(expected, sizeof(expected), "%s\n", "done");
	assert_string_equal(text, expected);
	assert_int_equal(status, 0);
	for (int i = 0; i < NR_PROCESSES && s.process[i].pid; i++)
		printf("# process %d: %d calls refused\n", s.process[i].pid, s.process[i].refused);
	for (int i = 0; i < NR_PROCESSES && s.process[i].pid; i++)
		assert_in_range(s.process[i].refused, 0, MAX_REFUSED);
}

static void eperm_is_asked_for_at_most_three_times(void **state)
{
	refuse(EPERM, false, "threads");
	refuse(EPERM, false, "processes");
}

static void enosys_is_asked_for_at_most_three_times(void **state)
{
	refuse(ENOSYS, false, "threads");
}

static void einval_is_asked_for_at_most_three_times(void **state)
{
	refuse(EINVAL, false, "threads");
}

/* Widening is refused where narrowing was allowed: only calls that name another are refused. */
static void refusal_of_calls_on_others_is_survived(void **state)
{
	refuse(EPERM, true, "threads");
	refuse(EPERM, true, "processes");
}

/* 64 processes of 32 threads: the job's output is its own, and nobody asks again and again. */
static void many_refused_processes_are_silent(void **state)
{
	refuse(EINVAL, false, "many");
	refuse(EPERM, false, "many");
	refuse(ENOSYS, false, "many");
}

/* The program's own call: refused with the same errno, before and after a pair was tried. */
static void the_program_sees_its_own_refusal(void **state)
{
	struct supervisor s = {.answer = EPERM};
	char text[4096];

	assert_int_equal(run_sandboxed(&s, "own", text, sizeof(text)), 0);
	assert_string_equal(text, "-1 1 -1 1\ndone\n");
	assert_in_range(s.process[0].refused, 2, MAX_REFUSED + 2);
}

static bool has_played(void *arg)
{
	const struct pingpong *pp = arg;

	return pp->failure.taken || (atomic_load(&pp->side[0].rounds) >= MANY_ROUNDS &&
				     atomic_load(&pp->side[1].rounds) >= MANY_ROUNDS);
}

static int play_in_many_threads(void)
{
	struct pingpong *pp[MANY_PAIRS];
	int ret = 0;

	for (int i = 0; i < MANY_PAIRS; i++) {
		pp[i] = pingpong_new();
		pingpong_start(pp[i]);
	}
	for (int i = 0; i < MANY_PAIRS; i++) {
		pingpong_coax(pp[i]);
		ret |= !own_poll(has_played, pp[i], 60000);
	}
	for (int i = 0; i < MANY_PAIRS; i++)
		ret |= pingpong_stop(pp[i]) != 0 || pp[i]->failure.taken;
	return ret;
}

static int play_in_many_processes(void)
{
	int ret = 0, status;

	for (int i = 0; i < MANY_PROCESSES; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(play_in_many_threads());
		ret |= pid < 0;
		if (i >= AT_ONCE - 1)
			ret |= wait(&status) < 0 || status != 0;
	}
	while (wait(&status) > 0)
		ret |= status != 0;
	puts(ret ? "failed" : "done");
	return ret;
}

/* The sandboxed program. New threads each time, so that nothing learnt of the last ones helps. */
static int play(const char *mode)
{
	cpu_set_t one;
	int before = 0, before_errno = 0;

	if (strcmp(mode, "many") == 0)
		return play_in_many_processes();
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (strcmp(mode, "own") == 0) {
		before = sched_setaffinity(0, sizeof(one), &one);
		before_errno = errno;
	}
	for (int i = 0; i < NR_PAIRS; i++) {
		struct pingpong *pp = pingpong_new();
		int64_t until = own_now_ms() + PLAY_MS;

		pp->processes = strcmp(mode, "processes") == 0;
		pingpong_start(pp);
		while (own_now_ms() < until) {
			pingpong_coax(pp);
			own_pause_ms(2);
		}
		if (pingpong_stop(pp) != 0 || pp->failure.taken)
			return 1;
	}
	if (strcmp(mode, "own") == 0) {
		int ret = sched_setaffinity(0, sizeof(one), &one);

		printf("%d %d %d %d\n", before, before_errno, ret, errno);
	}
	puts("done");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(eperm_is_asked_for_at_most_three_times, own_keeper_end),
		cmocka_unit_test_teardown(enosys_is_asked_for_at_most_three_times, own_keeper_end),
		cmocka_unit_test_teardown(einval_is_asked_for_at_most_three_times, own_keeper_end),
		cmocka_unit_test_teardown(refusal_of_calls_on_others_is_survived, own_keeper_end),
		cmocka_unit_test_teardown(many_refused_processes_are_silent, own_keeper_end),
		cmocka_unit_test_teardown(the_program_sees_its_own_refusal, own_keeper_end),
	};

	if (argc > 1)
		return play(argv[1]);
	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
