/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Names of descriptors' queues: the receiving end of a pipe, socket or eventfd. */
#ifndef PL_OBSERVE_FD_H
#define PL_OBSERVE_FD_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The key of the queue that FD reads from (IN) or writes to. 1 with *KEY set; 0 when FD is no queue
 * and will not become one; -1 when it cannot be named now (not connected, no answer). System calls
 * only, errno kept, MT-safe.
 */
int pl_fd_name(int fd, bool in, uint64_t *key);

/* Whether FD still is what QUEUE (index) was named after: asked before any placement based on it.
 */
bool pl_fd_is_still(int fd, uint32_t queue);

#endif
