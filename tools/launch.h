/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Preparing a program for placement: the environment it gets, and whether it can be seen at all. */
#ifndef TOOLS_LAUNCH_H
#define TOOLS_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Appends the preload object to LD_PRELOAD of this process. 0, or -1 after one line on stderr (the
 * object is not there, or its path cannot stand in LD_PRELOAD).
 */
int launch_add_preload(const char *who);

/*
 * Why a preload cannot be seen by PROGRAM (looked up in PATH as execvp does): a short phrase such
 * as "is statically linked", or NULL when it can, or when PROGRAM is not found.
 */
const char *launch_blind_spot(const char *program);

/* Makes sure that a keeper runs for this user. False when pairs across processes cannot be held. */
bool launch_keeper(void);

/* Replaces this process by ARGV. Returns only on failure, with the exit status to use (126, 127),
 * after one line on stderr. */
int launch_exec(const char *who, char **argv);

#endif
