// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Errors and the progress line; both on stderr, so that stdout is the result alone.
#include "tools/bench/say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#define WIPE "\r\033[K"

static bool shown;

void pl_progress_end(void)
{
	if (shown)
		fputs(WIPE, stderr);
	shown = false;
}

void pl_say(const char *fmt, ...)
{
	va_list ap;

	pl_progress_end();
	fputs("place bench: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void pl_progress(int round, int rounds, const char *contender, double left_s)
{
	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, WIPE "round %d of %d: %s", round, rounds, contender);
	if (left_s >= 0)
		fprintf(stderr, ", about %.0f s left", left_s);
	fflush(stderr);
	shown = true;
}
