// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Errors and the progress line; both on stderr, so that stdout is the result alone.
#include "tools/bench/say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#define WIPE	  "\r\033[K"
#define BAR_WIDTH 24
#define MIN_DONE  0.02 /* before that an estimate is a guess */

static bool shown;
static const char *load = "";
static double load_from, load_part = 1; /* of all, by the estimate */
static char last[256];
static uint64_t begin_ns;

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
	vsnprintf(last, sizeof(last), fmt, ap);
	va_end(ap);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

const char *pl_say_last(void)
{
	return last;
}

void pl_say_forget(void)
{
	last[0] = '\0';
}

void pl_progress_begin(const char *name, double done_s, double row_s, double all_s)
{
	load = name;
	load_from = done_s / all_s;
	load_part = row_s / all_s;
	if (done_s <= 0)
		begin_ns = pl_now_ns();
}

void pl_progress(double done, const char *contender)
{
	double all = load_from + load_part * (done < 1 ? done : 1);
	double took_s = (double)(pl_now_ns() - begin_ns) / 1e9;
	int full = (int)(all * BAR_WIDTH);

	if (!isatty(STDERR_FILENO))
		return;
	fputs(WIPE "[", stderr);
	for (int i = 0; i < BAR_WIDTH; i++)
		fputc(i < full ? '#' : '.', stderr);
	fprintf(stderr, "] %3.0f %% %.40s: %s", all * 100, load, contender);
	if (all >= MIN_DONE)
		fprintf(stderr, ", about %.0f s left", took_s * (1 - all) / all);
	fflush(stderr);
	shown = true;
}
