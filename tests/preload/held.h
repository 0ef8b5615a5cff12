/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * Work done by a thread that libplace holds on one CPU together with its partner: what such a
 * thread starts, asks or sets must come out as from any other. Without libplace it is a thread that
 * plays ping-pong, so the same must hold.
 */
#ifndef PL_TESTS_HELD_H
#define PL_TESTS_HELD_H

#include "preload/pingpong.h"

struct held_work {
	void (*run)(struct helper_failure *f, void *arg);
	void *arg;
	_Atomic int order;
	_Atomic int done;
};

static inline void held_obey(struct pingpong_side *s)
{
	struct held_work *w = s->pp->arg;

	if (s->index != 0 || atomic_exchange(&w->order, 0) == 0)
		return;
	w->run(&s->pp->failure, w->arg);
	atomic_store(&w->done, 1);
}

static inline bool held_is_done(void *arg)
{
	struct held_work *w = arg;

	return atomic_load(&w->done);
}

/*
 * Has a member of a held pair call RUN(.., ARG), TIMES times; the pair is held anew before each.
 * With PROCESSES the partner is a process, and RUN is called in a thread of this one all the same.
 * Fails the test when RUN noted a failure. Main thread only; with teardown pingpong_end.
 */
static inline void held_call(bool processes, int times,
			     void (*run)(struct helper_failure *f, void *arg), void *arg)
{
	struct pingpong *pp = pingpong_new();
	struct held_work w = {.run = run, .arg = arg};

	pp->processes = processes;
	pp->every = held_obey;
	pp->period = 1;
	pp->arg = &w;
	pingpong_start(pp);
	atomic_store(&pp->on, 1);
	for (int i = 0; i < times; i++) {
		pingpong_wait_held(pp);
		atomic_store(&w.done, 0);
		atomic_store(&w.order, 1);
		if (!own_poll(held_is_done, &w, 60000))
			fail_msg("the work was not done within a minute");
	}
	assert_int_equal(pingpong_stop(pp), 0);
	helper_assert_no_failure(&pp->failure);
}

#endif
