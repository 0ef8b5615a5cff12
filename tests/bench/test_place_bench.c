// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// `place bench` from its command line to its report: few and short runs, whose numbers do not
// matter, only that they are there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helper/helper.h"

/* Two runs without pauses, of what needs neither the preload nor two CPUs. */
#define FEW "--runs", "2", "--max-runs", "2", "--pause", "0", "--contenders", "kernel,one-cpu"

static const char *const no_programs[] = {"PATH=/nonexistent", NULL};

static void bench(struct helper_child *c, const char *const env[], const char *const args[])
{
	static const char *argv[32];
	int n = 0;

	argv[n++] = helper_place();
	argv[n++] = "bench";
	while (*args && n < 31)
		argv[n++] = *args++;
	argv[n] = NULL;
	*c = (struct helper_child){.argv = argv, .env = env, .preload = ""};
	assert_int_equal(helper_child_run(c), 0);
}

#define BENCH(c, env, ...) bench(c, env, (const char *const[]){__VA_ARGS__, NULL})

static void expect_status(const struct helper_child *c, int status)
{
	if (!helper_child_exited(c, status))
		fail_msg("not status %d: %s", status, c->err);
}

static json_t *parse(const struct helper_child *c)
{
	json_error_t err;
	json_t *root = json_loads(c->out, 0, &err);

	if (!root)
		fail_msg("line %d: %s: %s", err.line, err.text, c->out);
	return root;
}

static void json_has_every_run(void **state)
{
	struct helper_child c;
	json_t *root, *contender, *run;
	size_t i, k;

	BENCH(&c, NULL, "messaging", "--groups", "1", "--fds", "2", "--loops", "10", "--json", FEW);
	expect_status(&c, 0);
	assert_string_equal(c.err, "");
	root = parse(&c);
	assert_string_equal(json_string_value(json_object_get(root, "load")), "messaging");
	assert_int_equal(json_array_size(json_object_get(root, "contenders")), 2);
	json_array_foreach(json_object_get(root, "contenders"), i, contender)
	{
		json_t *runs = json_object_get(contender, "runs");

		assert_int_equal(json_array_size(runs), 2);
		json_array_foreach(runs, k, run)
		{
			json_t *values = json_object_get(run, "values");

			assert_true(json_real_value(json_object_get(values, "elapsed_s")) > 0);
			assert_true(json_is_real(json_object_get(run, "switches")));
			assert_true(json_real_value(json_object_get(run, "cpu_s")) >= 0);
		}
	}
	assert_true(json_integer_value(
			    json_object_get(json_object_get(root, "machine"), "cores")) >= 1);
	json_decref(root);
	helper_child_free(&c);
}

static void markdown_has_a_row_for_each_contender(void **state)
{
	struct helper_child c;

	BENCH(&c, NULL, "pipe", "--rounds", "500", "--warmup", "0", "--markdown", FEW);
	expect_status(&c, 0);
	assert_non_null(strstr(c.out, "### pipe: us per round, less is better\n"));
	assert_non_null(strstr(c.out, "\n| kernel | 2 | "));
	assert_non_null(strstr(c.out, "\n| one-cpu | 2 | "));
	assert_null(strstr(c.out, "\n| libplace"));
	helper_child_free(&c);
}

/* Two runs are no reason to call anything better. */
static void few_runs_give_no_verdict(void **state)
{
	struct helper_child c;

	BENCH(&c, NULL, "pipe", "--rounds", "500", "--warmup", "0", "--runs", "2", "--max-runs",
	      "2", "--pause", "0", "--contenders", "kernel,libplace");
	expect_status(&c, 0);
	assert_non_null(strstr(c.out, "libplace against kernel: "));
	assert_non_null(strstr(c.out, "too few runs to say\n"));
	helper_child_free(&c);
}

static void a_number_after_threads_is_their_number(void **state)
{
	struct helper_child c;

	BENCH(&c, NULL, "compute", "--threads", "3", "--seconds", "0.05", "--warmup", "0", "--runs",
	      "1", "--max-runs", "1", "--contenders", "kernel");
	expect_status(&c, 0);
	assert_non_null(strstr(c.out, "GFLOP/s, more is better"));
	helper_child_free(&c);
	BENCH(&c, NULL, "--threads", "compute", "--processes=2", "--seconds", "0.05", "--warmup",
	      "0", "--runs", "1", "--max-runs", "1", "--contenders", "kernel");
	expect_status(&c, 0);
	helper_child_free(&c);
	BENCH(&c, NULL, "ring", "--threads", "5", FEW);
	expect_status(&c, 2);
	assert_non_null(strstr(c.err, "ring has a fixed number of tasks"));
	helper_child_free(&c);
}

static void a_command_is_judged_by_its_time(void **state)
{
	struct helper_child c;
	json_t *root, *run;

	BENCH(&c, NULL, "--cmd", "sleep 0.05", "--metric", "wall", "--lower-is-better", "--json",
	      "--runs", "1", "--max-runs", "1", "--contenders", "kernel");
	expect_status(&c, 0);
	root = parse(&c);
	run = json_array_get(
		json_object_get(json_array_get(json_object_get(root, "contenders"), 0), "runs"), 0);
	assert_true(json_real_value(json_object_get(json_object_get(run, "values"), "metric")) >=
		    0.05);
	json_decref(root);
	helper_child_free(&c);
}

static void the_list_tells_what_to_install(void **state)
{
	struct helper_child c;

	BENCH(&c, no_programs, "--list");
	expect_status(&c, 0);
	assert_non_null(strstr(c.out, "\ncompute "));
	assert_non_null(strstr(c.out, "built in"));
	assert_non_null(strstr(c.out, "install rt-tests\n"));
	assert_non_null(strstr(c.out, "\nwakeup-w40 "));
	assert_non_null(strstr(c.out, " wakeup --seconds 0.5 --workers 40\n"));
	assert_non_null(strstr(c.out, "install redis\n"));
	helper_child_free(&c);
	BENCH(&c, no_programs, "redis-c1", FEW);
	expect_status(&c, 127);
	assert_string_equal(c.out, "");
	assert_non_null(strstr(c.err, "install the package redis"));
	helper_child_free(&c);
}

static void other_tools_that_are_missing_are_named(void **state)
{
	struct helper_child c;

	BENCH(&c, no_programs, "pipe", "--peers", "--rounds", "100", "--warmup", "0", "--runs", "1",
	      "--max-runs", "1", "--pause", "0");
	expect_status(&c, 0);
	assert_non_null(strstr(c.out, "numactl is not installed (package numactl)"));
	helper_child_free(&c);
}

/* As in a container that forbids to bind memory: the rest of the comparison goes on. */
static void other_tools_that_fail_are_left_out(void **state)
{
	char dir[] = "/tmp/place-bench-test-XXXXXX", tool[64], path[64];
	const char *const env[] = {path, NULL};
	struct helper_child c;
	FILE *f;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "PATH=%s", dir);
	snprintf(tool, sizeof(tool), "%s/numactl", dir);
	f = fopen(tool, "w");
	assert_non_null(f);
	fputs("#!/bin/sh\necho may not bind >&2\nexit 1\n", f);
	fclose(f);
	assert_int_equal(chmod(tool, 0755), 0);
	BENCH(&c, env, "pipe", "--rounds", "100", "--warmup", "0", "--runs", "1", "--max-runs", "1",
	      "--pause", "0", "--contenders", "kernel,numactl");
	unlink(tool);
	rmdir(dir);
	expect_status(&c, 0);
	assert_non_null(strstr(c.out, "numactl does not work here: may not bind\n"));
	assert_non_null(strstr(c.out, "\nkernel "));
	assert_null(strstr(c.out, "\nnumactl  "));
	helper_child_free(&c);
}

static void a_picture_is_drawn(void **state)
{
	char file[] = "/tmp/place-bench-test-XXXXXX.svg", head[6] = "";
	int fd = mkstemps(file, 4);
	struct helper_child c, which;
	bool has_gnuplot;

	which = (struct helper_child){.argv = (const char *const[]){"gnuplot", "--version", NULL},
				      .preload = ""};
	has_gnuplot = helper_child_run(&which) == 0 && helper_child_exited(&which, 0);
	helper_child_free(&which);
	assert_true(fd >= 0);
	BENCH(&c, has_gnuplot ? NULL : no_programs, "pipe", "--rounds", "500", "--warmup", "0",
	      "--plot", file, FEW);
	if (has_gnuplot) {
		expect_status(&c, 0);
		assert_string_equal(c.err, "");
		assert_int_equal(read(fd, head, 5), 5);
		assert_string_equal(head, "<?xml");
	}
	helper_child_free(&c);
	close(fd);
	unlink(file);
	if (!has_gnuplot)
		helper_skipped("gnuplot is not installed");
}

static void without_gnuplot_nothing_is_run(void **state)
{
	struct helper_child c;

	BENCH(&c, no_programs, "pipe", "--plot", "/tmp/x.svg", FEW);
	expect_status(&c, 127);
	assert_string_equal(c.out, "");
	assert_non_null(strstr(c.err, "install the package gnuplot-nox"));
	helper_child_free(&c);
}

static void a_row_is_a_load_of_its_own(void **state)
{
	struct helper_child c;

	BENCH(&c, NULL, "compute-t2", "--seconds", "0.05", "--warmup", "0", "--runs", "1",
	      "--max-runs", "1", "--contenders", "kernel", "--json");
	expect_status(&c, 0);
	assert_non_null(strstr(c.out, "\"load\": \"compute-t2\""));
	assert_non_null(strstr(c.out, "\"options\": \"compute --seconds 0.5 --threads 2\""));
	helper_child_free(&c);
}

static void each_row_has_a_file(void **state)
{
	char dir[] = "/tmp/place-bench-test-XXXXXX", file[128];
	struct helper_child c;
	size_t i, files = 0;
	json_t *root, *row;

	assert_non_null(mkdtemp(dir));
	BENCH(&c, NULL, "all", "--full", "--only", "compute", "--runs", "1", "--pause", "0",
	      "--contenders", "kernel", "--json", "--out", dir);
	expect_status(&c, 0);
	assert_non_null(strstr(c.err, "place bench: 4 rows, about "));
	root = parse(&c);
	json_array_foreach(json_object_get(root, "comparisons"), i, row)
	{
		snprintf(file, sizeof(file), "%s/%s.json", dir,
			 json_string_value(json_object_get(row, "load")));
		assert_true(json_is_null(json_object_get(row, "failed")));
		files += unlink(file) == 0;
	}
	assert_int_equal(files, 4);
	assert_int_equal(json_array_size(json_object_get(root, "failed")), 0);
	assert_true(json_is_object(json_object_get(root, "overall")));
	json_decref(root);
	helper_child_free(&c);
	assert_int_equal(rmdir(dir), 0);
}

static void rows_that_fail_are_named(void **state)
{
	struct helper_child c;
	json_t *root, *failed;
	size_t i;

	BENCH(&c, NULL, "all", "--full", "--only", "compute", "--runs", "1", "--pause", "0",
	      "--contenders", "kernel", "--timeout", "0.1", "--json");
	expect_status(&c, 1);
	root = parse(&c);
	assert_int_equal(json_array_size(json_object_get(root, "comparisons")), 0);
	assert_int_equal(json_array_size(json_object_get(root, "failed")), 4);
	json_array_foreach(json_object_get(root, "failed"), i, failed)
	{
		const char *reason = json_string_value(json_object_get(failed, "reason"));

		assert_non_null(strstr(reason, "no end after 0.1 s"));
	}
	json_decref(root);
	helper_child_free(&c);
}

/* The second run does LATER; the first one must be in the report all the same. */
static void expect_first_run(const char *later, int status, const char *reason)
{
	char dir[] = "/tmp/place-bench-test-XXXXXX", once[64], cmd[256];
	struct helper_child c;
	json_t *root, *kernel;

	assert_non_null(mkdtemp(dir));
	snprintf(once, sizeof(once), "%s/once", dir);
	snprintf(cmd, sizeof(cmd), "sh -c 'mkdir %s && echo x 5 && exit 0; %s'", once, later);
	BENCH(&c, NULL, "--cmd", cmd, "--metric", "x ([0-9]+)", "--runs", "3", "--pause", "0",
	      "--contenders", "kernel", "--json");
	rmdir(once);
	rmdir(dir);
	expect_status(&c, status);
	root = parse(&c);
	assert_non_null(strstr(json_string_value(json_object_get(root, "failed")), reason));
	kernel = json_array_get(json_object_get(root, "contenders"), 0);
	assert_int_equal(json_array_size(json_object_get(kernel, "runs")), 1);
	assert_true(json_real_value(json_object_get(kernel, "median")) == 5);
	json_decref(root);
	helper_child_free(&c);
}

static void what_was_measured_before_a_failure_is_reported(void **state)
{
	expect_first_run("echo all is lost; exit 3", 1, "failed with status 3: all is lost");
}

static void what_was_measured_before_a_signal_is_reported(void **state)
{
	expect_first_run("kill -TERM $PPID; exec sleep 60", 128 + SIGTERM, "interrupted");
}

/* Tables between the marks are made anew; what people wrote around them stays. */
static void a_page_keeps_what_people_wrote(void **state)
{
	char dir[] = "/tmp/place-bench-test-XXXXXX", report[64], page[64], script[512], text[512];
	struct helper_child c;
	size_t n;
	FILE *f;

	assert_non_null(mkdtemp(dir));
	snprintf(report, sizeof(report), "%s/report.json", dir);
	snprintf(page, sizeof(page), "%s/page.md", dir);
	snprintf(script, sizeof(script), "%s/benchmarks-page", getenv("LIBPLACE_TEST_SCRIPTS"));
	BENCH(&c, NULL, "compute-t2", "--seconds", "0.05", "--runs", "1", "--max-runs", "1",
	      "--contenders", "kernel", "--json");
	expect_status(&c, 0);
	f = fopen(report, "w");
	assert_non_null(f);
	fputs(c.out, f);
	fclose(f);
	helper_child_free(&c);
	f = fopen(page, "w");
	assert_non_null(f);
	fputs("before\n<!-- begin compute -->\nold\n<!-- end compute -->\nafter\n", f);
	fclose(f);
	c = (struct helper_child){
		.argv = (const char *const[]){"python3", script, "-o", page, report, NULL},
		.preload = ""};
	assert_int_equal(helper_child_run(&c), 0);
	if (!helper_child_exited(&c, 127)) {
		expect_status(&c, 0);
		f = fopen(page, "r");
		assert_non_null(f);
		n = fread(text, 1, sizeof(text) - 1, f);
		text[n] = '\0';
		fclose(f);
		assert_ptr_equal(strstr(text, "before\n<!-- begin compute -->\n"), text);
		assert_non_null(strstr(text, "\n| `compute-t2` | GFLOP/s | "));
		assert_non_null(strstr(text, "<!-- end compute -->\nafter\n"));
		assert_null(strstr(text, "old"));
	}
	unlink(report);
	unlink(page);
	rmdir(dir);
	if (helper_child_exited(&c, 127))
		helper_skipped("python3 is not installed");
	helper_child_free(&c);
}

static void what_makes_no_sense_is_refused(void **state)
{
	static const char *const wrong[][6] = {
		{"nosuch"},
		{"pipe", "futex"},
		{"pipe", "--plot", "picture.jpg"},
		{"pipe", "--json", "--markdown"},
		{"all", "--quick", "--full"},
		{"all", "--bar", "1"},
		{"all", "--only", "handoff"},
		{"all", "--full", "--only", "nosuch"},
		{"pipe", "--out", "/tmp/x"},
		{"redis-c1", "--cmd", "true", "--metric", "wall"},
		{"compute", "--threads", "0"},
		{"pipe", "--contenders", "kernel,nosuch"},
		{"--cmd", "true"},
	};

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct helper_child c;

		bench(&c, NULL, wrong[i]);
		if (!helper_child_exited(&c, 2))
			fail_msg("%s %s was not refused", wrong[i][0], wrong[i][1]);
		assert_string_equal(c.out, "");
		assert_non_null(strstr(c.err, "place bench: "));
		helper_child_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_has_every_run),
		cmocka_unit_test(markdown_has_a_row_for_each_contender),
		cmocka_unit_test(few_runs_give_no_verdict),
		cmocka_unit_test(a_number_after_threads_is_their_number),
		cmocka_unit_test(a_command_is_judged_by_its_time),
		cmocka_unit_test(the_list_tells_what_to_install),
		cmocka_unit_test(other_tools_that_are_missing_are_named),
		cmocka_unit_test(other_tools_that_fail_are_left_out),
		cmocka_unit_test(a_picture_is_drawn),
		cmocka_unit_test(without_gnuplot_nothing_is_run),
		cmocka_unit_test(a_row_is_a_load_of_its_own),
		cmocka_unit_test(each_row_has_a_file),
		cmocka_unit_test(rows_that_fail_are_named),
		cmocka_unit_test(what_was_measured_before_a_failure_is_reported),
		cmocka_unit_test(what_was_measured_before_a_signal_is_reported),
		cmocka_unit_test(a_page_keeps_what_people_wrote),
		cmocka_unit_test(what_makes_no_sense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
