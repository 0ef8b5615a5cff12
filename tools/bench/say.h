/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* What `place bench` tells people while it works. */
#ifndef PL_TOOLS_BENCH_SAY_H
#define PL_TOOLS_BENCH_SAY_H

/* One line "place bench: ..." on stderr, after the progress line has been wiped. */
void pl_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Rewrites the progress line; does nothing when stderr is no terminal. LEFT_S < 0: not known. */
void pl_progress(int round, int rounds, const char *contender, double left_s);

/* Wipes it. */
void pl_progress_end(void);

#endif
