// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See installed.h.
#include "tools/bench/installed.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* A version in the path sorts last when it is the newest. */
static bool find_wildcard(const char *pattern, char *out, size_t n)
{
	bool found = false;
	glob_t g;

	if (glob(pattern, 0, NULL, &g) != 0)
		return false;
	for (size_t i = g.gl_pathc; i-- > 0 && !found;) {
		found = access(g.gl_pathv[i], R_OK) == 0 && strlen(g.gl_pathv[i]) < n;
		if (found)
			strcpy(out, g.gl_pathv[i]);
	}
	globfree(&g);
	return found;
}

bool pl_installed_path(const char *program, char *out, size_t n)
{
	const char *path = getenv("PATH");
	char *copy, *save = NULL;
	bool found = false;

	if (strchr(program, '/'))
		return find_wildcard(program, out, n);
	if (asprintf(&copy, "%s:/usr/sbin:/sbin", path ? path : "/usr/bin:/bin") < 0)
		return false;
	for (char *dir = strtok_r(copy, ":", &save); dir && !found;
	     dir = strtok_r(NULL, ":", &save)) {
		int len = snprintf(out, n, "%s/%s", dir, program);

		found = len > 0 && (size_t)len < n && is_program(out);
	}
	free(copy);
	return found;
}

bool pl_installed(const char *program)
{
	char path[PATH_MAX];

	return pl_installed_path(program, path, sizeof(path));
}
