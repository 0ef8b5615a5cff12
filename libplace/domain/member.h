/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * This process and this thread as members of the segment. The gate word lies in a page that every
 * kind of fork wipes (MADV_WIPEONFORK), so a child of any origin starts afresh without a hook.
 */
#ifndef PL_DOMAIN_MEMBER_H
#define PL_DOMAIN_MEMBER_H

#include "base/env.h"
#include "decide/verify.h"
#include "decide/wakee_flips.h"
#include "domain/segment.h"

enum {
	PL_EPOCH_NONE = 0, /* not initialised, or wiped by fork */
	PL_EPOCH_OFF = 1,  /* pass everything through */
};

#define PL_NR_FDS 4088 /* descriptors above are not observed */

/*
 * What is known of each descriptor of this process, one word per direction: 0: not looked at yet;
 * PL_FD_NONE | n: no queue, look again after n more calls; else the queue's index + 1.
 */
#define PL_FD_NONE 0x80000000u
struct pl_fd {
	_Atomic uint32_t in;
	_Atomic uint32_t out;
};

/* All that a hook reads of the process: its first page holds what most calls need. */
struct pl_gate {
	_Atomic uint32_t epoch;		/* PL_EPOCH_*, else the number of this membership */
	struct pl_segment *_Atomic seg; /* as in struct pl_member; NULL until joined */
	_Atomic uint32_t asleep;	/* the balancer sleeps until somebody wakes it */
	_Atomic uint32_t nr_starts;	/* of place_start() less place_stop() */
	_Atomic uint32_t session;	/* counts first starts; 0: none yet */
	_Atomic uint32_t has_callback;	/* the program wants to hear of events */
	_Atomic uint32_t in_callback;	/* calls of it going on */
	_Atomic uint32_t setting;	/* somebody sets or removes the callback just now */
	uint32_t reserved[6];
	struct pl_fd fd[PL_NR_FDS];
};

#define PL_MAX_DENIED 3

/* State of this process; not wiped by fork, so nothing here is trusted before the epoch matches. */
struct pl_member {
	struct pl_env env;
	struct pl_segment *_Atomic seg; /* NULL until the first queue is seen */
	int seg_id;
	_Atomic uint32_t proc;	     /* slot + 1; above PL_NR_PROCS: joined, but no slot was free */
	uint32_t last_epoch;	     /* of this image, also before a fork */
	bool has_table;		     /* threads were entered for a balancer, or it was held off */
	uint64_t key;		     /* makes names of private addresses unique to this process */
	_Atomic uint32_t nr_denied;  /* affinity calls refused, and going on: apply/ask.h */
	_Atomic uint32_t nr_threads; /* created, the first included */
	_Atomic uint32_t rejoin;     /* SEG is a former one: join again at the next attach */
	_Atomic uint32_t sandboxed;  /* the program installed a seccomp filter */
	_Atomic uint64_t checked_ns; /* when the segment was last checked */
	_Atomic uint32_t preloaded;  /* libplace-preload.so sees the calls of this process */
};

/* State of this thread. Plain fields: only the thread itself and its signal handlers touch them. */
struct pl_tls {
	struct pl_gate *gate; /* of this process; a copy, since this page is touched anyway */
	uint32_t epoch;	      /* of the gate when task was valid */
	uint32_t busy;	      /* inside a slow path: handlers pass through */
	uint32_t skip;	      /* calls to pass unseen: a fast pair is watched by samples */
	uint32_t nr_yields;   /* of this thread, since it became a task */
	uint32_t reported;    /* its task belongs to a run with a report */
	uint32_t waiting;     /* inside a hooked wait; the balancer reads it */
	struct pl_task *task;
	pl_task_id id;
	uint32_t refused;    /* calls to pass before the next try to attach */
	uint32_t have;	     /* pair command last acted on */
	uint32_t bound;	     /* 1: this thread's mask was narrowed by libplace */
	int bound_cpu;	     /* CPU of that mask */
	uint32_t last_fd;    /* descriptor of the last turn + 1, 0: not by descriptor */
	uint32_t window_con; /* con at the start of the window */
	uint64_t looked_ns;  /* end of the last window */
	uint32_t seen_pub;   /* counts at the last check for one-way traffic */
	uint32_t seen_waits;
	uint32_t nr_waits;     /* waits and reads of this thread */
	uint32_t left_out;     /* calls left out since then */
	uint32_t measured_con; /* at the last look at CPU time */
	uint64_t window_nvcsw;
	uint64_t decayed_ns;   /* part[] and wakees */
	struct pl_flips flips; /* R3 */
	uint64_t wakees;       /* one bit per hash of a wakee since the last decay */
	/* Leader's notes on the slice being measured. */
	uint64_t slice_ns;
	uint32_t slice_turns;
	uint32_t slice_apart; /* samples with the members on different CPUs */
	uint32_t slice_together;
	bool slice_open;	 /* both members obeyed the command and the slice is counting */
	struct pl_slices slices; /* those of the verification that goes on, or of the last */
	int apart[2];		 /* CPUs of the members when the pair was formed */
	int on_cpu[2];		 /* CPUs of the two on-slices; equal when only one is to be tried */
	enum pl_hold order;	 /* how the members are to be at present, */
	int order_cpu;		 /* and where, when together */
	enum pl_hold hold;	 /* how the pair is to be held, */
	int hold_cpu;		 /* and where, when together */
	uint64_t probe_ns;
	uint32_t probe_level;
	bool narrowed;		   /* somebody narrowed the mask: restore page->own exactly */
	struct pl_bind_page *page; /* from the first bind on, else NULL */
	struct pl_thread *thread;  /* its entry for the balancer, or NULL */
	bool end_is_seen;	   /* it began in our trampoline and will come back there */
	/* What the program said of it through place.h. */
	uint32_t nr_registered;		  /* registrations not yet taken back, */
	uint32_t session;		  /* and in which session of the process */
	uint32_t nr_paused;		  /* pauses not yet resumed */
	const volatile void *wait_object; /* between place_wait_begin() and _end(), else NULL */
	struct pl_queue *wait_queue;
	int32_t named; /* as in its task, which is made anew with each membership */
	uint32_t hints;
	uint32_t group;
	uint64_t named_ns;	/* when it named its partner, */
	pl_task_id named_id;	/* and which task that was found to be */
	uint32_t in_callback;	/* this thread is inside the program's callback */
	uint32_t told_pair;	/* the held pair that the callback was last told of, 0: none, */
	uint64_t told_since;	/* and since when it was held */
	uint32_t told_moves;	/* of thread->nr_moves */
	struct pl_query *query; /* memory of place_select_cpu(); NULL until its first call */
};

/* Memory of a thread that was bound at least once; one mapped page. */
struct pl_bind_page {
	struct pl_cpumask own;	   /* the program's mask, valid when narrowed */
	struct pl_cpumask expect;  /* what the kernel said after our last change */
	struct pl_cpumask scratch; /* too large for a hook's stack */
};

/* Number of threads blocked on an address, by hash of the address: unlock paths test this first. */
#define PL_NR_WAITERS 1024
extern _Atomic uint32_t pl_waiters[PL_NR_WAITERS];

extern struct pl_gate *pl_gate;
extern struct pl_member pl_member;
extern __thread struct pl_tls pl_tls __attribute__((tls_model("initial-exec")));

/*
 * Slow half of pl_member_enter(): initialises the process on first use and after a fork, and gives
 * this thread's state the present epoch. Returns &pl_tls, or NULL when calls are to pass through.
 * Callable inside a hook and a signal handler; no allocation.
 */
struct pl_tls *pl_member_enter_slow(void);

/* Reads the environment once per image; false while another thread is at it. No system call that a
 * program could notice. */
bool pl_member_read_env(void);

/* This thread's state when libplace is active, else NULL. The common path: two loads and a compare.
 */
static inline struct pl_tls *pl_member_enter(void)
{
	struct pl_tls *t = &pl_tls;

	if (pl_likely(pl_get(&t->gate->epoch) == t->epoch))
		return t;
	if (pl_get(&t->gate->epoch) == PL_EPOCH_OFF)
		return NULL;
	return pl_member_enter_slow();
}

/*
 * Makes this thread a task of the segment, joining it first when need be. 0, or a negative errno
 * when there is no slot; the thread then goes on unobserved. Callable inside a hook, not
 * reentrant: T->busy must be held. Makes system calls.
 */
int pl_member_attach(struct pl_tls *t);

/* Makes this thread a task if its process runs under a report, which counts every thread. Makes
 * system calls. */
void pl_member_attach_reported(struct pl_tls *t);

/* Frees this thread's task slot and adds its counters to its run. Idempotent. */
void pl_member_detach(struct pl_tls *t);

/* Whether the thread TID (0: the caller) is of a real-time or deadline class. One system call. */
bool pl_class_is_rt(int32_t tid);

/*
 * Frees the slot TASK whose thread is gone: counters to its run, pair released (reason exit). For
 * the owner, the keeper and an image that finds its predecessor's slots. Safe against a second
 * caller: the first takes the id by compare-and-swap.
 */
void pl_task_free(struct pl_segment *seg, struct pl_task *task, pl_task_id id);

/* Leaves the segment's present membership: every thread attaches anew at its next hook. */
void pl_member_renew(void);

/* Passes everything through from now on in this process (sandbox entered, set*id). */
void pl_member_stop(void);

#endif
