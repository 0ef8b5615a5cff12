/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* What the kernel says of a thread's waiting and what its wake-ups met: counted for reports only.
 */
#ifndef PL_OBSERVE_SCHED_STATS_H
#define PL_OBSERVE_SCHED_STATS_H

#include "domain/member.h"

/*
 * Run time, run delay and time slices of the calling thread into its task, which belongs to a run
 * with a report. Where the kernel keeps no schedstat they stay 0. Three system calls.
 */
void pl_sched_stats_read(struct pl_task *task);

/*
 * The calling thread returned from a wait: counts, for one wake-up in PL_WAKE_SAMPLE, whether a
 * sibling of its core was busy with another task of the segment.
 */
#define PL_WAKE_SAMPLE 8u
void pl_sched_stats_wake(struct pl_tls *t);

#endif
