// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Loads a machine into hwloc and flattens it, so that every machine ends in a usable model.
#include "machine/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <numa.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/topology_part.h"

enum { CAPACITY_ALL = 1024 };

/* Roles an hwloc object can be numbered in. A package may stand in for a missing LLC, so each role
 * has its own 16 bits of the object's userdata; 0 there: not numbered yet. */
enum { AS_CORE = 0, AS_CLUSTER = 16, AS_LLC = 32, AS_PACKAGE = 48 };

_Static_assert(sizeof(void *) == 8, "four 16-bit numbers fit into a pointer");

/* Number of OBJ in the role SHIFT: counted in the order in which objects are first met. */
static uint16_t number_of(hwloc_obj_t obj, int shift, uint16_t *count)
{
	uintptr_t u = (uintptr_t)obj->userdata;

	if (!(u >> shift & 0xffff)) {
		*count += 1;
		u |= (uintptr_t)*count << shift;
		obj->userdata = (void *)u;
	}
	return (uint16_t)((u >> shift & 0xffff) - 1);
}

/* A user's HWLOC_XMLFILE, HWLOC_SYNTHETIC or HWLOC_COMPONENTS would describe another machine to us
 * than the one we run on. */
static void forget_hwloc_settings(void)
{
	static const char prefix[] = "HWLOC_";

	for (char **e = environ; e && *e;) {
		char name[128];
		size_t len = strcspn(*e, "=");

		if (strncmp(*e, prefix, sizeof(prefix) - 1) != 0 || len >= sizeof(name)) {
			e++;
			continue;
		}
		memcpy(name, *e, len);
		name[len] = '\0';
		if (unsetenv(name) != 0)
			e++; /* else the next one has moved up to E */
	}
}

/* hwloc takes another root from the environment only. */
static void set_root(const char *root)
{
	setenv("HWLOC_FSROOT", root, 1);
	setenv("HWLOC_COMPONENTS", "linux,stop", 1);
	setenv("HWLOC_THISSYSTEM", "0", 1);
}

/*
 * Disallowed CPUs may be allowed to another process of the user, or tomorrow. The binding stays
 * because the x86 backend would else visit every CPU, and Linux told us before; until 2.5 hwloc has
 * no flag for that, and the backend is left out.
 */
static int set_flags(hwloc_topology_t t)
{
#if HWLOC_API_VERSION >= 0x00020500
	return hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED |
						   HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
#else
	return hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) ||
	       hwloc_topology_set_components(t, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
#endif
}

static int load(hwloc_topology_t *out, const char *xml, const char *root)
{
	hwloc_topology_t t;

	forget_hwloc_settings();
	if (root)
		set_root(root);
	if (hwloc_topology_init(&t) != 0)
		return -ENOMEM;
	if ((xml && hwloc_topology_set_xml(t, xml) != 0) || set_flags(t) ||
	    hwloc_topology_set_io_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE) ||
	    hwloc_topology_load(t) != 0) {
		hwloc_topology_destroy(t);
		t = NULL;
	}
	if (root)
		forget_hwloc_settings();
	if (!t)
		return -EINVAL;
	*out = t;
	return 0;
}

/* The kernel's own answer for CPU of the machine we run on; PL_NO_ID when it gives none. */
static uint16_t live_node_of(unsigned int cpu)
{
	int node;

	if (numa_available() < 0)
		return PL_NO_ID;
	node = numa_node_of_cpu((int)cpu);
	return node >= 0 && node < PL_NO_ID ? (uint16_t)node : PL_NO_ID;
}

static void fill_cpu(struct pl_machine *m, hwloc_topology_t topo, hwloc_obj_t pu, bool live)
{
	struct pl_cpu *c = &m->cpu[pu->os_index];
	hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topo, HWLOC_OBJ_PACKAGE, pu);
	unsigned int nr_candidates;
	uint16_t node;

	c->capacity = CAPACITY_ALL;
	c->actual = CAPACITY_ALL;
	c->core = number_of(pl_topology_core(topo, pu), AS_CORE, &m->nr_cores);
	c->cluster = number_of(pl_topology_cluster(topo, pu), AS_CLUSTER, &m->nr_clusters);
	c->llc = number_of(pl_topology_llc(topo, pu), AS_LLC, &m->nr_llcs);
	c->package = package ? number_of(package, AS_PACKAGE, &m->nr_packages) : 0;
	c->node = pl_topology_node(topo, pu, &nr_candidates);
	if (live && nr_candidates != 1) {
		node = live_node_of(pu->os_index);
		if (node != PL_NO_ID)
			c->node = node;
	}
}

/* Fills the zeroed M from the loaded TOPO. */
static int flatten(struct pl_machine *m, hwloc_topology_t topo, bool live)
{
	hwloc_obj_t pus[PL_MAX_CPUS] = {NULL}, pu = NULL;

	/* hwloc walks the tree; numbers are to follow the CPU numbers. */
	while ((pu = hwloc_get_next_obj_by_type(topo, HWLOC_OBJ_PU, pu)))
		if (pu->os_index < PL_MAX_CPUS)
			pus[pu->os_index] = pu;
	for (int c = 0; c < PL_MAX_CPUS; c++) {
		if (!pus[c])
			continue;
		fill_cpu(m, topo, pus[c], live);
		m->nr_cpu_ids = (uint16_t)(c + 1);
	}
	pl_topology_distances(m, topo, live);
	pl_machine_finish(m);
	return m->nr_online ? 0 : -E2BIG;
}

int pl_topology_read(struct pl_machine *out, struct pl_raw *raw, const char *xml, const char *root)
{
	struct pl_machine *m = calloc(1, sizeof(*m));
	hwloc_topology_t topo;
	int ret;

	if (root && !*root)
		root = NULL;
	if (!m)
		return -ENOMEM;
	ret = load(&topo, xml, xml ? NULL : root);
	if (ret == 0) {
		ret = flatten(m, topo, !xml && !root);
		if (ret == 0 && raw)
			pl_topology_kinds(m, raw, topo, xml && !root);
		hwloc_topology_destroy(topo);
	}
	if (ret == 0)
		*out = *m;
	free(m);
	return ret;
}
