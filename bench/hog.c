// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See hog.h.
#include "bench/hog.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

void bench_hog_start(struct bench_hog *h, int cpu)
{
	static char name[] = "place-hog", option[] = BENCH_HOG_OPTION;
	char *argv[] = {name, option, NULL};
	pid_t starter = getpid();
	cpu_set_t set;

	*h = (struct bench_hog){.start_ns = pl_now_ns()};
	fflush(NULL);
	h->pid = fork();
	if (h->pid < 0)
		bench_die("cannot start the program beside: %s", strerror(errno));
	if (h->pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != starter)
		_exit(1);
	if (cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			bench_die("cannot bind to CPU %d: %s", cpu, strerror(errno));
	}
	unsetenv("LD_PRELOAD");
	execv("/proc/self/exe", argv);
	bench_die("cannot start the program beside: %s", strerror(errno));
}

void bench_hog_stop(struct bench_hog *h)
{
	struct rusage ru;
	double wall_s;
	int status;

	if (!h->pid)
		return;
	kill(h->pid, SIGKILL);
	while (wait4(h->pid, &status, 0, &ru) < 0) {
		if (errno != EINTR)
			bench_die("the program beside is gone: %s", strerror(errno));
	}
	wall_s = (double)(pl_now_ns() - h->start_ns) / 1e9;
	h->share = ((double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
		    (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6) /
		   wall_s;
	h->pid = 0;
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		bench_die("the program beside ended before its time");
}

void bench_hog_main(int argc, char **argv)
{
	if (argc != 2 || strcmp(argv[1], BENCH_HOG_OPTION) != 0)
		return;
	for (;;)
		bench_work(1000000);
}
