/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The lossy table of queues, keyed by the name of the receiving end. */
#ifndef PL_DOMAIN_QUEUE_H
#define PL_DOMAIN_QUEUE_H

#include "domain/segment.h"

enum pl_queue_kind {
	PL_QUEUE_PIPE = 1, /* device, inode */
	PL_QUEUE_UNIX,	   /* inode of the receiving socket */
	PL_QUEUE_TCP,	   /* network namespace, source, destination */
	PL_QUEUE_EVENTFD,  /* kernel id */
	PL_QUEUE_PRIVATE,  /* process key, address */
	PL_QUEUE_SHARED,   /* device, inode, offset */
};

/* Name of a queue: never 0. Pure. */
uint64_t pl_queue_key(enum pl_queue_kind kind, uint64_t a, uint64_t b, uint64_t c);

/*
 * The slot of KEY, taken when there is none: a free one, else the one named longest ago among the
 * few that KEY may use. Returns its index. MT-safe; two processes that race may end in two slots,
 * which costs turns and nothing else.
 */
uint32_t pl_queue_find(struct pl_segment *seg, uint64_t key, uint32_t now_s);

#endif
