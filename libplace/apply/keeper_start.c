// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Starts the keeper so that the program cannot notice: by two clones that share memory and suspend
// the caller, the first without an exit signal and reaped here, so the keeper is nobody's child.
#include "apply/keeper_start.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "apply/bind.h"
#include "apply/narrow.h"
#include "base/clock.h"
#include "base/clone.h"
#include "base/sys.h"

enum {
	STACK = 32768,
	MAX_FAILED = 3,
	RETRY_MS = 100,
	RESTING_MS = 1500, /* a resting keeper looks twice a second */
};

static char keeper_path[512];
PL_START_DATA static const char *self; /* this object as the loader knows it, NULL: not known */
static _Atomic uint32_t nr_failed;

static bool usable(const char *path)
{
	return pl_sys3(SYS_faccessat, AT_FDCWD, path, 1 /* X_OK */) == 0;
}

/* Only the name: a lookup of a name may take a lock, which nothing later may. */
PL_START void pl_keeper_locate(void)
{
	Dl_info info;

	if (dladdr(&self, &info))
		self = info.dli_fname;
}

/* The first LEN bytes of DIR, a slash and NAME as the keeper's path; false when it is not there. */
static bool try_path(const char *dir, size_t len, const char *name)
{
	size_t name_size = strlen(name) + 1;

	if (len + 1 + name_size > sizeof(keeper_path))
		return false;
	memcpy(keeper_path, dir, len);
	keeper_path[len] = '/';
	memcpy(keeper_path + len + 1, name, name_size);
	return usable(keeper_path);
}

static bool find_keeper(void)
{
	/* From this object to the keeper, in the build tree and installed below the same prefix. */
	static const char near[][32] = {"../tools/place-keeper", "../../tools/place-keeper",
					"../libexec/place-keeper", "../../libexec/place-keeper"};
	static char exe[sizeof(keeper_path)];
	const char *from = self, *slash;
	long len;

	if (from && !strchr(from, '/')) {
		/* A program found on PATH: the loader has only the name it was called by. */
		len = pl_sys4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", exe, sizeof(exe) - 1);
		exe[len > 0 ? len : 0] = '\0';
		from = exe;
	}
	if (from && (slash = strrchr(from, '/')) != NULL)
		for (unsigned int i = 0; i < PL_ARRAY_SIZE(near); i++)
			if (try_path(from, (size_t)(slash - from), near[i]))
				return true;
	return try_path(PL_KEEPER_DIR, sizeof(PL_KEEPER_DIR) - 1, "place-keeper");
}

/* The grandchild: becomes the keeper. Shares our memory until exec, so it only makes calls. */
static int become_keeper(void *stack)
{
	static char name[] = "place-keeper";
	static char *const argv[] = {name, NULL};
	static char *const envp[] = {NULL};
	uint64_t none = 0;

	(void)stack;
	pl_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, sizeof(none));
	pl_sys3(SYS_close_range, 0, ~0u, 0);
	pl_sys4(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
	pl_sys1(SYS_dup, 0);
	pl_sys1(SYS_dup, 0);
	pl_sys3(SYS_execve, keeper_path, argv, envp);
	pl_sys1(SYS_exit_group, 127);
	return 127;
}

/* The child: leaves the session, has a child of its own and ends. */
static int step_aside(void *stack)
{
	long ret;

	pl_sys0(SYS_setsid);
	ret = pl_clone(become_keeper, (char *)stack + STACK / 2,
		       CLONE_VM | CLONE_VFORK | CLONE_UNTRACED, stack, NULL, NULL, NULL);
	pl_sys1(SYS_exit_group, ret < 0);
	return 0;
}

int pl_keeper_start(void)
{
	uint64_t all = ~0ull, old;
	int status = 0, subreaper = 0;
	long stack, pid;

	if (!self)
		pl_keeper_locate();
	if (!(keeper_path[0] ? usable(keeper_path) : find_keeper()))
		return -ENOENT;
	if (pl_sys0(SYS_getpid) == 1 ||
	    pl_sys2(SYS_prctl, PR_GET_CHILD_SUBREAPER, &subreaper) != 0 || subreaper)
		return -ECHILD;
	stack = pl_sys6(SYS_mmap, 0, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
	if (stack < 0 && stack > -4096)
		return (int)stack;
	/* No handler of the program may run in a process that shares our memory. Untraced: a
	 * debugger or strace -f would follow it, and wait for the keeper's end. */
	pl_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, sizeof(all));
	pl_widen_for_child();
	pid = pl_clone(step_aside, (char *)stack + STACK, CLONE_VM | CLONE_VFORK | CLONE_UNTRACED,
		       (void *)stack, NULL, NULL, NULL);
	if (pid > 0)
		pl_sys4(SYS_wait4, pid, &status, __WALL, 0);
	pl_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &old, 0, sizeof(old));
	pl_sys2(SYS_munmap, stack, STACK);
	if (pid < 0)
		return (int)pid;
	return status ? -EAGAIN : 0;
}

bool pl_keeper_is_there(struct pl_segment *seg, uint64_t now_ns)
{
	return pl_get(&seg->keeper_pid) &&
	       now_ns - pl_get(&seg->heartbeat_ns) < RESTING_MS * PL_NS_PER_MS;
}

void pl_keeper_ensure(struct pl_segment *seg, uint64_t now_ns)
{
	uint64_t last = pl_get(&seg->try_ns);

	if (pl_keeper_is_there(seg, now_ns)) {
		atomic_fetch_add(&seg->doorbell, 1);
		pl_sys3(SYS_futex, &seg->doorbell, FUTEX_WAKE, 1);
		return;
	}

	if (pl_get(&nr_failed) >= MAX_FAILED)
		return;
	if ((now_ns - last < RETRY_MS * PL_NS_PER_MS && last <= now_ns) ||
	    !atomic_compare_exchange_strong(&seg->try_ns, &last, now_ns))
		return;
	if (pl_keeper_start() != 0)
		atomic_fetch_add(&nr_failed, 1);
}
