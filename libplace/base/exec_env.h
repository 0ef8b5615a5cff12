/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * The environment for a program that cannot load the preload object: of another word size, machine
 * or C library, with AddressSanitizer's shared runtime, or in a root directory that does not hold
 * the object. Its loader would complain on the program's stderr, or end it, so the object is not
 * asked for there.
 */
#ifndef PL_BASE_EXEC_ENV_H
#define PL_BASE_EXEC_ENV_H

#include <stdbool.h>
#include <stddef.h>

/* How an environment is to be changed. NR_VARIABLES 0: not at all. */
struct pl_exec_env {
	size_t nr_variables; /* pointers to make room for, without the NULL */
	size_t text_size;    /* bytes to make room for */
	size_t at;	     /* index of LD_PRELOAD */
};

/*
 * Finds out whether the program PATH (relative to directory DIR, as in execveat(); with an empty
 * path DIR is the program) can load the object that LD_PRELOAD in ENV names; in doubt it can. With
 * SEARCH a PATH without slash is looked for as execvp() does. MT-safe, async-signal-safe, errno is
 * kept; up to 4 KiB of stack; eight system calls when LD_PRELOAD names the object, else none.
 */
void pl_exec_env_plan(int dir, const char *path, bool search, char *const env[],
		      struct pl_exec_env *plan);

/*
 * Writes ENV without the object: the variables to OUT (NR_VARIABLES + 1 pointers, NULL at the end)
 * and what is left of LD_PRELOAD to TEXT; when nothing is, the variable is left out. MT-safe,
 * async-signal-safe.
 */
void pl_exec_env_make(const struct pl_exec_env *plan, char *const env[], char **out, char *text);

#endif
