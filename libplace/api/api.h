/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* What the exported functions share: who is calling, and structures of other versions. */
#ifndef PL_API_API_H
#define PL_API_API_H

#include "domain/member.h"
#include "observe/hook.h"

/* First line of each exported definition; the version script says the same. */
#define PL_API __attribute__((visibility("default")))

/*
 * The state of the calling thread as that of a member: *T on 0. -ENOTCONN: the process has not
 * started; -EAGAIN: the thread is inside libplace already. Async-signal-safe.
 */
int pl_api_enter(struct pl_tls **t);

/*
 * As pl_api_enter(), and the thread is a task: made one again where it was registered before the
 * membership changed, or where the preload object watches. Else -ESRCH. Async-signal-safe.
 */
int pl_api_task(struct pl_tls **t);

/* Makes the calling thread a task. 0 or a negative errno. Not reentrant, makes system calls. */
int pl_api_attach(struct pl_tls *t);

/* Gives the memory of place_select_cpu() back. */
void pl_query_free(struct pl_tls *t);

/* Takes the calling thread out of everything, its mask given back. Idempotent. */
void pl_api_drop(struct pl_tls *t);

/* True when the registrations that T counts are of the session that is on. */
static inline bool pl_api_is_registered(const struct pl_tls *t)
{
	return t->nr_registered && t->session == pl_get(&t->gate->session);
}

/* Tells the callback of what the caller's own call did to it. */
static inline void pl_api_tell(struct pl_tls *t)
{
	if (pl_unlikely(pl_get(&t->gate->has_callback)))
		pl_hook_events(t);
}

/* The segment in use, or NULL: not joined yet. */
static inline struct pl_segment *pl_api_segment(void)
{
	return pl_member.seg;
}

/*
 * The segment in use and the model in force in it, which may have been written by anybody of the
 * user and was checked; GENERATION changes with the model. 0, or -EAGAIN: there is none yet.
 * Async-signal-safe, no system call.
 */
int pl_api_machine(struct pl_segment **seg, const struct pl_machine **m, uint32_t *generation);

/*
 * Copies the caller's structure IN, which begins with its size, to OUT of KNOWN bytes; what the
 * caller left out is zero. -EINVAL: NULL or smaller than FIRST bytes; -E2BIG: it says something
 * that is not known here.
 */
int pl_api_copy_in(void *out, size_t known, size_t first, const void *in);

/* Copies IN of KNOWN bytes to the caller's structure OUT, whose size stays as it is. 0, or -EINVAL:
 * NULL or smaller than FIRST bytes. */
int pl_api_copy_out(void *out, size_t first, const void *in, size_t known);

#endif
