/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The threads of the process as its balancer sees them. For the balancer alone. */
#ifndef PL_OBSERVE_OWN_THREADS_H
#define PL_OBSERVE_OWN_THREADS_H

#include "decide/balance.h"
#include "domain/thread.h"
#include "observe/outside.h"

struct pl_own_threads {
	struct pl_thread_view view[PL_NR_THREADS];
	struct pl_thread *thread[PL_NR_THREADS]; /* whom view[] is about */
	uint32_t nr;
	uint32_t nr_new;       /* seen for the first time */
	uint64_t used_ns;      /* CPU time of all since the look before */
	struct pl_own_use use; /* of each CPU, by them and the caller */
};

/*
 * Looks at NOW_NS: brings the table (R1: utilization) and O, zero at first, up to date. O lists
 * those that are on a CPU of the model. Some three system calls and one a thread.
 */
void pl_own_threads_look(struct pl_own_threads *o, struct pl_segment *seg, uint64_t now_ns);

/* True when every thread of the process is inside a hooked wait. */
bool pl_own_threads_wait(void);

#endif
