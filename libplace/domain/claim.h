/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * R8: claims of cores by tasks of any process. seg->claim[] has one word per CPU. The word of a
 * core's first CPU stands for the core: who holds it and runs has the core for itself as far as
 * libplace is concerned. Once no core is idle, further threads claim "beside": they take the word
 * of another CPU of the core, at most one thread per CPU, and whoever finds no word goes without.
 *
 * A word holds a task id and a count that changes whenever the word does. It is busy while that
 * task exists, is PL_TASK_RUNNING and is not marked still; any other word may be taken over by one
 * compare-and-swap. Blocking is a plain store of the state; on the way back the owner stores
 * PL_TASK_RUNNING and then asks pl_claim_keep() whether the word is still its own, which changes
 * the count, so that of an owner that returns and a task that takes over exactly one succeeds. Who
 * kept a word beside may find the core's own taken since: it looks for an idle core as anyone does.
 *
 * A task holds one word at a time: it releases the former before it claims another.
 *
 * MT-safe, async-signal-safe, no system call, no allocation. Nothing in the words is trusted: the
 * worst a hostile process can do is hide a core or show one as free.
 */
#ifndef PL_DOMAIN_CLAIM_H
#define PL_DOMAIN_CLAIM_H

#include "domain/segment.h"

/* Index + 1 of the word a task holds, 0: none. */
typedef uint32_t pl_claim_ref;

/*
 * Claims the core of CPU for the task ME, which is running. Returns the reference, or 0: somebody
 * runs on that core, someone else was quicker, or CPU or ME do not exist. A caller that gets 0
 * takes the core out of its snapshot (pl_snapshot_take_core()) and chooses again.
 */
pl_claim_ref pl_claim_core(struct pl_segment *seg, const struct pl_machine *m, int cpu,
			   pl_task_id me);

/*
 * For a task that found no idle core: any word of CPU's core that is not busy, the core's own
 * first. 0 when every one is taken; the task then runs there without a claim.
 */
pl_claim_ref pl_claim_beside(struct pl_segment *seg, const struct pl_machine *m, int cpu,
			     pl_task_id me);

/*
 * After a wait, once the task's state is PL_TASK_RUNNING again: true when REF is still ME's. When
 * false the claim is gone (nothing to release) and the task has to look for a place. Needed after
 * every wait before the claim is relied upon.
 */
bool pl_claim_keep(struct pl_segment *seg, pl_claim_ref ref, pl_task_id me);

/* Gives the word back if it is still ME's. Idempotent. */
void pl_claim_release(struct pl_segment *seg, pl_claim_ref ref, pl_task_id me);

/* Whether a task other than EXCEPT (0: no exception) has a busy word of CPU's core. */
bool pl_claim_core_is_busy(struct pl_segment *seg, const struct pl_machine *m, int cpu,
			   pl_task_id except);

/*
 * The CPUs whose words are busy by tasks other than those of process slot EXCEPT_PROC (as in
 * pl_task.proc; 0: of all), into OUT: "claims of others" of a balancer.
 */
void pl_claim_busy_cpus(struct pl_segment *seg, const struct pl_machine *m, uint32_t except_proc,
			struct pl_cpumask *out);

/* Takes the CPUs of every core with a busy word out of IDLE, but for the words of the task EXCEPT
 * (0: no exception): what a snapshot's idle set needs. */
void pl_claim_subtract(struct pl_segment *seg, const struct pl_machine *m, pl_task_id except,
		       struct pl_cpumask *idle);

#endif
