// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Who is calling, and structures whose sizes are those of another version.
#include <errno.h>
#include <string.h>

#include "api/api.h"
#include "apply/bind.h"
#include "apply/narrow.h"
#include "apply/pairing.h"

int pl_api_enter(struct pl_tls **t)
{
	/* A process that did not start is not made a member by a question. */
	if (!pl_get(&pl_member.preloaded) && !pl_get(&pl_gate->nr_starts))
		return -ENOTCONN;
	*t = pl_member_enter();
	if (*t && !(*t)->busy)
		return 0;
	return pl_tls.busy ? -EAGAIN : -ENOTCONN;
}

int pl_api_attach(struct pl_tls *t)
{
	int ret = 0;

	t->busy = 1;
	t->refused = 0;
	if (!t->task)
		ret = pl_member_attach(t);
	t->busy = 0;
	return ret;
}

int pl_api_task(struct pl_tls **t)
{
	int ret = pl_api_enter(t);

	if (ret || (*t)->task)
		return ret;
	if (!pl_api_is_registered(*t) && !pl_get(&pl_member.preloaded))
		return -ESRCH;
	return pl_api_attach(*t) ? -ESRCH : 0;
}

int pl_api_machine(struct pl_segment **seg, const struct pl_machine **m, uint32_t *generation)
{
	*seg = pl_api_segment();
	if (!*seg || !pl_seg_machine_ready(*seg))
		return -EAGAIN;
	*generation = pl_get_acquire(&(*seg)->machine_ready);
	*m = &(*seg)->machine[*generation & 1];
	return pl_machine_is_valid(*m) ? 0 : -EAGAIN;
}

void pl_api_drop(struct pl_tls *t)
{
	pl_narrow_take(t->thread);
	pl_thread_leave(t);
	pl_pairing_leave(t, PL_REASON_EXIT);
	pl_member_detach(t);
	pl_query_free(t);
	t->nr_registered = 0;
	t->nr_paused = 0;
	t->named = 0;
	t->hints = 0;
	t->group = 0;
	t->wait_object = NULL;
	t->waiting = 0;
}

/* A larger structure of a later version is welcome as long as it leaves what we do not know zero.
 */
static bool rest_is_zero(const unsigned char *rest, size_t n)
{
	while (n--)
		if (*rest++)
			return false;
	return true;
}

static uint32_t size_of(const void *structure)
{
	uint32_t size;

	memcpy(&size, structure, sizeof(size));
	return size;
}

int pl_api_copy_in(void *out, size_t known, size_t first, const void *in)
{
	uint32_t size;

	if (!in || (size = size_of(in)) < first)
		return -EINVAL;
	if (size > known && !rest_is_zero((const unsigned char *)in + known, size - known))
		return -E2BIG;
	memset(out, 0, known);
	memcpy(out, in, size < known ? size : known);
	return 0;
}

int pl_api_copy_out(void *out, size_t first, const void *in, size_t known)
{
	const size_t skip = sizeof(uint32_t);
	uint32_t size;

	if (!out || (size = size_of(out)) < first)
		return -EINVAL;
	memcpy((char *)out + skip, (const char *)in + skip, (size < known ? size : known) - skip);
	if (size > known)
		memset((char *)out + known, 0, size - known);
	return 0;
}
