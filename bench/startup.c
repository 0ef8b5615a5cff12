// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place-startup: what the preload adds to the start and end of a program that does nothing. Runs
// alternate: without it, with it and policy off, with it. Differences are paired by round.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "tools/bench/judge.h"
#include "tools/paths.h"

enum { PLAIN, OFF, FULL, NR_KINDS };

static const char *const kind_names[NR_KINDS] = {"plain", "off", "full"};

/* The environment of the caller without libplace's own variables, plus those of the kind. */
static char **make_env(int kind, const char *preload)
{
	static const char policy_off[] = "LIBPLACE_POLICY=off";
	size_t n = 0, m = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + 3, sizeof(*env));
	if (!env)
		bench_die("out of memory");
	for (size_t i = 0; i < n; i++) {
		if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 &&
		    strncmp(environ[i], "LIBPLACE", 8) != 0)
			env[m++] = environ[i];
	}
	if (kind != PLAIN && asprintf(&env[m++], "LD_PRELOAD=%s", preload) < 0)
		bench_die("out of memory");
	if (kind == OFF)
		env[m++] = strdup(policy_off);
	return env;
}

/* Microseconds from before the spawn until the program has been waited for. */
static double run_once(char *const *argv, char *const *env)
{
	uint64_t begin = pl_now_ns();
	int status, err;
	pid_t pid;

	err = posix_spawnp(&pid, argv[0], NULL, NULL, argv, env);
	if (err)
		bench_die("cannot run %s: %s", argv[0], strerror(err));
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			bench_die("waitpid: %s", strerror(errno));
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) == 127)
		bench_die("%s did not run", argv[0]);
	return (double)(pl_now_ns() - begin) / 1e3;
}

static double mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

static void report(double *const us[NR_KINDS], size_t n)
{
	for (int k = 0; k < NR_KINDS; k++) {
		struct pl_interval iv;

		printf("%s_us_median %.1f\n", kind_names[k], pl_judge_median(us[k], n));
		printf("%s_us_mean %.1f\n", kind_names[k], mean(us[k], n));
		if (k == PLAIN || !pl_judge_difference(us[k], us[PLAIN], n, &iv))
			continue;
		printf("%s_added_us %.1f\n", kind_names[k], iv.mid);
		printf("%s_added_us_95lo %.1f\n", kind_names[k], iv.lo);
		printf("%s_added_us_95hi %.1f\n", kind_names[k], iv.hi);
	}
}

static void usage(FILE *f)
{
	fputs("usage: place-startup [--runs N] [--preload FILE] [--] [PROGRAM ARGS]\n"
	      "  --runs N        of each kind (default: 200)\n"
	      "  --preload FILE  the preload object (default: the one of this build)\n"
	      "PROGRAM is /bin/true unless given.\n",
	      f);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"runs", required_argument, NULL, 'n'},
						{"preload", required_argument, NULL, 'p'},
						{"help", no_argument, NULL, 'h'},
						{NULL, 0, NULL, 0}};
	static char default_program[] = "/bin/true";
	char *default_argv[] = {default_program, NULL};
	char **program = default_argv, **env[NR_KINDS];
	char preload[PATH_MAX];
	double *us[NR_KINDS];
	size_t runs = 200;
	bool found = pl_path_preload(preload, sizeof(preload));
	int opt;

	while ((opt = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		switch (opt) {
		case 'n':
			runs = (size_t)bench_number("runs", optarg, 1, 1e6);
			break;
		case 'p':
			found = realpath(optarg, preload);
			break;
		default:
			usage(opt == 'h' ? stdout : stderr);
			return opt == 'h' ? 0 : 2;
		}
	}
	if (!found)
		bench_usage_die("no preload object at %s: name it with --preload", preload);
	if (optind < argc)
		program = argv + optind;
	for (int k = 0; k < NR_KINDS; k++) {
		env[k] = make_env(k, preload);
		us[k] = calloc(runs, sizeof(**us));
		if (!us[k])
			bench_die("out of memory");
		run_once(program, env[k]); /* the page cache has it from here on */
	}
	for (size_t i = 0; i < runs; i++) {
		for (size_t p = 0; p < NR_KINDS; p++) {
			size_t k = pl_judge_order(i, p, NR_KINDS);

			us[k][i] = run_once(program, env[k]);
		}
	}
	report(us, runs);
	return 0;
}
