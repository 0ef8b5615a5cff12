// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Finds, checks and maps the shared segment (SysV: it can neither shrink nor be squatted by name).
#include <errno.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <fcntl.h>

#include "base/sys.h"
#include "domain/segment.h"

enum { PL_KEY_PROBES = 8 };

/* Finalizer of splitmix64. */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* One key per (user, pid namespace, layout); never IPC_PRIVATE. The boot needs no place in it: SysV
 * segments do not outlive one. */
static key_t segment_key(unsigned int probe)
{
	uint64_t ns = 0;
	struct stat st;
	key_t key;

	if (pl_sys4(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/pid", &st, 0) == 0)
		ns = st.st_ino;
	key = (key_t)(mix(mix(ns) ^ mix((uint64_t)pl_sys0(SYS_geteuid) << 8 | PL_LAYOUT) ^ probe) &
		      0x7fffffff);
	return key == IPC_PRIVATE ? 1 : key;
}

/* Only a segment that this user made, that only this user can open, and that is whole. */
static bool is_ours(const struct shmid_ds *ds)
{
	uid_t euid = (uid_t)pl_sys0(SYS_geteuid);

	return ds->shm_perm.cuid == euid && ds->shm_perm.uid == euid &&
	       (ds->shm_perm.mode & 0777) == 0600 && ds->shm_segsz == sizeof(struct pl_segment);
}

static bool is_error(long ret)
{
	return ret < 0 && ret > -4096;
}

/* A new segment is all zero; whoever comes first gives it the layout number. */
static bool adopt(struct pl_segment *seg)
{
	uint64_t fresh = 0;

	return atomic_compare_exchange_strong(&seg->magic, &fresh, PL_MAGIC | PL_LAYOUT) ||
	       fresh == (PL_MAGIC | PL_LAYOUT);
}

static int join_key(key_t key, struct pl_segment **seg)
{
	long id, addr;
	struct shmid_ds ds;

	id = pl_sys3(SYS_shmget, key, sizeof(struct pl_segment), IPC_CREAT | 0600);
	if (id < 0)
		return (int)id;
	if (pl_sys3(SYS_shmctl, id, IPC_STAT, &ds) < 0 || !is_ours(&ds) ||
	    (ds.shm_perm.mode & SHM_DEST))
		return -EPERM;
	addr = pl_sys3(SYS_shmat, id, 0, 0);
	if (is_error(addr))
		return (int)addr;
	if (!adopt((struct pl_segment *)addr)) {
		pl_sys1(SYS_shmdt, addr);
		return -EPROTO;
	}
	*seg = (struct pl_segment *)addr;
	return (int)id;
}

int pl_segment_join(struct pl_segment **seg)
{
	long addr;

	for (unsigned int probe = 0; probe < PL_KEY_PROBES; probe++) {
		int id = join_key(segment_key(probe), seg);

		if (id >= 0)
			return id;
		if (id == -ENOSYS || id == -ENOSPC || id == -ENOMEM)
			break; /* another key would fare no better */
	}
	addr = pl_sys6(SYS_mmap, 0, sizeof(struct pl_segment), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (is_error(addr))
		return (int)addr;
	*seg = (struct pl_segment *)addr;
	adopt(*seg);
	return PL_SEGMENT_PRIVATE;
}

bool pl_segment_is_gone(int id)
{
	struct shmid_ds ds;

	if (id == PL_SEGMENT_PRIVATE)
		return false;
	return pl_sys3(SYS_shmctl, id, IPC_STAT, &ds) < 0 || (ds.shm_perm.mode & SHM_DEST);
}

void pl_segment_leave(struct pl_segment *seg, int id)
{
	if (id == PL_SEGMENT_PRIVATE)
		pl_sys2(SYS_munmap, seg, sizeof(*seg));
	else
		pl_sys1(SYS_shmdt, seg);
}
