/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The affinity that the program sees and sets: always its own. */
#ifndef PL_APPLY_AFFINITY_H
#define PL_APPLY_AFFINITY_H

#include <sys/types.h>

#include "domain/member.h"

/*
 * Before the kernel is asked for the mask of TID: puts the program's mask in force. TID 0 is the
 * caller, -1 any other thread of this process, else a thread id; threads of other processes are
 * left alone. The thread binds itself again at a later turn.
 */
void pl_affinity_query(pid_t tid);

/* Before the program sets the mask of TID (as above): its pair ends and it is wide. */
void pl_affinity_change(pid_t tid);

/* After that: when OK the mask belongs to the program for good. */
void pl_affinity_changed(pid_t tid, bool ok);

/* After a change of scheduling class of TID (as above): RT and DEADLINE threads are never bound. */
void pl_affinity_class_changed(pid_t tid);

#endif
