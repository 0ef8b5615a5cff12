// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// What a program says of its threads: partner, class, utilization, group.
#include <errno.h>

#include "api/api.h"
#include "apply/explicit.h"
#include "apply/pairing.h"
#include "base/clock.h"
#include "base/sys.h"
#include "decide/hints.h"
#include "libplace/place.h"

/* A pair with another one than TID is over. */
static void leave_other(struct pl_tls *t, int32_t tid)
{
	struct pl_segment *seg = pl_member.seg;
	struct pl_pair *pair = pl_seg_pair(seg, pl_get(&t->task->pair));

	for (int i = 0; pair && i < 2; i++) {
		const struct pl_task *task = pl_seg_task(seg, pl_get(&pair->member[i]));

		if (tid && task && pl_get(&task->tid) == tid)
			return;
	}
	if (pair)
		pl_pairing_leave(t, PL_REASON_OTHER_PARTNER);
}

PL_API int place_thread_pair(int32_t tid, unsigned int flags)
{
	struct pl_tls *t;
	uint64_t now;
	long ret;

	if (tid < 0 || flags & ~(unsigned int)PLACE_PAIR_TRUST)
		return -EINVAL;
	ret = pl_api_task(&t);
	if (ret)
		return (int)ret;
	if (tid == pl_get(&t->task->tid))
		return -EINVAL;
	ret = tid ? pl_sys2(SYS_tkill, tid, 0) : 0;
	if (ret)
		return ret == -ESRCH ? -ENXIO : (int)ret;
	leave_other(t, tid);
	t->busy = 1;
	now = pl_now_ns();
	pl_explicit_name(t, tid, flags & PLACE_PAIR_TRUST, now);
	/* At once, if both are there already. */
	pl_pairing_window(t, now);
	t->busy = 0;
	if (t->task)
		pl_pairing_obey(t);
	pl_api_tell(t);
	return 0;
}

PL_API int place_thread_hint(const struct place_hints *hints)
{
	struct place_hints in;
	struct pl_hints h;
	struct pl_tls *t;
	int ret = pl_api_copy_in(&in, sizeof(in), sizeof(in), hints);

	if (ret)
		return ret;
	if (in.thread_class > PLACE_CLASS_BACKGROUND || in.util_min > 1024 || in.util_max > 1024 ||
	    in.reserved)
		return -EINVAL;
	ret = pl_api_task(&t);
	if (ret)
		return ret;
	h = (struct pl_hints){
		.umin = in.util_min,
		.umax = in.util_max ? in.util_max : 1024,
		.class = (enum pl_thread_class)in.thread_class,
		.trust = pl_hints_unpack(t->hints).trust,
	};
	t->hints = pl_hints_pack(&h);
	t->group = in.group;
	pl_set(&t->task->hints, t->hints);
	pl_set(&t->task->group, in.group);
	return 0;
}
