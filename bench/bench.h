/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * What the benchmark programs share: common options, a team of workers (threads, forked or exec'ed
 * processes) that starts on one "go", a meter that drops the warm-up, and work of a fixed amount.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <getopt.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <sched.h>
#include <sys/types.h>

#include "base/clock.h"
#include "bench/channel.h"

#define BENCH_MAX_WORKERS  2048
#define BENCH_MAX_CHANNELS 256
#define BENCH_MAX_CPUS	   256
#define BENCH_LINE	   128 /* two cache lines: neighbours are fetched in pairs */

struct bench_opts {
	bool processes; /* workers are processes, else threads */
	bool exec;	/* each process is exec'ed, so that it loads a preloaded library itself */
	double work_us; /* computed by each side between its wake and its wait */
	uint64_t spin_loops;	  /* loops of bench_work() per microsecond; 0: measured at start */
	double seconds;		  /* measured time */
	uint64_t rounds;	  /* when not 0: measured rounds, instead of time */
	double warmup_s;	  /* from the first turn; not counted */
	int cpus[BENCH_MAX_CPUS]; /* worker k binds itself to cpus[k % nr_cpus] */
	int nr_cpus;
	int tasks;  /* workers of a load that takes any number; 0: it chooses */
	int worker; /* in an exec'ed worker its number, else -1 */
	int shm_fd; /* and the team's shared memory */
};

/* Long options that every program takes; values above the ASCII range. */
enum {
	BENCH_OPT_THREADS = 1000,
	BENCH_OPT_PROCESSES,
	BENCH_OPT_EXEC,
	BENCH_OPT_WORK,
	BENCH_OPT_SPIN,
	BENCH_OPT_CALIBRATE,
	BENCH_OPT_SECONDS,
	BENCH_OPT_ROUNDS,
	BENCH_OPT_WARMUP,
	BENCH_OPT_CPUS,
	BENCH_OPT_TASKS,
	BENCH_OPT_WORKER,
	BENCH_OPT_SHM,
	BENCH_OPT_HELP,
	BENCH_OPT_OWN, /* the program's own start here */
};

/* clang-format off */
#define BENCH_OPTIONS \
	{"threads", no_argument, NULL, BENCH_OPT_THREADS}, \
	{"processes", no_argument, NULL, BENCH_OPT_PROCESSES}, \
	{"exec", no_argument, NULL, BENCH_OPT_EXEC}, \
	{"work", required_argument, NULL, BENCH_OPT_WORK}, \
	{"spin-loops", required_argument, NULL, BENCH_OPT_SPIN}, \
	{"calibrate", no_argument, NULL, BENCH_OPT_CALIBRATE}, \
	{"seconds", required_argument, NULL, BENCH_OPT_SECONDS}, \
	{"rounds", required_argument, NULL, BENCH_OPT_ROUNDS}, \
	{"warmup", required_argument, NULL, BENCH_OPT_WARMUP}, \
	{"cpus", required_argument, NULL, BENCH_OPT_CPUS}, \
	{"tasks", required_argument, NULL, BENCH_OPT_TASKS}, \
	{"worker", required_argument, NULL, BENCH_OPT_WORKER}, \
	{"shm-fd", required_argument, NULL, BENCH_OPT_SHM}, \
	{"help", no_argument, NULL, BENCH_OPT_HELP}
/* clang-format on */

#define BENCH_USAGE                                                                                \
	"  --threads | --processes  what the workers are (default: threads)\n"                     \
	"  --exec                   with --processes: exec each worker afresh\n"                   \
	"  --work US                each side computes US microseconds between wake and wait\n"    \
	"  --spin-loops N           loops per microsecond of work (default: measured)\n"           \
	"  --calibrate              print that number and exit\n"                                  \
	"  --seconds S | --rounds N how much is measured (default: 1 second)\n"                    \
	"  --warmup S               dropped at the start (default: 0.25)\n"                        \
	"  --tasks N                how many workers, where that is free\n"                        \
	"  --cpus LIST              worker k binds itself to the k-th CPU of the list\n"

void bench_opts_init(struct bench_opts *o);

/* Handles option OPT when it is a common one; false when it is the caller's. Bad values exit 2. */
bool bench_option(struct bench_opts *o, int opt, const char *arg);

/* Call once after all options: checks combinations, measures spin_loops when work is wanted. */
void bench_opts_done(struct bench_opts *o, bool needs_work);

/* A number from an option's value within [MIN, MAX], else exit 2. */
double bench_number(const char *option, const char *arg, double min, double max);

/* One line "PROGRAM: what" on stderr; exit 1, or 2 for usage. */
void bench_die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
void bench_usage_die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Computes LOOPS loops; takes twice as long in wall time when it gets half a CPU. */
void bench_work(uint64_t loops);

/* Loops of bench_work() per microsecond: the best of many short trials, so that being preempted
 * does not make the loop look slow. */
uint64_t bench_calibrate(void);

/* One worker's line in shared memory, written by it alone. */
struct bench_slot {
	_Atomic int cpu; /* where it last came back from a wait */
	double user_s;
	double sys_s;
	int64_t switches;   /* context switches */
	int64_t migrations; /* -1: the kernel does not tell */
} __attribute__((aligned(BENCH_LINE)));

struct bench_shared {
	_Atomic uint32_t nr_ready;
	_Atomic uint32_t go;
	_Atomic uint32_t stop;
	uint64_t go_ns; /* when all were let go */
	struct bench_slot slot[BENCH_MAX_WORKERS];
	struct bench_chan chan[BENCH_MAX_CHANNELS];
	char area[] __attribute__((aligned(BENCH_LINE))); /* the program's own */
};

struct bench_team;
typedef void bench_worker_fn(struct bench_team *team, int k);

struct bench_team {
	const struct bench_opts *opts;
	char **argv;
	bench_worker_fn *worker;
	struct bench_shared *sh;
	void *area;
	int shm_fd;
	int nr;
	pthread_t thread[BENCH_MAX_WORKERS];
	pid_t pid[BENCH_MAX_WORKERS];
};

/*
 * Makes the shared memory with AREA bytes for the program. In an exec'ed worker it maps that of
 * the starter, runs the worker and exits: the caller goes on only in the starter.
 */
void bench_team_open(struct bench_team *t, const struct bench_opts *o, char **argv, size_t area,
		     bench_worker_fn *worker);

/* Starts worker number t->nr. A channel must be open before its workers are started. */
void bench_team_start(struct bench_team *t);

/* Waits until all workers are ready, then lets them go together. Exits when one died. */
void bench_team_go(struct bench_team *t);

/* Waits for all. When a process ends badly the others are killed, by pid, and the program exits. */
void bench_team_join(struct bench_team *t);

/* In a worker: everything is prepared; returns on "go". */
void bench_ready(struct bench_team *t);

/* The measured part for loads without a leader: the same for all workers. After bench_ready(). */
struct bench_window {
	uint64_t from_ns, to_ns;
};
struct bench_window bench_window(const struct bench_team *t);

/* What the calling thread has used so far; opens a file of /proc. */
struct bench_usage {
	double user_s;
	double sys_s;
	int64_t switches;
	int64_t migrations; /* -1: the kernel does not tell */
};
struct bench_usage bench_usage(void);

/* Stores what the calling thread used since BASE into its slot. */
void bench_usage_store(struct bench_slot *slot, struct bench_usage base);

/* CPU seconds of all workers of the team. */
double bench_team_cpu_s(const struct bench_team *t);

/* Lines user_s, sys_s, cpu_s and cpu_s_per_NAME for COUNT operations, switches, and migrations
 * where the kernel counts them. */
void bench_print_usage(const struct bench_team *t, const char *name, double count);

#endif
