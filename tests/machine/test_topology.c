// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Machines as hwloc tells them: the one we run on, made-up ones with one quirk each, and recorded
// ones from the directory LIBPLACE_CORPUS. All must end in a usable model.
#include <errno.h>
#include <glob.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <hwloc.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "helper/helper.h"
#include "machine/topology.h"

static struct pl_machine m;

/* What the CPUs of the model say, to compare with its sums. */
static struct {
	unsigned int online, cores, llcs, nodes;
	unsigned int core_size[PL_MAX_CPUS], llc_size[PL_MAX_CPUS];
	bool node[PL_NO_ID + 1];
} seen;

/* False when cores or LLCs are not numbered from 0 in the order of their first CPUs. */
static bool count_groups(void)
{
	memset(&seen, 0, sizeof(seen));
	for (int c = 0; c < PL_MAX_CPUS; c++) {
		const struct pl_cpu *cpu = &m.cpu[c];

		if (!pl_machine_has(&m, c))
			continue;
		if (cpu->core > seen.cores || cpu->llc > seen.llcs || cpu->core >= PL_MAX_CPUS)
			return false;
		seen.online++;
		seen.cores += cpu->core == seen.cores;
		seen.llcs += cpu->llc == seen.llcs;
		seen.core_size[cpu->core]++;
		seen.llc_size[cpu->llc]++;
		seen.nodes += cpu->node != PL_NO_ID && !seen.node[cpu->node];
		seen.node[cpu->node] = true;
	}
	return true;
}

static bool is_consistent_cpu(int c)
{
	const struct pl_cpu *cpu = &m.cpu[c];
	struct pl_cpumask core;

	if (!pl_machine_has(&m, c))
		return cpu->capacity == 0;
	pl_machine_core_mask(&m, c, &core);
	for (int s = 0; s < m.nr_cpu_ids; s++)
		if (pl_cpumask_has(&core, s) && m.cpu[s].llc != cpu->llc)
			return false;
	return cpu->capacity == 1024 && cpu->nr_siblings <= m.smt &&
	       cpu->nr_siblings == seen.core_size[cpu->core] &&
	       cpu->nr_siblings == pl_cpumask_weight(&core) &&
	       pl_machine_llc_size(&m, c) == (int)seen.llc_size[cpu->llc];
}

/* Cores and LLCs partition the CPUs, and every field is what it says it is. */
static void assert_model(const char *name)
{
	bool ok = pl_machine_is_valid(&m) && count_groups();

	ok = ok && m.nr_online == seen.online && m.nr_cores == seen.cores &&
	     m.nr_llcs == seen.llcs && m.nr_nodes == (seen.nodes ? seen.nodes : 1) &&
	     pl_machine_has(&m, m.nr_cpu_ids - 1);
	for (int c = 0; c < PL_MAX_CPUS && ok; c++)
		ok = is_consistent_cpu(c);
	if (!ok)
		fail_msg("%s: the model contradicts itself", name);
}

/* The kernel's list of online CPUs as a set; false when it cannot be read. */
static bool online_cpus(hwloc_bitmap_t set)
{
	char text[4096];
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	bool ok = f && fgets(text, sizeof(text), f);

	if (f)
		fclose(f);
	return ok && hwloc_bitmap_list_sscanf(set, text) == 0;
}

static void test_live(void **state)
{
	hwloc_bitmap_t online = hwloc_bitmap_alloc();

	memset(&m, 0xff, sizeof(m));
	assert_int_equal(pl_topology_read(&m, NULL, NULL, NULL), 0);
	assert_model("this machine");
	if (!online_cpus(online)) {
		helper_skipped("the kernel's list of online CPUs cannot be read");
	} else {
		for (int c = 0; c < PL_MAX_CPUS; c++)
			assert_int_equal(pl_machine_has(&m, c), hwloc_bitmap_isset(online, c));
		assert_int_equal(m.nr_online, hwloc_bitmap_weight(online));
	}
	hwloc_bitmap_free(online);
}

/* A keeper that an administrator or a container confines still describes the whole machine. */
static void test_live_is_not_this_process_affinity(void **state)
{
	cpu_set_t all, one;
	static struct pl_machine whole;
	int cpu = 0;

	assert_int_equal(pl_topology_read(&whole, NULL, NULL, NULL), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(pl_topology_read(&m, NULL, NULL, NULL), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(CPU_COUNT(&one), 1);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	assert_memory_equal(&m, &whole, sizeof(m));
}

static void test_settings_of_the_user_are_ignored(void **state)
{
	static struct pl_machine before;

	assert_int_equal(pl_topology_read(&before, NULL, NULL, NULL), 0);
	setenv("HWLOC_SYNTHETIC", "pack:3 core:5 pu:7", 1);
	setenv("HWLOC_XMLFILE", "/nonexistent.xml", 1);
	setenv("HWLOC_COMPONENTS", "-linux", 1);
	setenv("HWLOC_FSROOT", "/nonexistent", 1);
	assert_int_equal(pl_topology_read(&m, NULL, NULL, NULL), 0);
	assert_memory_equal(&m, &before, sizeof(m));
}

/*
 * Reads the machine that hwloc makes of DESCRIPTION, by way of an XML file. ALLOWED: list of the
 * CPUs that the recording process could use, NULL: all.
 */
static int read_synthetic(const char *description, const char *allowed)
{
	char path[] = "/tmp/libplace-test-XXXXXX";
	hwloc_topology_t t;
	int fd = mkstemp(path), ret;

	assert_return_code(fd, errno);
	close(fd);
	assert_int_equal(hwloc_topology_init(&t), 0);
	hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	if (hwloc_topology_set_synthetic(t, description) != 0)
		fail_msg("hwloc refuses \"%s\"", description);
	assert_int_equal(hwloc_topology_load(t), 0);
	if (allowed) {
		hwloc_bitmap_t set = hwloc_bitmap_alloc();

		hwloc_bitmap_list_sscanf(set, allowed);
		assert_int_equal(hwloc_topology_allow(t, set, NULL, HWLOC_ALLOW_FLAG_CUSTOM), 0);
		hwloc_bitmap_free(set);
	}
	assert_int_equal(hwloc_topology_export_xml(t, path, 0), 0);
	hwloc_topology_destroy(t);
	memset(&m, 0xff, sizeof(m));
	ret = pl_topology_read(&m, NULL, path, NULL);
	unlink(path);
	return ret;
}

static const struct {
	const char *description;
	int online, ids, cores, llcs, nodes, smt;
} synthetic[] = {
	/* Nothing but CPUs; no package; no cores. */
	{"pu:4", 4, 4, 4, 1, 1, 1},
	{"core:4 pu:2", 8, 8, 4, 1, 1, 2},
	{"pack:2 pu:4", 8, 8, 8, 2, 1, 1},
	{"pu:1", 1, 1, 1, 1, 1, 1},
	/* An L3 is the LLC, shared or not; else a shared L2; a private L2 or an L1 is none. */
	{"pack:2 l3:2 l2:2 l1:1 core:1 pu:2", 16, 16, 8, 4, 1, 2},
	{"pack:2 l3:4 core:1 pu:1", 8, 8, 8, 8, 1, 1},
	{"pack:1 l2:4 core:2 pu:1", 8, 8, 8, 4, 1, 1},
	{"pack:2 l2:4 core:1 pu:2", 16, 16, 8, 2, 1, 2},
	{"pack:2 l1:4 core:1 pu:1", 8, 8, 8, 2, 1, 1},
	{"l1:4 core:1 pu:1", 4, 4, 4, 1, 1, 1},
	/* A cache over several packages is firmware that knows none. */
	{"l3:1 pack:2 core:2 pu:1", 4, 4, 4, 2, 1, 1},
	/* Siblings numbered as servers do; holes; offline CPU 0; numbers beyond the model. */
	{"pack:1 core:4 pu:2(indexes=0,4,1,5,2,6,3,7)", 8, 8, 4, 1, 1, 2},
	{"core:4 pu:1(indexes=5,9,100,4095)", 4, 4096, 4, 1, 1, 1},
	{"pack:2 core:2 pu:1(indexes=1,2,3,4)", 4, 5, 4, 2, 1, 1},
	{"core:4 pu:1(indexes=0,1,4096,70000)", 2, 2, 2, 1, 1, 1},
	/* Nodes: below packages, above them, and memory for the whole machine beside them. */
	{"pack:2 numa:2 core:2 pu:1", 8, 8, 8, 2, 4, 1},
	{"numa:2(indexes=0,8) pack:2 core:2 pu:1", 8, 8, 8, 4, 2, 1},
	{"[numa] pack:2 [numa] core:2 pu:1", 4, 4, 4, 2, 2, 1},
};

static void test_synthetic(void **state)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(synthetic); i++) {
		const char *name = synthetic[i].description;
		int ret = read_synthetic(name, NULL);

		if (ret != 0)
			fail_msg("%s: %d", name, ret);
		assert_model(name);
		if (m.nr_online != synthetic[i].online || m.nr_cpu_ids != synthetic[i].ids ||
		    m.nr_cores != synthetic[i].cores || m.nr_llcs != synthetic[i].llcs ||
		    m.nr_nodes != synthetic[i].nodes || m.smt != synthetic[i].smt)
			fail_msg("%s: %d online of %d, %d cores, %d LLCs, %d nodes, SMT %d", name,
				 m.nr_online, m.nr_cpu_ids, m.nr_cores, m.nr_llcs, m.nr_nodes,
				 m.smt);
	}
}

static void test_server_numbering(void **state)
{
	assert_int_equal(read_synthetic("pack:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)", NULL), 0);
	for (int c = 0; c < 8; c++) {
		assert_int_equal(m.cpu[c].core, c % 4);
		assert_int_equal(m.cpu[c].package, c % 4 / 2);
		assert_int_equal(m.cpu[c].nr_siblings, 2);
	}
}

/* Memory that several packages share must not hide the node that a CPU belongs to. */
static void test_nearest_node(void **state)
{
	assert_int_equal(read_synthetic("[numa] pack:2 [numa] core:2 pu:1", NULL), 0);
	assert_int_equal(m.nr_nodes, 2);
	assert_int_equal(m.cpu[0].node, m.cpu[1].node);
	assert_int_equal(m.cpu[2].node, m.cpu[3].node);
	assert_int_not_equal(m.cpu[0].node, m.cpu[2].node);
	/* Two nodes with the same CPUs: the second one is memory only. */
	assert_int_equal(read_synthetic("pack:2 [numa] [numa] core:2 pu:1", NULL), 0);
	assert_int_equal(m.nr_nodes, 2);
	assert_int_not_equal(m.cpu[0].node, m.cpu[2].node);
}

static void test_disallowed_cpus_are_online(void **state)
{
	assert_int_equal(read_synthetic("pack:2 core:4 pu:1", "1,6"), 0);
	assert_int_equal(m.nr_online, 8);
	assert_model("disallowed");
}

static void test_failure_leaves_the_model_alone(void **state)
{
	static struct pl_machine before;
	char path[] = "/tmp/libplace-test-XXXXXX";
	int fd = mkstemp(path);

	assert_return_code(fd, errno);
	memset(&before, 0x5a, sizeof(before));
	m = before;
	assert_int_equal(pl_topology_read(&m, NULL, "/nonexistent/machine.xml", NULL), -EINVAL);
	assert_int_equal(pl_topology_read(&m, NULL, path, NULL), -EINVAL); /* empty */
	assert_int_equal(write(fd, "<topology", 9), 9);
	assert_int_equal(pl_topology_read(&m, NULL, path, NULL), -EINVAL);
	close(fd);
	unlink(path);
	assert_memory_equal(&m, &before, sizeof(m));

	assert_int_equal(read_synthetic("core:2 pu:1(indexes=4096,5000)", NULL), -E2BIG);
}

/* CPUs of a recording as hwloc counts them. */
static int count_pus(const char *path)
{
	hwloc_topology_t t;
	int n = -1;

	hwloc_topology_init(&t);
	hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	if (hwloc_topology_set_xml(t, path) == 0 && hwloc_topology_load(t) == 0)
		n = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU);
	hwloc_topology_destroy(t);
	return n;
}

static const char *corpus(void)
{
	const char *dir = getenv("LIBPLACE_CORPUS");

	if (!dir || !*dir) {
		helper_skipped("LIBPLACE_CORPUS names no directory of recorded machines");
		return NULL;
	}
	return dir;
}

static void test_recorded_machines(void **state)
{
	char pattern[4096];
	glob_t found;

	if (!corpus())
		return;
	snprintf(pattern, sizeof(pattern), "%s/*/*.xml", corpus());
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		int n = count_pus(path), ret = pl_topology_read(&m, NULL, path, NULL);

		if (ret != 0 || m.nr_online != n)
			fail_msg("%s: %d, %d CPUs of %d", path, ret, m.nr_online, n);
		assert_model(path);
	}
	print_message("# %zu recorded machines\n", found.gl_pathc);
	globfree(&found);
}

/* What is known of some of them from their makers' data. */
static const struct {
	const char *path;
	int online, cores, llcs, nodes, smt;
} known[] = {
	{"hwloc/amd-epyc-9654-zen4.xml", 384, 192, 24, 1, 2},
	{"hwloc/amd-strixpoint-hx370.xml", 24, 12, 2, 1, 2},
	{"hwloc/arm-kunpeng920-128.xml", 128, 128, 4, 4, 1},
	/* Two LP-E cores share an L2 beside the L3. */
	{"hwloc/intel-arrowlake-225u.xml", 14, 12, 2, 1, 2},
	{"hwloc/intel-knl-7210.xml", 256, 64, 32, 1, 4},
	/* Memory-only nodes: high-bandwidth memory, GPUs, CXL. */
	{"hwloc/knl-snc4-mcdram.xml", 64, 16, 4, 4, 4},
	{"hwloc/power9-smt4-gpunodes.xml", 32, 8, 4, 2, 4},
	{"vm/vm-cxl8.xml", 8, 4, 2, 2, 2},
	/* A node without CPUs; CPUs of which some are offline; CPU 0 offline. */
	{"hwloc/itanium-superdome-cpuless.xml", 128, 128, 64, 16, 1},
	{"hwloc/xeon-offline-siblings.xml", 12, 7, 4, 1, 2},
	{"hwloc/xeon-offline-cpu0-node0.xml", 17, 17, 2, 1, 1},
	{"mpibind/power8-smt8-coral-ea.xml", 160, 20, 20, 2, 8},
	{"synthetic/made-big1152.xml", 1152, 576, 72, 8, 2},
	{"synthetic/made-vera.xml", 352, 176, 2, 2, 2},
	/* No shared cache: the package. One cache of size 0 over both packages: likewise. */
	{"synthetic/made-altra.xml", 80, 80, 1, 1, 1},
	{"vm/vm-acpi16.xml", 16, 8, 2, 1, 2},
};

static void test_known_machines(void **state)
{
	if (!corpus())
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(known); i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", corpus(), known[i].path);
		if (access(path, R_OK) != 0) {
			helper_skipped(known[i].path);
			continue;
		}
		assert_int_equal(pl_topology_read(&m, NULL, path, NULL), 0);
		if (m.nr_online != known[i].online || m.nr_cores != known[i].cores ||
		    m.nr_llcs != known[i].llcs || m.nr_nodes != known[i].nodes ||
		    m.smt != known[i].smt)
			fail_msg("%s: %d online, %d cores, %d LLCs, %d nodes, SMT %d",
				 known[i].path, m.nr_online, m.nr_cores, m.nr_llcs, m.nr_nodes,
				 m.smt);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live),
		cmocka_unit_test(test_live_is_not_this_process_affinity),
		cmocka_unit_test(test_settings_of_the_user_are_ignored),
		cmocka_unit_test(test_synthetic),
		cmocka_unit_test(test_server_numbering),
		cmocka_unit_test(test_nearest_node),
		cmocka_unit_test(test_disallowed_cpus_are_online),
		cmocka_unit_test(test_failure_leaves_the_model_alone),
		cmocka_unit_test(test_recorded_machines),
		cmocka_unit_test(test_known_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
