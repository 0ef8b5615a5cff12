/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Walks over the CPUs that a mask, the snapshot and a request all let be used, wrapping. Pure. */
#ifndef PL_DECIDE_SCAN_H
#define PL_DECIDE_SCAN_H

#include "decide/snapshot.h"

/* A walk by CPU number from `from` on, round to the CPU before it. */
struct pl_scan {
	const unsigned long *in, *allowed, *more; /* the latter two may be NULL */
	int from, nr_words, word;
	int left; /* words to look at; the first is looked at twice, its upper and its lower part */
	unsigned long bits; /* of the present word, not visited yet */
};

static inline unsigned long pl_scan_word(const struct pl_scan *w)
{
	unsigned long bits = w->in[w->word];

	if (w->allowed)
		bits &= w->allowed[w->word];
	if (w->more)
		bits &= w->more[w->word];
	return bits;
}

/* CPUs of IN that S and ALLOWED let be used. IN holds online CPUs only, or the caller checks. */
static inline void pl_scan_init(struct pl_scan *w, const struct pl_snapshot *s,
				const struct pl_cpumask *in, const struct pl_cpumask *allowed,
				int from)
{
	if (from < 0 || from >= s->machine->nr_cpu_ids)
		from = 0;
	w->in = in->bits;
	w->allowed = s->allowed ? s->allowed->bits : NULL;
	w->more = allowed ? allowed->bits : NULL;
	w->from = from;
	w->nr_words = (s->machine->nr_cpu_ids + PL_LONG_BITS - 1) / PL_LONG_BITS;
	w->word = from / PL_LONG_BITS;
	w->left = w->nr_words;
	w->bits = pl_scan_word(w) & ~0ul << (from % PL_LONG_BITS);
}

/* The next CPU, or -1 at the end. */
static inline int pl_scan_next(struct pl_scan *w)
{
	int cpu;

	while (!w->bits) {
		if (w->left-- == 0)
			return -1;
		w->word = w->word + 1 < w->nr_words ? w->word + 1 : 0;
		w->bits = pl_scan_word(w);
		if (w->left == 0) /* back at the first */
			w->bits &= ~(~0ul << (w->from % PL_LONG_BITS));
	}
	cpu = w->word * PL_LONG_BITS + __builtin_ctzl(w->bits);
	w->bits &= w->bits - 1;
	return cpu;
}

#endif
