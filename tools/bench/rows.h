/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The rows of `place bench all --full`: a load with options and a name. */
#ifndef PL_TOOLS_BENCH_ROWS_H
#define PL_TOOLS_BENCH_ROWS_H

#include "tools/bench/options.h"
#include "tools/bench/programs.h"

/* Sets for --only. A row of HANDOFF is judged against masks by hand, any other against the kernel
 * alone, so that it needs none of those. */
enum pl_row_set {
	PL_SET_HANDOFF = 1 << 0,
	PL_SET_NO_HARM = 1 << 1,
	PL_SET_COMPUTE = 1 << 2,
	PL_SET_OVERLAP = 1 << 3,
	PL_SET_SHAPES = 1 << 4,
	PL_SET_PROGRAMS = 1 << 5,
};

#define PL_NR_SETS   6
#define PL_ROW_PASS  4
#define PL_ROW_WHOLE ((1u << PL_NR_SETS) - 1)

struct pl_row {
	const char *name;
	const char *load; /* a workload */
	unsigned int sets;
	bool processes;
	double work_us;
	const char *pass[PL_ROW_PASS][2]; /* options of the workload: name, value or NULL */
	double run_s;			  /* what one run takes, start to end, about */
};

/* NULL when there is none; the N-th, NULL behind the last. */
const struct pl_row *pl_row_find(const char *name);
const struct pl_row *pl_row_nth(size_t n);

/* The options as one types them, into BUF of N bytes. Returns BUF. */
const char *pl_row_options(const struct pl_row *row, char *buf, size_t n);

/* The sets of a program, PL_SET_PROGRAMS among them. */
unsigned int pl_program_sets(const struct pl_program *p);

/* Of one bit. NULL for any other number. */
const char *pl_set_name(unsigned int set);

/* A list with commas into a bit set; 0, with the reason said on stderr, for an unknown name. */
unsigned int pl_sets_parse(const char *list);

#endif
