// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Threads: registration, pause, release.
#include <errno.h>

#include "api/api.h"
#include "api/session.h"
#include "apply/affinity.h"
#include "apply/balancer.h"
#include "apply/narrow.h"
#include "apply/pairing.h"
#include "base/sys.h"
#include "libplace/place.h"
#include "observe/hook.h"

/* What the preload object does around pthread_create, here for a thread that runs already. */
static void enter_tables(struct pl_tls *t)
{
	bool is_main = pl_sys0(SYS_gettid) == pl_sys0(SYS_getpid);

	if (pl_balancer_is_wanted(t))
		pl_thread_enter(t);
	if (!is_main)
		pl_hook_thread_created();
}

int pl_thread_make_known(struct pl_tls *t, unsigned int flags)
{
	uint32_t session = pl_get(&t->gate->session);
	int ret = pl_api_attach(t);

	if (ret)
		return ret;
	if (!pl_api_is_registered(t)) {
		t->nr_registered = 0;
		t->session = session;
		/* The balancer reads a thread's storage, so it gets none whose end is not seen. */
		if (pl_session_watch_end(t))
			t->end_is_seen = true;
		if (!pl_get(&pl_member.preloaded))
			enter_tables(t);
	}
	t->nr_registered++;
	if (flags & PLACE_THREAD_PINNED) {
		pl_affinity_change(0);
		pl_affinity_changed(0, true);
	}
	return 0;
}

PL_API int place_thread_register(unsigned int flags)
{
	struct pl_tls *t;
	int ret = pl_api_enter(&t);

	if (flags & ~(unsigned int)PLACE_THREAD_PINNED)
		return -EINVAL;
	return ret ? ret : pl_thread_make_known(t, flags);
}

PL_API int place_thread_unregister(void)
{
	struct pl_tls *t;
	int ret = pl_api_enter(&t);

	if (ret)
		return ret;
	if (!pl_api_is_registered(t))
		return -EALREADY;
	if (--t->nr_registered == 0 && !pl_get(&pl_member.preloaded))
		pl_api_drop(t);
	return 0;
}

PL_API int place_thread_release(void)
{
	struct pl_tls *t;
	int ret = pl_api_task(&t);

	if (ret)
		return ret;
	pl_pairing_leave(t, PL_REASON_OFF);
	pl_api_tell(t);
	return 0;
}

/* The mark comes first, so that nothing narrows the thread after it was widened. */
PL_API int place_pause(void)
{
	struct pl_tls *t;
	uint8_t no = 0;
	int ret = pl_api_task(&t);

	if (ret)
		return ret;
	if (t->nr_paused++)
		return 0;
	atomic_compare_exchange_strong(&t->task->pinned, &no, PL_PIN_PAUSED);
	pl_narrow_take(t->thread);
	pl_pairing_leave(t, PL_REASON_OFF);
	t->have = 0;
	pl_api_tell(t);
	return 0;
}

PL_API int place_resume(void)
{
	uint8_t paused = PL_PIN_PAUSED;
	struct pl_tls *t;
	int ret = pl_api_task(&t);

	if (ret)
		return ret;
	if (!t->nr_paused)
		return -EALREADY;
	/* Whoever set an affinity meanwhile has put another mark. */
	if (--t->nr_paused == 0)
		atomic_compare_exchange_strong(&t->task->pinned, &paused, 0);
	return 0;
}
