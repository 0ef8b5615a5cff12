// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Options, work of a fixed amount and CPU time; the team of workers is in team.c.
#include "bench/bench.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void __attribute__((format(printf, 1, 0))) say(const char *fmt, va_list ap)
{
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void bench_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	_exit(1); /* other workers may be blocked for ever: no destructors, no joins */
}

void bench_usage_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	exit(2);
}

double bench_number(const char *option, const char *arg, double min, double max)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(arg, &end);
	if (errno || end == arg || *end || !(v >= min && v <= max))
		bench_usage_die("--%s %s: expected a number from %g to %g", option, arg, min, max);
	return v;
}

void bench_opts_init(struct bench_opts *o)
{
	*o = (struct bench_opts){.seconds = 1, .warmup_s = 0.25, .worker = -1, .shm_fd = -1};
}

static void parse_cpus(struct bench_opts *o, const char *arg)
{
	char *copy = strdup(arg), *save = NULL;

	if (!copy)
		bench_die("out of memory");
	for (char *s = strtok_r(copy, ",", &save); s; s = strtok_r(NULL, ",", &save)) {
		if (o->nr_cpus == BENCH_MAX_CPUS)
			bench_usage_die("--cpus: at most %d CPUs", BENCH_MAX_CPUS);
		o->cpus[o->nr_cpus++] = (int)bench_number("cpus", s, 0, CPU_SETSIZE - 1);
	}
	free(copy);
}

bool bench_option(struct bench_opts *o, int opt, const char *arg)
{
	switch (opt) {
	case BENCH_OPT_THREADS:
		o->processes = false;
		return true;
	case BENCH_OPT_PROCESSES:
		o->processes = true;
		return true;
	case BENCH_OPT_EXEC:
		o->exec = true;
		return true;
	case BENCH_OPT_WORK:
		o->work_us = bench_number("work", arg, 0, 1e6);
		return true;
	case BENCH_OPT_SPIN:
		o->spin_loops = (uint64_t)bench_number("spin-loops", arg, 1, 1e6);
		return true;
	case BENCH_OPT_CALIBRATE:
		printf("spin_loops %llu\n", (unsigned long long)bench_calibrate());
		exit(0);
	case BENCH_OPT_SECONDS:
		o->seconds = bench_number("seconds", arg, 0.01, 3600);
		return true;
	case BENCH_OPT_ROUNDS:
		o->rounds = (uint64_t)bench_number("rounds", arg, 1, 1e12);
		return true;
	case BENCH_OPT_WARMUP:
		o->warmup_s = bench_number("warmup", arg, 0, 60);
		return true;
	case BENCH_OPT_CPUS:
		parse_cpus(o, arg);
		return true;
	case BENCH_OPT_TASKS:
		o->tasks = (int)bench_number("tasks", arg, 1, BENCH_MAX_WORKERS);
		return true;
	case BENCH_OPT_WORKER:
		o->worker = (int)bench_number("worker", arg, 0, BENCH_MAX_WORKERS - 1);
		return true;
	case BENCH_OPT_SHM:
		o->shm_fd = (int)bench_number("shm-fd", arg, 0, 1 << 20);
		return true;
	default:
		return false;
	}
}

void bench_opts_done(struct bench_opts *o, bool needs_work)
{
	if (o->exec && !o->processes)
		bench_usage_die("--exec is for --processes");
	if ((o->worker < 0) != (o->shm_fd < 0))
		bench_usage_die("--worker and --shm-fd go together");
	if (!o->spin_loops && (needs_work || o->work_us > 0))
		o->spin_loops = bench_calibrate();
}

void bench_work(uint64_t loops)
{
	uint64_t x = 88172645463325252ull;

	for (uint64_t i = 0; i < loops; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		__asm__ volatile("" : "+r"(x)); /* the result is wanted, each time */
	}
}

uint64_t bench_calibrate(void)
{
	const uint64_t loops = 100000; /* a fraction of a millisecond, shorter than a time slice */
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 100; i++) {
		uint64_t t = pl_now_ns();

		bench_work(loops);
		t = pl_now_ns() - t;
		if (t && t < best)
			best = t;
	}
	return loops * 1000 / best ? loops * 1000 / best : 1;
}

static double seconds(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

/* Times the calling thread came to another CPU; -1 on kernels without that file. */
static int64_t migrations(void)
{
	FILE *f = fopen("/proc/thread-self/sched", "re");
	char line[128];
	long long n = -1;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "se.nr_migrations : %lld", &n) == 1)
			break;
	}
	if (f)
		fclose(f);
	return n;
}

struct bench_usage bench_usage(void)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	return (struct bench_usage){seconds(ru.ru_utime), seconds(ru.ru_stime),
				    ru.ru_nvcsw + ru.ru_nivcsw, migrations()};
}

void bench_usage_store(struct bench_slot *slot, struct bench_usage base)
{
	struct bench_usage now = bench_usage();

	/* user and system are estimates that may run back a little; their sum is exact */
	slot->user_s = fmax(now.user_s - base.user_s, 0);
	slot->sys_s = fmax(now.sys_s - base.sys_s, 0);
	slot->switches = now.switches - base.switches;
	slot->migrations = base.migrations < 0 ? -1 : now.migrations - base.migrations;
}

double bench_team_cpu_s(const struct bench_team *t)
{
	double sum = 0;

	for (int k = 0; k < t->nr; k++)
		sum += t->sh->slot[k].user_s + t->sh->slot[k].sys_s;
	return sum;
}

void bench_print_usage(const struct bench_team *t, const char *name, double count)
{
	double user = 0, sys = 0;
	int64_t switches = 0, moved = 0;
	bool known = true;

	for (int k = 0; k < t->nr; k++) {
		const struct bench_slot *s = &t->sh->slot[k];

		user += s->user_s;
		sys += s->sys_s;
		switches += s->switches;
		moved += s->migrations;
		known = known && s->migrations >= 0;
	}
	printf("user_s %.6f\nsys_s %.6f\ncpu_s %.6f\n", user, sys, user + sys);
	printf("cpu_s_per_%s %.4e\n", name, count > 0 ? (user + sys) / count : 0);
	printf("switches %lld\n", (long long)switches);
	if (known)
		printf("migrations %lld\n", (long long)moved);
}
