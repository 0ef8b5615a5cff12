/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Turns: who consumed whose message. */
#ifndef PL_OBSERVE_TURN_H
#define PL_OBSERVE_TURN_H

#include "domain/member.h"

#define PL_WINDOW_TURNS                                                                            \
	32u /* turns between two looks at the clock, and the entry condition of R4 */

/* Calls left out between two windows of a task that takes part in no alternation. */
#define PL_SKIP_ONE_WAY 448u

/*
 * Percent of TASK's recent turns that came from somebody other than PARTNER. "Recent" decays by
 * half each second. Pure reading; MT-safe.
 */
unsigned int pl_turn_other_pct(const struct pl_task *task, pl_task_id partner);

#endif
