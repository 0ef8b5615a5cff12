/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The parts of machine/topology.c, which is their only caller: each reads a loaded hwloc topology.
 */
#ifndef PL_MACHINE_TOPOLOGY_PART_H
#define PL_MACHINE_TOPOLOGY_PART_H

#include <hwloc.h>
#include "machine/raw.h"

/* The core of PU, or PU itself where hwloc has no cores. */
hwloc_obj_t pl_topology_core(hwloc_topology_t topo, hwloc_obj_t pu);

/*
 * What stands for the last-level cache of PU: its outermost L3 or higher, else an L2 that several
 * cores share, else the package, else the machine.
 */
hwloc_obj_t pl_topology_llc(hwloc_topology_t topo, hwloc_obj_t pu);

/* The cluster of PU inside its LLC: an L2 that several cores share, else a group that the kernel
 * calls a cluster, else its core. */
hwloc_obj_t pl_topology_cluster(hwloc_topology_t topo, hwloc_obj_t pu);

/*
 * The node of PU, PL_NO_ID when hwloc names none. *NR_CANDIDATES tells how sure that is: memory
 * without CPUs claims the CPUs near it.
 */
uint16_t pl_topology_node(hwloc_topology_t topo, hwloc_obj_t pu, unsigned int *nr_candidates);

/* Distances between nodes; LIVE: libnuma is asked for what hwloc does not say. */
void pl_topology_distances(struct pl_machine *m, hwloc_topology_t topo, bool live);

/* Kinds into RAW, for the online CPUs of M; RECORDED: capacities in them as well. */
void pl_topology_kinds(const struct pl_machine *m, struct pl_raw *raw, hwloc_topology_t topo,
		       bool recorded);

#endif
