/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The keeper's part that reads the machine and publishes its model in the segment. */
#ifndef TOOLS_KEEPER_MACHINE_H
#define TOOLS_KEEPER_MACHINE_H

#include "domain/segment.h"
#include "machine/read.h"
#include "machine/rules.h"

/* What is known of the machine. Zero-initialise, set FROM; 1 MB, not for a stack. */
struct machine_watch {
	struct pl_machine_from from;
	bool known; /* MODEL and RAW were read */
	struct pl_kernel_facts facts;
	uint32_t next_look; /* where the next look at single files goes on */
	struct pl_cpumask online;
	struct pl_machine model;
	struct pl_raw raw;
};

/*
 * Reads what may have changed (at the first call everything), makes the model that the segment asks
 * for by capacity_mode, and publishes it when it differs from the one in force, but not within a
 * second of the last publication: the next call then does. True when it did. Takes as long as
 * pl_machine_read(). One caller at a time.
 */
bool machine_step(struct machine_watch *w, struct pl_segment *seg, uint64_t now_ns);

/*
 * Starts a thread that steps once a second as long as this process holds the keeper's lease. A
 * model that an earlier keeper left stays in force until something differs.
 */
void machine_start(struct pl_segment *seg);

#endif
