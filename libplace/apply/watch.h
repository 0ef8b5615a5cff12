/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* What a watcher does to pairs: lets go of those that no longer hand off, gives masks back. */
#ifndef PL_APPLY_WATCH_H
#define PL_APPLY_WATCH_H

#include "domain/pair.h"

#define PL_LOOK_NS 10000000ull /* time between two looks at a pair */

/*
 * Writes the heartbeat and looks at every pair of SEG once. Returns the number of pair slots in
 * use: while it is not zero, look again after PL_LOOK_NS. FULL also compares the members' masks
 * with what they were told, to notice a change from outside (once a second is enough). System calls
 * only.
 */
unsigned int pl_watch_look(struct pl_segment *seg, uint64_t now_ns, bool full);

/*
 * Frees the task and process slots whose owners are gone, counters to their runs, and fills in
 * start times. Returns the number of live processes.
 */
unsigned int pl_watch_reclaim(struct pl_segment *seg);

/*
 * R8: marks the owners of claims whose CPU clock stood still for two calls (stopped, or stuck in a
 * call that no hook sees), so that others may take their cores, and unmarks those that run. To be
 * called once a second; reads one file per claim.
 */
void pl_watch_claims(struct pl_segment *seg);

/* Ends PAIR and widens both members from outside: "place off". */
void pl_watch_let_go(struct pl_segment *seg, struct pl_pair *pair, enum pl_reason reason);

#endif
