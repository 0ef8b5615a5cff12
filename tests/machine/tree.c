// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Writes made-up sysfs trees.
#include "machine/tree.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

void tree_new(struct tree *t)
{
	/* Thousands of small files: in memory where there is such a place. */
	snprintf(t->root, sizeof(t->root), "%s/libplace-test-XXXXXX",
		 access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp");
	assert_non_null(mkdtemp(t->root));
}

const char *tree_path(const struct tree *t, const char *path)
{
	static char full[512];

	snprintf(full, sizeof(full), "%s/%s", t->root, path);
	return full;
}

void tree_put(const struct tree *t, const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", t->root, path);
	for (char *slash = full + strlen(t->root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(full, 0700) != 0)
			assert_int_equal(errno, EEXIST);
		*slash = '/';
	}
	f = fopen(full, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void put_cpu(const struct tree *t, int cpu, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/%s", cpu, file);
	tree_put(t, path, text);
}

void tree_put_cpu(const struct tree *t, int cpu, const char *file, unsigned long long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu\n", value);
	put_cpu(t, cpu, file, text);
}

/* CPUs FROM..TO as the kernel prints masks. */
static void mask_text(int from, int to, char text[64])
{
	unsigned int word[4] = {0};

	for (int c = from; c <= to; c++)
		word[c / 32] |= 1u << c % 32;
	snprintf(text, 64, "%08x,%08x,%08x,%08x\n", word[3], word[2], word[1], word[0]);
}

void tree_put_cpus(const struct tree *t, int nr, int threads)
{
	char list[64], all[64], core[64];

	assert_in_range(nr, 1, 128);
	snprintf(list, sizeof(list), "0-%d\n", nr - 1);
	tree_put(t, "sys/devices/system/cpu/online", list);
	tree_put(t, "sys/devices/system/cpu/possible", list);
	tree_put(t, "sys/devices/system/cpu/present", list);
	mask_text(0, nr - 1, all);
	for (int c = 0; c < nr; c++) {
		mask_text(c / threads * threads, c / threads * threads + threads - 1, core);
		put_cpu(t, c, "topology/core_cpus", core);
		put_cpu(t, c, "topology/thread_siblings", core);
		put_cpu(t, c, "topology/package_cpus", all);
		put_cpu(t, c, "topology/core_siblings", all);
		tree_put_cpu(t, c, "topology/core_id", (unsigned long long)(c / threads));
		tree_put_cpu(t, c, "topology/physical_package_id", 0);
		tree_put_cpu(t, c, "cache/index0/level", 3);
		put_cpu(t, c, "cache/index0/type", "Unified\n");
		put_cpu(t, c, "cache/index0/size", "8192K\n");
		put_cpu(t, c, "cache/index0/shared_cpu_map", all);
	}
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	return remove(path);
}

void tree_remove(struct tree *t)
{
	nftw(t->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
