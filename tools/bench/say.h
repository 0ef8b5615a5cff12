/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* What `place bench` tells people while it works. */
#ifndef PL_TOOLS_BENCH_SAY_H
#define PL_TOOLS_BENCH_SAY_H

/* One line "place bench: ..." on stderr, after the progress line has been wiped. */
void pl_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The last line, without its prefix; empty after pl_say_forget(). */
const char *pl_say_last(void);
void pl_say_forget(void);

/* A comparison, NAME, begins: those before it were estimated to take DONE_S seconds, it will take
 * ROW_S, and all take ALL_S. The first one has DONE_S 0. */
void pl_progress_begin(const char *name, double done_s, double row_s, double all_s);

/*
 * Rewrites the progress line: a bar, what runs, and how long it will take, reckoned from what it
 * took so far. DONE (0..1) of this comparison. Does nothing when stderr is no terminal.
 */
void pl_progress(double done, const char *contender);

/* Wipes it. */
void pl_progress_end(void);

#endif
