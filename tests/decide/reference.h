/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * The rules once more, straight from their wording and deliberately naive: plain arrays and loops
 * over every CPU, nothing shared with libplace/decide/. The property tests compare the two.
 */
#ifndef PL_TESTS_REFERENCE_H
#define PL_TESTS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#define REF_MAX 512

/* One machine in one state, and one request. */
struct ref {
	int n;
	bool smt, asymmetric;
	bool online[REF_MAX], idle[REF_MAX];
	bool allowed[REF_MAX];	/* by the program and the request */
	bool program[REF_MAX];	/* by the program alone */
	bool isolated[REF_MAX]; /* or without ticks */
	int core[REF_MAX], cluster[REF_MAX], llc[REF_MAX], node[REF_MAX];
	int arch[REF_MAX], actual[REF_MAX], capacity[REF_MAX], util[REF_MAX];
	int target, prev, recent;
	int u, umin, umax;
	bool core_first;     /* --idle: idle-core-first, on SMT */
	bool hint[REF_MAX];  /* by LLC: an idle core is assumed */
	bool asym_hint;	     /* in the whole machine */
	int budget[REF_MAX]; /* by LLC, -1: none */
	uint8_t distance[64][64];
};

/* Copies the present random case. */
void ref_read(struct ref *f);

int ref_fits(int u, int umin, int umax, int arch, int actual, int capacity);
bool ref_core_idle(const struct ref *f, int cpu);
int ref_representative(const struct ref *f, int cpu);
int ref_r6(const struct ref *f);
/* *STALE: the rule clears the idle-core hint. */
int ref_r7(const struct ref *f, bool *stale);
/* R7's table over one LLC (-1: all) with an idle core assumed there or not. */
int ref_r7_table(const struct ref *f, int llc, bool idle_core, bool *stale);
bool ref_misfit(const struct ref *f);
int ref_r9(const struct ref *f);
int ref_r10(const struct ref *f, int preferred);
/* By clusters. -1: overutilized or nowhere. */
int ref_r12(const struct ref *f);
/* Fills OUT; 0 idle cores, 1 idle CPUs, 2 anywhere. */
int ref_r13(const struct ref *f, bool *out);
/* 0 none, 1 core, 2 LLC, 3 node; OUT: the set. */
int ref_r16(const struct ref *f, int cpu, int least, bool *out);

#endif
