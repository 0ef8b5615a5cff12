// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place_start(), place_stop(): a process becomes a member and leaves, counted, so that a program
// and its libraries do it independently.
#include <errno.h>
#include <pthread.h>

#include "api/api.h"
#include "api/session.h"
#include "apply/balancer.h"
#include "apply/keeper_start.h"
#include "apply/pairing.h"
#include "apply/watch.h"
#include "base/clock.h"
#include "base/sys.h"
#include "libplace/place.h"
#include "libplace/version.h"
#include "observe/event.h"
#include "observe/hook.h"

/* Plain, since starting and stopping are done one at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pl_env env_before; /* what the environment said, while our options are in force */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_end;
static bool prepared;

PL_API const char *place_version(void)
{
	return PLACE_VERSION;
}

PL_API int place_is_started(void)
{
	struct pl_tls *t;

	return pl_api_enter(&t) != -ENOTCONN;
}

static void fork_begin(void)
{
	if (pl_get(&pl_gate->nr_starts))
		pl_hook_before_child();
}

/* The thread that held it is not in this process. */
static void fork_child(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void thread_end(void *state)
{
	struct pl_tls *t = state;

	if (t->nr_registered || t->thread)
		pl_api_drop(t);
}

bool pl_session_watch_end(struct pl_tls *t)
{
	return prepared && pthread_setspecific(at_end, t) == 0;
}

/* With the preload object its hooks see forks and ends, too; twice does no harm. */
static void prepare(void)
{
	if (pthread_key_create(&at_end, thread_end) != 0)
		return;
	if (pthread_atfork(fork_begin, NULL, fork_child) == 0)
		prepared = true;
	else
		pthread_key_delete(at_end);
}

/* Of *ENV what OPTIONS ask for; the environment limits the policy. */
static int apply_options(const struct place_options *o, struct pl_env *env)
{
	if (o->policy > PLACE_POLICY_OBSERVE || o->pair_mode > PLACE_PAIR_DIRECT || o->reserved)
		return -EINVAL;
	if (o->policy == PLACE_POLICY_OBSERVE && env->policy > PL_POLICY_OBSERVE)
		env->policy = PL_POLICY_OBSERVE;
	if (o->pair_mode != PLACE_PAIR_DEFAULT)
		env->pair_mode = o->pair_mode == PLACE_PAIR_DIRECT ? PL_PAIR_DIRECT : PL_PAIR_AUTO;
	return 0;
}

/* Whether OPTIONS ask for something else than what is in force. */
static bool differs(const struct place_options *o)
{
	const struct pl_env *env = &pl_member.env;

	return (o->policy == PLACE_POLICY_OBSERVE && env->policy != PL_POLICY_OBSERVE) ||
	       (o->policy == PLACE_POLICY_AUTO && env->policy != PL_POLICY_AUTO &&
		env_before.policy == PL_POLICY_AUTO) ||
	       (o->pair_mode == PLACE_PAIR_DIRECT && env->pair_mode != PL_PAIR_DIRECT) ||
	       (o->pair_mode == PLACE_PAIR_AUTO && env->pair_mode != PL_PAIR_AUTO);
}

static int first_start(struct pl_tls *t, const struct pl_env *env)
{
	static uint32_t last_session;
	int ret;

	env_before = pl_member.env;
	pl_member.env = *env;
	pl_set(&t->gate->session, ++last_session);
	ret = pl_thread_make_known(t, 0);
	if (ret) {
		pl_member.env = env_before;
		return ret;
	}
	/* Questions about the machine want an answer soon, whether or not there is a pair. */
	if (!pl_seg_machine_ready(pl_member.seg))
		pl_keeper_ensure(pl_member.seg, pl_now_ns());
	return 0;
}

static int start(const struct place_options *o)
{
	struct pl_tls *t = pl_member_enter();
	bool is_first = !pl_get(&pl_gate->nr_starts);
	struct pl_env env;
	int ret;

	if (!t)
		return pl_tls.busy ? -EAGAIN : -EPERM;
	if (t->busy)
		return -EAGAIN;
	env = pl_member.env;
	ret = apply_options(o, &env);
	if (ret)
		return ret;
	/* A child of fork begins with what the environment says. */
	if (is_first && env_before.policy && !pl_get(&pl_member.preloaded)) {
		env = env_before;
		apply_options(o, &env);
	}
	if (is_first && pl_get(&pl_member.preloaded))
		env_before = pl_member.env;
	if ((!is_first || pl_get(&pl_member.preloaded)) && differs(o))
		return -EBUSY;
	ret = is_first ? first_start(t, &env) : pl_thread_make_known(t, 0);
	if (!ret)
		atomic_fetch_add(&t->gate->nr_starts, 1);
	return ret;
}

PL_API int place_start(const struct place_options *options)
{
	struct place_options o = {.size = sizeof(o)};
	int ret = options ? pl_api_copy_in(&o, sizeof(o), sizeof(o), options) : 0;

	if (ret)
		return ret;
	/* Knows of forks, so that a child amidst is not left with half of it. */
	pthread_once(&once, prepare);
	if (!prepared)
		return -ENOMEM;
	pthread_mutex_lock(&lock);
	ret = start(&o);
	pthread_mutex_unlock(&lock);
	return ret;
}

/* Lets the pairs of all other threads go, from outside, and frees their slots. */
static void leave_others(struct pl_segment *seg)
{
	int32_t pid = (int32_t)pl_sys0(SYS_getpid);
	uint32_t high = pl_get(&seg->task_high);

	for (uint32_t i = 0; i < high && i < PL_NR_TASKS; i++) {
		struct pl_task *task = &seg->task[i];
		uint32_t id = pl_get(&task->id);
		struct pl_pair *pair = pl_seg_pair(seg, pl_get(&task->pair));

		if (!id || pl_get(&task->pid) != pid)
			continue;
		if (pair && pl_pair_is_live(pair))
			pl_watch_let_go(seg, pair, PL_REASON_OFF);
		pl_task_free(seg, task, id);
	}
}

/* The order matters: nobody may bind again after its mask was given back. */
static void leave(struct pl_tls *t)
{
	struct pl_segment *seg = pl_member.seg;

	pl_balancer_stop();
	pl_api_drop(t);
	pl_member_renew();
	if (seg)
		leave_others(seg);
	pl_member.env = env_before;
}

PL_API int place_stop(void)
{
	struct pl_tls *t;
	int ret;

	pthread_mutex_lock(&lock);
	ret = pl_api_enter(&t);
	if (!ret && !pl_get(&t->gate->nr_starts))
		ret = -EALREADY;
	if (!ret && atomic_fetch_sub(&t->gate->nr_starts, 1) == 1) {
		pl_set(&t->gate->session, 0);
		/* From inside of it there is nobody to wait for but the caller. */
		if (pl_event_set(NULL, NULL) == -EDEADLK)
			atomic_store(&t->gate->has_callback, 0);
		if (!pl_get(&pl_member.preloaded))
			leave(t);
	}
	pthread_mutex_unlock(&lock);
	return ret == -ENOTCONN ? -EALREADY : ret;
}
