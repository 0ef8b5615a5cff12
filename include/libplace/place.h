/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * libplace: cooperative thread placement. Most programs need none of this: `place run PROGRAM`, or
 * LD_PRELOAD=libplace-preload.so, acts on an unchanged program. A program that links libplace can
 * join by itself, say where its threads hand work over, keep libplace out of a section, and ask
 * about the machine and about what was done. With the preload object both share one state.
 *
 * Conventions. Functions return 0 (or a number where said so), or a negative errno value; they keep
 * errno and never abort. They leave their outputs alone when they fail. All are MT-safe. After a
 * fork the child has not started: its threads are registered nowhere. Errors that many share:
 *   -ENOTCONN  this process has not started libplace, or the environment keeps it off
 *   -ESRCH     the calling thread is not registered (with the preload every thread is)
 *   -EAGAIN    a signal handler came while its thread was inside libplace
 *
 * Structures begin with their size, which the caller sets to sizeof before a call, so that later
 * versions may add fields at the end. What is passed in is refused (-E2BIG) when it sets fields
 * that this version does not know; of what is filled in, fields that this version does not know
 * become zero. -EINVAL: size is smaller than that of the first version.
 */
#ifndef LIBPLACE_PLACE_H
#define LIBPLACE_PLACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library in use, "major.minor.patch"; a static string. Async-signal-safe. */
const char *place_version(void);

/* ---- The process ---- */

enum place_policy {
	PLACE_POLICY_DEFAULT = 0, /* what the environment says, else auto */
	PLACE_POLICY_AUTO,	  /* place */
	PLACE_POLICY_OBSERVE,	  /* count, change nothing */
};

/* How a pair is held where cores have siblings. */
enum place_pair_mode {
	PLACE_PAIR_DEFAULT = 0,
	PLACE_PAIR_AUTO,   /* on the siblings of one core */
	PLACE_PAIR_DIRECT, /* on one CPU */
};

/* Fields that are zero mean the default. */
struct place_options {
	uint32_t size;
	uint32_t policy;    /* enum place_policy */
	uint32_t pair_mode; /* enum place_pair_mode */
	uint32_t reserved;  /* 0 */
};

/*
 * Joins: makes this process a member and registers the calling thread. OPTIONS may be NULL. Calls
 * nest, so that a program and its libraries need not know of each other: libplace is left with as
 * many calls of place_stop(). The first to start, or the preload object, decides the settings;
 * OPTIONS that ask for others later are refused. Placement goes no further than LIBPLACE_POLICY
 * allows.
 *
 * 0, or -EBUSY: others started before with other settings; nothing was started. -EPERM: LIBPLACE=0,
 * set-uid, or a sandbox keep libplace off. -EINVAL: an option has no such value. -E2BIG: see above.
 * -ENOMEM, -ENOSPC: no memory to share, no slot for the thread. -EAGAIN: see above, or another
 * thread is starting just now.
 *
 * Not async-signal-safe. The first call makes some twenty system calls and may start the keeper
 * (about a millisecond).
 */
int place_start(const struct place_options *options);

/*
 * Takes one place_start() back. The last one lets all threads of the process go, unregisters them
 * and leaves; with the preload object the process stays a member. 0, -EALREADY: there is nothing to
 * take back (also in a child of fork), -EAGAIN. Not async-signal-safe; some system calls per pair.
 */
int place_stop(void);

/* 1 when this process is a member, by place_start() or by the preload object, else 0.
 * Async-signal-safe; no system call. */
int place_is_started(void);

/* ---- Threads ---- */

enum {
	PLACE_THREAD_PINNED = 1, /* the program chose its affinity: it is counted, never moved */
};

/*
 * Makes the calling thread known: it may become half of a pair and, on machines where there is
 * something to balance, be moved away from a busy core. Calls nest. A thread that ends is
 * unregistered by itself. FLAGS is 0 or PLACE_THREAD_PINNED, which counts for as long as the thread
 * is registered. With the preload object every thread is known already, and this only counts.
 *
 * Without the preload object new threads and programs inherit the mask of their creator; a
 * registered thread calls place_pause() before, and place_resume() after it creates a thread, or
 * calls posix_spawn, vfork or exec. fork() needs nothing.
 *
 * 0, -EINVAL: unknown flags. -ENOSPC: no slot. -ENOMEM. -ENOTCONN, -EAGAIN. Not async-signal-safe.
 * A few system calls.
 */
int place_thread_register(unsigned int flags);

/*
 * Takes one place_thread_register(), or the registration by place_start(), back. With the last one
 * the thread gets its mask back and is forgotten. 0, -EALREADY: there is nothing to take back.
 * -ENOTCONN, -EAGAIN. Not async-signal-safe. A few system calls.
 */
int place_thread_unregister(void);

/*
 * Lets the calling thread go: if it is half of a held pair, both get their masks back and the pair
 * is not formed again for a second or more. 0, -ESRCH, -ENOTCONN, -EAGAIN. A few system calls;
 * async-signal-safe.
 */
int place_thread_release(void);

/*
 * Around a critical section: the calling thread gets its mask back and is left where the kernel
 * puts it until place_resume(). It goes on being counted. Calls nest. 0, -ESRCH, -ENOTCONN,
 * -EAGAIN; place_resume() also -EALREADY: nothing to resume. Both are async-signal-safe;
 * place_pause() makes up to three system calls when the thread was placed, else none.
 */
int place_pause(void);
int place_resume(void);

/* ---- What the program knows of its threads ---- */

enum {
	PLACE_PAIR_TRUST = 1, /* hold the pair without measuring whether that is faster */
};

/*
 * The calling thread names the thread TID (gettid()) as its partner: the two hand work to and fro.
 * They are held on one CPU, or on one core where cores have siblings, from their next waits on,
 * without the observation that an unnamed pair is subject to; the first comparison with the pair
 * let go comes 100 ms later, and ends it when that was faster. With PLACE_PAIR_TRUST it never
 * comes. All else ends the pair as any other: a third task on its CPU while another is idle, other
 * partners, no handoff while both compute, an affinity or a real-time class. It may form again a
 * second later.
 *
 * The partner may register afterwards. Within a process one of the two need do this; across
 * processes both must, and both must trust. Who named a partner is paired with nobody else, until
 * it ends, or names TID 0: nobody, which ends the pair.
 *
 * 0, -EINVAL: unknown flags, or TID is negative or the caller's. -ENXIO: there is no such thread.
 * -EPERM: it is another user's. -ESRCH, -ENOTCONN, -EAGAIN. Async-signal-safe; some ten system
 * calls, and may start the keeper (about a millisecond).
 */
int place_thread_pair(int32_t tid, unsigned int flags);

enum place_class {
	PLACE_CLASS_THROUGHPUT = 0,
	PLACE_CLASS_LATENCY,	/* gets an idle core before other threads of the process, */
	PLACE_CLASS_BACKGROUND, /* and after them; is left on a small core */
};

/* Of the calling thread. Fields that are zero say nothing. */
struct place_hints {
	uint32_t size;
	uint32_t thread_class; /* enum place_class */
	uint32_t util_min;     /* decisions see at least this utilization, 0..1024, */
	uint32_t util_max;     /* and at most this; 0 means 1024. Shares of the largest CPU */
	uint32_t group; /* shares data with the threads of this process that say the same number */
	uint32_t reserved;
};

/*
 * Replaces what the calling thread said before. A minimum has a thread that mostly waits treated as
 * one that needs a large CPU; a maximum has one that computes stay on a small one. Threads of a
 * group are kept within one last-level cache as if they had talked to each other. Hints end when
 * the thread is unregistered; with the preload object, when it ends. 0, -EINVAL: NULL, its size or
 * a value out of range. -E2BIG, -ESRCH, -ENOTCONN, -EAGAIN. Async-signal-safe, no system call.
 */
int place_thread_hint(const struct place_hints *hints);

/* ---- Handing work over by own means ---- */

/*
 * For synchronisation that libplace does not see by itself. OBJECT is any address that both sides
 * use, of the object or of its futex word; in shared memory it names the same object in every
 * process. place_wake(): before the call that lets another thread go on. 0, -EINVAL: OBJECT is
 * NULL. -ESRCH, -ENOTCONN, -EAGAIN. Async-signal-safe. No system call, but at the first use of
 * OBJECT.
 */
int place_wake(const volatile void *object);

/*
 * Around a wait for OBJECT by the calling thread. CONSUMED says whether it took what it waited for
 * (not on a timeout). A thread may be bound or given its mask back inside place_wait_end().
 * 0, -EINVAL: OBJECT is NULL, or not the one of place_wait_begin(). -EBUSY: it waits already.
 * -EALREADY: place_wait_end() without place_wait_begin(). -ESRCH, -ENOTCONN, -EAGAIN. Costs and
 * safety as place_wake(); every 32nd handoff looks at the clock.
 */
int place_wait_begin(const volatile void *object);
int place_wait_end(const volatile void *object, int consumed);

/* ---- Questions ---- */

/* Sums of the machine as libplace sees it. Numbers of what place_cpu_get() names, from 0 on. */
struct place_machine {
	uint32_t size;
	uint32_t generation; /* changes when the machine did */
	uint32_t nr_cpu_ids; /* highest CPU number + 1 */
	uint32_t nr_online;
	uint32_t nr_cores;
	uint32_t nr_clusters; /* cores that share a cache below the last level */
	uint32_t nr_llcs;     /* last-level caches */
	uint32_t nr_packages;
	uint32_t nr_nodes;    /* NUMA */
	uint32_t nr_siblings; /* most CPUs of one core */
	uint32_t asymmetric;  /* 1: CPUs differ in capacity */
	uint32_t reserved;
};

/*
 * Fills *MACHINE. 0, -EINVAL: NULL or its size. -ENOTCONN. -EAGAIN: the machine is not read yet,
 * which takes some tens of milliseconds after the first start. Async-signal-safe, no system call.
 */
int place_machine_get(struct place_machine *machine);

struct place_cpu {
	uint32_t size;
	uint32_t core, cluster, llc, package; /* numbers as libplace counts them */
	uint32_t node;			      /* NUMA node, the kernel's number */
	uint32_t capacity;		      /* what it can do, 1..1024, of the largest CPU 1024 */
	uint32_t capacity_now;		      /* less a thermal or frequency cap */
	uint32_t priority; /* higher is favoured among equals; 0 everywhere: no difference */
	uint32_t isolated; /* 1: isolcpus */
};

/* Fills *CPU_OUT for the CPU number CPU. As place_machine_get(); -ENODEV: CPU is not online. */
int place_cpu_get(int cpu, struct place_cpu *cpu_out);

/*
 * NUMA distance from one CPU to another in units of the kernel: 10 within a node that says its
 * distance, 0 within one node of a machine with one, 256 where the machine does not say.
 * -ENODEV: one is not online. -ENOTCONN, -EAGAIN. Async-signal-safe, no system call.
 */
int place_cpu_distance(int from, int to);

/* How far apart two CPUs are. */
enum place_relation {
	PLACE_SAME_CPU = 0,
	PLACE_SAME_CORE,
	PLACE_SAME_LLC,
	PLACE_SAME_NODE, /* of another last-level cache */
	PLACE_OTHER_NODE,
};

#define PLACE_COST_UNKNOWN UINT32_MAX

struct place_handoff {
	uint32_t size;
	uint32_t relation; /* enum place_relation: the smaller, the nearer */
	uint32_t cost_ns;  /* of waking a thread there and it going on, or PLACE_COST_UNKNOWN */
	uint32_t reserved;
	uint64_t age_ns; /* of the measurement; UINT64_MAX: none */
};

/*
 * What a handoff from one CPU to another costs. It is measured on request only, for each relation
 * once, by "place topo --handoff", and then known to all programs of the user until the machine
 * restarts; before that the relation is all that is known. 0, -EINVAL: NULL or its size. -ENODEV: a
 * CPU is not online. -ENOTCONN, -EAGAIN as place_machine_get(). Async-signal-safe, no system call.
 */
int place_handoff_cost(int from, int to, struct place_handoff *handoff);

/* Who asks for a CPU. Zero in all but size is a task of no load that the caller would start. */
struct place_select {
	uint32_t size;
	uint32_t flags;	   /* PLACE_SELECT_* */
	int32_t target;	   /* CPU to search around, with PLACE_SELECT_TARGET; else the caller's */
	int32_t prev;	   /* CPU it ran on last, with PLACE_SELECT_PREV */
	uint32_t util;	   /* share of the largest CPU it uses, 0..1024 */
	uint32_t util_min; /* as uclamp: 0..1024; */
	uint32_t util_max; /* 0 means 1024 */
	uint32_t nr_cpus;  /* bits in cpus */
	const unsigned long *cpus; /* CPUs it may use, bit by number (a cpu_set_t); NULL: all */
};

enum {
	PLACE_SELECT_TARGET = 1,
	PLACE_SELECT_PREV = 2,
};

struct place_choice {
	uint32_t size;
	int32_t cpu;	      /* the CPU, or -1: none is better than where it is */
	const char *why;      /* a few words; a static string */
	const char *rule;     /* name of the rule in the documentation, or "" */
	uint64_t load_age_ns; /* age of the load it rests on; UINT64_MAX: none, claims alone */
};

/*
 * Which CPU libplace would take for such a task now, and why. A pure question: nothing is applied,
 * claimed or counted. 0, -EINVAL: NULL, a size, or a value out of range. -E2BIG, -ESRCH, -ENOTCONN.
 * -EAGAIN: also when the machine is not read yet. -ENOMEM: at the first call of the thread, which
 * maps 48 KiB. Later calls make no system call, but one where the kernel lacks rseq and no target
 * is given; O(online CPUs). Not async-signal-safe.
 */
int place_select_cpu(const struct place_select *select, struct place_choice *choice);

/* ---- Events ---- */

enum place_event_type {
	PLACE_EVENT_HELD = 1, /* the thread is half of a pair that is held from now on, on CPU */
	PLACE_EVENT_RELEASED, /* that pair ended and the thread has its mask back; CPU is -1 */
	PLACE_EVENT_MOVED,    /* the balancer moved the thread to CPU */
};

struct place_event {
	uint32_t size; /* as the library knows it */
	uint32_t type; /* enum place_event_type */
	int32_t cpu;
	uint32_t reserved;
	const char *why; /* a few words; a static string */
};

typedef void (*place_event_fn)(const struct place_event *event, void *arg);

/*
 * Has FN called with ARG on each thread that something happens to, by that thread itself: when it
 * returns from a wait that libplace sees, or from place_wait_end(), place_thread_pair(),
 * place_thread_release() or place_pause(). So what happens to a thread that computes is told at its
 * next wait, and only the last of several moves. errno is kept around the call. FN may call any
 * function of this interface, without being called again meanwhile, and must return: no longjmp(),
 * no exit of the thread, no cancellation. Where the program waits inside signal handlers, FN is
 * called there and has to be async-signal-safe. A child of fork() has no callback.
 *
 * FN NULL takes the callback away; afterwards no thread is inside it, so that its code may be
 * unloaded. It also goes with the last place_stop(). There is one a process.
 *
 * 0, -EBUSY: there is one. -EALREADY: there is none to take away. -EDEADLK: called from FN.
 * -ENOTCONN, -EAGAIN: also another thread sets one just now. Not async-signal-safe.
 */
int place_set_event_callback(place_event_fn fn, void *arg);

#ifdef __cplusplus
}
#endif

#endif
