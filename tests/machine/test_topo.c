// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// `place topo` as its users meet it: what it prints, as text and JSON, and how it fails.
#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "helper/helper.h"
#include "machine/tree.h"

enum { UNREADABLE = 1, USAGE = 2, MAX_ARGS = 6 };

static struct tree tree;
static char root_env[128];
static struct helper_child c;

/* Runs PROGRAM topo with the arguments, ended by NULL, on the tree. */
static void run_program(const char *program, const char *const *args)
{
	const char *argv[MAX_ARGS + 3] = {program, "topo"};
	const char *const env[] = {root_env, "LIBPLACE_CAPACITY", "HWLOC_SYNTHETIC=core:3 pu:1",
				   NULL};

	for (int i = 0; args[i]; i++) {
		assert_in_range(i, 0, MAX_ARGS - 1);
		argv[i + 2] = args[i];
	}
	helper_child_free(&c);
	c = (struct helper_child){.argv = argv, .env = env, .preload = ""};
	assert_int_equal(helper_child_run(&c), 0);
}

#define RUN(...) run_program(helper_place(), (const char *const[]){__VA_ARGS__, NULL})

static void assert_line(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("no '%s' in:\n%s", line, text);
}

static void test_text(void **state)
{
	RUN(NULL);
	assert_true(helper_child_exited(&c, 0));
	assert_string_equal(c.err, "");
	assert_string_equal(c.out,
			    "4 CPUs online, 2 cores of up to 2 CPUs, 2 clusters, 1 LLC, 1 package, "
			    "1 node with CPUs\n"
			    "package 0: CPUs 0-3\n"
			    "  LLC 0, node 0: CPUs 0-3\n"
			    "    cores: 0-1 2-3\n"
			    "capacity: unequal; source cpu_capacity; mode group\n"
			    "  class 0, capacity 1024: CPUs 2-3\n"
			    "  class 1, capacity 500: CPUs 0-1\n"
			    "  capped to 512 now: CPUs 3\n"
			    "  priority 166 to 236 in 2 steps (-v lists them)\n"
			    "isolated: CPUs 1\n");
}

static void test_verbose(void **state)
{
	RUN("-v");
	assert_true(helper_child_exited(&c, 0));
	assert_line(c.out, "  priority 236: CPUs 2-3\n  priority 166: CPUs 0-1\n");
	assert_line(c.out, "  cpu_capacity                           differs\n");
	assert_line(c.out, "  acpi_cppc/nominal_freq                 not for every core\n");
	assert_line(c.out, "  cpu_capacity                           500: CPUs 0-1\n");
	assert_line(c.out, "  acpi_cppc/nominal_freq                 0 skipped, absurd: CPUs 1\n");
	assert_line(c.out,
		    "  acpi_cppc/nominal_freq                 skipped, not a number: CPUs 0\n");
	assert_line(c.out, "rules of kernel 7.2.0-test\n");
	assert_line(c.out, "  R9 misfit tasks to idle cores              kernel, by its version\n");
	assert_line(c.out, "  R13 balancer on an idle core               libplace\n");
	assert_line(c.out, "a sched_ext scheduler is loaded: libplace only observes\n");
}

static void test_mode(void **state)
{
	RUN("--capacity=off");
	assert_line(c.out, "capacity: equal; source cpu_capacity; mode off\n");
	RUN("--capacity", "auto");
	assert_line(c.out, "capacity: unequal; source cpu_capacity; mode group\n");
}

static void test_json(void **state)
{
	json_error_t err;
	json_t *all, *cpu;

	RUN("--json");
	assert_true(helper_child_exited(&c, 0));
	all = json_loads(c.out, 0, &err);
	if (!all)
		fail_msg("line %d: %s", err.line, err.text);
	assert_int_equal(json_integer_value(json_object_get(all, "online")), 4);
	assert_true(json_is_true(json_object_get(all, "asymmetric")));
	assert_string_equal(json_string_value(json_object_get(all, "capacity_source")),
			    "cpu_capacity");
	assert_int_equal(json_array_size(json_object_get(all, "cpus")), 4);
	assert_int_equal(json_array_size(json_object_get(all, "sources")), 5);
	cpu = json_array_get(json_object_get(all, "cpus"), 3);
	assert_int_equal(json_integer_value(json_object_get(cpu, "cpu")), 3);
	assert_int_equal(json_integer_value(json_object_get(cpu, "core")), 1);
	assert_int_equal(json_integer_value(json_object_get(cpu, "capacity")), 1024);
	assert_int_equal(json_integer_value(json_object_get(cpu, "actual")), 512);
	assert_int_equal(json_integer_value(json_object_get(cpu, "priority")), 236);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(cpu, "raw"),
							    "cpufreq/cpuinfo_max_freq")),
			 4000000);
	cpu = json_array_get(json_object_get(all, "cpus"), 1);
	assert_true(json_is_true(json_object_get(cpu, "isolated")));
	cpu = json_object_get(json_object_get(cpu, "raw"), "acpi_cppc/nominal_freq");
	assert_string_equal(json_string_value(json_object_get(cpu, "skipped")), "absurd");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(all, "kernel"), "release")),
		"7.2.0-test");
	json_decref(all);
}

/* One line that says what is wrong, and nothing on standard output. */
static void assert_fails(int status, const char *message)
{
	assert_true(helper_child_exited(&c, status));
	assert_string_equal(c.out, "");
	assert_line(c.err, message);
	if (status == UNREADABLE)
		assert_ptr_equal(strchr(c.err, '\n'), c.err + c.err_len - 1);
}

static void test_errors(void **state)
{
	char text[256];

	RUN("--capacity=most");
	assert_fails(USAGE,
		     "place topo: no capacity mode 'most': it is auto, group, exact, packing "
		     "or off\n");
	RUN("--no-such-option");
	assert_fails(USAGE, "usage: place topo ");
	RUN("machine.xml");
	assert_fails(USAGE, "place topo: what is 'machine.xml'?");
	RUN("--xml", "/nonexistent.xml");
	assert_fails(UNREADABLE,
		     "place topo: cannot read '/nonexistent.xml': No such file or directory\n");
	snprintf(text, sizeof(text), "place topo: '%s' is no hwloc XML file\n",
		 tree_path(&tree, "not.xml"));
	RUN("--xml", tree_path(&tree, "not.xml"));
	assert_fails(UNREADABLE, text);
	RUN("--help");
	assert_true(helper_child_exited(&c, 0));
	assert_line(c.out, "usage: place topo ");
}

/* `place run` takes the same modes, and hands them on. */
static void test_run_capacity(void **state)
{
	const char *const bad[] = {helper_place(), "run", "--capacity=most", "true", NULL};
	const char *const good[] = {
		helper_place(),	     "run", "--policy=off", "--capacity=exact", "printenv",
		"LIBPLACE_CAPACITY", NULL};

	helper_child_free(&c);
	c = (struct helper_child){.argv = bad, .preload = ""};
	assert_int_equal(helper_child_run(&c), 0);
	assert_fails(USAGE, "place run: no capacity mode 'most': it is auto, group, exact, packing "
			    "or off\n");
	helper_child_free(&c);
	c = (struct helper_child){.argv = good, .preload = ""};
	assert_int_equal(helper_child_run(&c), 0);
	assert_true(helper_child_exited(&c, 0));
	assert_string_equal(c.out, "exact\n");
}

static void test_full_disk(void **state)
{
	const char *const argv[] = {"sh", "-c", "exec \"$0\" topo >/dev/full", helper_place(),
				    NULL};
	const char *const env[] = {root_env, NULL};

	helper_child_free(&c);
	c = (struct helper_child){.argv = argv, .env = env, .preload = ""};
	assert_int_equal(helper_child_run(&c), 0);
	assert_fails(UNREADABLE, "place topo: cannot write the report: No space left on device\n");
}

/* A process with more rights than its user reads no tree of that user. */
static void test_set_uid(void **state)
{
	char copy[128] = "/tmp/libplace-test-XXXXXX", online[32];
	const char *const cp[] = {"cp", helper_place(), copy, NULL};
	struct helper_child copying = {.argv = cp, .preload = ""};
	struct statvfs vfs;
	int fd;

	if (geteuid() != 0 || statvfs("/tmp", &vfs) != 0 || (vfs.f_flag & ST_NOSUID) ||
	    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)) {
		helper_skipped("no set-uid program can be made here");
		return;
	}
	fd = mkstemp(copy);
	assert_return_code(fd, errno);
	assert_int_equal(helper_child_run(&copying), 0);
	helper_child_free(&copying);
	assert_return_code(fchown(fd, 65534, 65534), errno);
	assert_return_code(fchmod(fd, 04755), errno);
	close(fd);
	run_program(copy, (const char *const[]){NULL});
	unlink(copy);
	if (!helper_child_exited(&c, 0)) {
		helper_skipped("the set-uid copy does not start here");
		return;
	}
	snprintf(online, sizeof(online), "%ld CPU", sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(strncmp(c.out, online, strlen(online)), 0);
	assert_null(strstr(c.out, "isolated: CPUs 1\n"));
}

static int make_tree(void **state)
{
	tree_new(&tree);
	tree_put_cpus(&tree, 4, 2);
	for (int cpu = 0; cpu < 4; cpu++) {
		tree_put_cpu(&tree, cpu, "cpu_capacity", cpu < 2 ? 500 : 1024);
		tree_put_cpu(&tree, cpu, "cpufreq/cpuinfo_max_freq", 4000000);
		tree_put_cpu(&tree, cpu, "cpufreq/scaling_max_freq", cpu == 3 ? 2000000 : 4000000);
		tree_put_cpu(&tree, cpu, "cpufreq/amd_pstate_prefcore_ranking",
			     cpu < 2 ? 166 : 236);
		tree_put_cpu(&tree, cpu, "acpi_cppc/nominal_freq", cpu == 1 ? 0 : 2000);
	}
	tree_put(&tree, "sys/devices/system/cpu/cpu0/acpi_cppc/nominal_freq", "200");
	tree_put(&tree, "sys/devices/system/cpu/isolated", "1\n");
	tree_put(&tree, "sys/kernel/sched_ext/state", "enabled\n");
	tree_put(&tree, "proc/sys/kernel/osrelease", "7.2.0-test\n");
	tree_put(&tree, "not.xml", "<no>");
	snprintf(root_env, sizeof(root_env), "LIBPLACE_SYSFS_ROOT=%s", tree.root);
	return 0;
}

static int remove_tree(void **state)
{
	helper_child_free(&c);
	tree_remove(&tree);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),	cmocka_unit_test(test_verbose),
		cmocka_unit_test(test_mode),	cmocka_unit_test(test_json),
		cmocka_unit_test(test_errors),	cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_set_uid), cmocka_unit_test(test_run_capacity),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
