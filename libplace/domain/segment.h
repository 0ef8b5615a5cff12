/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * The memory that cooperating processes of one user share: task, queue, pair, process and run
 * slots, the machine model, the keeper's lease and what it measured of each CPU.
 *
 * Rules of this file: all zero bytes are a valid empty segment (a creator may die at any
 * instruction); every field has one writer, or is taken by one compare-and-swap; any process of the
 * user may have written nonsense, so nothing read here is an index, length, pid or mask before it
 * went through one of the pl_seg_* accessors or was checked by the reader.
 */
#ifndef PL_DOMAIN_SEGMENT_H
#define PL_DOMAIN_SEGMENT_H

#include "base/compiler.h"
#include "base/cpumask.h"
#include "machine/model.h"

#define PL_LAYOUT 6u /* raise with every change of a structure below */
#define PL_MAGIC  0x6c70616365000000ull

#define PL_NR_TASKS  4096u
#define PL_NR_QUEUES 16384u
#define PL_NR_PAIRS  128u
#define PL_NR_PROCS  1024u
#define PL_NR_RUNS   32u
#define PL_RUN_LOG   32u /* pair records a run keeps */

#define PL_TASK_BITS 12u /* log2(PL_NR_TASKS) */
#define PL_RUN_BITS  6u	 /* PL_NR_RUNS + 1 values */

/* A task id is generation << PL_TASK_BITS | slot index; 0 is no task. */
typedef uint32_t pl_task_id;
#define PL_TASK_DYING (UINT32_MAX >> PL_TASK_BITS) /* generation while a slot is being freed */

/* Where a task is, from its own view. */
enum pl_task_state {
	PL_TASK_FREE = 0,
	PL_TASK_RUNNING, /* in program code */
	PL_TASK_WAITING, /* inside a hooked wait */
};

/* Why a pair ended or was refused; the text is pl_reason_name(). */
enum pl_reason {
	PL_REASON_NONE = 0,
	PL_REASON_OTHER_PARTNER, /* another partner takes more than 10 % of the turns */
	PL_REASON_THIRD_TASK,	 /* outside load on the pair's CPU, another allowed CPU idle */
	PL_REASON_NO_TURN,	 /* no turn for a look while both consumed CPU */
	PL_REASON_VERIFY,	 /* turns per second were not better with the pair held */
	PL_REASON_AFFINITY,	 /* a member's affinity was set by the program or from outside */
	PL_REASON_SCHED_CLASS,	 /* a member became RT or DEADLINE */
	PL_REASON_EXIT,		 /* a member ended or replaced its image */
	PL_REASON_NO_WATCH,	 /* nobody watches: the keeper's heartbeat is stale */
	PL_REASON_OFF,		 /* place off, LIBPLACE=0, or a sandbox was entered */
	PL_REASON_DENIED,	 /* the kernel refused the affinity call */
	PL_REASON_BUSY,		 /* CPU time of both over wall time above the entry limit */
	PL_REASON_NR,
};

/* Values of pl_task.bound and pl_task.pinned besides 0 and 1. */
enum {
	PL_CHANGING = 2,   /* bound: the thread is changing its mask just now */
	PL_PIN_COMING = 2, /* pinned: somebody is about to set the thread's mask */
	PL_PIN_PAUSED = 3, /* pinned: until the thread says place_resume() */
};

/* Partner counts of a task, halved at every decay; the largest is the reciprocal candidate. */
#define PL_NR_PARTS 4

struct pl_task {
	/* Line 0: identity. Written by its owner at attach and by the reclaimer. */
	_Atomic uint32_t id; /* 0: free */
	_Atomic uint32_t generation;
	_Atomic int32_t pid;
	_Atomic int32_t tid;
	_Atomic uint64_t start_time; /* field 22 of stat, filled in by the keeper; 0: not yet */
	_Atomic uint32_t run;	     /* reference to its run, 0: none */
	_Atomic uint32_t proc;	     /* proc slot + 1, 0: none */
	_Atomic uint32_t nr_binds;
	_Atomic uint32_t nr_unknown; /* descriptors and addresses that could not be named */
	_Atomic uint32_t nr_edges; /* distinct wakers seen, counted when a partner entry is taken */
	_Atomic uint32_t nr_denied;  /* affinity calls the kernel refused */
	_Atomic uint32_t nr_widened; /* times someone else gave the mask back */
	/* What the program said of it (place.h). */
	_Atomic int32_t named;	/* thread that it wants as its partner, 0: none */
	_Atomic uint32_t hints; /* decide/hints.h */
	_Atomic uint32_t group; /* shares data with the others of this number, 0: none */

	/* Line 1: written at every turn by its owner, read by its partner and the keeper. */
	_Atomic uint32_t pub PL_ALIGNED; /* messages published */
	_Atomic uint32_t con;		 /* turns received */
	_Atomic uint32_t partner;	 /* task it alternates with */
	_Atomic uint32_t turns;		 /* alternating turns with that partner in a row */
	_Atomic uint32_t strays;	 /* turns from it that did not alternate */
	_Atomic uint32_t last_to;	 /* whom the last publish went to; 0 after a turn */
	_Atomic uint32_t wakee_flips;	 /* R3 */
	_Atomic uint32_t nr_wakees;	 /* distinct ones of the last second or two */
	_Atomic uint16_t cpu;		 /* where it ran at its last publish or turn */
	_Atomic uint8_t state;		 /* enum pl_task_state */
	_Atomic uint8_t pinned;		 /* its affinity was set by the program or from outside */
	_Atomic uint8_t rt;		 /* RT or DEADLINE: never bound */

	/* Line 2: written once per window of PL_WINDOW_TURNS turns by its owner. */
	_Atomic uint64_t window_ns PL_ALIGNED; /* CLOCK_MONOTONIC at the end of the last window */
	_Atomic uint64_t cpu_ns;	       /* CPU time of the thread then */
	_Atomic uint64_t since_ns;	       /* end of its first window */
	_Atomic uint32_t util;		       /* CPU time over wall time of that window, 0..1024 */
	_Atomic uint32_t slept;		       /* voluntary switches over turns, percent */
	struct {
		_Atomic uint32_t id;
		_Atomic uint32_t turns;
	} part[PL_NR_PARTS];

	/* Line 3: written by others. */
	_Atomic uint32_t pair PL_ALIGNED; /* pair slot + 1; taken by compare-and-swap */
	_Atomic uint32_t bound; /* 1: libplace narrowed this thread; cleared by who widened */
	_Atomic uint32_t fail_partner; /* with whom a pair ended last, and */
	_Atomic uint32_t fail_level;
	_Atomic uint64_t retry_ns; /* ... is not tried again before */
	/* For reports: written by its owner now and then. */
	_Atomic uint64_t run_ns; /* as in schedstat */
	_Atomic uint64_t delay_ns;
	_Atomic uint32_t nr_slices;
	_Atomic uint32_t nr_yields;
	_Atomic uint32_t nr_wakes; /* wake-ups looked at, and those beside a busy sibling */
	_Atomic uint32_t nr_contended;
	_Atomic uint32_t still; /* 1: running, but its CPU clock stood still for two samples */
};

_Static_assert(sizeof(struct pl_task) == 4 * PL_LINE, "a task is four cache lines");

struct pl_queue {
	_Atomic uint64_t key PL_ALIGNED; /* 0: free */
	_Atomic uint32_t writer;	 /* last publisher */
	_Atomic uint32_t reader;	 /* who last waited here or consumed */
	_Atomic uint32_t seq;		 /* messages published */
	_Atomic uint32_t consumed;	 /* seq at the last turn */
	_Atomic uint32_t used_s; /* seconds of CLOCK_MONOTONIC when last named; oldest is evicted */
};

_Static_assert(sizeof(struct pl_queue) == PL_LINE, "a queue is one cache line");

enum pl_pair_state {
	PL_PAIR_FREE = 0,
	PL_PAIR_FORMING, /* claimed, members not yet both in it */
	PL_PAIR_VERIFY,	 /* slices 0..3: wide, together, wide or apart, together */
	PL_PAIR_HELD,
	PL_PAIR_PROBE,	  /* one slice of another kind while held together */
	PL_PAIR_RELEASED, /* the keeper frees it when both members are wide */
};

enum { PL_SLICES = 4 };

struct pl_pair {
	_Atomic uint32_t state PL_ALIGNED; /* enum pl_pair_state */
	_Atomic uint32_t command;    /* odd: members are to be bound; changes with every order */
	_Atomic uint32_t member[2];  /* task ids; [0] leads */
	_Atomic uint32_t cpu[2];     /* where each member is to be; changes while both are wide */
	_Atomic uint32_t whole_core; /* 1: the mask is cpu's core, 0: cpu alone (R4s) */
	_Atomic uint32_t reason;     /* enum pl_reason once released */
	_Atomic uint32_t slice;	     /* slice being measured */
	_Atomic uint64_t since_ns;   /* when the slice, or the hold, began */
	_Atomic uint32_t rate_off;   /* turns per second, the better slice of what was not held */
	_Atomic uint32_t rate_on;    /* turns per second as held */
	_Atomic uint32_t run;	     /* reference to its run, 0: none */
	_Atomic uint32_t record;     /* number in that run's log + 1, 0: none */
	/* The watcher's own line. */
	_Atomic uint32_t seen_turns PL_ALIGNED; /* turns of both at its last look */
	_Atomic uint64_t seen_cpu_ns[2];
	_Atomic uint64_t seen_ns;
	_Atomic uint32_t nr_looks; /* looks since the release */
	_Atomic uint64_t
		crowded_ns; /* load sample in which a third task was first seen, 0: not now */
	_Atomic uint32_t nr_quiet; /* looks in a row without a turn and without CPU time */
	_Atomic uint32_t aside;	   /* member + 1 that a watcher is sending off the CPU just now */
	/* How the keeper gives a member's mask back; written by the member before it binds. */
	_Atomic uint32_t narrowed[2] PL_ALIGNED; /* 1: exactly own[], 0: all ones */
	struct pl_cpumask own[2];
};

/* One process with libplace in it. */
struct pl_proc {
	_Atomic uint32_t pid;  /* 0: free */
	_Atomic uint32_t off;  /* 1: place off */
	_Atomic uint32_t bell; /* futex: its balancer is wanted */
	_Atomic uint64_t start_time;
	_Atomic uint32_t run;
};

/* What one pair became, kept for the report of its run. */
struct pl_pair_record {
	_Atomic uint32_t tid[2];
	_Atomic uint32_t reason;
	_Atomic uint32_t held; /* 1: it passed verification: on one CPU; 2: each on its own */
	_Atomic uint32_t rate_off;
	_Atomic uint32_t rate_on;
	_Atomic uint64_t formed_ns;
	_Atomic uint64_t held_ns; /* when verification passed, 0: never */
	_Atomic uint64_t ended_ns;
};

/* The sums of one "place run --stats". */
struct pl_run {
	_Atomic uint32_t owner PL_ALIGNED; /* pid of the reporting place process; 0: free */
	_Atomic uint32_t serial;
	_Atomic uint64_t turns;
	_Atomic uint64_t published;
	_Atomic uint64_t edges;
	_Atomic uint64_t binds;
	_Atomic uint64_t dropped; /* threads that found no task slot */
	_Atomic uint64_t unknown;
	_Atomic uint64_t denied;
	_Atomic uint64_t widened;
	_Atomic uint64_t run_ns; /* sums of the fields of the same names in pl_task */
	_Atomic uint64_t delay_ns;
	_Atomic uint64_t slices;
	_Atomic uint64_t yields;
	_Atomic uint64_t wakes;
	_Atomic uint64_t contended;
	_Atomic uint64_t moves;	  /* of threads by balancers */
	_Atomic uint64_t tasks;	  /* threads that handed work over */
	_Atomic uint64_t threads; /* threads started, main threads included */
	_Atomic uint64_t processes;
	_Atomic uint64_t entered;
	_Atomic uint64_t held;
	_Atomic uint64_t released[PL_REASON_NR];
	_Atomic uint64_t refused[PL_REASON_NR]; /* windows in which entry was refused */
	_Atomic uint32_t nr_log;
	struct pl_pair_record log[PL_RUN_LOG];
};

/* How far apart two CPUs are, for the cost of a handoff. */
enum pl_relation {
	PL_SAME_CPU = 0,
	PL_SAME_CORE,
	PL_SAME_LLC,
	PL_SAME_NODE, /* another last-level cache */
	PL_OTHER_NODE,
	PL_NR_RELATIONS,
};

/* R4s: costs of a handoff that "place topo --handoff" measured. */
struct pl_handoff {
	_Atomic uint32_t ns[PL_NR_RELATIONS]; /* of one turn, 0: not known */
	_Atomic uint64_t measured_ns;	      /* when, 0: never */
};

/* What the keeper measured of one CPU over the last 100 ms. */
struct pl_cpu_load {
	_Atomic uint16_t busy;	  /* 0..1024 */
	_Atomic uint16_t outside; /* busy less what members of the segment used there */
};

struct pl_segment {
	_Atomic uint64_t magic;	    /* PL_MAGIC | PL_LAYOUT, or 0 in a new segment */
	_Atomic uint32_t task_high; /* slots at and above were never used */
	_Atomic uint32_t off_all;   /* place off --all */
	_Atomic uint32_t echo;	    /* tells whether two mappings are of one segment */
	_Atomic uint32_t doorbell;  /* futex: members ring for the keeper */
	/* The keeper's lease. */
	_Atomic uint32_t keeper_pid PL_ALIGNED;
	_Atomic uint64_t keeper_start; /* its start time, field 22 of stat */
	_Atomic uint64_t heartbeat_ns;
	_Atomic uint64_t try_ns;       /* when a member last started a keeper */
	_Atomic uint64_t load_ns;      /* when load[] was last filled */
	_Atomic uint64_t load_from_ns; /* and from when on that sample was taken */
	/*
	 * The model, twice: number machine_ready of them (from 1 on, 0: none yet) is in force. A
	 * new one is written into the other place, so that readers amidst finish on the old one;
	 * the keeper publishes at most once a second.
	 */
	_Atomic uint32_t machine_ready PL_ALIGNED;
	/* R2: the mode that somebody asked for last, enum pl_capacity_mode + 1; 0: nobody did. The
	 * keeper makes the next model by it. */
	_Atomic uint32_t capacity_mode;
	_Atomic uint64_t machine_ns; /* when the model was published */
	struct pl_machine machine[2];
	struct pl_cpu_load load[PL_MAX_CPUS];
	struct pl_handoff handoff;
	/* R8, domain/claim.h: task id, and above it a count of changes. */
	_Atomic uint64_t claim[PL_MAX_CPUS];
	struct pl_proc proc[PL_NR_PROCS];
	struct pl_run run[PL_NR_RUNS];
	struct pl_pair pair[PL_NR_PAIRS];
	struct pl_queue queue[PL_NR_QUEUES];
	struct pl_task task[PL_NR_TASKS];
};

_Static_assert(sizeof(struct pl_segment) < 4u << 20, "budget of DESIGN.md: below 4 MiB");

/*
 * Joins the segment of this user and pid namespace, creating it when there is none; where SysV
 * shared memory fails, private memory of the same shape: libplace then works inside this process
 * alone. *SEG is the mapping, which stays for the life of the process. Returns the segment's id,
 * PL_SEGMENT_PRIVATE, or a negative errno when even that failed (*SEG untouched). MT-safe (racing
 * callers get a mapping each). System calls only, nothing from malloc.
 */
int pl_segment_join(struct pl_segment **seg);

#define PL_SEGMENT_PRIVATE 0x7fffffff

/*
 * True when the segment ID was marked for removal, so that newcomers will not meet us in it. One
 * system call. MT-safe.
 */
bool pl_segment_is_gone(int id);

/* Gives the mapping of segment ID back; nobody may use SEG afterwards. MT-safe. */
void pl_segment_leave(struct pl_segment *seg, int id);

/*
 * The model in force. Before the keeper has written one (pl_seg_machine_ready() is false) it is
 * all zero: a machine without CPUs. The pointer stays good for a second. MT-safe.
 */
static inline const struct pl_machine *pl_seg_machine(const struct pl_segment *seg)
{
	return &seg->machine[pl_get_acquire(&seg->machine_ready) & 1];
}

static inline bool pl_seg_machine_ready(const struct pl_segment *seg)
{
	return pl_get_acquire(&seg->machine_ready) != 0;
}

/* The task of ID, or NULL when the id is 0, out of range or no longer its slot's. MT-safe. */
static inline struct pl_task *pl_seg_task(struct pl_segment *seg, pl_task_id id)
{
	struct pl_task *t = &seg->task[id & (PL_NR_TASKS - 1)];

	return id && pl_get_acquire(&t->id) == id ? t : NULL;
}

/* Pair number N - 1 for a task's field `pair`, or NULL when N is 0 or out of range. */
static inline struct pl_pair *pl_seg_pair(struct pl_segment *seg, uint32_t n)
{
	return n && n <= PL_NR_PAIRS ? &seg->pair[n - 1] : NULL;
}

/*
 * The run that a field `run` refers to (serial << PL_RUN_BITS | slot + 1), or NULL when there is
 * none or it is over and its slot belongs to another.
 */
static inline struct pl_run *pl_seg_run(struct pl_segment *seg, uint32_t ref)
{
	uint32_t n = ref & ((1u << PL_RUN_BITS) - 1);

	if (!n || n > PL_NR_RUNS || !pl_get(&seg->run[n - 1].owner) ||
	    pl_get_acquire(&seg->run[n - 1].serial) != ref >> PL_RUN_BITS)
		return NULL;
	return &seg->run[n - 1];
}

/* Process slot for a field `proc`, or NULL. */
static inline struct pl_proc *pl_seg_proc(struct pl_segment *seg, uint32_t n)
{
	return n && n <= PL_NR_PROCS ? &seg->proc[n - 1] : NULL;
}

#endif
