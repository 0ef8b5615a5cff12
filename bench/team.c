// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The workers of a benchmark: starts them as threads, forked or exec'ed processes, lets them go
// together and collects them. No worker process outlives the starter.
#include "bench/bench.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct thread_arg {
	struct bench_team *team;
	int k;
};

static void pin_self(const struct bench_opts *o, int k)
{
	cpu_set_t set;

	if (!o->nr_cpus)
		return;
	CPU_ZERO(&set);
	CPU_SET(o->cpus[k % o->nr_cpus], &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		bench_die("cannot bind worker %d to CPU %d: %s", k, o->cpus[k % o->nr_cpus],
			  strerror(errno));
}

static void run_worker(struct bench_team *t, int k)
{
	pin_self(t->opts, k);
	t->worker(t, k);
}

void bench_team_open(struct bench_team *t, const struct bench_opts *o, char **argv, size_t area,
		     bench_worker_fn *worker)
{
	size_t size = sizeof(struct bench_shared) + area;
	struct stat st;

	*t = (struct bench_team){.opts = o, .argv = argv, .worker = worker, .shm_fd = o->shm_fd};
	if (o->worker < 0) {
		t->shm_fd = memfd_create("place-bench", 0);
		if (t->shm_fd < 0 || ftruncate(t->shm_fd, (off_t)size))
			bench_die("cannot make shared memory: %s", strerror(errno));
	} else if (fstat(t->shm_fd, &st) || st.st_size < (off_t)size) {
		bench_die("descriptor %d is not the memory of this benchmark", t->shm_fd);
	}
	t->sh = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, t->shm_fd, 0);
	if (t->sh == MAP_FAILED)
		bench_die("cannot map shared memory: %s", strerror(errno));
	t->area = t->sh->area;
	if (o->worker >= 0) {
		run_worker(t, o->worker);
		exit(0);
	}
}

static void *thread_main(void *p)
{
	struct thread_arg arg = *(struct thread_arg *)p;

	free(p);
	run_worker(arg.team, arg.k);
	return NULL;
}

/* The starter's own command line, and which worker of which team this one is. */
static void exec_worker(struct bench_team *t, int k)
{
	char self[PATH_MAX], worker[32], shm[32];
	char **argv;
	int n = 0;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	while (t->argv[n])
		n++;
	argv = calloc((size_t)n + 3, sizeof(*argv));
	if (len < 0 || !argv)
		bench_die("cannot find the program to start worker %d", k);
	self[len] = '\0';
	/* Options go before what may follow, so that operands stay last. */
	argv[0] = t->argv[0];
	snprintf(worker, sizeof(worker), "--worker=%d", k);
	snprintf(shm, sizeof(shm), "--shm-fd=%d", t->shm_fd);
	argv[1] = worker;
	argv[2] = shm;
	memcpy(argv + 3, t->argv + 1, (size_t)(n - 1) * sizeof(*argv));
	execv(self, argv);
	bench_die("cannot exec %s: %s", self, strerror(errno));
}

static void start_process(struct bench_team *t, int k)
{
	pid_t starter = getpid();
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		bench_die("cannot fork worker %d: %s", k, strerror(errno));
	if (pid) {
		t->pid[k] = pid;
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != starter)
		_exit(1);
	if (t->opts->exec)
		exec_worker(t, k);
	run_worker(t, k);
	exit(0);
}

void bench_team_start(struct bench_team *t)
{
	struct thread_arg *arg;
	int k = t->nr, err;

	if (k == BENCH_MAX_WORKERS)
		bench_die("at most %d workers", BENCH_MAX_WORKERS);
	if (t->opts->processes) {
		start_process(t, k);
	} else {
		arg = malloc(sizeof(*arg));
		if (!arg)
			bench_die("out of memory");
		*arg = (struct thread_arg){t, k};
		err = pthread_create(&t->thread[k], NULL, thread_main, arg);
		if (err)
			bench_die("cannot start thread %d: %s", k, strerror(err));
	}
	t->nr++;
}

static void kill_all(struct bench_team *t)
{
	for (int k = 0; k < t->nr; k++) {
		if (t->pid[k] > 0)
			kill(t->pid[k], SIGKILL);
	}
}

/* Takes one ended process off the list; true when it ended well. */
static bool reap(struct bench_team *t, pid_t pid, int status)
{
	for (int k = 0; k < t->nr; k++) {
		if (t->pid[k] == pid)
			t->pid[k] = 0;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void fail(struct bench_team *t, pid_t pid, int status)
{
	kill_all(t);
	if (WIFSIGNALED(status))
		bench_die("worker process %d was ended by signal %d", (int)pid, WTERMSIG(status));
	bench_die("worker process %d failed with status %d", (int)pid, WEXITSTATUS(status));
}

void bench_team_go(struct bench_team *t)
{
	const struct timespec look = {.tv_nsec = 100 * 1000 * 1000};
	uint32_t ready;
	int status;

	while ((ready = atomic_load(&t->sh->nr_ready)) < (uint32_t)t->nr) {
		pid_t pid = t->opts->processes ? waitpid(-1, &status, WNOHANG) : 0;

		if (pid > 0) {
			reap(t, pid, status);
			fail(t, pid, status);
		}
		syscall(SYS_futex, &t->sh->nr_ready, FUTEX_WAIT, ready, &look, NULL, 0);
	}
	t->sh->go_ns = pl_now_ns();
	atomic_store(&t->sh->go, 1);
	bench_futex_wake(&t->sh->go, INT_MAX, true);
}

void bench_ready(struct bench_team *t)
{
	atomic_fetch_add(&t->sh->nr_ready, 1);
	bench_futex_wake(&t->sh->nr_ready, 1, true);
	while (!atomic_load(&t->sh->go))
		bench_futex_wait(&t->sh->go, 0, true);
}

struct bench_window bench_window(const struct bench_team *t)
{
	uint64_t from = t->sh->go_ns + (uint64_t)(t->opts->warmup_s * 1e9);

	return (struct bench_window){from, from + (uint64_t)(t->opts->seconds * 1e9)};
}

void bench_team_join(struct bench_team *t)
{
	int status, left = t->nr;

	if (!t->opts->processes) {
		for (int k = 0; k < t->nr; k++)
			pthread_join(t->thread[k], NULL);
		return;
	}
	while (left) {
		pid_t pid = waitpid(-1, &status, 0);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			bench_die("waitpid: %s", strerror(errno));
		if (!reap(t, pid, status))
			fail(t, pid, status);
		left--;
	}
}
