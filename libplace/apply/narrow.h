/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * The balancer narrows threads of its own process to a set of CPUs (R16) and gives their masks
 * back. Here are both halves of that: the balancer's, and that of hooks which need a thread wide.
 * Runs in a thread without thread-local storage too: system calls only.
 */
#ifndef PL_APPLY_NARROW_H
#define PL_APPLY_NARROW_H

#include <sys/types.h>

#include "domain/thread.h"

/* The masks of this process, as its balancer knows them. */
struct pl_base_mask {
	struct pl_cpumask own;	   /* what the program had when the balancer started */
	struct pl_cpumask allowed; /* of that, what the cpuset and the online CPUs leave */
	bool narrowed;		   /* somebody narrowed own: it is given back exactly */
};

extern struct pl_base_mask pl_base_mask;

/*
 * Reads the program's mask, for the balancer at its start, while its own is still the one it
 * inherited from a wide thread. False when the kernel does not answer. One system call.
 */
bool pl_base_mask_read(void);

/* What of it is the cpuset alone: asks the kernel for all CPUs. To be called once, before anything
 * is narrowed. False when the kernel refuses. Two system calls. */
bool pl_base_mask_compare(void);

/*
 * Brings pl_base_mask.allowed up to date (a cpuset may have changed). The calling thread must be
 * the balancer; its own mask is all of pl_base_mask afterwards. Two system calls.
 */
void pl_base_mask_refresh(void);

/* R13: narrows the calling thread, the balancer, to SET. One system call. */
void pl_narrow_balancer(const struct pl_cpumask *set);

/*
 * Narrows TH to SET, of which only allowed CPUs count. Where the mask in force is not the one that
 * libplace left there, somebody else set it: TH is pinned from then on and -EBUSY answered.
 * -EINVAL: no CPU of SET is allowed; -EAGAIN: the thread wants its mask for itself; or what the
 * kernel said. For the balancer.
 */
int pl_narrow(struct pl_thread *th, const struct pl_cpumask *set);

/* Gives TH the program's mask back if it is narrowed. For the balancer. */
void pl_narrow_undo(struct pl_thread *th);

/*
 * CPUs came: gives TH its mask once more if it still has what the kernel made of it while they were
 * gone. (Asked for all CPUs, some kernels keep those that are online just then, for good.) For the
 * balancer, after pl_base_mask_refresh(). Three system calls at most.
 */
void pl_narrow_renew(struct pl_thread *th);

/*
 * Makes TH wide for a call of the program that uses its mask, and keeps the balancer away until the
 * thread has run on. For hooks of any thread of the process; no effect when TH is NULL. MT-safe.
 */
void pl_narrow_take(struct pl_thread *th);

/* In a child of fork that came by no hook: gives the caller its mask back if its parent, TH of the
 * other process, was narrowed. */
void pl_narrow_inherited(struct pl_thread *th);

/*
 * What pl_narrow_take() does, for the thread TID of this process; -1 means all but the caller. PIN
 * also marks them as the program's for good. MT-safe.
 */
void pl_narrow_take_tid(pid_t tid, bool pin);

#endif
