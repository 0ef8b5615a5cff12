// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The table of rows: our own loads as `place bench all --full` runs them. A new one is one more
// entry. Other people's programs are rows, too; they are in programs.c.
#include "tools/bench/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/say.h"

/* Long enough for a pair to be found and verified before, and to be held for most of it. */
#define SHORT                                                                                      \
	{                                                                                          \
		"seconds", "0.5"                                                                   \
	}
#define SHORT_S 0.82 /* with the warm-up, start and end */

#define PINGPONG(kind)                                                                             \
	{.name = kind "-threads",                                                                  \
	 .load = kind,                                                                             \
	 .sets = PL_SET_HANDOFF,                                                                   \
	 .pass = {SHORT},                                                                          \
	 .run_s = SHORT_S},                                                                        \
	{                                                                                          \
		.name = kind "-processes", .load = kind, .sets = PL_SET_HANDOFF,                   \
		.processes = true, .pass = {SHORT}, .run_s = SHORT_S                               \
	}

#define WAKEUP(n, s)                                                                               \
	{                                                                                          \
		.name = "wakeup-w" n, .load = "wakeup", .sets = PL_SET_NO_HARM,                    \
		.pass = {SHORT, {"workers", n}}, .run_s = s                                        \
	}

/* Buffers instead of work, as with -p of schbench. */
#define WAKEUP_PIPE(n)                                                                             \
	{                                                                                          \
		.name = "wakeup-pipe-w" n, .load = "wakeup", .sets = PL_SET_NO_HARM,               \
		.pass = {SHORT, {"workers", n}, {"pipe", "64"}}, .run_s = SHORT_S                  \
	}

/* The same number of messages in all. */
#define MESSAGING(n, messages, s)                                                                  \
	{.name = "messaging-pipe-g" n "-threads",                                                  \
	 .load = "messaging",                                                                      \
	 .sets = PL_SET_NO_HARM,                                                                   \
	 .pass = {{"groups", n}, {"loops", messages}},                                             \
	 .run_s = s},                                                                              \
	{                                                                                          \
		.name = "messaging-pipe-g" n "-processes", .load = "messaging",                    \
		.sets = PL_SET_NO_HARM, .processes = true,                                         \
		.pass = {{"groups", n}, {"loops", messages}}, .run_s = s                           \
	}

#define COMPUTE(n)                                                                                 \
	{.name = "compute-t" n,                                                                    \
	 .load = "compute",                                                                        \
	 .sets = PL_SET_COMPUTE,                                                                   \
	 .pass = {SHORT, {"tasks", n}},                                                            \
	 .run_s = SHORT_S},                                                                        \
	{                                                                                          \
		.name = "compute-t" n "-hog", .load = "compute", .sets = PL_SET_COMPUTE,           \
		.pass = {SHORT, {"tasks", n}, {"beside-hog", NULL}}, .run_s = SHORT_S              \
	}

/* Each side computes so long before it waits: where sharing a CPU stops to pay, and beyond. */
#define OVERLAP(us)                                                                                \
	{                                                                                          \
		.name = "pipe-work" #us, .load = "pipe", .sets = PL_SET_OVERLAP,                   \
		.processes = true, .work_us = us, .pass = {SHORT}, .run_s = SHORT_S                \
	}

#define SHAPE(id, of, ...)                                                                         \
	{                                                                                          \
		.name = id, .load = of, .sets = PL_SET_SHAPES, .pass = {__VA_ARGS__},              \
		.run_s = SHORT_S                                                                   \
	}

static const struct pl_row rows[] = {
	PINGPONG("pipe"),
	PINGPONG("futex"),
	PINGPONG("cond"),
	PINGPONG("sem"),
	PINGPONG("eventfd"),
	PINGPONG("unix"),
	PINGPONG("tcp"),
	WAKEUP("8", SHORT_S),
	WAKEUP("40", 0.92),
	WAKEUP("80", 1.05),
	WAKEUP("240", 1.7),
	WAKEUP_PIPE("1"),
	WAKEUP_PIPE("2"),
	WAKEUP_PIPE("4"),
	WAKEUP_PIPE("8"),
	MESSAGING("1", "800", 0.28),
	MESSAGING("2", "400", 0.4),
	MESSAGING("4", "200", 0.45),
	MESSAGING("8", "100", 0.7),
	COMPUTE("2"),
	COMPUTE("4"),
	OVERLAP(2),
	OVERLAP(3),
	OVERLAP(5),
	OVERLAP(10),
	OVERLAP(50),
	SHAPE("ring-three", "ring", SHORT),
	SHAPE("switching-hub", "switching", SHORT),
	SHAPE("pair-beside-hog", "hog", SHORT),
	SHAPE("phases-short", "phases", {"cycles", "2"}, {"phase", "0.15"}),
	SHAPE("bursty-half", "bursty", SHORT),
	SHAPE("web-c1", "web", SHORT, {"clients", "1"}),
	SHAPE("web-c8", "web", SHORT, {"clients", "8"}),
	SHAPE("web-c64", "web", SHORT, {"clients", "64"}),
	SHAPE("pipeline-d1", "pipeline", SHORT),
	SHAPE("pipeline-d16", "pipeline", SHORT, {"depth", "16"}),
	SHAPE("fanin-four", "fanin", SHORT),
	SHAPE("fanout-four", "fanout", SHORT),
	SHAPE("churn-four", "churn", SHORT),
};

static const char *const set_names[PL_NR_SETS] = {"handoff", "no-harm", "compute",
						  "overlap", "shapes",	"programs"};

const struct pl_row *pl_row_nth(size_t n)
{
	return n < sizeof(rows) / sizeof(rows[0]) ? &rows[n] : NULL;
}

const struct pl_row *pl_row_find(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	}
	return NULL;
}

const char *pl_row_options(const struct pl_row *row, char *buf, size_t n)
{
	size_t len =
		(size_t)snprintf(buf, n, "%s%s", row->load, row->processes ? " --processes" : "");

	if (row->work_us > 0 && len < n)
		len += (size_t)snprintf(buf + len, n - len, " --work %g", row->work_us);
	for (int i = 0; i < PL_ROW_PASS && row->pass[i][0] && len < n; i++) {
		/* The number of tasks comes with their kind. */
		bool tasks = strcmp(row->pass[i][0], "tasks") == 0;

		len += (size_t)snprintf(buf + len, n - len, " --%s%s%s",
					!tasks		 ? row->pass[i][0]
					: row->processes ? "processes"
							 : "threads",
					row->pass[i][1] ? " " : "",
					row->pass[i][1] ? row->pass[i][1] : "");
	}
	return buf;
}

unsigned int pl_program_sets(const struct pl_program *p)
{
	return PL_SET_PROGRAMS | (p->handoff ? PL_SET_HANDOFF : 0u);
}

const char *pl_set_name(unsigned int set)
{
	for (int i = 0; i < PL_NR_SETS; i++) {
		if (set == 1u << i)
			return set_names[i];
	}
	return NULL;
}

static unsigned int set_of(const char *name)
{
	for (int i = 0; i < PL_NR_SETS; i++) {
		if (strcmp(name, set_names[i]) == 0)
			return 1u << i;
	}
	pl_say("--only: no '%s': choose of handoff,no-harm,compute,overlap,shapes,programs", name);
	return 0;
}

unsigned int pl_sets_parse(const char *list)
{
	char *copy = strdup(list), *save = NULL; /* the report quotes the command line whole */
	unsigned int sets = 0, one = 1;

	for (char *s = copy ? strtok_r(copy, ",", &save) : NULL; one && s;
	     s = strtok_r(NULL, ",", &save)) {
		one = set_of(s);
		sets |= one;
	}
	free(copy);
	return one ? sets : 0;
}
