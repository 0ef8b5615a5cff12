/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * Random machines, states and requests for the property tests, repeatable from a seed. Most
 * machines are small, where corner cases meet; some have 512 CPUs. One case at a time: the memory
 * is static.
 */
#ifndef PL_TESTS_RANDOM_CASE_H
#define PL_TESTS_RANDOM_CASE_H

#include "decide/snapshot.h"

#define CASE_MAX_CPUS	  512
#define CASES_PER_MACHINE 50
/* A rule; fewer where every access is checked as well. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NR_CASES 10000
#else
#define NR_CASES 100000
#endif

struct random_case {
	uint64_t rng;
	uint32_t nr; /* cases so far */
	struct pl_machine machine;
	struct pl_snapshot snapshot;
	struct pl_request request;
	/* What the two above point to. */
	struct pl_cpumask allowed, narrower;
	uint16_t util[PL_MAX_CPUS], capacity[PL_MAX_CPUS];
};

extern struct random_case rc;

/* Starts over with SEED. */
void case_seed(uint64_t seed);

/* 0 .. BELOW - 1; BELOW is at least 1. */
uint32_t case_random(uint32_t below);

/* True in PCT of 100 cases. */
bool case_chance(uint32_t pct);

/* An online CPU. */
int case_cpu(void);

/* The next case: a machine now and then, a state (finished) and a request each time. */
void case_next(void);

/* A mask with about PCT of the CPUs, offline ones included. */
void case_mask(struct pl_cpumask *m, uint32_t pct);

#endif
