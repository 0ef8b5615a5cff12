/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Sums per run ("place run --stats") in the segment, and the log of its pairs. */
#ifndef PL_TRACE_COUNTERS_H
#define PL_TRACE_COUNTERS_H

#include "domain/segment.h"

/*
 * Counts one more process, with THREADS threads so far, in the run that RUN refers to. Returns RUN,
 * or 0 when that run is over. MT-safe.
 */
uint32_t pl_run_join(struct pl_segment *seg, uint32_t run, uint32_t threads);

/* Adds the counters of TASK, whose thread is ending, to RUN. MT-safe. */
void pl_run_add_task(struct pl_run *run, const struct pl_task *task);

/*
 * Opens a record for the pair of the threads TID_A and TID_B in RUN, which may be NULL. Returns the
 * record's number + 1, or 0 when the log is full. MT-safe.
 */
uint32_t pl_run_log_pair(struct pl_run *run, uint32_t tid_a, uint32_t tid_b, uint64_t now_ns);

/* The record number N - 1 of RUN, or NULL. */
struct pl_pair_record *pl_run_record(struct pl_run *run, uint32_t n);

/* Name of a reason as reports show it; "none" for values outside the enum. */
const char *pl_reason_name(uint32_t reason);

#endif
