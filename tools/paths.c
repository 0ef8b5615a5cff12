// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See paths.h. PL_LIBDIR and PL_KEEPER_DIR are the installed directories.
#include "tools/paths.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef PL_LIBDIR
#define PL_LIBDIR "/usr/local/lib"
#endif
#ifndef PL_KEEPER_DIR
#define PL_KEEPER_DIR "/usr/local/libexec"
#endif

#define PRELOAD "libplace-preload.so"

bool pl_path_self(char *out, size_t n)
{
	ssize_t len = readlink("/proc/self/exe", out, n - 1);

	out[len > 0 ? len : 0] = '\0';
	return len > 0;
}

/* The directory above the one that holds the running executable: in a build tree its root. */
static bool find_tree(char *out, size_t n)
{
	if (!pl_path_self(out, n))
		return false;
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(out, '/');

		if (!slash)
			return false;
		*slash = '\0';
	}
	return true;
}

static bool join(const char *dir, const char *sub, const char *name, char *out, size_t n)
{
	int len = snprintf(out, n, "%s/%s%s", dir, sub, name);

	return len > 0 && (size_t)len < n && access(out, F_OK) == 0;
}

/* Only the root of a build tree has both; an installed /usr has neither. */
static bool find_build(char *root, size_t n, char *preload, size_t preload_n)
{
	return find_tree(root, n) &&
	       (join(root, "libplace/intercept/", PRELOAD, preload, preload_n) ||
		join(root, "libplace/", PRELOAD, preload, preload_n));
}

bool pl_path_preload(char *out, size_t n)
{
	char root[PATH_MAX];

	return find_build(root, sizeof(root), out, n) || join(PL_LIBDIR, "", PRELOAD, out, n);
}

bool pl_path_program(const char *name, char *out, size_t n)
{
	char root[PATH_MAX], preload[PATH_MAX];

	return (find_build(root, sizeof(root), preload, sizeof(preload)) &&
		join(root, "bench/", name, out, n)) ||
	       join(PL_KEEPER_DIR, "", name, out, n);
}
