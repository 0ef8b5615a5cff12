/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * Load of others by CPU: what the keeper's sample of /proc/stat says less what this process used in
 * the time of that sample. Own use is known exactly in sum, but only roughly by CPU, since threads
 * move between two looks; so the sum decides whether there are others at all, and the parts where.
 */
#ifndef PL_OBSERVE_OUTSIDE_H
#define PL_OBSERVE_OUTSIDE_H

#include "domain/segment.h"

#define PL_NR_LOOKS 64 /* kept, for samples that began some looks ago */

struct pl_own_use {
	uint64_t total_ns;
	uint64_t since_ns; /* end of the first look, or of the last one that took long; 0: none */
	uint32_t nr_looks;
	struct {
		uint64_t at_ns;
		uint64_t total_ns;
	} look[PL_NR_LOOKS];
	uint64_t cpu_ns[PL_MAX_CPUS];	  /* by CPU */
	uint64_t cpu_before[PL_MAX_CPUS]; /* cpu_ns when the sample before the last was noticed */
	uint64_t cpu_at[PL_MAX_CPUS];	  /* cpu_ns when the last sample was noticed */
	uint64_t sample_ns;		  /* end of that sample */
};

/*
 * A thread of this process used NS of CPU time since the last look, when it was on CPU WAS, and is
 * on CPU NOW (-1: not known). Which of the two it was is not known, so it counts on both: the sum
 * is exact, and less is said of a CPU where one of ours may have been.
 */
static inline void pl_own_use_add(struct pl_own_use *u, int was, int now, uint64_t ns)
{
	u->total_ns += ns;
	if (was >= 0 && was < PL_MAX_CPUS)
		u->cpu_ns[was] += ns;
	if (now >= 0 && now < PL_MAX_CPUS && now != was)
		u->cpu_ns[now] += ns;
}

/*
 * All threads have been looked at, from BEGIN_NS to END_NS. A look during which we were kept from
 * our CPU says too little of who used what by when: samples count again that begin after it.
 */
void pl_own_use_looked(struct pl_own_use *u, uint64_t begin_ns, uint64_t end_ns);

/*
 * Load of others, 0..1024 by CPU, into OUT for the online CPUs of M. All zero where there is no
 * fresh sample of the time of which all is known, or where all others together use less than a
 * quarter of a CPU. One caller a U.
 */
void pl_outside_fill(struct pl_own_use *u, const struct pl_segment *seg, const struct pl_machine *m,
		     uint64_t now_ns, uint16_t *out);

#endif
