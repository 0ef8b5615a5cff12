/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Reads small files of sysfs and proc below a replaceable root. Keeper and tools only. */
#ifndef PL_MACHINE_SYSFS_H
#define PL_MACHINE_SYSFS_H

#include <stddef.h>
#include <stdint.h>
#include "base/cpumask.h"

/* Where the files are. Zero-initialised: those of the running system. */
struct pl_sysfs {
	const char *root; /* LIBPLACE_SYSFS_ROOT; NULL or "": the running system */
	/* How a file is read, NULL: by the kernel. Tests put failing and slow ones in. PATH begins
	 * after the root; returns bytes or a negative errno. */
	int (*read)(void *ctx, const char *path, char *buf, size_t size);
	void *ctx;
	uint64_t slow_ns; /* time for all files of one name; 0: PL_SYSFS_SLOW_MS */
};

#define PL_SYSFS_SLOW_MS 1000

/*
 * The contents of the file PATH ("sys/...", no leading slash) into BUF, ended by a zero byte.
 * Returns their length, or a negative errno: -E2BIG when they do not fit, -EINVAL when it is no
 * regular file. Never waits for a writer. MT-safe when S->read is.
 */
int pl_sysfs_read(const struct pl_sysfs *s, const char *path, char *buf, size_t size);

/*
 * The file's only line as a number. 0 or a negative errno; -EBADMSG when it is not one decimal
 * number with its newline (empty, cut off, negative, followed by more). *OUT untouched then.
 */
int pl_sysfs_number(const struct pl_sysfs *s, const char *path, uint64_t *out);

/*
 * A list of CPUs ("0-3,7") as a mask; numbers above PL_MAX_CPUS are left out. 0 or a negative
 * errno; -EBADMSG when it is no list. Allocates.
 */
int pl_sysfs_cpulist(const struct pl_sysfs *s, const char *path, struct pl_cpumask *out);

#endif
