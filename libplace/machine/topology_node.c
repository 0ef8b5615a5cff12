// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// NUMA nodes of CPUs and the distances between nodes.
#include <numa.h>

#include "machine/topology_part.h"

enum { SELF = 10, FARTHEST = 255 };

/* Memory without CPUs of its own (HBM, CXL, GPU) claims the CPUs near it: of several candidates the
 * one with the fewest CPUs is the nearest, and among equals the kernel's lowest number is the node
 * that has the CPUs. */
uint16_t pl_topology_node(hwloc_topology_t topo, hwloc_obj_t pu, unsigned int *nr_candidates)
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

static void put(struct pl_machine *m, unsigned int from, unsigned int to, uint64_t distance)
{
	if (from < PL_MAX_NODES && to < PL_MAX_NODES && distance)
		m->distance[from][to] = (uint8_t)(distance < FARTHEST ? distance : FARTHEST);
}

/* The firmware's matrix, as hwloc took it over from the kernel. */
static void from_hwloc(struct pl_machine *m, hwloc_topology_t topo)
{
	struct hwloc_distances_s *d = NULL;
	unsigned int nr = 1;

	if (hwloc_distances_get_by_type(
		    topo, HWLOC_OBJ_NUMANODE, &nr, &d,
		    HWLOC_DISTANCES_KIND_FROM_OS | HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
	    !nr)
		return;
	for (unsigned int i = 0; i < d->nbobjs; i++)
		for (unsigned int j = 0; j < d->nbobjs; j++)
			if (d->objs[i] && d->objs[j])
				put(m, d->objs[i]->os_index, d->objs[j]->os_index,
				    d->values[i * d->nbobjs + j]);
	hwloc_distances_release(topo, d);
}

void pl_topology_distances(struct pl_machine *m, hwloc_topology_t topo, bool live)
{
	hwloc_obj_t node = NULL;

	from_hwloc(m, topo);
	while ((node = hwloc_get_next_obj_by_type(topo, HWLOC_OBJ_NUMANODE, node)))
		if (node->os_index < PL_MAX_NODES && !m->distance[node->os_index][node->os_index])
			m->distance[node->os_index][node->os_index] = SELF;
	if (!live || numa_available() < 0)
		return;
	for (int i = 0; i <= numa_max_node() && i < PL_MAX_NODES; i++)
		for (int j = 0; j <= numa_max_node() && j < PL_MAX_NODES; j++)
			if (m->distance[i][i] && m->distance[j][j] && !m->distance[i][j])
				put(m, (unsigned int)i, (unsigned int)j,
				    (uint64_t)numa_distance(i, j));
}
