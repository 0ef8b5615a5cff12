// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The keeper is nobody's child and holds nothing of the caller: a program that waits for its
// children never meets it, and a shell that waits for the end of a pipe is not kept waiting.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <limits.h>
#include <signal.h>

#include "preload/pingpong.h"

static _Atomic int nr_sigchld;

static void count_sigchld(int sig)
{
	atomic_fetch_add(&nr_sigchld, 1);
}

/* On a loaded machine the kernel may keep both on one CPU, where no pair is wanted and so no
 * keeper: then the pair is claimed for them. */
static bool keeper_runs(void *arg)
{
	struct pingpong *pp = arg;

	if (own_keeper() == 0)
		pingpong_coax(pp);
	return own_keeper() != 0;
}

/* Without the preload there is no keeper: the rest of what is stated holds all the same. */
static pid_t wait_for_keeper(struct pingpong *pp)
{
	if (!helper_preload())
		return 0;
	own_poll(keeper_runs, pp, 10000);
	assert_true(own_keeper() > 0);
	return own_keeper();
}

static void a_program_without_children_has_none(void **state)
{
	struct sigaction count = {.sa_handler = count_sigchld}, old;
	struct pingpong *pp = pingpong_new();
	siginfo_t info;
	int status;

	sigaction(SIGCHLD, &count, &old);
	pingpong_start(pp);
	for (int held = 0; held < 2; held++) {
		assert_int_equal(wait(&status), -1);
		assert_int_equal(errno, ECHILD);
		assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
		assert_int_equal(errno, ECHILD);
		assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOHANG), -1);
		assert_int_equal(errno, ECHILD);
		pingpong_wait_held(pp);
	}
	/* Not while the keeper is being started: that is a child of another thread for a moment. */
	assert_int_equal(waitpid(-1, &status, WNOHANG | __WALL), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(pingpong_stop(pp), 0);
	assert_int_equal(nr_sigchld, 0);
	sigaction(SIGCHLD, &old, NULL);
	helper_assert_no_failure(&pp->failure);
}

/* Field N (from 1) of /proc/PID/stat behind the name. */
static long stat_field(pid_t pid, int n)
{
	char path[64], text[1024], *at;
	int fd;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	at = strrchr(text, ')');
	for (n -= 2; at && n > 0; n--)
		at = strchr(at + 1, ' ');
	return at ? strtol(at, NULL, 10) : -1;
}

/* It reads files of the kernel now and then; nothing else but the null device may be open. */
static void check_descriptors(pid_t pid)
{
	char dir[64], path[PATH_MAX], target[PATH_MAX];
	struct dirent *e;
	DIR *d;

	snprintf(dir, sizeof(dir), "/proc/%d/fd", pid);
	d = opendir(dir);
	assert_non_null(d);
	while ((e = readdir(d))) {
		ssize_t n;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		n = readlink(path, target, sizeof(target) - 1);
		if (n < 0)
			continue; /* closed meanwhile */
		target[n] = '\0';
		if (strncmp(target, "/proc/", 6) != 0 && strncmp(target, "/sys", 4) != 0)
			assert_string_equal(target, "/dev/null");
	}
	closedir(d);
}

static bool knows_the_machine(void *arg)
{
	struct pl_segment *seg = own_segment();

	return seg && pl_seg_machine_ready(seg);
}

static void check_detached(pid_t pid)
{
	char path[64], where[PATH_MAX];
	ssize_t n;

	/* Until then it opens libraries and what they read. */
	assert_true(own_poll(knows_the_machine, NULL, 30000));
	check_descriptors(pid);
	assert_int_not_equal(stat_field(pid, 4), getpid());
	assert_int_not_equal(getsid(pid), getsid(0));
	assert_int_not_equal(getpgid(pid), getpgid(0));
	assert_int_equal(stat_field(pid, 7), 0); /* no terminal */
	snprintf(path, sizeof(path), "/proc/%d/cwd", pid);
	n = readlink(path, where, sizeof(where) - 1);
	assert_return_code(n, errno);
	assert_int_equal(n, 1); /* "/": nobody's file system is kept busy */
}

static void it_holds_nothing_of_the_program_that_started_it(void **state)
{
	struct pingpong *pp = pingpong_new();
	int fds[2];
	pid_t keeper;

	assert_int_equal(pipe(fds), 0); /* inheritable */
	pingpong_start(pp);
	keeper = wait_for_keeper(pp);
	if (keeper)
		check_detached(keeper);
	pingpong_stop(pp);
	close(fds[1]);
	assert_int_equal(pingpong_get(fds[0]), -1); /* its end shows at once */
	close(fds[0]);
	helper_assert_no_failure(&pp->failure);
}

/* Runs COMMAND by the shell and reads all it writes; STILL: the keeper ran after that. */
static void run_shell(const char *command, const char *expected, bool *still)
{
	char exe[PATH_MAX] = "", name[PATH_MAX + 16];
	const char *argv[] = {"sh", "-c", command, NULL};
	const char *env[] = {name, NULL};
	struct helper_child c = {.argv = argv, .env = env, .preload = "", .timeout_ms = 60000};

	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	snprintf(name, sizeof(name), "TEST_EXE=%s", exe);

	assert_int_equal(helper_child_run(&c), 0);
	*still = own_keeper() != 0;
	assert_string_equal(c.err, "");
	assert_string_equal(c.out, expected);
	assert_true(helper_child_exited(&c, 0));
	helper_child_free(&c);
}

static bool place_is_there(void)
{
	if (helper_place() && access(helper_place(), X_OK) == 0)
		return true;
	helper_skipped("no place tool in this build");
	return false;
}

/* The keeper outlives the program by two seconds, so a caller who waited for it would find none. */
static void a_command_substitution_ends_with_its_command(void **state)
{
	bool still;

	if (!place_is_there())
		return;
	run_shell("x=$(\"$LIBPLACE_TEST_PLACE\" run -- \"$TEST_EXE\" play); echo \"[$x]\"",
		  "[played]\n", &still);
	assert_true(still);
}

static void a_pipeline_ends_with_its_command(void **state)
{
	bool still;

	if (!place_is_there())
		return;
	run_shell("\"$LIBPLACE_TEST_PLACE\" run -- \"$TEST_EXE\" play | cat", "played\n", &still);
	assert_true(still);
}

static void it_holds_nothing_of_place_run(void **state)
{
	bool still;

	if (!place_is_there())
		return;
	run_shell("\"$LIBPLACE_TEST_PLACE\" run -- \"$TEST_EXE\" play 7>/dev/zero | cat",
		  "played\n", &still);
	if (own_keeper())
		check_detached(own_keeper());
}

/* The program of the last three. */
static int play(void)
{
	struct pingpong *pp = pingpong_new();

	pingpong_start(pp);
	while (pp->side[0].rounds < 20000)
		own_pause_ms(2);
	pingpong_stop(pp);
	return puts("played") < 0;
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, pingpong_end)
	static const struct CMUnitTest tests[] = {
		TEST(a_program_without_children_has_none),
		TEST(it_holds_nothing_of_the_program_that_started_it),
		TEST(a_command_substitution_ends_with_its_command),
		TEST(a_pipeline_ends_with_its_command),
		TEST(it_holds_nothing_of_place_run),
	};

	if (argc > 1)
		return play();
	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
