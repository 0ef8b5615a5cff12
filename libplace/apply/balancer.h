/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * The balancer: one thread a process, from its second thread on and only on machines where there is
 * something to balance. It is made by a bare clone, with a dummy in place of thread-local storage,
 * so the C library does not count it: the program ends with its own last thread.
 */
#ifndef PL_APPLY_BALANCER_H
#define PL_APPLY_BALANCER_H

#include "domain/member.h"

/*
 * Before the process of T gets another thread. True when its threads are to be entered into the
 * table of domain/thread.h: the machine has SMT, unequal capacities or several caches, or is not
 * known yet. Joins the segment at the second thread. Makes system calls.
 */
bool pl_balancer_is_wanted(struct pl_tls *t);

/* After the thread exists: starts the balancer if it is wanted and does not run, else tells it that
 * there is something new. Makes system calls. */
void pl_balancer_start(struct pl_tls *t);

/* Wakes the balancer; async-signal-safe, one system call. */
void pl_balancer_wake(void);

/*
 * Ends the balancer and waits until it has given all masks back and the kernel does not count it
 * any more. The next thread may start it again. Makes system calls; not from the balancer.
 */
void pl_balancer_stop(void);

/*
 * The same, and there is none until pl_balancer_release(): around calls that change what the
 * process is (user, namespaces), or for good (sandbox). MT-safe; calls add up.
 */
void pl_balancer_hold(void);
void pl_balancer_release(void);

/* In a child of fork: there is none here. */
void pl_balancer_forget(void);

#endif
