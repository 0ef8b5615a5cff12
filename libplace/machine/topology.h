/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Reads a machine through hwloc and flattens it. Linked into the keeper and the tools only. */
#ifndef PL_MACHINE_TOPOLOGY_H
#define PL_MACHINE_TOPOLOGY_H

#include "machine/model.h"

/*
 * Fills OUT with the machine this process runs on, or with the one recorded in the hwloc XML file
 * XML when that is not NULL. The user's HWLOC_* settings are ignored. On failure OUT is untouched.
 * 0 or a negative errno (-EINVAL: hwloc cannot read it; -E2BIG: CPU numbers above PL_MAX_CPUS were
 * all there is). Not MT-safe; allocates.
 */
int pl_topology_read(struct pl_machine *out, const char *xml);

#endif
