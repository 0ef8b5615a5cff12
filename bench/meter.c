// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See meter.h.
#include "bench/meter.h"

#include <math.h>
#include <stdlib.h>

#define SLICE_NS	(10 * PL_NS_PER_MS)
#define MAX_SLICES	12000 /* two minutes; later turns count in the last one */
#define HOLD_SLICES	10    /* "became": stacked for 100 ms on end */
#define LATER_SPREAD_PC 10    /* "stayed": short probes are allowed in a tenth of what follows */

void meter_init(struct meter *m, const struct bench_opts *o)
{
	*m = (struct meter){
		.warmup_ns = (uint64_t)(o->warmup_s * 1e9),
		.length_ns = o->rounds ? 0 : (uint64_t)(o->seconds * 1e9),
		.max_rounds = o->rounds,
	};
	m->slices = calloc(MAX_SLICES, sizeof(*m->slices));
	if (!m->slices)
		bench_die("out of memory");
}

void meter_start(struct meter *m)
{
	m->first_ns = m->base_ns = pl_now_ns();
	m->measuring = m->warmup_ns == 0;
}

enum meter_step meter_check(struct meter *m)
{
	uint64_t now = pl_now_ns();
	size_t i = (now - m->first_ns) / SLICE_NS;

	if (i >= MAX_SLICES)
		i = MAX_SLICES - 1;
	m->slices[i].turns += (uint32_t)(m->rounds - m->seen_rounds);
	m->slices[i].cross += (uint32_t)(m->cross - m->seen_cross);
	m->seen_rounds = m->rounds;
	m->seen_cross = m->cross;
	m->nr_slices = i + 1;

	if (!m->measuring) {
		if (now - m->first_ns < m->warmup_ns)
			return METER_GO_ON;
		m->measuring = true;
		m->base_ns = now;
		m->base_rounds = m->rounds;
		m->base_cross = m->cross;
		return METER_MEASURE;
	}
	if (m->max_rounds ? m->rounds - m->base_rounds < m->max_rounds
			  : now - m->base_ns < m->length_ns)
		return METER_GO_ON;
	m->end_ns = now;
	return METER_STOP;
}

static bool is_spread(const struct meter_slice *s)
{
	return s->turns && s->cross * 2 >= s->turns;
}

long meter_settled(const struct meter_slice *slices, size_t nr)
{
	size_t spread = 0, run = 0;
	long found = -1;

	/* Backwards: RUN is the length of the stacked stretch that begins here. */
	for (size_t i = nr; i-- > 0;) {
		if (is_spread(&slices[i])) {
			spread++;
			run = 0;
			continue;
		}
		run++;
		if ((run >= HOLD_SLICES || i + run == nr) &&
		    spread * 100 <= (nr - i) * LATER_SPREAD_PC)
			found = (long)i;
	}
	return found;
}

void meter_fini(struct meter *m, struct meter_result *out)
{
	long settled = meter_settled(m->slices, m->nr_slices);

	out->rounds = m->rounds - m->base_rounds;
	out->elapsed_s = (double)(m->end_ns - m->base_ns) / 1e9;
	out->rate = (double)out->rounds / out->elapsed_s;
	out->cross = (double)(m->cross - m->base_cross) / (double)out->rounds;
	out->stacked_after_s = settled < 0 ? INFINITY : (double)settled * SLICE_NS / 1e9;
	free(m->slices);
	m->slices = NULL;
}
