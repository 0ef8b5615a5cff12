// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Refused calls and calls going on are counted in one word, so that both together stay limited.
#include "apply/ask.h"

#include <errno.h>

#include "base/sys.h"

enum {
	REFUSED = 0xffff,  /* the lower half of pl_member.nr_denied */
	ONE_GOING = 65536, /* the upper half */
	MAX_YIELDS = 1000, /* the one who asks may be off its CPU */
};

static bool is_over(uint32_t n)
{
	return (n & REFUSED) >= PL_MAX_DENIED;
}

bool pl_ask_is_over(void)
{
	return is_over(pl_get(&pl_member.nr_denied));
}

bool pl_ask_begin(void)
{
	for (int i = 0; i < MAX_YIELDS; i++) {
		uint32_t n = pl_get(&pl_member.nr_denied);

		while (!is_over(n) && (n & REFUSED) + n / ONE_GOING < PL_MAX_DENIED)
			if (atomic_compare_exchange_weak(&pl_member.nr_denied, &n, n + ONE_GOING))
				return true;
		if (is_over(n))
			return false;
		pl_sys0(SYS_sched_yield);
	}
	return false;
}

void pl_ask_end(bool refused)
{
	uint32_t n = pl_get(&pl_member.nr_denied), next;

	do {
		/* None goes on in the child of a fork that came amidst. */
		next = n >= ONE_GOING ? n - ONE_GOING : n;
		if (refused && !is_over(next))
			next++;
	} while (!atomic_compare_exchange_weak(&pl_member.nr_denied, &n, next));
}

long pl_ask_mask(pid_t tid, const struct pl_cpumask *m, bool any)
{
	long ret;

	if (!pl_ask_begin())
		return PL_NOT_ASKED;
	ret = pl_sys3(SYS_sched_setaffinity, tid, sizeof(*m), m);
	pl_ask_end(ret != 0 && (any || ret == -EPERM || ret == -ENOSYS || ret == -EACCES));
	return ret;
}
