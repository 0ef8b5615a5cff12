// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Reads a machine through hwloc and flattens it. What hwloc does not say becomes the next larger
// thing it does say, so that every machine ends in a usable model; capacities are not read here.
#include "machine/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <numa.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CAPACITY_ALL = 1024 };

/* Roles an hwloc object can be numbered in. A package may stand in for a missing LLC, so each role
 * has its own 16 bits of the object's userdata; 0 there: not numbered yet. */
enum { AS_CORE = 0, AS_LLC = 16, AS_PACKAGE = 32 };

_Static_assert(sizeof(void *) == 8, "three 16-bit numbers fit into a pointer");

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

static int load(hwloc_topology_t *out, const char *xml)
{
	/* Disallowed CPUs may be allowed to another process of the user, or tomorrow. The binding
	 * stays because the x86 backend would else visit every CPU, and Linux told us before. */
	const unsigned long flags =
		HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;
	hwloc_topology_t t;

	forget_hwloc_settings();
	if (hwloc_topology_init(&t) != 0)
		return -ENOMEM;
	if ((xml && hwloc_topology_set_xml(t, xml) != 0) || hwloc_topology_set_flags(t, flags) ||
	    hwloc_topology_set_io_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE) ||
	    hwloc_topology_load(t) != 0) {
		hwloc_topology_destroy(t);
		return -EINVAL;
	}
	*out = t;
	return 0;
}

static hwloc_obj_t core_of(hwloc_topology_t topo, hwloc_obj_t pu)
{
	hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topo, HWLOC_OBJ_CORE, pu);

	return core ? core : pu;
}

/*
 * What stands for the last-level cache of PU: its outermost L3 or higher, else an L2 that several
 * cores share, else the package, else the machine. A private L2 (or only an L1) means that the
 * machine describes no shared cache, and one-CPU domains would keep apart what should be near.
 * A cache that spans packages is none: firmware without cache tables yields one, of size zero, over
 * the whole machine.
 */
static hwloc_obj_t llc_of(hwloc_topology_t topo, hwloc_obj_t pu)
{
	hwloc_obj_t core = core_of(topo, pu), llc = NULL;
	hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topo, HWLOC_OBJ_PACKAGE, pu);

	for (hwloc_obj_t o = pu->parent; o; o = o->parent) {
		unsigned int level;

		if (!hwloc_obj_type_is_dcache(o->type))
			continue;
		level = o->attr->cache.depth;
		if (level < 2 || !hwloc_bitmap_isincluded(core->cpuset, o->cpuset) ||
		    (level == 2 && hwloc_bitmap_isequal(core->cpuset, o->cpuset)) ||
		    (package && !hwloc_bitmap_isincluded(o->cpuset, package->cpuset)))
			continue;
		llc = o;
	}
	if (llc)
		return llc;
	return package ? package : hwloc_get_root_obj(topo);
}

/*
 * The node of PU, PL_NO_ID when hwloc names none. Memory without CPUs of its own (HBM, CXL, GPU)
 * claims the CPUs near it: of several candidates the one with the fewest CPUs is the nearest, and
 * among equals the kernel's lowest number is the node that has the CPUs. *NR_CANDIDATES tells how
 * sure that is.
 */
static uint16_t node_of(hwloc_topology_t topo, hwloc_obj_t pu, unsigned int *nr_candidates)
{
	hwloc_obj_t node = NULL, best = NULL;

	*nr_candidates = 0;
	while ((node = hwloc_get_next_obj_by_type(topo, HWLOC_OBJ_NUMANODE, node))) {
		int w, best_w;

		if (node->os_index >= PL_NO_ID || !hwloc_bitmap_isset(node->cpuset, pu->os_index))
			continue;
		*nr_candidates += 1;
		w = hwloc_bitmap_weight(node->cpuset);
		best_w = best ? hwloc_bitmap_weight(best->cpuset) : w + 1;
		if (w < best_w || (w == best_w && node->os_index < best->os_index))
			best = node;
	}
	return best ? (uint16_t)best->os_index : PL_NO_ID;
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

static void fill_cpu(struct pl_machine *m, hwloc_topology_t topo, hwloc_obj_t pu, bool live,
		     uint16_t *nr_packages)
{
	struct pl_cpu *c = &m->cpu[pu->os_index];
	hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topo, HWLOC_OBJ_PACKAGE, pu);
	unsigned int nr_candidates;
	uint16_t node;

	c->capacity = CAPACITY_ALL;
	c->actual = CAPACITY_ALL;
	c->core = number_of(core_of(topo, pu), AS_CORE, &m->nr_cores);
	c->cluster = c->core;
	c->llc = number_of(llc_of(topo, pu), AS_LLC, &m->nr_llcs);
	c->package = package ? number_of(package, AS_PACKAGE, nr_packages) : 0;
	c->node = node_of(topo, pu, &nr_candidates);
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
	uint16_t nr_packages = 0;

	/* hwloc walks the tree; numbers are to follow the CPU numbers. */
	while ((pu = hwloc_get_next_obj_by_type(topo, HWLOC_OBJ_PU, pu)))
		if (pu->os_index < PL_MAX_CPUS)
			pus[pu->os_index] = pu;
	for (int c = 0; c < PL_MAX_CPUS; c++) {
		if (!pus[c])
			continue;
		fill_cpu(m, topo, pus[c], live, &nr_packages);
		m->nr_cpu_ids = (uint16_t)(c + 1);
	}
	pl_machine_finish(m);
	return m->nr_online ? 0 : -E2BIG;
}

int pl_topology_read(struct pl_machine *out, const char *xml)
{
	struct pl_machine *m = calloc(1, sizeof(*m));
	hwloc_topology_t topo;
	int ret;

	if (!m)
		return -ENOMEM;
	ret = load(&topo, xml);
	if (ret == 0) {
		ret = flatten(m, topo, !xml);
		hwloc_topology_destroy(topo);
	}
	if (ret == 0)
		*out = *m;
	free(m);
	return ret;
}
