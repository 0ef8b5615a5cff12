// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// What `place bench` is made of and needs no run: commands with places to fill in, the order of
// CPUs by hand, the script of a picture, figures in an output, the table of programs.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tools/bench/cpus.h"
#include "tools/bench/metric.h"
#include "tools/bench/plot.h"
#include "tools/bench/programs.h"
#include "tools/bench/template.h"

static void expect_template(const char *text, const char *expected)
{
	static const struct pl_var vars[] = {
		{"port", "1234"}, {"dir", "/tmp/x"}, {"empty", ""}, {NULL, NULL}};
	char *got = pl_template(text, vars);

	assert_non_null(got);
	assert_string_equal(got, expected);
	free(got);
}

static void templates_are_filled_in(void **state)
{
	expect_template("-p {port} -d {dir}/data", "-p 1234 -d /tmp/x/data");
	expect_template("{dir}{port}{dir}", "/tmp/x1234/tmp/x");
	expect_template("a{empty}b", "ab");
	expect_template("", "");
}

static void other_braces_stay(void **state)
{
	expect_template("awk '{print $1}' {por} {port", "awk '{print $1}' {por} {port");
	expect_template("{ {{port}} }", "{ {1234} }");
	expect_template("{port}x{", "1234x{");
}

static void cores_come_before_siblings(void **state)
{
	/* CPUs 0-3 are four cores, 4 and 5 the siblings of 0 and 2; 1 is not allowed. */
	const struct pl_cpus cpus = {.cpu = {0, 2, 3, 4, 5}, .core = {0, 2, 3, 0, 2}, .nr = 5};
	const int expected[] = {0, 2, 3, 4, 5};
	/* Siblings that are neighbours, as on most x86 laptops. */
	const struct pl_cpus pairs = {.cpu = {0, 1, 2, 3}, .core = {0, 0, 2, 2}, .nr = 4};
	const int expected_pairs[] = {0, 2, 1, 3};
	/* Four threads to a core. */
	const struct pl_cpus quads = {
		.cpu = {0, 1, 2, 3, 4, 5}, .core = {0, 0, 0, 0, 4, 4}, .nr = 6};
	const int expected_quads[] = {0, 4, 1, 5, 2, 3};
	int order[PL_CPUS_MAX];

	assert_int_equal(pl_cpus_by_core(&cpus, order), 3);
	assert_memory_equal(order, expected, sizeof(expected));
	assert_int_equal(pl_cpus_by_core(&pairs, order), 2);
	assert_memory_equal(order, expected_pairs, sizeof(expected_pairs));
	assert_int_equal(pl_cpus_by_core(&quads, order), 2);
	assert_memory_equal(order, expected_quads, sizeof(expected_quads));
}

static void this_machine_has_cpus(void **state)
{
	static struct pl_cpus cpus;

	pl_cpus_read(&cpus);
	assert_true(cpus.nr >= 1);
	assert_true(cpus.nr_cores >= 1 && cpus.nr_cores <= cpus.nr);
	assert_true(cpus.nr_llcs >= 1 && cpus.nr_llcs <= cpus.nr);
}

static void jitter_stays_within_the_box(void **state)
{
	double min = 1, max = -1;

	for (size_t i = 0; i < 100; i++) {
		double x = pl_plot_jitter(i);

		assert_true(x >= -0.5 && x < 0.5);
		assert_true(x == pl_plot_jitter(i));
		min = fmin(min, x);
		max = fmax(max, x);
	}
	/* and makes use of it */
	assert_true(min < -0.45 && max > 0.45);
}

/* The script of P for FILE; the caller frees. */
static char *script(const struct pl_plot *p, const char *file)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	pl_plot_script(f, p, file);
	fclose(f);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what))) {
		n++;
		text += strlen(what);
	}
	return n;
}

static void the_script_has_every_run(void **state)
{
	double a[] = {1.5, 2.5, 3.25}, b[] = {4.125};
	static struct pl_plot p = {.title = "a \"title\"", .label = "us", .width = 0.5, .nr = 2};
	char *text;

	p.series[0] = (struct pl_plot_series){.v = a, .n = 3, .tick = "kernel", .color = 0x10};
	p.series[1] = (struct pl_plot_series){.x = 1, .v = b, .n = 1, .tick = "libplace"};
	text = script(&p, "/tmp/with \"quotes\".svg");
	assert_non_null(strstr(text, "set terminal svg "));
	assert_non_null(strstr(text, "set output \"/tmp/with \\\"quotes\\\".svg\"\n"));
	assert_non_null(strstr(text, "set title \"a \\\"title\\\"\"\n"));
	assert_non_null(strstr(text, "\"kernel\" 0, \"libplace\" 1"));
	assert_non_null(strstr(text, " 1.5\n"));
	assert_non_null(strstr(text, " 2.5\n"));
	assert_non_null(strstr(text, " 3.25\n"));
	assert_non_null(strstr(text, " 4.125\n"));
	assert_int_equal(count(text, "with boxplot"), 2);
	assert_int_equal(count(text, "with points"), 2);
	assert_null(strstr(text, "logscale"));
	free(text);
	p.logarithmic = true;
	text = script(&p, "x.png");
	assert_non_null(strstr(text, "set terminal pngcairo "));
	assert_non_null(strstr(text, "set logscale y"));
	free(text);
}

static void ratios_have_better_upwards(void **state)
{
	static const struct pl_workload load = {
		.name = "x",
		.metric = {{.key = "us", .label = "us per round", .lower_is_better = true}}};
	static const struct pl_bench_opts opts = {
		.workload = &load,
		.pairs = 1,
		.contender = {[PL_KERNEL] = true, [PL_LIBPLACE] = true}};
	static struct pl_results r[2];
	struct pl_results *both[] = {&r[0], &r[1]};
	static const struct pl_host host;
	static struct pl_plot p;

	for (int i = 0; i < 2; i++) {
		r[i] = (struct pl_results){.opts = &opts, .rounds = 3};
		strcpy(r[i].name, i ? "second" : "first");
		for (int k = 0; k < 3; k++) {
			r[i].run[PL_KERNEL][k] = (struct pl_run){.done = true, .value = {10}};
			/* one run failed */
			r[i].run[PL_LIBPLACE][k] = (struct pl_run){.done = k > 0, .value = {5}};
		}
	}
	assert_true(pl_plot_build(&p, both, 2, &host));
	assert_int_equal(p.nr, 4);
	assert_true(p.ratio);
	assert_int_equal(p.series[0].n, 3);
	assert_true(p.series[0].v[0] == 1);
	/* half the time is twice as good */
	assert_int_equal(p.series[1].n, 2);
	assert_true(p.series[1].v[0] == 2);
	assert_string_equal(p.series[1].tick, "first");
	assert_string_equal(p.series[1].key, "libplace");
	assert_null(p.series[3].key);
	pl_plot_fini(&p);

	assert_true(pl_plot_build(&p, both, 1, &host));
	assert_int_equal(p.nr, 2);
	assert_true(p.series[1].v[0] == 5);
	assert_string_equal(p.series[0].tick, "kernel");
	pl_plot_fini(&p);

	r[0].rounds = 0;
	assert_false(pl_plot_build(&p, both, 1, &host));
}

/* A line each program is known to print, and what is to be read from it. */
static void figures_are_found_in_what_programs_print(void **state)
{
	static const struct {
		const char *name, *output;
		double value;
	} known[] = {
		{"perf-pipe", "     Total time: 0.541 [sec]\n\n       2.706515 usecs/op\n",
		 2.706515},
		{"perf-messaging", "# 20 sender\n\n     Total time: 0.125 [sec]\n", 0.125},
		{"perf-futex-hash", "Averaged 1405132 operations/sec (+- 0.37%), total secs = 1\n",
		 1405132},
		{"perf-futex-wake", "Wokeup 64 of 64 threads in 0.4523 ms (+-2.71%)\n", 0.4523},
		{"hackbench-pipes", "Each sender will pass 100 messages\nTime: 0.072\n", 0.072},
		{"sysbench-cpu", "CPU speed:\n    events per second:  2471.32\n", 2471.32},
		{"sysbench-threads", "    total number of events:              4321\n", 4321},
		{"sysbench-memory", "10 MiB transferred (8123.45 MiB/sec)\n", 8123.45},
		{"sysbench-mutex", "    total time:                          0.1234s\n", 0.1234},
		{"redis-c1", "GET: 1.00\r  throughput summary: 74626.87 requests per second\n",
		 74626.87},
		{"pgbench-unix-c1",
		 "initial connection time = 2 ms\ntps = 9876.5 (without initial connection time)\n",
		 9876.5},
		{"pgbench-tcp-c8",
		 "tps = 11.5 (including connections establishing)\n"
		 "tps = 12.5 (excluding connections establishing)\n",
		 12.5},
		{"nginx-c1", "  12 requests in 1.00s\nRequests/sec:  12345.67\n", 12345.67},
		{"memcached-c1", "requests 10\nrequests_per_s 77.50\n", 77.5},
		{"openblas", "rounds 3\ngflops 12.5\n", 12.5},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct pl_program *p = pl_program_find(known[i].name);
		double v = 0;

		assert_non_null(p);
		assert_true(pl_metric_regex(known[i].output, p->metric, &v));
		assert_true(fabs(v - known[i].value) < 1e-9);
	}
}

static void every_row_of_the_table_is_whole(void **state)
{
	const struct pl_program *p;

	for (size_t i = 0; (p = pl_program_nth(i)); i++) {
		assert_non_null(p->package);
		assert_non_null(p->needs);
		assert_non_null(p->cmd);
		assert_non_null(p->label);
		assert_ptr_equal(pl_program_find(p->name), p);
		assert_true(p->run_s > 0);
		assert_true(p->kernel_ops < p->ops || !p->ops);
		assert_true(!p->server == !p->ready);
		assert_true(!p->ops == !(strstr(p->cmd, "{ops}") ||
					 (p->prepare && strstr(p->prepare, "{ops}"))));
		if (strcmp(p->metric, PL_METRIC_WALL) == 0)
			assert_true(p->lower_is_better);
		else
			assert_null(pl_metric_check(p->metric));
		/* Servers are on the loopback device, and nowhere else. */
		if (p->server)
			assert_non_null(strstr(p->ready, "127.0.0.1:{port}"));
	}
	assert_null(pl_program_find("nosuch"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(templates_are_filled_in),
		cmocka_unit_test(other_braces_stay),
		cmocka_unit_test(cores_come_before_siblings),
		cmocka_unit_test(this_machine_has_cpus),
		cmocka_unit_test(jitter_stays_within_the_box),
		cmocka_unit_test(the_script_has_every_run),
		cmocka_unit_test(ratios_have_better_upwards),
		cmocka_unit_test(figures_are_found_in_what_programs_print),
		cmocka_unit_test(every_row_of_the_table_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
