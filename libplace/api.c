// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The exported place_* functions: check arguments, call one function.
#include "libplace/place.h"

#include <errno.h>

#include "apply/pairing.h"
#include "libplace/version.h"

const char *place_version(void)
{
	return PLACE_VERSION;
}

int place_thread_stats_get(struct place_thread_stats *stats)
{
	struct pl_tls *t = &pl_tls;

	if (!stats)
		return -EINVAL;
	if (t->epoch != pl_get(&t->gate->epoch) || !t->task)
		return -ENOENT;
	*stats = (struct place_thread_stats){
		.turns = pl_get(&t->task->con),
		.published = pl_get(&t->task->pub),
		.binds = pl_get(&t->task->nr_binds),
		.held = t->bound != 0,
	};
	return 0;
}

int place_thread_release(void)
{
	struct pl_tls *t = &pl_tls;

	if (t->epoch != pl_get(&t->gate->epoch) || !t->task)
		return -ENOENT;
	pl_pairing_leave(t, PL_REASON_OFF);
	return 0;
}
