/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Reads a machine through hwloc and flattens it. Linked into the keeper and the tools only. */
#ifndef PL_MACHINE_TOPOLOGY_H
#define PL_MACHINE_TOPOLOGY_H

#include "machine/raw.h"

/*
 * Fills OUT with the machine recorded in the hwloc XML file XML, else the one in the sysfs tree
 * ROOT, else (both NULL) the one this process runs on: cores, clusters, LLCs, packages, nodes and
 * distances; every capacity is 1024. RAW, if not NULL, gets the kinds of hwloc, and from an XML
 * file the capacities recorded there; the rest of it is untouched. The user's HWLOC_* settings are
 * ignored (and taken out of the environment). On failure OUT and RAW are untouched.
 * 0 or a negative errno (-EINVAL: hwloc cannot read it; -E2BIG: CPU numbers above PL_MAX_CPUS were
 * all there is). Not MT-safe; allocates.
 */
int pl_topology_read(struct pl_machine *out, struct pl_raw *raw, const char *xml, const char *root);

#endif
