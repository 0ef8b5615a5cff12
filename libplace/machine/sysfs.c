// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Small files of sysfs and proc: one read each, and anything odd about them is an error.
#include "machine/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Lists of 4,096 CPUs in which every other one is missing take 10 kB. */
enum { LIST_SIZE = 32768 };

static int read_file(const char *path, char *buf, size_t size)
{
	struct stat st;
	size_t len = 0;
	ssize_t n = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	while (len < size && (n = read(fd, buf + len, size - len)) > 0)
		len += (size_t)n;
	err = errno;
	close(fd);
	return n < 0 ? -err : (int)len;
}

int pl_sysfs_read(const struct pl_sysfs *s, const char *path, char *buf, size_t size)
{
	char full[PATH_MAX];
	int n;

	if (s->read) {
		n = s->read(s->ctx, path, buf, size);
	} else {
		n = snprintf(full, sizeof(full), "%s/%s", s->root ? s->root : "", path);
		if (n < 0 || (size_t)n >= sizeof(full))
			return -ENAMETOOLONG;
		n = read_file(full, buf, size);
	}
	if (n < 0)
		return n;
	if ((size_t)n >= size)
		return -E2BIG;
	buf[n] = '\0';
	return n;
}

int pl_sysfs_number(const struct pl_sysfs *s, const char *path, uint64_t *out)
{
	char text[64], *end;
	int n = pl_sysfs_read(s, path, text, sizeof(text));
	unsigned long long v;

	if (n == -E2BIG)
		return -EBADMSG;
	if (n < 0)
		return n;
	if (text[0] < '0' || text[0] > '9')
		return -EBADMSG;
	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno || strcmp(end, "\n") != 0 || end + 1 != text + n)
		return -EBADMSG;
	*out = v;
	return 0;
}

int pl_sysfs_cpulist(const struct pl_sysfs *s, const char *path, struct pl_cpumask *out)
{
	char *text = malloc(LIST_SIZE);
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int n = text && set ? pl_sysfs_read(s, path, text, LIST_SIZE) : -ENOMEM;

	if (n >= 0) {
		text[strcspn(text, "\n")] = '\0';
		if (strspn(text, "0123456789,-") != strlen(text) ||
		    (text[0] && hwloc_bitmap_list_sscanf(set, text) != 0))
			n = -EBADMSG;
	}
	if (n >= 0) {
		pl_cpumask_zero(out);
		for (int c = 0; c < PL_MAX_CPUS; c++)
			if (hwloc_bitmap_isset(set, (unsigned int)c))
				pl_cpumask_add(out, c);
	}
	hwloc_bitmap_free(set);
	free(text);
	return n < 0 ? n : 0;
}
