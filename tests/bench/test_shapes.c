// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Every shape of place-shapes for some milliseconds, with threads and with processes: what it
// prints can be read, and the numbers fit each other.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper/helper.h"

/* place-shapes ARGS, blank-separated; fails the test when it does not end well. */
static void run(struct helper_child *c, const char *args)
{
	static char copy[512], path[512];
	static const char *argv[32];
	char *save = NULL;
	int n = 1;

	assert_non_null(getenv("LIBPLACE_TEST_BENCH"));
	snprintf(path, sizeof(path), "%s/place-shapes", getenv("LIBPLACE_TEST_BENCH"));
	snprintf(copy, sizeof(copy), "%s", args);
	argv[0] = path;
	for (char *s = strtok_r(copy, " ", &save); s && n < 31; s = strtok_r(NULL, " ", &save))
		argv[n++] = s;
	argv[n] = NULL;
	*c = (struct helper_child){.argv = argv, .preload = ""};
	assert_int_equal(helper_child_run(c), 0);
}

static void run_well(struct helper_child *c, const char *args)
{
	run(c, args);
	if (!helper_child_exited(c, 0))
		fail_msg("%s: %s", args, c->err);
	assert_string_equal(c->err, "");
}

/* The value of the line "KEY value". */
static double value(const struct helper_child *c, const char *key)
{
	char line[128];
	const char *at = NULL;
	int n = snprintf(line, sizeof(line), "\n%s ", key);

	if (n > 0 && (size_t)n < sizeof(line))
		at = strstr(c->out, line);
	if (!at)
		fail_msg("no line '%s' in: %s", key, c->out);
	return strtod(at + strlen(line), NULL);
}

/* WHATs is a count, WHATs_per_s its rate over the measured time, and somebody used the CPU. */
static void expect_rate(const struct helper_child *c, const char *what)
{
	char key[64];
	double n, rate, elapsed = value(c, "elapsed_s");

	snprintf(key, sizeof(key), "%ss", what);
	n = value(c, key);
	snprintf(key, sizeof(key), "%ss_per_s", what);
	rate = value(c, key);
	assert_true(n > 0);
	assert_true(elapsed > 0);
	assert_true(fabs(rate * elapsed - n) <= 0.01 * n);
	assert_true(value(c, "switches") >= 0);
	snprintf(key, sizeof(key), "cpu_s_per_%s", what);
	assert_true(value(c, key) >= 0);
}

static void expect_quantiles(const struct helper_child *c, const char *name)
{
	char p50[32], p95[32], p99[32];

	snprintf(p50, sizeof(p50), "%s_p50_us", name);
	snprintf(p95, sizeof(p95), "%s_p95_us", name);
	snprintf(p99, sizeof(p99), "%s_p99_us", name);
	assert_true(value(c, p50) > 0);
	assert_true(value(c, p95) >= value(c, p50));
	assert_true(value(c, p99) >= value(c, p95));
}

#define SHORT " --seconds 0.2 --warmup 0.02"

static void every_message_arrives(void **state)
{
	static const char *const how[] = {"--threads --kind pipe", "--threads --kind unix",
					  "--processes --kind pipe",
					  "--processes --exec --kind unix"};

	for (unsigned int i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		struct helper_child c;
		char args[256];

		snprintf(args, sizeof(args),
			 "messaging --groups 2 --fds 3 --loops 20 --bytes 200 %s", how[i]);
		run_well(&c, args);
		assert_true(value(&c, "tasks") == 12);
		assert_true(value(&c, "messages") == 2 * 3 * 3 * 20);
		expect_rate(&c, "message");
		helper_child_free(&c);
	}
}

static void compute_counts_its_operations(void **state)
{
	static const char *const how[] = {"--threads --tasks 3", "--processes --tasks 2",
					  "--processes --exec --tasks 2 --beside-hog"};

	for (unsigned int i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		struct helper_child c;
		double gflops;
		char args[256];

		snprintf(args, sizeof(args), "compute --block 32 %s" SHORT, how[i]);
		run_well(&c, args);
		expect_rate(&c, "step");
		gflops = 2 * pow(32, 3) * value(&c, "steps_per_s") * value(&c, "tasks") / 1e9;
		assert_true(fabs(value(&c, "gflops") - gflops) <= 0.01 * gflops);
		assert_true(value(&c, "barrier_share") >= 0 && value(&c, "barrier_share") <= 1);
		if (strstr(how[i], "hog"))
			assert_true(value(&c, "foreign_hog_share") > 0);
		helper_child_free(&c);
	}
}

static void bursty_rests_between_bursts(void **state)
{
	struct helper_child c;

	run_well(&c, "bursty --tasks 3 --duty 20 --spin-loops 100" SHORT);
	assert_true(value(&c, "bursts") >= 3);
	assert_true(value(&c, "units") >= value(&c, "bursts"));
	assert_true(value(&c, "units_per_s") > 0);
	assert_true(value(&c, "burst_stretch") > 0);
	expect_quantiles(&c, "late");
	/* each burst is followed by a sleep */
	assert_true(value(&c, "switches") >= value(&c, "bursts") - 3);
	helper_child_free(&c);
}

static void a_pipeline_hands_on(void **state)
{
	static const char *const how[] = {"--kind futex", "--kind pipe --depth 8 --tasks 3",
					  "--processes --kind sem --depth 2",
					  "--processes --exec --kind tcp --tasks 2"};

	for (unsigned int i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		struct helper_child c;
		char args[256];

		snprintf(args, sizeof(args), "pipeline %s" SHORT, how[i]);
		run_well(&c, args);
		expect_rate(&c, "message");
		expect_quantiles(&c, "latency");
		helper_child_free(&c);
	}
}

static void hubs_and_their_workers(void **state)
{
	static const char *const how[] = {"--kind eventfd --tasks 3", "--processes --kind unix"};

	for (unsigned int i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		struct helper_child c;
		char args[256];

		snprintf(args, sizeof(args), "fanout %s" SHORT, how[i]);
		run_well(&c, args);
		expect_rate(&c, "round");
		expect_quantiles(&c, "latency");
		helper_child_free(&c);
		snprintf(args, sizeof(args), "fanin %s" SHORT, how[i]);
		run_well(&c, args);
		expect_rate(&c, "message");
		expect_quantiles(&c, "latency");
		helper_child_free(&c);
	}
}

static void threads_and_processes_come_and_go(void **state)
{
	static const char *const how[] = {"--threads --tasks 2 --work 2 --spin-loops 100",
					  "--processes --tasks 1"};

	for (unsigned int i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		struct helper_child c;
		char args[256];

		snprintf(args, sizeof(args), "churn %s" SHORT, how[i]);
		run_well(&c, args);
		expect_rate(&c, "start");
		expect_quantiles(&c, "latency");
		helper_child_free(&c);
	}
}

/* The program itself checks that every answer is the right one. */
static void web_answers(void **state)
{
	static const char *const how[] = {"--clients 1", "--clients 12 --fronts 3",
					  "--processes --clients 3",
					  "--processes --exec --clients 2 --fronts 2"};

	for (unsigned int i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		struct helper_child c;
		char args[256];

		snprintf(args, sizeof(args), "web %s" SHORT, how[i]);
		run_well(&c, args);
		expect_rate(&c, "request");
		expect_quantiles(&c, "latency");
		helper_child_free(&c);
	}
}

static void wakeup_serves_requests(void **state)
{
	struct helper_child c;

	run_well(&c, "wakeup --messages 2 --workers 3 --spin-loops 100" SHORT);
	assert_true(value(&c, "tasks") == 6);
	expect_rate(&c, "request");
	expect_quantiles(&c, "wakeup");
	expect_quantiles(&c, "request");
	assert_true(value(&c, "request_p50_us") >= value(&c, "wakeup_p50_us"));
	helper_child_free(&c);

	run_well(&c, "wakeup --pipe 1000 --workers 2 --spin-loops 100" SHORT);
	expect_rate(&c, "request");
	helper_child_free(&c);

	/* Not more than the clock has ticked: the warm-up's may be served late. */
	run_well(&c, "wakeup --rps 500 --workers 2 --spin-loops 100" SHORT);
	expect_rate(&c, "request");
	assert_true(value(&c, "requests") <= 500 * (value(&c, "elapsed_s") + 0.1) + 1);
	helper_child_free(&c);
}

static void what_makes_no_sense_is_refused(void **state)
{
	static const char *const wrong[] = {
		"pipeline --depth 2 --kind futex",
		"pipeline --tasks 1",
		"ring --tasks 4",
		"ring --beside-hog",
		"nosuch",
		"messaging --fds 0",
		"wakeup --processes",
		"web --clients 257",
		"messaging --groups 500",
		"",
	};

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct helper_child c;

		run(&c, wrong[i]);
		if (!helper_child_exited(&c, 2))
			fail_msg("'%s' was not refused", wrong[i]);
		assert_string_equal(c.out, "");
		assert_true(c.err_len > 0);
		helper_child_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_arrives),
		cmocka_unit_test(compute_counts_its_operations),
		cmocka_unit_test(bursty_rests_between_bursts),
		cmocka_unit_test(a_pipeline_hands_on),
		cmocka_unit_test(hubs_and_their_workers),
		cmocka_unit_test(threads_and_processes_come_and_go),
		cmocka_unit_test(web_answers),
		cmocka_unit_test(wakeup_serves_requests),
		cmocka_unit_test(what_makes_no_sense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
