/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* What `place bench` tells people while it works. */
#ifndef PL_TOOLS_BENCH_SAY_H
#define PL_TOOLS_BENCH_SAY_H

/* One line "place bench: ..." on stderr, after the progress line has been wiped. */
void pl_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Of several comparisons the one that now runs, NAME, is number I (from 0) of NR. */
void pl_progress_begin(const char *name, int i, int nr);

/*
 * Rewrites the progress line: a bar, what runs, and how long it will take, reckoned from what it
 * took so far. DONE (0..1) of this comparison. Does nothing when stderr is no terminal.
 */
void pl_progress(double done, const char *contender);

/* Wipes it. */
void pl_progress_end(void);

#endif
