/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The masks a person who knows the machine and the load would set. */
#ifndef PL_TOOLS_BENCH_HAND_H
#define PL_TOOLS_BENCH_HAND_H

#include <sched.h>

#include "tools/bench/contender.h"
#include "tools/bench/options.h"

/* Reads the machine, chooses CPUs, and strikes out contenders that this machine or load cannot
 * have; why is appended to o->note. */
void pl_hand_prepare(struct pl_bench_opts *o);

/* One more reason in o->note. */
void pl_hand_note(struct pl_bench_opts *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The mask of a whole program; false when contender C sets none. */
bool pl_hand_mask(const struct pl_bench_opts *o, enum pl_contender c, enum pl_role role,
		  cpu_set_t *out);

/* The CPUs our own program gives its tasks in turn, as a list; false when it gives none. */
bool pl_hand_list(const struct pl_bench_opts *o, enum pl_contender c, char *out, size_t n);

/* For the other tools: a list of CPUs with those of distinct cores first; the hexadecimal mask of
 * one last-level cache; a NUMA node. */
void pl_hand_cores(const struct pl_bench_opts *o, char *out, size_t n);
void pl_hand_llc_mask(const struct pl_bench_opts *o, char *out, size_t n);
int pl_hand_node(const struct pl_bench_opts *o);

#endif
