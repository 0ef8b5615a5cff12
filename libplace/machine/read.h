/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* A whole machine: topology, raw values, flags and capacities of one moment. Keeper and tools. */
#ifndef PL_MACHINE_READ_H
#define PL_MACHINE_READ_H

#include "machine/capacity.h"

/* Which machine. Zero-initialised: the one we run on. */
struct pl_machine_from {
	const char *xml; /* hwloc XML file; files are then only read where sysfs.root is given */
	struct pl_sysfs sysfs;
	enum pl_capacity_mode mode;
};

/*
 * Reads the machine into OUT and, if RAW is not NULL, what its capacities were made of into RAW.
 * While CPUs come or go between two readings it starts again, a few times. 0, a negative errno of
 * pl_topology_read(), or -EAGAIN when it never was the same twice; OUT is untouched then, RAW not.
 * Takes 10 ms to seconds. Not MT-safe; allocates.
 */
int pl_machine_read(const struct pl_machine_from *from, struct pl_machine *out, struct pl_raw *raw);

#endif
