/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Starts the keeper when nobody watches. */
#ifndef PL_APPLY_KEEPER_START_H
#define PL_APPLY_KEEPER_START_H

#include "domain/segment.h"

/*
 * Notes where this library lies: the keeper's program is looked for from there, below the build
 * tree or the same prefix. Call early and once: it takes the dynamic linker's lock.
 */
void pl_keeper_locate(void);

/* True when SEG has a keeper that showed itself lately; it may be resting between its looks. */
bool pl_keeper_is_there(struct pl_segment *seg, uint64_t now_ns);

/*
 * Has somebody watch: wakes a resting keeper, else starts one, detached, unless somebody tried
 * within the last 100 ms, this process failed three times, or it would become a visible child
 * (subreapers, init). Callable inside a hook; takes about a millisecond when it starts one. errno
 * kept.
 */
void pl_keeper_ensure(struct pl_segment *seg, uint64_t now_ns);

/* Starts a keeper now, whatever was tried before. 0 or a negative errno. For tools. */
int pl_keeper_start(void);

#endif
