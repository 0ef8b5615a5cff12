// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Whole machines out of made-up trees, one quirk each; and machines that change while they are
// read.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <hwloc.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "machine/read.h"
#include "machine/tree.h"

static struct tree tree;
static struct pl_machine m;
static struct pl_raw raw;
static struct pl_machine_from from;

static void read_ok(void)
{
	memset(&m, 0xff, sizeof(m));
	assert_int_equal(pl_machine_read(&from, &m, &raw), 0);
	assert_true(pl_machine_is_valid(&m));
}

static void test_nothing_but_cpus(void **state)
{
	tree_put_cpus(&tree, 4, 2);
	read_ok();
	assert_int_equal(m.nr_online, 4);
	assert_int_equal(m.nr_cores, 2);
	assert_int_equal(m.nr_llcs, 1);
	assert_int_equal(m.capacity_source, PL_CAPACITY_EQUAL);
	assert_int_equal(m.nr_classes, 1);
	assert_int_equal(m.cpu[3].priority, 0);
	assert_int_equal(m.cpu[3].flags, 0);
	for (int key = 0; key < PL_RAW_KIND; key++)
		assert_int_equal(raw.v[key][0].state, PL_RAW_ABSENT);
}

/* A guest without cpufreq: hwloc sees no kinds, and acpi_cppc is all there is. */
static void test_cppc_alone(void **state)
{
	tree_put_cpus(&tree, 6, 1);
	/* 0-1 and 2-3 are cores of two threads. */
	for (int c = 0; c < 4; c++) {
		char path[128];

		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/topology/core_cpus", c);
		tree_put(&tree, path, c < 2 ? "3\n" : "c\n");
		snprintf(path, sizeof(path),
			 "sys/devices/system/cpu/cpu%d/topology/thread_siblings", c);
		tree_put(&tree, path, c < 2 ? "3\n" : "c\n");
		tree_put_cpu(&tree, c, "topology/core_id", (unsigned long long)c / 2);
	}
	for (int c = 0; c < 6; c++) {
		tree_put_cpu(&tree, c, "acpi_cppc/highest_perf", c < 2 ? 64 : c < 4 ? 67 : 39);
		tree_put_cpu(&tree, c, "acpi_cppc/nominal_perf", 20);
	}
	read_ok();
	assert_int_equal(m.nr_cores, 4);
	assert_int_equal(m.capacity_source, PL_CAPACITY_PERF);
	assert_int_equal(m.cpu[0].capacity, 1024);
	assert_int_equal(m.cpu[4].capacity, 596);
	assert_int_equal(m.cpu[2].priority, 67);
}

/* One kind of hwloc per capacity: 30 of them, of which two classes become. */
static void test_many_kinds(void **state)
{
	tree_put_cpus(&tree, 60, 2);
	for (int c = 0; c < 60; c++) {
		tree_put_cpu(&tree, c, "cpu_capacity", (unsigned long long)(1024 - c / 2 * 3));
		tree_put_cpu(&tree, c, "acpi_cppc/highest_perf", (unsigned long long)(357 - c / 2));
		tree_put_cpu(&tree, c, "acpi_cppc/nominal_perf", 300);
	}
	read_ok();
	assert_int_equal(m.capacity_source, PL_CAPACITY_ARCH);
	assert_int_equal(m.nr_classes, 2);
	assert_int_equal(m.cpu[34].capacity, 1024); /* 973 */
	assert_int_equal(m.cpu[36].capacity, 970);
	assert_int_equal(m.cpu[59].capacity, 970); /* 937 */
	assert_true(m.asymmetric);
	assert_int_equal(m.cpu[0].priority, 357);
	from.mode = PL_CAPACITY_EXACT;
	read_ok();
	assert_int_equal(m.nr_classes, 30);
	from.mode = PL_CAPACITY_OFF;
	read_ok();
	assert_int_equal(m.nr_classes, 1);
	assert_false(m.asymmetric);
}

/* Base frequencies equal, others not: hwloc then knows no order (efficiency -1). */
static void test_kinds_without_an_order(void **state)
{
	hwloc_topology_t t;
	int efficiency = 0;

	tree_put_cpus(&tree, 4, 1);
	for (int c = 0; c < 4; c++) {
		tree_put_cpu(&tree, c, "cpufreq/cpuinfo_max_freq", c < 2 ? 5000000 : 3700000);
		tree_put_cpu(&tree, c, "cpufreq/base_frequency", 2200000);
	}
	read_ok();
	assert_int_equal(m.capacity_source, PL_CAPACITY_KIND);
	assert_int_equal(m.cpu[0].capacity, 1024);
	assert_int_equal(m.cpu[3].capacity, 757);
	/* The quirk is there. */
	setenv("HWLOC_FSROOT", tree.root, 1);
	setenv("HWLOC_COMPONENTS", "linux,stop", 1);
	assert_int_equal(hwloc_topology_init(&t), 0);
	assert_int_equal(hwloc_topology_load(t), 0);
	assert_int_equal(hwloc_cpukinds_get_nr(t, 0), 2);
	hwloc_cpukinds_get_info(t, 0, NULL, &efficiency, NULL, NULL, 0);
	assert_int_equal(efficiency, -1);
	hwloc_topology_destroy(t);
	unsetenv("HWLOC_FSROOT");
	unsetenv("HWLOC_COMPONENTS");
}

static void put_l2(int cpu, const char *map, const char *size)
{
	char path[128];

	tree_put_cpu(&tree, cpu, "cache/index1/level", 2);
	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/cache/index1/type", cpu);
	tree_put(&tree, path, "Unified\n");
	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/cache/index1/size", cpu);
	tree_put(&tree, path, size);
	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/cache/index1/shared_cpu_map",
		 cpu);
	tree_put(&tree, path, map);
}

static void forget_l3(int cpu)
{
	static const char *const files[] = {"level", "type", "size", "shared_cpu_map"};
	char path[128];

	for (size_t i = 0; i < PL_ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/cache/index0/%s", cpu,
			 files[i]);
		unlink(tree_path(&tree, path));
	}
}

/* CPUs 0-5 on an L3, 2-5 as a cluster on one L2; 6-7 share an L2 beside the L3. */
static void test_cores_without_l3(void **state)
{
	tree_put_cpus(&tree, 8, 1);
	for (int c = 0; c < 8; c++) {
		char path[128];

		put_l2(c, c < 1 ? "01\n" : c < 2 ? "02\n" : c < 6 ? "3c\n" : "c0\n", "2048K\n");
		snprintf(path, sizeof(path),
			 "sys/devices/system/cpu/cpu%d/cache/index0/shared_cpu_map", c);
		if (c < 6)
			tree_put(&tree, path, "3f\n");
		else
			forget_l3(c);
	}
	read_ok();
	assert_int_equal(m.nr_llcs, 2);
	assert_int_equal(pl_machine_llc_size(&m, 0), 6);
	assert_int_equal(pl_machine_llc_size(&m, 6), 2);
	assert_int_equal(m.nr_clusters, 4);
	assert_int_equal(m.cluster[m.cpu[2].cluster].nr, 4);
	assert_int_equal(m.cpu[2].cluster, m.cpu[5].cluster);
	assert_int_not_equal(m.cpu[0].cluster, m.cpu[1].cluster);
	assert_int_equal(m.cpu[6].cluster, m.cpu[7].cluster);
}

/* Firmware without cache tables: one cache of no size over all. The kernel's clusters are then the
 * only thing between core and package. */
static void test_cache_without_size(void **state)
{
	tree_put_cpus(&tree, 8, 1);
	for (int c = 0; c < 8; c++) {
		char path[128];

		forget_l3(c);
		put_l2(c, "ff\n", "0K\n");
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/topology/cluster_cpus",
			 c);
		tree_put(&tree, path, c < 4 ? "0f\n" : "f0\n");
		tree_put_cpu(&tree, c, "topology/cluster_id", (unsigned long long)c / 4);
	}
	read_ok();
	assert_int_equal(m.nr_llcs, 1);
	if (hwloc_get_api_version() < 0x00020500) {
		/* Knows nothing of clusters. */
		assert_int_equal(m.nr_clusters, m.nr_cores);
		return;
	}
	assert_int_equal(m.nr_clusters, 2);
	assert_int_equal(m.cpu[0].cluster, m.cpu[3].cluster);
	assert_int_not_equal(m.cpu[3].cluster, m.cpu[4].cluster);
}

static void test_no_cache_at_all(void **state)
{
	tree_put_cpus(&tree, 4, 2);
	for (int c = 0; c < 4; c++)
		forget_l3(c);
	read_ok();
	assert_int_equal(m.nr_llcs, 1);
	assert_int_equal(m.nr_clusters, m.nr_cores);
}

/* Each value spoils its source, is kept to be shown, and the next source counts. */
static void test_absurd_files(void **state)
{
	static const struct {
		const char *text;
		int raw_state;
	} cases[] = {
		{"0\n", PL_RAW_ABSURD},
		{"1048577\n", PL_RAW_ABSURD},
		{"2147483648\n", PL_RAW_ABSURD},
		{"10", PL_RAW_GARBLED},
		{"", PL_RAW_GARBLED},
		{"N/A\n", PL_RAW_GARBLED},
		{"-5\n", PL_RAW_GARBLED},
	};

	tree_put_cpus(&tree, 4, 1);
	for (int c = 0; c < 4; c++) {
		tree_put_cpu(&tree, c, "cpu_capacity", c ? 1024 : 400);
		tree_put_cpu(&tree, c, "acpi_cppc/nominal_freq", c ? 3000 : 2000);
	}
	read_ok();
	assert_int_equal(m.capacity_source, PL_CAPACITY_ARCH);
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		tree_put(&tree, "sys/devices/system/cpu/cpu2/cpu_capacity", cases[i].text);
		read_ok();
		assert_int_equal(raw.v[PL_RAW_CAPACITY][2].state, cases[i].raw_state);
		assert_int_equal(raw.v[PL_RAW_CAPACITY][0].value, 400);
		assert_int_equal(m.capacity_source, PL_CAPACITY_NOMINAL);
		assert_int_equal(m.cpu[0].capacity, 682);
	}
}

static void test_file_that_cannot_be_read(void **state)
{
	tree_put_cpus(&tree, 4, 1);
	for (int c = 0; c < 4; c++) {
		tree_put_cpu(&tree, c, "cpu_capacity", c ? 1024 : 400);
		tree_put_cpu(&tree, c, "acpi_cppc/nominal_freq", 0); /* that occurs, too */
	}
	unlink(tree_path(&tree, "sys/devices/system/cpu/cpu1/cpu_capacity"));
	assert_int_equal(symlink("/proc/self/mem",
				 tree_path(&tree, "sys/devices/system/cpu/cpu1/cpu_capacity")),
			 0);
	read_ok();
	assert_int_equal(raw.v[PL_RAW_CAPACITY][1].state, PL_RAW_UNREADABLE);
	assert_int_equal(raw.v[PL_RAW_CAPACITY][1].value, EIO);
	assert_int_equal(raw.v[PL_RAW_NOMINAL_FREQ][0].state, PL_RAW_ABSURD);
	assert_int_equal(m.capacity_source, PL_CAPACITY_EQUAL);
}

static void test_below_nominal(void **state)
{
	tree_put_cpus(&tree, 2, 1);
	for (int c = 0; c < 2; c++) {
		tree_put_cpu(&tree, c, "acpi_cppc/highest_perf", c ? 100 : 30);
		tree_put_cpu(&tree, c, "acpi_cppc/nominal_perf", 50);
	}
	tree_put(&tree, "sys/devices/cpu_core/cpus", "1\n");
	tree_put(&tree, "sys/devices/cpu_atom/cpus", "0\n");
	read_ok();
	assert_int_equal(raw.v[PL_RAW_PERF][0].state, PL_RAW_CONTRADICTS);
	assert_int_equal(raw.v[PL_RAW_PERF][0].value, 30);
	/* From 2.12 on hwloc ranks these core types without frequencies, and its kinds are next. */
	assert_int_equal(m.capacity_source, hwloc_get_api_version() < 0x00020c00
						    ? PL_CAPACITY_EQUAL
						    : PL_CAPACITY_KIND);
	tree_put_cpu(&tree, 0, "acpi_cppc/nominal_perf", 30);
	read_ok();
	assert_int_equal(m.capacity_source, PL_CAPACITY_PERF);
	assert_int_equal(m.cpu[0].capacity, 307);
}

static void test_flags(void **state)
{
	tree_put_cpus(&tree, 4, 1);
	tree_put(&tree, "sys/devices/system/cpu/isolated", "1-2\n");
	tree_put(&tree, "sys/devices/system/cpu/nohz_full", "2-99\n");
	read_ok();
	assert_int_equal(m.cpu[0].flags, 0);
	assert_int_equal(m.cpu[1].flags, PL_CPU_ISOLATED);
	assert_int_equal(m.cpu[2].flags, PL_CPU_ISOLATED | PL_CPU_TICKLESS);
	assert_int_equal(m.cpu[3].flags, PL_CPU_TICKLESS);
	tree_put(&tree, "sys/devices/system/cpu/isolated", "\n");
	tree_put(&tree, "sys/devices/system/cpu/nohz_full", "(null)\n");
	read_ok();
	for (int c = 0; c < 4; c++)
		assert_int_equal(m.cpu[c].flags, 0);
}

static void put_node(int node, const char *cpus, const char *distance)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/devices/system/node/node%d/cpumap", node);
	tree_put(&tree, path, cpus);
	snprintf(path, sizeof(path), "sys/devices/system/node/node%d/distance", node);
	tree_put(&tree, path, distance);
	snprintf(path, sizeof(path), "sys/devices/system/node/node%d/meminfo", node);
	tree_put(&tree, path, "Node 0 MemTotal:  1048576 kB\n");
}

/* Node numbers with holes, and a node that is memory alone. */
static void test_nodes(void **state)
{
	tree_put_cpus(&tree, 4, 1);
	tree_put(&tree, "sys/devices/system/node/online", "0,8,9\n");
	tree_put(&tree, "sys/devices/system/node/possible", "0,8,9\n");
	put_node(0, "3\n", "10 21 17\n");
	put_node(8, "c\n", "21 10 28\n");
	put_node(9, "0\n", "17 28 10\n");
	read_ok();
	assert_int_equal(m.nr_nodes, 2);
	assert_int_equal(m.cpu[0].node, 0);
	assert_int_equal(m.cpu[3].node, 8);
	assert_int_equal(m.distance[0][0], 10);
	assert_int_equal(m.distance[0][8], 21);
	assert_int_equal(m.distance[8][0], 21);
	assert_int_equal(m.distance[0][9], 17);
	assert_int_equal(m.distance[8][9], 28);
	assert_int_equal(m.distance[1][1], 0);
}

static void test_offline(void **state)
{
	tree_put_cpus(&tree, 8, 2);
	tree_put(&tree, "sys/devices/system/cpu/online", "1-4,6-7\n"); /* not even CPU 0 */
	read_ok();
	assert_int_equal(m.nr_online, 6);
	assert_false(pl_machine_has(&m, 0));
	assert_false(pl_machine_has(&m, 5));
	assert_int_equal(m.nr_cores, 4);
	assert_int_equal(m.cpu[1].nr_siblings, 1);
	assert_int_equal(m.cpu[2].nr_siblings, 2);
	assert_int_equal(raw.v[PL_RAW_CAPACITY][0].state, PL_RAW_ABSENT);
}

/* Settings of the user describe another machine to hwloc. */
static void test_user_settings(void **state)
{
	tree_put_cpus(&tree, 4, 1);
	setenv("HWLOC_XMLFILE", "/nonexistent.xml", 1);
	setenv("HWLOC_SYNTHETIC", "core:2 pu:1", 1);
	read_ok();
	assert_int_equal(m.nr_online, 4);
	/* Ours are gone as well: this machine is read next. */
	assert_null(getenv("HWLOC_FSROOT"));
	from.sysfs.root = NULL;
	read_ok();
	assert_int_equal(m.nr_online, sysconf(_SC_NPROCESSORS_ONLN));
}

/* An XML file beside a tree: topology from one, values from the other. */
static void test_xml_with_tree(void **state)
{
	hwloc_topology_t t;
	char xml[128];
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	struct hwloc_info_s info = {.name = (char[]){"LinuxCapacity"}, .value = (char[]){"500"}};

	snprintf(xml, sizeof(xml), "%s", tree_path(&tree, "machine.xml"));
	assert_int_equal(hwloc_topology_init(&t), 0);
	assert_int_equal(hwloc_topology_set_synthetic(t, "pack:1 core:4 pu:1"), 0);
	assert_int_equal(hwloc_topology_load(t), 0);
	/* A kind may name CPUs that do not exist, here 3-40 of 0-3. */
	hwloc_bitmap_set_range(cpus, 3, 40);
	assert_int_equal(hwloc_cpukinds_register(t, cpus, 0, 1, &info, 0), 0);
	hwloc_bitmap_zero(cpus);
	hwloc_bitmap_set_range(cpus, 0, 2);
	info.value = (char[]){"1000"};
	assert_int_equal(hwloc_cpukinds_register(t, cpus, 1, 1, &info, 0), 0);
	assert_int_equal(hwloc_topology_export_xml(t, xml, 0), 0);
	hwloc_topology_destroy(t);
	hwloc_bitmap_free(cpus);

	from.xml = xml;
	from.sysfs.root = NULL;
	read_ok();
	assert_int_equal(m.nr_online, 4);
	assert_int_equal(m.capacity_source, PL_CAPACITY_ARCH);
	assert_int_equal(m.cpu[3].capacity, 512);
	for (int c = 0; c < 4; c++)
		tree_put_cpu(&tree, c, "cpu_capacity", c ? 1024 : 256);
	from.sysfs.root = tree.root;
	read_ok();
	assert_int_equal(m.cpu[0].capacity, 256);
	assert_int_equal(m.cpu[3].capacity, 1024);
}

/* What a made-up reader knows. */
static struct reader {
	int nr_slow, changes_left;
} reader;

static int plain_read(const char *path, char *buf, size_t size)
{
	struct pl_sysfs plain = {.root = tree.root};
	int n = pl_sysfs_read(&plain, path, buf, size);

	return n == -E2BIG ? (int)size : n;
}

static int slow_cppc(void *ctx, const char *path, char *buf, size_t size)
{
	struct timespec ten_ms = {.tv_nsec = 10 * 1000 * 1000};

	if (strstr(path, "acpi_cppc/highest_perf")) {
		nanosleep(&ten_ms, NULL);
		reader.nr_slow++;
	}
	return plain_read(path, buf, size);
}

/* Firmware that answers in 10 ms: its files are given up, the others are not. */
static void test_slow_files(void **state)
{
	tree_put_cpus(&tree, 64, 1);
	for (int c = 0; c < 64; c++) {
		tree_put_cpu(&tree, c, "acpi_cppc/highest_perf", c < 32 ? 100 : 50);
		tree_put_cpu(&tree, c, "acpi_cppc/nominal_freq", c < 32 ? 3000 : 1500);
	}
	from.sysfs.read = slow_cppc;
	from.sysfs.slow_ns = 50 * PL_NS_PER_MS;
	reader.nr_slow = 0;
	read_ok();
	assert_in_range(reader.nr_slow, 1, 6);
	assert_int_equal(raw.v[PL_RAW_PERF][63].state, PL_RAW_SLOW);
	assert_int_equal(raw.v[PL_RAW_NOMINAL_FREQ][63].state, PL_RAW_GOOD);
	assert_int_equal(m.capacity_source, PL_CAPACITY_NOMINAL);
	assert_int_equal(m.cpu[63].capacity, 512);
}

static int faulting_cppc(void *ctx, const char *path, char *buf, size_t size)
{
	return strstr(path, "cpu1/acpi_cppc/") ? -EFAULT : plain_read(path, buf, size);
}

static void test_faulting_files(void **state)
{
	tree_put_cpus(&tree, 2, 1);
	tree_put_cpu(&tree, 0, "acpi_cppc/nominal_freq", 3000);
	/* No file for the other: hwloc would read it, past the fault. */
	from.sysfs.read = faulting_cppc;
	read_ok();
	assert_int_equal(raw.v[PL_RAW_NOMINAL_FREQ][1].state, PL_RAW_UNREADABLE);
	assert_int_equal(raw.v[PL_RAW_NOMINAL_FREQ][1].value, EFAULT);
	assert_int_equal(m.capacity_source, PL_CAPACITY_EQUAL);
}

/* With every round of reading, as long as changes are left, another number of CPUs is online. */
static int changing(void *ctx, const char *path, char *buf, size_t size)
{
	char list[32];

	if (strcmp(path, "sys/devices/system/cpu/cpu1/cpu_capacity") == 0 &&
	    reader.changes_left > 0) {
		snprintf(list, sizeof(list), "0-%d\n", reader.changes_left-- % 2 ? 3 : 5);
		tree_put(&tree, "sys/devices/system/cpu/online", list);
	}
	return plain_read(path, buf, size);
}

static void test_change_between_reads(void **state)
{
	tree_put_cpus(&tree, 8, 1);
	from.sysfs.read = changing;
	for (int changes = 1; changes <= 3; changes++) {
		tree_put(&tree, "sys/devices/system/cpu/online", "0-7\n");
		reader.changes_left = changes;
		read_ok();
		assert_int_equal(reader.changes_left, 0);
		assert_int_equal(m.nr_online, 4); /* the last list that was written */
		assert_int_equal(m.nr_cpu_ids, 4);
	}
}

/* It never stands still: no model rather than a mixed one. */
static void test_no_rest(void **state)
{
	static struct pl_machine before;

	tree_put_cpus(&tree, 8, 1);
	from.sysfs.read = changing;
	reader.changes_left = 1000;
	memset(&before, 0x5a, sizeof(before));
	m = before;
	assert_int_equal(pl_machine_read(&from, &m, &raw), -EAGAIN);
	assert_memory_equal(&m, &before, sizeof(m));
	assert_in_range(reader.changes_left, 990, 999);
}

static void test_failure(void **state)
{
	from.xml = tree_path(&tree, "none.xml");
	assert_int_equal(pl_machine_read(&from, &m, NULL), -EINVAL);
}

/* As many CPUs as there is room for. */
static void test_4096_cpus(void **state)
{
	hwloc_topology_t t;
	char xml[128];

	snprintf(xml, sizeof(xml), "%s", tree_path(&tree, "machine.xml"));
	assert_int_equal(hwloc_topology_init(&t), 0);
	assert_int_equal(hwloc_topology_set_synthetic(t, "pack:8 [numa] l3:16 l2:4 core:4 pu:2"),
			 0);
	assert_int_equal(hwloc_topology_load(t), 0);
	assert_int_equal(hwloc_topology_export_xml(t, xml, 0), 0);
	hwloc_topology_destroy(t);
	from.xml = xml;
	from.sysfs.root = NULL;
	read_ok();
	assert_int_equal(m.nr_online, 4096);
	assert_int_equal(m.nr_cores, 2048);
	assert_int_equal(m.nr_clusters, 512);
	assert_int_equal(m.nr_llcs, 128);
	assert_int_equal(m.nr_packages, 8);
	assert_int_equal(m.nr_nodes, 8);
	assert_int_equal(m.cpu[4095].core, 2047);
	assert_int_equal(m.cpu[4095].cluster, 511);
	assert_int_equal(m.distance[7][7], 10);
}

static int new_tree(void **state)
{
	tree_new(&tree);
	from = (struct pl_machine_from){.sysfs.root = tree.root};
	return 0;
}

static int remove_tree(void **state)
{
	tree_remove(&tree);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_tree, remove_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nothing_but_cpus),
		TEST(test_cppc_alone),
		TEST(test_many_kinds),
		TEST(test_kinds_without_an_order),
		TEST(test_cores_without_l3),
		TEST(test_cache_without_size),
		TEST(test_no_cache_at_all),
		TEST(test_absurd_files),
		TEST(test_file_that_cannot_be_read),
		TEST(test_below_nominal),
		TEST(test_flags),
		TEST(test_nodes),
		TEST(test_offline),
		TEST(test_user_settings),
		TEST(test_xml_with_tree),
		TEST(test_slow_files),
		TEST(test_faulting_files),
		TEST(test_change_between_reads),
		TEST(test_no_rest),
		TEST(test_failure),
		TEST(test_4096_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
