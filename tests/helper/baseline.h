/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * Comparison of a program with itself: with the preload object of this test and without. In a run
 * without the preload both are without, which shows that the program alone gives the same twice.
 */
#ifndef PL_TESTS_BASELINE_H
#define PL_TESTS_BASELINE_H

#include <stdbool.h>

#include "helper/helper.h"

/*
 * Runs ARGV (searched on PATH, with ENV as in struct helper_child) without and then with the
 * preload object. True when both wrote the same to stdout and stderr and ended the same way; else
 * says what differed. An error of the start (no such program) is the same twice: ask first with
 * helper_has(). Not MT-safe.
 */
bool helper_same(const char *const argv[], const char *const env[]);

/* helper_same() of "sh -c SCRIPT", with ENV. */
bool helper_same_script(const char *script, const char *const env[]);

/* True when PROGRAM is on PATH; else says that what needs it is skipped. */
bool helper_has(const char *program);

/* Absolute path of the test program that runs. */
const char *helper_self(void);

/*
 * Compiles the C source SOURCE (C++ when ARGS names a C++ compiler) to DIR/NAME by ARGS, that is a
 * compiler and its options up to NULL. False when that is impossible here, and says so.
 */
bool helper_compile(const char *dir, const char *name, const char *source,
		    const char *const args[]);

/* A new directory for the files of a test; NULL on failure. helper_remove() takes it away. */
char *helper_dir(void);
void helper_remove(char *dir);

#endif
