// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Somebody rewrites the cpuset again and again while threads hand work over and others are made:
 * nothing fails and nothing is said, no thread leaves the cpuset, and after it grew every thread
 * has all of it again. Of cgroup v1, or v2 where it has the controller; with a CPU quota, the
 * program counts the same. Needs root and cgroups that may be written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>

#include "helper/baseline.h"
#include "preload/pingpong.h"

enum { STEP_MS = 300, SETTLE_MS = 5000, NR_PAIRS = 2, NR_BUSY = 4 };

static char group[PATH_MAX];
static bool is_v2;
static char all_cpus[256];

static bool put(const char *dir, const char *file, const char *text)
{
	char path[PATH_MAX + 64];
	int fd;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return ok;
}

/* A cgroup with the controller NAME (v1: a hierarchy of its own) below the usual mounts. */
static bool make_group(const char *name)
{
	static const char *const v2[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	char enable[32];

	snprintf(group, sizeof(group), "/sys/fs/cgroup/%s/place-test-%d", name, getpid());
	is_v2 = false;
	if (mkdir(group, 0755) == 0)
		return true;
	snprintf(enable, sizeof(enable), "+%s", name);
	for (size_t i = 0; i < sizeof(v2) / sizeof(v2[0]); i++) {
		if (!put(v2[i], "cgroup.subtree_control", enable))
			continue;
		snprintf(group, sizeof(group), "%s/place-test-%d", v2[i], getpid());
		is_v2 = true;
		if (mkdir(group, 0755) == 0)
			return true;
	}
	helper_skipped("no cgroup may be made here");
	return false;
}

static bool set_cpus(const char *list)
{
	return put(group, "cpuset.cpus", list);
}

static _Atomic int stop;

static void *burn(void *unused)
{
	while (!atomic_load(&stop))
		sched_getcpu();
	return unused;
}

static void *nothing(void *arg)
{
	return arg;
}

/* The program in the cpuset: plays until its input ends, says only what went wrong. */
static int play(void)
{
	struct pingpong *pp[NR_PAIRS];
	pthread_t busy[NR_BUSY], short_lived;
	struct pollfd end = {.fd = STDIN_FILENO, .events = POLLIN};

	for (int i = 0; i < NR_PAIRS; i++) {
		pp[i] = pingpong_new();
		pp[i]->processes = i % 2;
		pingpong_start(pp[i]);
	}
	for (int i = 0; i < NR_BUSY; i++)
		if (pthread_create(&busy[i], NULL, burn, NULL) != 0)
			return 1;
	while (poll(&end, 1, 5) == 0) {
		cpu_set_t set;

		if (pthread_create(&short_lived, NULL, nothing, NULL) != 0 ||
		    pthread_join(short_lived, NULL) != 0)
			return 2;
		if (sched_getaffinity(0, sizeof(set), &set) != 0 || CPU_COUNT(&set) < 1)
			return 3;
	}
	atomic_store(&stop, 1);
	for (int i = 0; i < NR_BUSY; i++)
		pthread_join(busy[i], NULL);
	for (int i = 0; i < NR_PAIRS; i++)
		if (pingpong_stop(pp[i]) != 0 || pp[i]->failure.taken)
			return 4;
	return 0;
}

static bool is_within(const char *list, const char *allowed)
{
	/* Lists of this test are "0-n" and single CPUs. */
	return strcmp(allowed, all_cpus) == 0 || strcmp(list, allowed) == 0;
}

struct look {
	pid_t pid;
	const char *allowed;
	bool whole; /* all threads but those of a held pair have all that is allowed */
};

/* True when each thread's mask is as it should be. */
static bool masks_fit(void *arg)
{
	struct look *l = arg;
	char dir[64];
	int nr_narrow = 0;
	struct dirent *e;
	bool fit = true;
	DIR *d;

	snprintf(dir, sizeof(dir), "/proc/%d/task", l->pid);
	d = opendir(dir);
	while (d && (e = readdir(d))) {
		char list[256];

		if (e->d_name[0] == '.')
			continue;
		mask_list(atoi(e->d_name), list, sizeof(list));
		if (!list[0])
			continue; /* it ended meanwhile */
		fit = fit && is_within(list, l->allowed);
		nr_narrow += strcmp(list, l->allowed) != 0;
	}
	if (d)
		closedir(d);
	return fit && (!l->whole || nr_narrow <= 2 * NR_PAIRS);
}

static void nothing_is_noticed_of_a_changing_cpuset(void **state)
{
	const char *const lists[] = {"0", all_cpus, "1", all_cpus, "0", "1", all_cpus};
	int in[2], out[2], status = -1;
	char id[16], text[4096] = "";
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	if (get_nprocs() < 2) {
		helper_skipped("one CPU");
		return;
	}
	if (!make_group("cpuset"))
		return;
	if (!is_v2)
		assert_true(put(group, "cpuset.mems", "0"));
	assert_true(set_cpus(all_cpus));
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		snprintf(id, sizeof(id), "%d", getpid());
		if (!put(group, "cgroup.procs", id))
			_exit(9);
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		dup2(out[1], STDERR_FILENO);
		execl(helper_self(), "play", "play", (char *)NULL);
		_exit(8);
	}
	close(in[0]);
	close(out[1]);
	own_pause_ms(2 * STEP_MS);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct look l = {.pid = pid, .allowed = lists[i]};

		assert_true(set_cpus(lists[i]));
		own_pause_ms(STEP_MS);
		if (!own_poll(masks_fit, &l, SETTLE_MS))
			fail_msg("a thread is outside of %s", lists[i]);
	}
	{
		struct look l = {.pid = pid, .allowed = all_cpus, .whole = true};

		assert_true(own_poll(masks_fit, &l, SETTLE_MS));
	}
	close(in[1]);
	while ((n = read(out[0], text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_string_equal(text, "");
	assert_int_equal(status, 0);
}

/* A quota leaves the CPUs as they are, and so must the counts be. */
static void a_quota_changes_no_count(void **state)
{
	char script[2 * PATH_MAX];

	if (!make_group("cpu"))
		return;
	if (!put(group, is_v2 ? "cpu.max" : "cpu.cfs_quota_us",
		 is_v2 ? "100000 100000" : "100000")) {
		helper_skipped("no CPU quota here");
		return;
	}
	snprintf(script, sizeof(script),
		 "echo $$ >%s/cgroup.procs; nproc; grep Cpus_allowed_list /proc/self/status; "
		 "exec %s play </dev/null",
		 group, helper_self());
	assert_true(helper_same_script(script, NULL));
}

static int remove_group(void **state)
{
	bool gone = false;

	for (int i = 0; group[0] && !gone && i < 500; i++) {
		gone = rmdir(group) == 0 || errno == ENOENT;
		if (!gone) {
			/* Its keeper may still be in there. */
			own_keeper_end(state);
			own_pause_ms(10);
		}
	}
	group[0] = '\0';
	return pingpong_end(state);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, remove_group)
	static const struct CMUnitTest tests[] = {
		TEST(nothing_is_noticed_of_a_changing_cpuset),
		TEST(a_quota_changes_no_count),
	};

	if (argc > 1)
		return play();
	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	mask_list(getpid(), all_cpus, sizeof(all_cpus));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
