/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * The door from intercept/: one function per event. Rules for all of them: callable from any thread
 * and from a signal handler, errno is kept, nothing is allocated, no lock is taken. The common path
 * makes no system call: a descriptor or an address is named once, by system calls, at first sight.
 */
#ifndef PL_OBSERVE_HOOK_H
#define PL_OBSERVE_HOOK_H

#include <sys/types.h>

#include "domain/member.h"

/* 1: a synchronisation object in shared memory was seen, so other processes may be waiting. */
extern _Atomic uint32_t pl_shared_objects;

static inline unsigned int pl_waiter_hash(const volatile void *addr)
{
	return (unsigned int)(((uintptr_t)addr >> 2) * 2654435761u >> 7) & (PL_NR_WAITERS - 1);
}

struct pl_queue *pl_hook_fd_slow(int fd, bool in);

/* pl_member_enter() for calls that hand work over; NULL also for those that samples leave out. */
static inline struct pl_tls *pl_hook_enter(void)
{
	struct pl_tls *t = &pl_tls;

	if (t->skip) {
		t->skip--;
		return NULL;
	}
	return pl_member_enter();
}

/*
 * The queue that a read from descriptor FD consumes from (pl_hook_fd_reads), or that a write to it
 * publishes on (pl_hook_fd_writes); NULL when there is none or libplace is off.
 */
static inline struct pl_queue *pl_hook_fd(int fd, bool in)
{
	struct pl_tls *t = pl_hook_enter();
	_Atomic uint32_t *entry;
	uint32_t e;

	if (!t || (unsigned int)fd >= PL_NR_FDS)
		return NULL;
	entry = in ? &t->gate->fd[fd].in : &t->gate->fd[fd].out;
	e = pl_get(entry);
	if (pl_likely(e > PL_FD_NONE)) {
		pl_set(entry, e - 1);
		return NULL;
	}
	if (pl_likely(e - 1 < PL_NR_QUEUES && t->task))
		return &pl_get(&t->gate->seg)->queue[e - 1];
	return pl_hook_fd_slow(fd, in);
}

static inline struct pl_queue *pl_hook_fd_reads(int fd)
{
	return pl_hook_fd(fd, true);
}

static inline struct pl_queue *pl_hook_fd_writes(int fd)
{
	return pl_hook_fd(fd, false);
}

/* The queue of the synchronisation object at ADDR; NULL when it cannot be named. */
struct pl_queue *pl_hook_addr(const volatile void *addr);

/* Slow half of it, at first sight: the queue's index, or a negative errno. Makes system calls. */
int pl_hook_addr_name(struct pl_tls *t, uint64_t addr);

/* After every 32nd turn of TASK, the calling thread's. Makes system calls. */
void pl_hook_window(struct pl_tls *t, struct pl_task *task);

/*
 * Before the call that makes a message visible on Q (write, signal, post, wake, unlock). Q NULL: no
 * effect.
 */
void pl_hook_publish(struct pl_queue *q);

/* Wake-up on ADDR (cond, sem, barrier, futex): names the queue and publishes. */
void pl_hook_wake_addr(const volatile void *addr);

/* Unlock of ADDR: publishes only when somebody was seen waiting for it. The common path is a load.
 */
void pl_hook_unlock_slow(const volatile void *addr);

static inline void pl_hook_unlock(const volatile void *addr)
{
	if (pl_unlikely(pl_get(&pl_waiters[pl_waiter_hash(addr)]) | pl_get(&pl_shared_objects)))
		pl_hook_unlock_slow(addr);
}

/*
 * Around a call that may wait. Q is the queue waited on, or NULL (poll, sleep, join).
 * pl_hook_wait_end(): CONSUMED says that a message was taken; this is where a thread may bind
 * itself.
 */
void pl_hook_wait_begin(struct pl_queue *q);
void pl_hook_woke(struct pl_tls *t); /* part of pl_hook_wait_end() where a report is wanted */
void pl_hook_wait_end(struct pl_queue *q, bool consumed);

/* Tells the program's callback of what happened to the calling thread since it was last told. */
void pl_hook_events(struct pl_tls *t);

/* Around a wait for the object at ADDR; returns the queue to hand to pl_hook_wait_addr_end(). */
struct pl_queue *pl_hook_wait_addr_begin(const volatile void *addr);
void pl_hook_wait_addr_end(const volatile void *addr, struct pl_queue *q, bool consumed);

/* Consumption without a wait (a semaphore that was free). */
void pl_hook_consume(struct pl_queue *q);

/* A descriptor was read from: remembered for the check of identity before placement. */
static inline void pl_hook_note_fd(int fd)
{
	pl_tls.last_fd = (uint32_t)fd + 1;
}

/* Descriptor FD was opened, closed or replaced: forget what it was. Range inclusive. */
static inline void pl_hook_fd_changed(int fd)
{
	struct pl_gate *gate = pl_tls.gate;

	/* A thread that never was a member knows nothing to forget, and touches no page for it. */
	if (pl_tls.epoch != UINT32_MAX && (unsigned int)fd < PL_NR_FDS) {
		pl_set(&gate->fd[fd].in, 0);
		pl_set(&gate->fd[fd].out, 0);
	}
}
void pl_hook_fd_range_changed(unsigned int first, unsigned int last);

/* FDS are the two ends of a new socketpair: each is the other's receiver. */
void pl_hook_socketpair(const int fds[2]);

/* FD is a new eventfd: its kernel id may have named another one before. */
void pl_hook_eventfd(int fd);

/*
 * Before fork, clone, spawn, system, popen, pthread_create: what is born inherits the program's
 * mask, so this thread gets it back now. It is bound again at a later turn.
 */
void pl_hook_before_child(void);

/* The same around such a call, where its end is seen: the caller stays wide until then, however
 * long it takes. */
void pl_hook_child_begin(void);
void pl_hook_child_end(void);

/* Before exec: like pl_hook_before_child(), and this image's tasks end when EXEC is certain to come
 * from the process itself, not from a vfork child that shares its memory. */
void pl_hook_before_exec(void);

/*
 * Around the creation of a thread by pthread_create or thrd_create: before (the caller has its mask
 * back afterwards), after it failed or worked, as the first thing in the new thread (PINNED: its
 * creator chose its affinity), and before that thread ends.
 */
void pl_hook_thread_coming(void);
void pl_hook_thread_failed(void);
void pl_hook_thread_created(void);
void pl_hook_thread_begin(bool pinned);
void pl_hook_thread_exit(void);

/* The calling thread gives its CPU up for a moment: counted for reports. */
static inline void pl_hook_yield(void)
{
	pl_tls.nr_yields++;
}

/* The balancer sleeps, and a thread has returned from a wait. */
void pl_hook_balancer_wake(void);

/*
 * Affinity calls of the program. TID 0 is the caller. Around a query: the program's mask is put in
 * force and stays so. Around a change: the pair ends first; OK says that the kernel accepted the
 * program's mask.
 */
void pl_hook_affinity_query(pid_t tid);
void pl_hook_affinity_queried(pid_t tid);
void pl_hook_affinity_change(pid_t tid);
void pl_hook_affinity_changed(pid_t tid, bool ok);

/* Before a change of scheduling class: DEADLINE and RT threads are never bound. */
void pl_hook_sched_change(pid_t tid);
void pl_hook_sched_changed(pid_t tid);

/* Before a seccomp filter is installed: everything is let go and libplace stays off. */
void pl_hook_sandbox(void);

/* Around set*id and unshare/setns: no thread of ours may keep the old identity, and afterwards,
 * when it worked, we join again as who we are then. */
void pl_hook_identity_change(void);
void pl_hook_identity_changed(bool ok);

#endif
