/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The report of `place run --stats`. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include "domain/segment.h"

/* Claims a run slot of SEG for this process. Returns the reference to the run, or 0 when all slots
 * are taken by live reporters. */
uint32_t report_open(struct pl_segment *seg);

/* Sums RUN, the tasks that still live included, and writes it: as text to stderr when FILE is NULL,
 * else as JSON into FILE. 0, or -1 after one line on stderr. */
int report_write(struct pl_segment *seg, uint32_t run, const char *file);

/* Gives the slot back. */
void report_close(struct pl_segment *seg, uint32_t run);

#endif
