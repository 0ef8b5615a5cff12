// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place_handoff_cost(): what is known of the cost of a handoff between two CPUs.
#include "decide/handoff.h"

#include <errno.h>

#include "api/api.h"
#include "base/clock.h"
#include "libplace/place.h"

_Static_assert((int)PLACE_SAME_LLC == (int)PL_SAME_LLC &&
		       (int)PLACE_OTHER_NODE == (int)PL_OTHER_NODE,
	       "relations have the same numbers on both sides");

PL_API int place_handoff_cost(int from, int to, struct place_handoff *handoff)
{
	const struct pl_machine *m;
	struct place_handoff out;
	struct pl_segment *seg;
	uint32_t generation;
	uint64_t measured;
	struct pl_tls *t;
	int ret;

	if (!handoff || handoff->size < sizeof(out))
		return -EINVAL;
	ret = pl_api_enter(&t);
	if (ret)
		return ret;
	ret = pl_api_machine(&seg, &m, &generation);
	if (ret)
		return ret;
	if (!pl_machine_has(m, from) || !pl_machine_has(m, to))
		return -ENODEV;
	out = (struct place_handoff){.relation = (uint32_t)pl_handoff_relation(m, from, to)};
	out.cost_ns = pl_get(&seg->handoff.ns[out.relation]);
	measured = pl_get(&seg->handoff.measured_ns);
	out.age_ns = pl_now_ns() - measured;
	if (!out.cost_ns || !measured) {
		out.cost_ns = PLACE_COST_UNKNOWN;
		out.age_ns = UINT64_MAX;
	}
	return pl_api_copy_out(handoff, sizeof(out), &out, sizeof(out));
}
