// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The life of the balancer thread: start, periods, end. What it does at each look is in sweep.c.
// Its code runs without thread-local storage: no errno, no function of the C library that has any.
#include "apply/balancer.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "apply/bind.h"
#include "apply/keeper_start.h"
#include "apply/narrow.h"
#include "apply/sweep.h"
#include "base/clock.h"
#include "base/clone.h"
#include "base/sys.h"
#include "decide/pace.h"
#include "domain/thread.h"
#include "observe/own_threads.h"

enum {
	STACK = 32768,
	TLS_BELOW = 16384, /* x86-64 has it below the thread pointer, aarch64 above */
	TLS_ABOVE = 16384,
	MODEL_WAIT_MS = 20,
	SCARCE = 512,	   /* threads that a user may have */
	MODEL_TRIES = 250, /* five seconds: then there is no keeper */
	END_YIELDS = 20,
	END_NAP_NS = 50000,
	END_TRIES = 20000, /* a second: the number may be another thread's by then */
};

enum state {
	NONE = 0,
	STARTING,
	RUNNING,
	STOPPING,
	NOT_WANTED, /* nothing to balance on this machine, or not to be tried again */
};

static _Atomic uint32_t state;
static int32_t balancer_tid;	 /* the kernel writes it, and clears it when the thread has ended */
static _Atomic int32_t last_tid; /* the same, not cleared */
static _Atomic uint32_t nr_holds;	     /* calls going on during which there may be none */
static _Atomic uint32_t *_Atomic listens_to; /* the bell it goes by */
static _Atomic uint32_t own_bell;	     /* where the process has no slot */
static _Atomic int32_t balancer_pid;	     /* of its process: a vfork child shares our memory */
static void *memory;

static int32_t tid_now(void)
{
	return *(volatile int32_t *)&balancer_tid;
}

/* Where the kernel's own balancing leaves nothing to be done. */
static bool is_flat(const struct pl_machine *m)
{
	return m->smt <= 1 && !m->asymmetric && m->nr_llcs <= 1;
}

bool pl_balancer_is_wanted(struct pl_tls *t)
{
	struct pl_segment *seg;

#ifdef __SANITIZE_THREAD__
	/* The instrumentation of this very code wants thread-local storage. */
	pl_set(&state, NOT_WANTED);
#endif
	if (pl_get(&state) == NOT_WANTED || pl_member.env.policy != PL_POLICY_AUTO)
		return false;
	if (pl_get(&state) != NONE)
		return true;
	if (t->busy)
		return false;
	if (!t->task) {
		t->busy = 1;
		pl_member_attach(t);
		t->busy = 0;
	}
	seg = pl_member.seg;
	if (!t->task || !seg)
		return false;
	if (!pl_seg_machine_ready(seg))
		return true;
	if (!is_flat(pl_seg_machine(seg)))
		return true;
	pl_set(&state, NOT_WANTED);
	return false;
}

/* The word that wakes the balancer; the keeper and "place off" ring it, too. */
static _Atomic uint32_t *bell(void)
{
	struct pl_segment *seg = pl_member.seg;
	struct pl_proc *proc = seg ? pl_seg_proc(seg, pl_member.proc) : NULL;

	return proc ? &proc->bell : &own_bell;
}

static void sleep_ns(uint64_t ns)
{
	struct timespec ts = {.tv_sec = (time_t)(ns / PL_NS_PER_S),
			      .tv_nsec = (long)(ns % PL_NS_PER_S)};

	pl_sys2(SYS_nanosleep, &ts, NULL);
}

/* Sleeps although the bell rings, until NS are over or it is to end. */
static void sleep_through(uint64_t ns)
{
	struct timespec ts = {.tv_sec = (time_t)(ns / PL_NS_PER_S),
			      .tv_nsec = (long)(ns % PL_NS_PER_S)};

	pl_sys4(SYS_futex, &state, FUTEX_WAIT, RUNNING, &ts);
}

/* What the bell says now; it is this one that sleep_until_bell() waits for. */
static uint32_t heard_now(void)
{
	_Atomic uint32_t *word;

	do {
		word = bell();
		atomic_store(&listens_to, word);
	} while (bell() != word);
	return pl_get(word);
}

static void sleep_until_bell(uint32_t heard, uint64_t ns)
{
	struct timespec ts = {.tv_sec = (time_t)(ns / PL_NS_PER_S),
			      .tv_nsec = (long)(ns % PL_NS_PER_S)};

	pl_sys4(SYS_futex, pl_get(&listens_to), FUTEX_WAIT, heard, ns == UINT64_MAX ? NULL : &ts);
}

static void ring(_Atomic uint32_t *word)
{
	atomic_fetch_add(word, 1);
	pl_sys3(SYS_futex, word, FUTEX_WAKE, 1);
}

void pl_balancer_wake(void)
{
	_Atomic uint32_t *word = bell(), *other;

	pl_set(&pl_gate->asleep, 0);
	ring(word);
	/* It may still sleep on the word of a membership that has ended. */
	other = atomic_load(&listens_to);
	if (other && other != word)
		ring(other);
}

/* The keeper writes the model; false when it never came, or the machine leaves nothing to do. */
static bool model_came(struct pl_segment *seg)
{
	for (int i = 0; i < MODEL_TRIES && !pl_seg_machine_ready(seg); i++) {
		if (pl_get(&state) != RUNNING)
			return false;
		sleep_until_bell(heard_now(), MODEL_WAIT_MS * PL_NS_PER_MS);
	}
	return pl_seg_machine_ready(seg) && !is_flat(pl_seg_machine(seg));
}

/* For good, if need be: whoever returns from a wait rings. */
static void sleep_while_all_wait(uint32_t heard)
{
	pl_set(&pl_gate->asleep, 1);
	/* A thread that returned just now has made its mark visible by then, or it rings. */
	sleep_through(PL_NS_PER_MS);
	if (pl_own_threads_wait())
		sleep_until_bell(heard, UINT64_MAX);
	pl_set(&pl_gate->asleep, 0);
}

static void loop(void)
{
	struct pl_pace pace = {PL_PACE_MIN_NS, PL_PACE_NR_FAST};
	uint64_t now, last = 0;
	uint32_t heard = heard_now(), said;

	while (pl_get(&state) == RUNNING) {
		struct pl_sweep_result r = {0};

		/* However often somebody rings. */
		now = pl_now_sys_ns();
		if (now - last < PL_PACE_MIN_NS)
			sleep_through(PL_PACE_MIN_NS - (now - last));
		last = pl_now_sys_ns();
		said = heard_now();
		if (said != heard)
			pace.period_ns = PL_PACE_MIN_NS;
		heard = said;
		pl_sweep(pl_member.seg, last, &r);
		if (r.off) {
			sleep_until_bell(heard, UINT64_MAX);
			continue;
		}
		if (r.idle && pace.period_ns >= PL_PACE_MAX_NS) {
			sleep_while_all_wait(heard);
			pace.period_ns = PL_PACE_MIN_NS;
			continue;
		}
		sleep_until_bell(heard, pl_pace_next(&pace, r.nr_moves || r.nr_new, r.next_ns));
	}
}

static int run(void *unused)
{
	static const struct sched_param other = {.sched_priority = 0};
	struct pl_segment *seg = pl_member.seg;
	uint32_t starting = STARTING;

	(void)unused;
	pl_set(&last_tid, (int32_t)pl_sys0(SYS_gettid));
	pl_sys3(SYS_prctl, PR_SET_NAME, "place-balancer", 0);
	pl_sys3(SYS_sched_setscheduler, 0, SCHED_OTHER, &other);
	if (atomic_compare_exchange_strong(&state, &starting, RUNNING)) {
		if (pl_base_mask_read() && model_came(seg) && pl_base_mask_compare())
			loop();
		pl_sweep_give_back();
	}
	starting = RUNNING;
	atomic_compare_exchange_strong(&state, &starting, NOT_WANTED);
	return 0;
}

/*
 * Something that looks like thread-local storage where the code of other objects looks for it: the
 * thread pointer points to itself, and there are zeroes around it.
 */
static char *dummy_tls(char *at)
{
	char *tp = at + TLS_BELOW;

#if defined(__x86_64__)
	((void **)(void *)tp)[0] = tp;
	((void **)(void *)tp)[2] = tp;
#endif
	return tp;
}

/*
 * Our thread counts like one of the program's. Where a user may have few, it would be missing
 * there; usual limits are in the thousands.
 */
static bool threads_are_scarce(void)
{
	struct rlimit limit;

	return pl_sys4(SYS_prlimit64, 0, RLIMIT_NPROC, NULL, &limit) == 0 &&
	       limit.rlim_cur < SCARCE;
}

static bool start_thread(void)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			  CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
	long ret;

	if (threads_are_scarce())
		return false;
	if (!memory) {
		ret = pl_sys6(SYS_mmap, 0, STACK + TLS_BELOW + TLS_ABOVE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (ret < 0 && ret > -4096)
			return false;
		memory = (void *)ret;
	}
	pl_widen_for_child();
	ret = pl_clone(run, (char *)memory + STACK, flags, NULL, &balancer_tid,
		       dummy_tls((char *)memory + STACK), &balancer_tid);
	return ret > 0;
}

void pl_balancer_start(struct pl_tls *t)
{
	uint64_t all = ~0ull, old;
	uint32_t none = NONE;

	if (pl_get(&state) == RUNNING)
		pl_balancer_wake();
	if (!t->thread || !pl_member.seg || pl_get(&state) != NONE || pl_get(&nr_holds))
		return;
	/* Not from the balancer, which may call nothing that hooks see. */
	if (!pl_seg_machine_ready(pl_member.seg))
		pl_keeper_ensure(pl_member.seg, pl_now_ns());
	/* It takes no signal of the program's, from its first instruction on; and a handler that
	 * wants to stop it must not come while it is being started. */
	pl_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, sizeof(all));
	if (atomic_compare_exchange_strong(&state, &none, STARTING)) {
		atomic_store(&balancer_pid, (int32_t)pl_sys0(SYS_getpid));
		/* One of two sees the other: who holds it off, or we. */
		if (atomic_load(&nr_holds))
			pl_set(&state, NONE);
		else if (!start_thread())
			pl_set(&state, NOT_WANTED);
	}
	pl_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &old, 0, sizeof(old));
}

/*
 * The kernel clears the word before it counts the thread off, and for some calls the count matters.
 * The last call takes the lock under which that is done.
 */
static void wait_for_end(void)
{
	int32_t tid;

	while ((tid = tid_now()) != 0)
		if (pl_sys4(SYS_futex, &balancer_tid, FUTEX_WAIT, tid, NULL) == -ENOSYS)
			break;
	for (int i = 0; i < END_TRIES; i++) {
		if (pl_sys3(SYS_tgkill, pl_get(&balancer_pid), pl_get(&last_tid), 0) == -ESRCH)
			break;
		sleep_ns(i < END_YIELDS ? 0 : END_NAP_NS);
	}
	pl_sys2(SYS_kill, 0, 0);
}

/* Another process that shares our memory, as a vfork child does, has no balancer. */
static bool is_ours(void)
{
	return (int32_t)pl_sys0(SYS_getpid) == atomic_load(&balancer_pid);
}

void pl_balancer_stop(void)
{
	if (pl_get(&state) == NONE)
		return;
	while (is_ours()) {
		uint32_t was = pl_get(&state);

		switch (was) {
		case NONE:
			return;
		case STARTING:
			sleep_ns(END_NAP_NS);
			break;
		case RUNNING:
			if (atomic_compare_exchange_strong(&state, &was, STOPPING)) {
				pl_sys3(SYS_futex, &state, FUTEX_WAKE, 1);
				pl_balancer_wake();
			}
			break;
		case STOPPING:
			wait_for_end();
			atomic_compare_exchange_strong(&state, &was, NONE);
			return;
		default:
			wait_for_end();
			return;
		}
	}
}

void pl_balancer_hold(void)
{
	pl_member.has_table = true;
	atomic_fetch_add(&nr_holds, 1);
	pl_balancer_stop();
}

void pl_balancer_release(void)
{
	uint32_t n = pl_get(&nr_holds);

	while (n && !atomic_compare_exchange_weak(&nr_holds, &n, n - 1))
		;
}

void pl_balancer_forget(void)
{
	balancer_tid = 0;
	pl_set(&balancer_pid, 0);
	pl_set(&listens_to, NULL);
	pl_set(&last_tid, 0);
	pl_set(&nr_holds, 0);
	pl_set(&state, NONE);
}
