/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * What several tests need: running a child program to its end, and carrying a failure out of a
 * thread. cmocka fails a test by a long jump, so only the main thread may assert.
 */
#ifndef PL_TESTS_HELPER_H
#define PL_TESTS_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A program to run and what came of it. Zero-initialise, fill in the first part. */
struct helper_child {
	const char *const *argv; /* searched on PATH; ends with NULL */
	const char *const *env;	 /* "NAME=value" set, "NAME" unset, on top of ours; may be NULL */
	const char *preload;	 /* LD_PRELOAD of the child; NULL: ours, "": none */
	const char *input;	 /* its standard input; NULL: empty */
	int timeout_ms;		 /* 0: 30 s */

	char *out; /* what it wrote, always ended by a zero byte */
	size_t out_len;
	char *err;
	size_t err_len;
	int status;	/* as waitpid() gives it */
	bool timed_out; /* it and its process group were killed for that */
};

/*
 * Runs the program and waits until it has ended. 0, or a negative errno when it could not be
 * started (-ENOENT and the like come from exec) or ran out of time (-ETIMEDOUT). What it wrote is
 * read until then; a descendant that keeps the pipes open does not delay the return. Free with
 * helper_child_free(). Not MT-safe with setenv().
 */
int helper_child_run(struct helper_child *c);

/* Frees what a run left in C. */
void helper_child_free(struct helper_child *c);

/* True when the child ended by exit(CODE). */
bool helper_child_exited(const struct helper_child *c, int code);

/* Paths that the build gives: the preload object (NULL without preload) and the place tool. */
const char *helper_preload(void);
const char *helper_place(void);

/*
 * Says in the test's output that the rest is skipped, and why; return from the test after it.
 * cmocka's skip() is not for us: with TAP it prints "not ok # SKIP", which meson takes as a
 * failure.
 */
void helper_skipped(const char *why);

/*
 * The first failure of any thread of a test. Threads check with helper_expect(), the main thread
 * ends with helper_assert_no_failure() after it joined them. Zero-initialise.
 */
struct helper_failure {
	_Atomic uint32_t taken;
	const char *file;
	int line;
	char what[160];
};

/* Yields OK; when false, notes the failure unless there is one. MT-safe, async-signal-safe. */
bool helper_check(struct helper_failure *f, bool ok, const char *file, int line, const char *what);

/* In a thread: notes the failure when COND is false. Yields COND. */
#define helper_expect(f, cond) helper_check((f), (cond), __FILE__, __LINE__, #cond)

/* In the main thread, with cmocka.h included: fails the test as the thread would have. */
#define helper_assert_no_failure(f)                                                                \
	do {                                                                                       \
		if ((f)->taken) {                                                                  \
			print_error("%s\n", (f)->what);                                            \
			_fail((f)->file, (f)->line);                                               \
		}                                                                                  \
	} while (0)

#endif
