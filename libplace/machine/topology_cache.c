// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Which hwloc object is a CPU's core, cluster and last-level cache. What hwloc does not say becomes
// the next larger thing it does say.
#include <string.h>

#include "machine/topology_part.h"

hwloc_obj_t pl_topology_core(hwloc_topology_t topo, hwloc_obj_t pu)
{
	hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topo, HWLOC_OBJ_CORE, pu);

	return core ? core : pu;
}

/* True when O has whole cores of CORE's kind in it, and more than one. */
static bool spans_cores(hwloc_obj_t o, hwloc_obj_t core)
{
	return hwloc_bitmap_isincluded(core->cpuset, o->cpuset) &&
	       !hwloc_bitmap_isequal(core->cpuset, o->cpuset);
}

/*
 * Firmware without cache tables yields one cache of size zero over the package or the whole
 * machine. A size of zero alone says little: some machines describe who shares a cache but not its
 * size.
 */
static bool is_made_up(hwloc_obj_t cache, hwloc_obj_t package)
{
	if (package && !hwloc_bitmap_isincluded(cache->cpuset, package->cpuset))
		return true;
	return cache->attr->cache.size == 0 &&
	       (!package || hwloc_bitmap_isequal(cache->cpuset, package->cpuset));
}

/*
 * A private L2 (or only an L1) means that the machine describes no shared cache, and one-CPU
 * domains would keep apart what should be near.
 */
hwloc_obj_t pl_topology_llc(hwloc_topology_t topo, hwloc_obj_t pu)
{
	hwloc_obj_t core = pl_topology_core(topo, pu), llc = NULL;
	hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topo, HWLOC_OBJ_PACKAGE, pu);

	for (hwloc_obj_t o = pu->parent; o; o = o->parent) {
		unsigned int level;

		if (!hwloc_obj_type_is_dcache(o->type) || is_made_up(o, package))
			continue;
		level = o->attr->cache.depth;
		if (level > 2 ? hwloc_bitmap_isincluded(core->cpuset, o->cpuset)
			      : level == 2 && spans_cores(o, core))
			llc = o;
	}
	if (llc)
		return llc;
	return package ? package : hwloc_get_root_obj(topo);
}

static bool is_cluster_group(hwloc_obj_t o)
{
	return o->type == HWLOC_OBJ_GROUP && o->subtype && strcmp(o->subtype, "Cluster") == 0;
}

hwloc_obj_t pl_topology_cluster(hwloc_topology_t topo, hwloc_obj_t pu)
{
	hwloc_obj_t core = pl_topology_core(topo, pu), llc = pl_topology_llc(topo, pu);
	hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topo, HWLOC_OBJ_PACKAGE, pu);
	hwloc_obj_t group = NULL;

	for (hwloc_obj_t o = pu->parent; o; o = o->parent) {
		if (!hwloc_bitmap_isincluded(o->cpuset, llc->cpuset))
			break;
		if (!spans_cores(o, core))
			continue;
		if (hwloc_obj_type_is_dcache(o->type) && o->attr->cache.depth == 2 &&
		    !is_made_up(o, package))
			return o;
		if (is_cluster_group(o) && !group)
			group = o;
	}
	return group ? group : core;
}
