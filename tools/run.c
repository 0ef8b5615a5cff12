// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// `place run`: gives a program the preload object and becomes it; with --stats stays as its parent.
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"
#include "domain/segment.h"
#include "tools/commands.h"
#include "tools/launch.h"
#include "tools/report.h"

static const char who[] = "place run";

struct run_options {
	const char *policy; /* NULL: what the environment says */
	bool stats;
	const char *capacity;	/* NULL: what the environment says */
	const char *stats_file; /* NULL: text on stderr */
	bool verbose;
	bool force;
	const char *numa; /* NULL: what the environment says */
};

static void usage(FILE *to)
{
	fprintf(to,
		"usage: place run [--policy=auto|observe|off] [--stats[=FILE]] "
		"[--capacity=MODE] [--numa=MODE]\n"
		"                 [--force] [-v] [--] PROGRAM [ARGS]\n"
		"  --policy=P     auto places (default), observe only counts, off passes through\n"
		"  --stats[=FILE] report what was seen and done: to stderr, or as JSON into FILE\n"
		"  --capacity=M   which CPUs count as unequal: auto, group, exact, packing or off\n"
		"  --numa=MODE    follow: pages of a thread come after it to another node; off\n"
		"  --force        also where the running kernel has a rule itself\n"
		"  -v             say what is prepared\n");
}

/* 0, a usage status, or -1 when help was asked for. */
static int parse(int argc, char **argv, struct run_options *o)
{
	static const struct option longs[] = {
		{"policy", required_argument, NULL, 'p'},
		{"stats", optional_argument, NULL, 's'},
		{"capacity", required_argument, NULL, 'c'},
		{"force", no_argument, NULL, 'f'},
		{"numa", required_argument, NULL, 'n'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	enum pl_capacity_mode mode;
	enum pl_policy policy;
	int c;

	while ((c = getopt_long(argc, argv, "+vh", longs, NULL)) != -1) {
		switch (c) {
		case 'p':
			if (!pl_policy_parse(optarg, &policy)) {
				fprintf(stderr, "%s: no policy '%s': it is auto, observe or off\n",
					who, optarg);
				return PLACE_EXIT_USAGE;
			}
			o->policy = optarg;
			break;
		case 's':
			o->stats = true;
			o->stats_file = optarg;
			break;
		case 'c':
			if (!pl_capacity_mode_parse(optarg, &mode)) {
				fprintf(stderr,
					"%s: no capacity mode '%s': it is auto, group, exact, "
					"packing or off\n",
					who, optarg);
				return PLACE_EXIT_USAGE;
			}
			o->capacity = optarg;
			break;
		case 'n':
			if (strcmp(optarg, "follow") != 0 && strcmp(optarg, "off") != 0) {
				fprintf(stderr, "%s: no NUMA mode '%s': it is follow or off\n", who,
					optarg);
				return PLACE_EXIT_USAGE;
			}
			o->numa = optarg;
			break;
		case 'f':
			o->force = true;
			break;
		case 'v':
			o->verbose = true;
			break;
		case 'h':
			usage(stdout);
			return -1;
		default:
			usage(stderr);
			return PLACE_EXIT_USAGE;
		}
	}
	if (optind == argc) {
		fprintf(stderr, "%s: no program given\n", who);
		usage(stderr);
		return PLACE_EXIT_USAGE;
	}
	return 0;
}

static volatile pid_t child;

static void pass_on(int sig)
{
	if (child > 0)
		kill(child, sig);
}

/* As a shell sees it: the program's status, or death by the same signal. */
static int end_as(int status)
{
	struct rlimit no_core = {0, 0};

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	setrlimit(RLIMIT_CORE, &no_core); /* the program left its own */
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

static int run_with_stats(const struct run_options *o, char **argv)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;
	struct pl_segment *seg;
	uint32_t run;
	char text[16];
	int status = 0, id = pl_segment_join(&seg);

	if (id < 0 || id == PL_SEGMENT_PRIVATE || !(run = report_open(seg))) {
		fprintf(stderr, "%s: no shared memory (SysV shm) for statistics: running without\n",
			who);
		return launch_exec(who, argv);
	}
	snprintf(text, sizeof(text), "%u", run);
	setenv("LIBPLACE_RUN", text, 1);
	/* Signals of the terminal reach the program by itself; those sent to us are passed on. */
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGQUIT, &ignore, &old_quit);
	child = fork();
	if (child == 0) {
		sigaction(SIGINT, &old_int, NULL);
		sigaction(SIGQUIT, &old_quit, NULL);
		_exit(launch_exec(who, argv));
	}
	if (child < 0) {
		fprintf(stderr, "%s: cannot start a process: %s\n", who, strerror(errno));
		return PLACE_EXIT_CANNOT_RUN;
	}
	signal(SIGTERM, pass_on);
	signal(SIGHUP, pass_on);
	signal(SIGUSR1, pass_on);
	signal(SIGUSR2, pass_on);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	report_write(seg, run, o->stats_file);
	report_close(seg, run);
	return end_as(status);
}

int cmd_run(int argc, char **argv)
{
	struct run_options o = {0};
	const char *blind;
	bool off, kept = false;
	int ret = parse(argc, argv, &o);

	if (ret)
		return ret < 0 ? 0 : ret;
	argv += optind;
	if (o.policy)
		setenv("LIBPLACE_POLICY", o.policy, 1);
	if (o.numa)
		setenv("LIBPLACE_NUMA", o.numa, 1);
	if (o.force)
		setenv("LIBPLACE_FORCE", "1", 1);
	if (o.capacity)
		setenv("LIBPLACE_CAPACITY", o.capacity, 1);
	blind = launch_blind_spot(argv[0]);
	if (blind)
		fprintf(stderr, "%s: warning: '%s' %s, so libplace cannot act on it\n", who,
			argv[0], blind);
	if (launch_add_preload(who) != 0)
		return PLACE_EXIT_CANNOT_RUN;
	off = o.policy && strcmp(o.policy, "auto") != 0;
	if (!off && !blind)
		kept = launch_keeper();
	if (o.verbose)
		fprintf(stderr, "%s: LD_PRELOAD=%s\n%s: policy %s, keeper %s\n", who,
			getenv("LD_PRELOAD"), who, o.policy ? o.policy : "auto",
			kept ? "runs" : "not started");
	return o.stats ? run_with_stats(&o, argv) : launch_exec(who, argv);
}
