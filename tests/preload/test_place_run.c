// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// `place run` is transparent: pid, status, signals and streams are the program's; what cannot be
// run is told as a shell tells it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/stat.h>

#include "helper/baseline.h"
#include "preload/pingpong.h"

static char stats_file[64];

/* `place run ARGS...` without the preload around it. */
static void place_run(struct helper_child *c, const char *const args[])
{
	const char *argv[16] = {helper_place(), "run"};
	int n = 2;

	while (*args && n < 15)
		argv[n++] = *args++;
	argv[n] = NULL;
	c->argv = argv;
	c->preload = "";
	assert_int_equal(helper_child_run(c), 0);
	c->argv = NULL;
}

#define PLACE_RUN(c, ...) place_run(c, (const char *const[]){__VA_ARGS__, NULL})

static void the_program_has_the_pid_of_place(void **state)
{
	const char *argv[] = {
		"sh", "-c", "echo $$; exec \"$LIBPLACE_TEST_PLACE\" run -- sh -c 'echo $$'", NULL};
	struct helper_child c = {.argv = argv, .preload = ""};
	long first, second;

	assert_int_equal(helper_child_run(&c), 0);
	assert_int_equal(sscanf(c.out, "%ld %ld", &first, &second), 2);
	assert_int_equal(first, second);
	assert_string_equal(c.err, "");
	helper_child_free(&c);
}

static void the_status_is_that_of_the_program(void **state)
{
	static const int codes[] = {0, 1, 2, 42, 125, 126, 127, 128, 255};

	for (unsigned int i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		struct helper_child plain = {0}, stats = {0};
		char command[32];

		snprintf(command, sizeof(command), "exit %d", codes[i]);
		PLACE_RUN(&plain, "--", "sh", "-c", command);
		assert_true(helper_child_exited(&plain, codes[i]));
		assert_string_equal(plain.err, "");
		PLACE_RUN(&stats, stats_file, "--", "sh", "-c", command);
		assert_true(helper_child_exited(&stats, codes[i]));
		assert_string_equal(stats.err, "");
		helper_child_free(&plain);
		helper_child_free(&stats);
	}
}

static void death_by_a_signal_is_passed_on(void **state)
{
	static const int signals[] = {SIGTERM, SIGKILL, SIGSEGV, SIGINT, SIGHUP, SIGPIPE, SIGABRT};

	for (unsigned int i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct helper_child plain = {0}, stats = {0};
		char command[48];

		snprintf(command, sizeof(command), "ulimit -c 0; kill -%d $$", signals[i]);
		PLACE_RUN(&plain, "--", "sh", "-c", command);
		assert_true(WIFSIGNALED(plain.status));
		assert_int_equal(WTERMSIG(plain.status), signals[i]);
		PLACE_RUN(&stats, stats_file, "--", "sh", "-c", command);
		assert_true(WIFSIGNALED(stats.status));
		assert_int_equal(WTERMSIG(stats.status), signals[i]);
		helper_child_free(&plain);
		helper_child_free(&stats);
	}
}

static void the_streams_are_the_programs(void **state)
{
	static const char *const ways[] = {"-v", "--policy=auto", "--policy=observe",
					   "--policy=off"};

	for (unsigned int i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct helper_child c = {.input = "one\ntwo\n"};

		PLACE_RUN(&c, ways[i], "--", "sh", "-c", "cat; echo three >&2");
		assert_string_equal(c.out, "one\ntwo\n");
		if (i > 0)
			assert_string_equal(c.err, "three\n");
		assert_true(helper_child_exited(&c, 0));
		helper_child_free(&c);
	}
	for (int i = 0; i < 2; i++) {
		struct helper_child c = {.input = "one\ntwo\n"};

		PLACE_RUN(&c, stats_file, "--", "sh", "-c", "cat; echo three >&2");
		assert_string_equal(c.out, "one\ntwo\n");
		assert_string_equal(c.err, "three\n");
		helper_child_free(&c);
	}
}

/* What the program inherits besides: signals ignored or blocked, other descriptors. */
static void signals_are_inherited_as_they_were(void **state)
{
	static const char *const traps[] = {":", "trap '' INT QUIT", "trap '' HUP TERM USR1 PIPE"};
	static const char show[] = "grep -E 'Sig(Blk|Ign)' /proc/self/status";
	const char *const ways[] = {"", "\"$LIBPLACE_TEST_PLACE\" run",
				    "\"$LIBPLACE_TEST_PLACE\" run"};
	char command[512], first[256] = "";

	for (unsigned int i = 0; i < 3 * sizeof(traps) / sizeof(traps[0]); i++) {
		const char *argv[] = {"sh", "-c", command, NULL};
		struct helper_child c = {.argv = argv, .preload = ""};

		snprintf(command, sizeof(command), "%s; exec %s %s %s", traps[i / 3], ways[i % 3],
			 i % 3 == 2 ? stats_file : "", show);
		assert_int_equal(helper_child_run(&c), 0);
		if (i % 3 == 0)
			snprintf(first, sizeof(first), "%s", c.out);
		assert_string_equal(c.out, first);
		helper_child_free(&c);
	}
}

static void what_cannot_be_run_is_told_as_by_a_shell(void **state)
{
	static const struct {
		const char *program;
		int status;
	} cases[] = {
		{"/nonexistent/program", 127},
		{"nonexistent-program", 127},
		{"/etc/passwd", 126},
		{"/etc", 126},
	};

	for (unsigned int i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct helper_child c = {0};
		const char *end;

		PLACE_RUN(&c, i % 2 ? stats_file : "--policy=auto", "--", cases[i / 2].program);
		if (!helper_child_exited(&c, cases[i / 2].status))
			print_error("%s: status %#x\n", cases[i / 2].program, c.status);
		assert_true(helper_child_exited(&c, cases[i / 2].status));
		end = strchr(c.err, '\n');
		assert_non_null(end);
		assert_string_equal(end, "\n"); /* one line */
		assert_non_null(strstr(c.err, cases[i / 2].program));
		assert_string_equal(c.out, "");
		helper_child_free(&c);
	}
}

static void wrong_options_are_a_usage_error(void **state)
{
	static const char *const wrong[] = {"--policy=fast", "--policy", "--nosuch", "-z", "--"};

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct helper_child c = {0};

		PLACE_RUN(&c, wrong[i]);
		assert_true(helper_child_exited(&c, 2));
		assert_string_equal(c.out, "");
		assert_true(c.err_len > 0);
		helper_child_free(&c);
	}
}

static void the_keeper_is_found_when_place_is_found_on_the_path(void **state)
{
	const char *argv[] = {"sh", "-c",
			      "PATH=${LIBPLACE_TEST_PLACE%/*}:$PATH; cd /; exec place run -v true",
			      NULL};
	struct helper_child c = {.argv = argv, .preload = ""};

	assert_int_equal(helper_child_run(&c), 0);
	assert_true(helper_child_exited(&c, 0));
	assert_non_null(strstr(c.err, "keeper runs"));
	helper_child_free(&c);
}

static void a_static_program_is_warned_about_once_and_runs(void **state)
{
	char dir[] = "/tmp/place-test-XXXXXX", source[64], exe[64];
	const char *compile[] = {"cc", "-static", "-o", exe, source, NULL};
	const char *rm[] = {"rm", "-rf", dir, NULL};
	struct helper_child c = {.argv = compile, .preload = ""}, run = {0};
	struct helper_child clean = {.argv = rm, .preload = ""};
	bool built;
	FILE *f;

	assert_non_null(mkdtemp(dir));
	snprintf(source, sizeof(source), "%s/p.c", dir);
	snprintf(exe, sizeof(exe), "%s/p", dir);
	f = fopen(source, "we");
	assert_non_null(f);
	fputs("#include <stdio.h>\nint main(void) { return puts(\"runs\") < 0; }\n", f);
	fclose(f);
	built = helper_child_run(&c) == 0 && helper_child_exited(&c, 0);
	helper_child_free(&c);
	if (built)
		PLACE_RUN(&run, "--", exe);
	helper_child_run(&clean);
	helper_child_free(&clean);
	if (!built) {
		helper_skipped("no static C library here");
		return;
	}
	assert_string_equal(run.out, "runs\n");
	assert_true(helper_child_exited(&run, 0));
	assert_non_null(strstr(run.err, "static"));
	assert_string_equal(strchr(run.err, '\n'), "\n");
	helper_child_free(&run);
}

static void a_program_of_another_c_library_is_warned_about_once_and_runs(void **state)
{
	const char *cc[] = {"musl-gcc", NULL};
	char *dir = helper_dir(), exe[128];
	struct helper_child run = {0};

	assert_non_null(dir);
	snprintf(exe, sizeof(exe), "%s/p", dir);
	if (helper_compile(dir, "p",
			   "#include <stdio.h>\n#include <stdlib.h>\n"
			   "int main(void) { return puts(getenv(\"LD_PRELOAD\") ? \"asked\" : "
			   "\"not asked\") < 0; }\n",
			   cc)) {
		PLACE_RUN(&run, "--", exe);
		assert_string_equal(run.out, "not asked\n");
		assert_true(helper_child_exited(&run, 0));
		assert_non_null(strstr(run.err, "C library"));
		assert_string_equal(strchr(run.err, '\n'), "\n");
		helper_child_free(&run);
	}
	helper_remove(dir);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, own_keeper_end)
	static const struct CMUnitTest tests[] = {
		TEST(the_program_has_the_pid_of_place),
		TEST(the_status_is_that_of_the_program),
		TEST(death_by_a_signal_is_passed_on),
		TEST(the_streams_are_the_programs),
		TEST(signals_are_inherited_as_they_were),
		TEST(what_cannot_be_run_is_told_as_by_a_shell),
		TEST(wrong_options_are_a_usage_error),
		TEST(the_keeper_is_found_when_place_is_found_on_the_path),
		TEST(a_static_program_is_warned_about_once_and_runs),
		TEST(a_program_of_another_c_library_is_warned_about_once_and_runs),
	};
	int ret;

	if (!helper_place() || access(helper_place(), X_OK) != 0) {
		helper_skipped("no place tool in this build");
		return 0;
	}
	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	snprintf(stats_file, sizeof(stats_file), "--stats=/tmp/place-stats-%d.json", getpid());
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(stats_file + sizeof("--stats=") - 1);
	return ret;
}
