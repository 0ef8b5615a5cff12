/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * What a decision answers: a CPU, why it was taken, and what was passed over on the way. The rules
 * fill it in, statistics and `place explain` print it. Pure.
 */
#ifndef PL_DECIDE_REASON_H
#define PL_DECIDE_REASON_H

#include <stdbool.h>
#include <stdint.h>

/* Why a CPU was taken, or none was; the text is pl_why_text(), the rule pl_why_rule(). */
enum pl_why {
	PL_WHY_NONE = 0,
	/* Taken. */
	PL_WHY_TARGET_IDLE,	/* R6.1, R7: the target itself */
	PL_WHY_PREV_IDLE,	/* R6.2, R7: where it ran last */
	PL_WHY_RECENT_IDLE,	/* R6.3, R7: where it ran before that */
	PL_WHY_IDLE_CORE,	/* R6.4: an idle core of the LLC */
	PL_WHY_IDLE_SIBLING,	/* R6.5: an idle sibling of prev */
	PL_WHY_IDLE_CPU,	/* R6.6: any idle CPU of the LLC */
	PL_WHY_TARGET,		/* R6.7, R7: nothing idle, so the target */
	PL_WHY_FITS_PREFERRED,	/* R7: fits, taken at once */
	PL_WHY_UMIN_PREFERRED,	/* R7, rank -4 */
	PL_WHY_SMALL_PREFERRED, /* R7, rank -3 */
	PL_WHY_FITS_SHARED,	/* R7, rank -2 */
	PL_WHY_UMIN_SHARED,	/* R7, rank -1 */
	PL_WHY_SMALL_SHARED,	/* R7, rank 0 */
	PL_WHY_MISFIT,		/* R9: to a core of greater capacity */
	PL_WHY_NEW_PREFERRED,	/* R10: an idle core of the process's preferred LLC */
	PL_WHY_NEW_IDLEST,	/* R10: in the idlest LLC */
	PL_WHY_AGGREGATE,	/* R11: into the preferred LLC */
	PL_WHY_ENERGY,		/* R12: the lowest delta */
	PL_WHY_CORE_SHARED,	/* balancer: its core was shared while this one was idle */
	PL_WHY_GIVE_BACK,	/* balancer: bound, its core shared, no core idle for it */
	/* Passed over, or nothing taken. */
	PL_WHY_NOT_ALLOWED,
	PL_WHY_BUSY,	  /* the CPU is not idle */
	PL_WHY_CORE_BUSY, /* the CPU is idle, its core is not */
	PL_WHY_OTHER_LLC,
	PL_WHY_TOO_SMALL,	  /* does not fit there, or not capacity_greater */
	PL_WHY_WORSE_RANK,	  /* R7: a lower rank was found */
	PL_WHY_LESS_CAPACITY,	  /* R7: same rank, not larger */
	PL_WHY_NO_BUDGET,	  /* R14: the search was refused or ran out */
	PL_WHY_NO_IDLE,		  /* nothing idle in the rule's scope */
	PL_WHY_OVERUTILIZED,	  /* R12: some CPU is above 80 % */
	PL_WHY_MORE_ENERGY,	  /* R12: another has a lower delta */
	PL_WHY_NOT_MISFIT,	  /* R9: it fits, or it is on the largest it may use */
	PL_WHY_AGGREGATE_REFUSED, /* R11: the move test */
	PL_WHY_NR,
};

/* A few words for a reason; never NULL, also for numbers that are none. */
const char *pl_why_text(uint32_t why);

/* The rule a reason belongs to, "R6" .. "R12", or "" where it belongs to several. */
const char *pl_why_rule(uint32_t why);

#define PL_NR_REJECTED 4

struct pl_rejected {
	int16_t cpu;
	uint16_t why; /* enum pl_why */
};

struct pl_choice {
	int cpu; /* the CPU, or -1: leave it where it is */
	enum pl_why why;
	bool hint_stale;     /* R7: an idle core was assumed and none found; see
				pl_snapshot_clear_hint() */
	uint8_t nr_rejected; /* entries of rejected[] */
	uint16_t nr_more;    /* passed over beyond those, at least */
	struct pl_rejected rejected[PL_NR_REJECTED];
};

/* An answer so far: no CPU, nothing passed over. */
static inline void pl_choice_init(struct pl_choice *c)
{
	c->cpu = -1;
	c->why = PL_WHY_NONE;
	c->hint_stale = false;
	c->nr_rejected = 0;
	c->nr_more = 0;
}

/* Notes that CPU was passed over; the first PL_NR_REJECTED by name, the others as a count. */
static inline void pl_choice_reject(struct pl_choice *c, int cpu, enum pl_why why)
{
	if (c->nr_rejected < PL_NR_REJECTED) {
		c->rejected[c->nr_rejected].cpu = (int16_t)cpu;
		c->rejected[c->nr_rejected++].why = (uint16_t)why;
	} else if (c->nr_more < UINT16_MAX) {
		c->nr_more++;
	}
}

static inline void pl_choice_take(struct pl_choice *c, int cpu, enum pl_why why)
{
	c->cpu = cpu;
	c->why = why;
}

#endif
