/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * The threads of this process, for its balancer. The balancer is the only one who narrows a thread
 * from outside, so each entry says whose the mask is just now: whoever wants to do something with a
 * thread's mask takes it first, and a thread that ends does so before its number can be reused.
 */
#ifndef PL_DOMAIN_THREAD_H
#define PL_DOMAIN_THREAD_H

#include "domain/member.h"
#include "observe/utilization.h"

#define PL_NR_THREADS 1024 /* threads beyond are left where the kernel puts them */

/*
 * Whose the mask of a thread is: the two lowest bits of pl_thread.mask. The rest counts how often
 * it was taken, so that the balancer notices a second time that came amidst.
 */
enum pl_mask_state {
	PL_MASK_WIDE = 0, /* the program's mask is in force; the balancer may narrow it */
	PL_MASK_SET,	  /* narrowed by the balancer */
	PL_MASK_BUSY,	  /* the balancer is changing it just now */
	PL_MASK_LEFT,	  /* wide, and the balancer keeps away until the thread has run on */
};
#define PL_MASK_STATE 3u

struct pl_thread {
	_Atomic int32_t tid;	 /* 0: free, -1: being filled in */
	_Atomic uint32_t mask;	 /* enum pl_mask_state and the count */
	_Atomic uint32_t pinned; /* its mask belongs to the program or an administrator */
	_Atomic uint32_t is_main;
	_Atomic uint32_t nr_moves; /* by the balancer, */
	_Atomic int32_t moved_to;  /* and where the last one led */
	_Atomic uint32_t calls;	   /* its own calls going on that need it wide */
	/* In the thread's own storage: to be followed by the thread, or after pl_thread_look(). */
	struct pl_tls *tls;
	const volatile int32_t *rseq_cpu; /* where the kernel says its CPU, or NULL */
	uintptr_t tp; /* its thread pointer: where its thread-local storage is */
	/* The balancer's notes. */
	pl_task_id id;		     /* when it was last looked at */
	uint64_t born_ns PL_ALIGNED; /* when it was entered here, just before it ran its code */
	uint64_t seen_ns;	     /* when it was last looked at; 0: not yet */
	uint64_t cpu_ns;	     /* its CPU time then */
	uint64_t ran_ns;	     /* of that, since the look before */
	uint64_t left_cpu_ns;	     /* its CPU time when it was first seen as in left_mask */
	uint32_t left_mask;
	uint64_t hold_until_ns; /* the narrowed mask is given back then */
	uint64_t given_ns;	/* when it was given back last */
	struct pl_util util;
	int cpu;		/* where it ran when last looked at, -1: not known */
	struct pl_cpumask set;	/* what it was narrowed to last, */
	struct pl_cpumask gave; /* and what the kernel made of its mask when it was given back */
	uint32_t hold_level;
	uint32_t bound_to; /* enum pl_set that set[] is */
	uint32_t claim;	   /* as domain/claim.h gave it, 0: none */
	int claim_cpu;
};

extern struct pl_thread pl_thread_table[PL_NR_THREADS];
extern _Atomic uint32_t pl_thread_asked; /* calls going on that need some other thread wide */
extern _Atomic uint32_t pl_thread_high;	 /* entries at and above were never used */

/*
 * Enters the calling thread; no effect when it is there already, when the table is full, or when
 * nobody will call pl_thread_leave() at its end. MT-safe, callable inside a hook.
 */
void pl_thread_enter(struct pl_tls *t);

/*
 * Takes the mask of TH from the balancer, for whoever is about to use or change it; waits while
 * somebody else is at it (three system calls of his). All signals must be blocked unless the caller
 * knows TH to be wide: a handler would wait for the thread that it interrupted. True when the
 * thread is narrowed: the caller then gives it its mask back and calls pl_thread_settle(th,
 * PL_MASK_LEFT). Afterwards the balancer keeps away until the thread has run for 2 ms, so that the
 * call of the program that this is for finds the thread wide. (Calls that return to the hooks are
 * counted besides: pl_thread.calls.) MT-safe.
 */
bool pl_thread_take(struct pl_thread *th);

/* The same where nothing has to be given back or waited for; false, and no effect, elsewhere. */
bool pl_thread_take_wide(struct pl_thread *th);

/*
 * For the balancer: takes the mask of TH from state FROM to PL_MASK_BUSY; false when it is not (any
 * more) in that state. While it is busy the thread cannot end. pl_thread_settle() ends that.
 */
bool pl_thread_begin(struct pl_thread *th, enum pl_mask_state from);
void pl_thread_settle(struct pl_thread *th, enum pl_mask_state to);

/* The state of TH's mask just now. MT-safe. */
static inline enum pl_mask_state pl_thread_mask_state(const struct pl_thread *th)
{
	return (enum pl_mask_state)(pl_get(&th->mask) & PL_MASK_STATE);
}

/* Before the calling thread ends: takes the entry away for good, and waits while the balancer looks
 * at its storage. The mask was taken before. */
void pl_thread_leave(struct pl_tls *t);

/*
 * For the balancer, around loads from the storage of TH: true when TH is still that of TID; it
 * cannot end then until pl_thread_looked(). One at a time, and nothing else is done amidst.
 */
bool pl_thread_look(struct pl_thread *th, int32_t tid);
void pl_thread_looked(void);

/* In a child of fork: the other threads are not in it. */
void pl_thread_forget_all(void);

#endif
