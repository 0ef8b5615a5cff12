// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Names synchronisation objects: a private one by (process, address), one in shared memory by the
// inode and offset of its mapping, so that both processes find the same queue.
#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/clock.h"
#include "base/sys.h"
#include "domain/queue.h"
#include "observe/hook.h"

enum { PAGE_SHIFT = 12 };

_Atomic uint32_t pl_shared_objects;

/* Pages known to be private: epoch and page, mixed. */
static _Atomic uint64_t private_pages[64];

/* The kernel's answer to PROCMAP_QUERY (6.11 and later), declared here for older headers. */
struct map_query {
	__u64 size, query_flags, query_addr;
	__u64 vma_start, vma_end, vma_flags, vma_page_size, vma_offset;
	__u64 inode;
	__u32 dev_major, dev_minor;
	__u32 vma_name_size, build_id_size;
	__u64 vma_name_addr, build_id_addr;
};
#define MAP_QUERY	 _IOWR('f', 17, struct map_query)
#define MAP_QUERY_SHARED 0x8

struct map_line {
	uint64_t start, end, offset, dev, inode;
	bool shared;
};

/* Reads /proc/self/maps until the line with ADDR; for kernels without the query. */
static bool maps_scan(int fd, uint64_t addr, struct map_line *out)
{
	char text[320];
	size_t have = 0;
	bool skip = false; /* inside the rest of a line that was too long */

	for (;;) {
		long n = pl_sys3(SYS_read, fd, text + have, sizeof(text) - 1 - have);
		char *line = text, *nl;

		if (n <= 0)
			return false;
		have += (size_t)n;
		text[have] = '\0';
		while ((nl = memchr(line, '\n', have - (size_t)(line - text)))) {
			unsigned long start, end, off, ino;
			unsigned int major, minor;
			char perm[5];

			*nl = '\0';
			if (!skip &&
			    sscanf(line, "%lx-%lx %4s %lx %x:%x %lu", &start, &end, perm, &off,
				   &major, &minor, &ino) == 7 &&
			    addr >= start && addr < end) {
				*out = (struct map_line){start, end,
							 off,	(uint64_t)major << 32 | minor,
							 ino,	perm[3] == 's'};
				return true;
			}
			skip = false;
			line = nl + 1;
		}
		have -= (size_t)(line - text);
		if (have == sizeof(text) - 1) { /* only the path is that long */
			skip = true;
			have = 0;
		}
		memmove(text, line, have);
	}
}

/* The mapping that holds ADDR; false when /proc does not say. */
static bool find_map(uint64_t addr, struct map_line *out)
{
	struct map_query q = {.size = sizeof(q), .query_addr = addr};
	long fd = pl_sys4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	bool found;

	if (fd < 0)
		return false;
	if (pl_sys3(SYS_ioctl, fd, MAP_QUERY, &q) == 0) {
		*out = (struct map_line){q.vma_start,  q.vma_end,
					 q.vma_offset, (uint64_t)q.dev_major << 32 | q.dev_minor,
					 q.inode,      q.vma_flags & MAP_QUERY_SHARED};
		found = addr >= out->start && addr < out->end;
	} else {
		found = maps_scan((int)fd, addr, out);
	}
	pl_sys1(SYS_close, fd);
	return found;
}

static uint64_t name_addr(uint64_t addr, uint32_t epoch)
{
	uint64_t page = (addr >> PAGE_SHIFT) * 0x9e3779b97f4a7c15ull ^ epoch;
	_Atomic uint64_t *known = &private_pages[page >> 58];
	struct map_line map;

	if (pl_get(known) != page) {
		if (find_map(addr, &map) && map.shared) {
			pl_set(&pl_shared_objects, 1);
			return pl_queue_key(PL_QUEUE_SHARED, map.dev, map.inode,
					    map.offset + (addr - map.start));
		}
		pl_set(known, page);
	}
	return pl_queue_key(PL_QUEUE_PRIVATE, pl_member.key, addr, 0);
}

int pl_hook_addr_name(struct pl_tls *t, uint64_t addr)
{
	int ret = 0;

	if (t->busy)
		return -EBUSY;
	t->busy = 1;
	if (!t->task)
		ret = pl_member_attach(t);
	if (ret == 0)
		ret = (int)pl_queue_find(pl_member.seg, name_addr(addr, t->epoch),
					 (uint32_t)(pl_now_ns() / PL_NS_PER_S));
	t->busy = 0;
	return ret;
}
