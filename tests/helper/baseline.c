// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// A program with the preload object against the same without; programs compiled by a test.
#include "helper/baseline.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHOWN = 2000, MAX_ARGS = 32 };

static void show(const char *what, const char *without, const char *with)
{
	fprintf(stderr, "%s without: \"%.*s\"\n%s with: \"%.*s\"\n", what, SHOWN, without, what,
		SHOWN, with);
}

bool helper_same(const char *const argv[], const char *const env[])
{
	struct helper_child without = {.argv = argv, .env = env, .preload = ""};
	struct helper_child with = {.argv = argv, .env = env, .preload = helper_preload()};
	int ret_without, ret_with;
	bool same;

	if (!with.preload)
		with.preload = "";
	ret_without = helper_child_run(&without);
	ret_with = helper_child_run(&with);
	same = ret_without == ret_with && !without.timed_out && without.status == with.status &&
	       without.out_len == with.out_len &&
	       memcmp(without.out, with.out, with.out_len) == 0 &&
	       without.err_len == with.err_len && memcmp(without.err, with.err, with.err_len) == 0;
	if (!same) {
		fprintf(stderr, "%s %s: %d and %#x without, %d and %#x with\n", argv[0],
			argv[1] ? argv[1] : "", ret_without, (unsigned int)without.status, ret_with,
			(unsigned int)with.status);
		show("stdout", without.out, with.out);
		show("stderr", without.err, with.err);
	}
	helper_child_free(&without);
	helper_child_free(&with);
	return same;
}

bool helper_same_script(const char *script, const char *const env[])
{
	const char *argv[] = {"sh", "-c", script, NULL};

	return helper_same(argv, env);
}

bool helper_has(const char *program)
{
	char script[256];
	const char *argv[] = {"sh", "-c", script, NULL};
	struct helper_child c = {.argv = argv, .preload = ""};
	bool has;

	snprintf(script, sizeof(script), "command -v %s", program);
	has = helper_child_run(&c) == 0 && helper_child_exited(&c, 0);
	helper_child_free(&c);
	if (!has) {
		snprintf(script, sizeof(script), "no %s here", program);
		helper_skipped(script);
	}
	return has;
}

const char *helper_self(void)
{
	static char path[PATH_MAX];

	if (!path[0] && readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		return "/proc/self/exe";
	return path;
}

bool helper_compile(const char *dir, const char *name, const char *source, const char *const args[])
{
	char in[PATH_MAX], out[PATH_MAX];
	const char *argv[MAX_ARGS] = {0};
	struct helper_child c = {.argv = argv, .preload = "", .timeout_ms = 60000};
	int n = 0;
	bool done;
	FILE *f;

	if (snprintf(out, sizeof(out), "%s/%s", dir, name) >= (int)sizeof(out) ||
	    snprintf(in, sizeof(in), "%s/%s%s", dir, name, strstr(args[0], "++") ? ".cc" : ".c") >=
		    (int)sizeof(in))
		return false;
	f = fopen(in, "we");
	if (!f)
		return false;
	fputs(source, f);
	fclose(f);
	/* The source comes before the libraries among the options. */
	argv[n++] = args[0];
	argv[n++] = in;
	argv[n++] = "-o";
	argv[n++] = out;
	for (int i = 1; args[i] && n < MAX_ARGS - 1; i++)
		argv[n++] = args[i];
	done = helper_child_run(&c) == 0 && helper_child_exited(&c, 0);
	if (!done) {
		char why[256];

		snprintf(why, sizeof(why), "%s %s does not compile here: %.120s", args[0], name,
			 c.err ? c.err : "");
		for (char *p = why; *p; p++)
			if (*p == '\n')
				*p = ' ';
		helper_skipped(why);
	}
	helper_child_free(&c);
	return done;
}

char *helper_dir(void)
{
	char *dir = strdup("/tmp/place-test-XXXXXX");

	if (dir && !mkdtemp(dir)) {
		fprintf(stderr, "no directory in /tmp: %s\n", strerror(errno));
		free(dir);
		return NULL;
	}
	return dir;
}

void helper_remove(char *dir)
{
	const char *argv[] = {"rm", "-rf", dir, NULL};
	struct helper_child c = {.argv = argv, .preload = ""};

	if (!dir)
		return;
	helper_child_run(&c);
	helper_child_free(&c);
	free(dir);
}
