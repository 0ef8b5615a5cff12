/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Measures the costs of handoffs on request. */
#ifndef PL_TOOLS_HANDOFF_H
#define PL_TOOLS_HANDOFF_H

#include <stdio.h>

#include "decide/handoff.h"

/*
 * Measures a turn between one pair of CPUs of each relation that M and the caller's mask have, by
 * two threads bound there (0.1 s or less each on an idle machine), writes a line for each to TO and
 * the costs into the segment. 0, or a negative errno when there is no shared one. Not MT-safe.
 */
int handoff_measure(const struct pl_machine *m, FILE *to);

#endif
