// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The rows of `place bench all --full`: the table, the time they take, and what they say together.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tools/bench/estimate.h"
#include "tools/bench/overall.h"
#include "tools/bench/rows.h"

/* Every row is a load with options that the command line has, too. */
static void rows_are_loads_with_options(void **state)
{
	const struct pl_row *row;
	unsigned int sets = 0;
	char text[256];

	for (size_t i = 0; (row = pl_row_nth(i)); i++) {
		struct pl_bench_opts o = {.pairs = 1};

		assert_ptr_equal(pl_row_find(row->name), row);
		assert_null(pl_workload_find(row->name));
		assert_null(pl_program_find(row->name));
		assert_non_null(pl_set_name(row->sets));
		assert_true(row->run_s > 0);
		sets |= row->sets;
		assert_true(pl_options_load(&o, row->name));
		assert_string_equal(pl_bench_name(&o), row->name);
		assert_string_equal(o.workload->name, row->load);
		assert_int_equal(pl_bench_sets(&o), row->sets);
	}
	assert_int_equal(sets | PL_SET_PROGRAMS, PL_ROW_WHOLE);
	pl_row_options(pl_row_find("wakeup-w240"), text, sizeof(text));
	assert_string_equal(text, "wakeup --seconds 0.5 --workers 240");
	pl_row_options(pl_row_find("compute-t2-hog"), text, sizeof(text));
	assert_string_equal(text, "compute --seconds 0.5 --threads 2 --beside-hog");
	pl_row_options(pl_row_find("pipe-work10"), text, sizeof(text));
	assert_string_equal(text, "pipe --processes --work 10 --seconds 0.5");
}

static void sets_are_a_list(void **state)
{
	assert_int_equal(pl_sets_parse("handoff"), PL_SET_HANDOFF);
	assert_int_equal(pl_sets_parse("programs,no-harm"), PL_SET_PROGRAMS | PL_SET_NO_HARM);
	assert_int_equal(pl_sets_parse("handoff,nosuch"), 0);
	assert_int_equal(pl_sets_parse(""), 0);
	assert_int_equal(pl_program_sets(pl_program_find("redis-c1")),
			 PL_SET_PROGRAMS | PL_SET_HANDOFF);
	assert_int_equal(pl_program_sets(pl_program_find("redis-c50")), PL_SET_PROGRAMS);
}

/* The command line comes after the row, so it wins. */
static void options_of_a_row_come_first(void **state)
{
	struct pl_bench_opts o = {.pairs = 1, .nr_pass = 1, .pass = {{"workers", "7"}}};

	assert_true(pl_options_load(&o, "wakeup-w40"));
	assert_int_equal(o.nr_pass, 3);
	assert_string_equal(o.pass[0][0], "seconds");
	assert_string_equal(o.pass[1][1], "40");
	assert_string_equal(o.pass[2][1], "7");
}

static void the_estimate_counts_contenders_and_runs(void **state)
{
	struct pl_bench_opts o = {.pairs = 1, .runs = 9, .pause_s = 0.1};
	double run = pl_row_find("wakeup-w8")->run_s + 0.1;

	assert_true(pl_options_load(&o, "wakeup-w8"));
	o.contender[PL_KERNEL] = o.contender[PL_LIBPLACE] = true;
	assert_true(fabs(pl_estimate(&o) - 18 * run) < 1e-6);
	/* It makes no sense for this load, so it does not run. */
	o.contender[PL_ONE_CPU] = true;
	assert_true(fabs(pl_estimate(&o) - 18 * run) < 1e-6);
	o.runs = 3;
	assert_true(fabs(pl_estimate(&o) - 6 * run) < 1e-6);
}

#define ROUNDS 9

/* A row with runs that do not vary: VALUE and CPU seconds an operation. */
static void give(struct pl_results *r, enum pl_contender c, double value, double cpu)
{
	r->rounds = ROUNDS;
	for (int i = 0; i < ROUNDS; i++)
		r->run[c][i] = (struct pl_run){
			.done = true, .value = {value}, .cpu_s_per_op = cpu, .cross = 1};
}

static void bars_of_all_rows_follow_from_the_runs(void **state)
{
	static struct pl_bench_opts opts[3] = {{.pairs = 1}, {.pairs = 1}, {.pairs = 1}};
	static const char *const names[] = {"pipe-processes", "futex-threads", "web-c8"};
	static struct pl_results r[3];
	struct pl_results *all[] = {&r[0], &r[1], &r[2]};
	struct pl_overall o;

	for (int i = 0; i < 3; i++) {
		assert_true(pl_options_load(&opts[i], names[i]));
		r[i].opts = &opts[i];
		strcpy(r[i].name, names[i]);
	}
	/* us per round, less is better: 8 and 2 times faster than the kernel */
	give(&r[0], PL_KERNEL, 16, 3);
	give(&r[0], PL_CONTROL, 16, 3);
	give(&r[0], PL_LIBPLACE, 2, 1);
	give(&r[0], PL_ONE_CPU, 2, 1);
	give(&r[1], PL_KERNEL, 8, 3);
	give(&r[1], PL_CONTROL, 10, 3);
	give(&r[1], PL_LIBPLACE, 4, 1.5);
	give(&r[1], PL_ONE_CPU, 2, 1);
	/* requests/s, more is better */
	give(&r[2], PL_KERNEL, 100, 1);
	give(&r[2], PL_CONTROL, 100, 1);
	give(&r[2], PL_LIBPLACE, 98, 1);

	pl_overall(all, 3, PL_OVER_HAND, &o);
	assert_int_equal(o.rows, 2);
	assert_int_equal(o.failed, 1);
	assert_string_equal(o.worst, "futex-threads");
	assert_true(fabs(o.worst_ratio - 0.5) < 1e-9);
	assert_int_equal(o.verdict, PL_BAR_FAIL);
	pl_overall(all, 3, PL_OVER_HAND_MEAN, &o);
	assert_true(fabs(o.ratio.mid - sqrt(0.5)) < 1e-9);
	pl_overall(all, 3, PL_OVER_SPREAD, &o);
	assert_true(fabs(o.ratio.mid - 4) < 1e-9);
	assert_int_equal(o.verdict, PL_BAR_PASS);
	pl_overall(all, 3, PL_OVER_CPU, &o);
	assert_true(fabs(o.worst_ratio - 1.5) < 1e-9);
	assert_int_equal(o.verdict, PL_BAR_FAIL);
	pl_overall(all, 1, PL_OVER_CPU, &o);
	assert_int_equal(o.verdict, PL_BAR_PASS);
	pl_overall(all, 3, PL_OVER_OTHER, &o);
	assert_int_equal(o.rows, 1);
	assert_int_equal(o.verdict, PL_BAR_PASS);
	pl_overall(all, 3, PL_OVER_OTHER_MEAN, &o);
	assert_int_equal(o.verdict, PL_BAR_FAIL);
	pl_overall(all, 3, PL_OVER_CONTROL, &o);
	assert_int_equal(o.rows, 3);
	assert_int_equal(o.failed, 1);
	assert_string_equal(o.worst, "futex-threads");
	pl_overall(all, 0, PL_OVER_CONTROL, &o);
	assert_int_equal(o.rows, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_loads_with_options),
		cmocka_unit_test(sets_are_a_list),
		cmocka_unit_test(options_of_a_row_come_first),
		cmocka_unit_test(the_estimate_counts_contenders_and_runs),
		cmocka_unit_test(bars_of_all_rows_follow_from_the_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
