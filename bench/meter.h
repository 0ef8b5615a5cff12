/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * The clock of the side that leads: drops the warm-up, ends the run, and remembers turn by turn
 * whether the two ends were on different CPUs.
 */
#ifndef BENCH_METER_H
#define BENCH_METER_H

#include "bench/bench.h"

/* Rounds between two looks at the clock: 6 ms at the longest round in use, 0.1 % at the shortest.
 */
#define METER_CHECK 16

enum meter_step {
	METER_GO_ON,
	METER_MEASURE, /* the warm-up has just ended */
	METER_STOP,
};

/* Ten milliseconds of the run. */
struct meter_slice {
	uint32_t turns;
	uint32_t cross;
};

struct meter {
	uint64_t rounds;		  /* since the first turn */
	uint64_t cross;			  /* of these, with the ends on different CPUs */
	uint64_t seen_rounds, seen_cross; /* at the last look at the clock */
	uint64_t base_rounds, base_cross; /* when the measured part began */
	uint64_t first_ns, base_ns, end_ns;
	uint64_t warmup_ns, length_ns, max_rounds;
	bool measuring;
	struct meter_slice *slices;
	size_t nr_slices;
};

/* What a leader found; in shared memory. */
struct meter_result {
	uint64_t rounds;
	double elapsed_s;
	double rate;		/* rounds per second */
	double cross;		/* fraction of the measured turns with the ends apart */
	double stacked_after_s; /* from the first turn until it became and stayed stacked, or
				   INFINITY */
};

/* Before "go": allocates. */
void meter_init(struct meter *m, const struct bench_opts *o);

/* At the first turn. */
void meter_start(struct meter *m);

/* Looks at the clock; called by meter_turn(). */
enum meter_step meter_check(struct meter *m);

/* After each round; CROSS: the ends were on different CPUs. */
static inline enum meter_step meter_turn(struct meter *m, bool cross)
{
	m->cross += cross;
	if (++m->rounds % METER_CHECK)
		return METER_GO_ON;
	return meter_check(m);
}

/* After METER_STOP: fills *OUT and frees. */
void meter_fini(struct meter *m, struct meter_result *out);

/* Pure part of stacked_after_s, in slices; -1 when the run did not end stacked. */
long meter_settled(const struct meter_slice *slices, size_t nr);

#endif
