// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Processes: what is born, and the program that comes next, inherit the mask of the caller, so it
 * gets the program's mask back first. Nothing is done in the child. vfork() is in entry.c.
 */
#include "intercept/exec.h"

#include <stdarg.h>

/*
 * The child has one thread and cannot wait for a lock of the loader that another one held, so with
 * several threads nothing is left to be looked up there. Who forks a second time makes a pool: then
 * each child need not look up the same names (a fifth of the page faults of hackbench's processes).
 */
static inline void fork_begin(void)
{
	static _Atomic uint32_t nr_forks;

	if (!pl_single_threaded())
		pl_next_bind_all();
	else if (pl_get(&nr_forks) < 2 && atomic_fetch_add(&nr_forks, 1) == 1)
		pl_next_bind_common();
}

/* CALL, the call of the next definition, with the caller's own mask in force. */
#define WIDE(call)                                                                                 \
	({                                                                                         \
		pl_hook_child_begin();                                                             \
		__auto_type r_ = (call);                                                           \
		pl_hook_child_end();                                                               \
		r_;                                                                                \
	})

PL_EXPORT pid_t fork(void)
{
	fork_begin();
	return WIDE(NEXT(fork)());
}

PL_EXPORT pid_t __fork(void)
{
	fork_begin();
	return WIDE(NEXT(__fork)());
}

#if __GLIBC_PREREQ(2, 34)
PL_EXPORT pid_t _Fork(void)
{
	fork_begin();
	return WIDE(NEXT(_Fork)());
}
#endif

/* The child runs on a stack of its own: the C library's clone() refuses to do without. */
PL_EXPORT int clone(int (*run)(void *), void *stack, int flags, void *arg, ...)
{
	void *parent_tid, *tls, *child_tid;
	va_list ap;

	va_start(ap, arg);
	parent_tid = va_arg(ap, void *);
	tls = va_arg(ap, void *);
	child_tid = va_arg(ap, void *);
	va_end(ap);
	return WIDE(NEXT(clone)(run, stack, flags, arg, parent_tid, tls, child_tid));
}

PL_EXPORT int __clone(int (*run)(void *), void *stack, int flags, void *arg, ...)
{
	void *parent_tid, *tls, *child_tid;
	va_list ap;

	va_start(ap, arg);
	parent_tid = va_arg(ap, void *);
	tls = va_arg(ap, void *);
	child_tid = va_arg(ap, void *);
	va_end(ap);
	return WIDE(NEXT(__clone)(run, stack, flags, arg, parent_tid, tls, child_tid));
}

static int spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		 const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	return WIDE(NEXT(posix_spawn)(pid, path, actions, attr, argv,
				      PL_FITTING_ENV(path, false, env)));
}
PL_EXPORT_DEFAULT(spawn, posix_spawn, "GLIBC_2.15");

static int spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
		  const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	return WIDE(NEXT(posix_spawnp)(pid, file, actions, attr, argv,
				       PL_FITTING_ENV(file, true, env)));
}
PL_EXPORT_DEFAULT(spawnp, posix_spawnp, "GLIBC_2.15");

#if __GLIBC_PREREQ(2, 39)
PL_EXPORT int pidfd_spawn(int *pidfd, const char *path, const posix_spawn_file_actions_t *actions,
			  const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	return WIDE(NEXT(pidfd_spawn)(pidfd, path, actions, attr, argv,
				      PL_FITTING_ENV(path, false, env)));
}

PL_EXPORT int pidfd_spawnp(int *pidfd, const char *file, const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	return WIDE(NEXT(pidfd_spawnp)(pidfd, file, actions, attr, argv,
				       PL_FITTING_ENV(file, true, env)));
}
#endif

#if PL_HAS_OLD_ABI
/* The old versions hand a file without format to the shell; the new ones report ENOEXEC. */
static int old_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		     const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	return WIDE(NEXT(old_posix_spawn)(pid, path, actions, attr, argv,
					  PL_FITTING_ENV(path, false, env)));
}
PL_EXPORT_OLD(old_spawn, posix_spawn, "GLIBC_2.2.5");

static int old_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
		      const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	return WIDE(NEXT(old_posix_spawnp)(pid, file, actions, attr, argv,
					   PL_FITTING_ENV(file, true, env)));
}
PL_EXPORT_OLD(old_spawnp, posix_spawnp, "GLIBC_2.2.5");
#endif

PL_EXPORT int system(const char *command)
{
	return WIDE(PL_WAIT(NEXT(system)(command)));
}

PL_EXPORT FILE *popen(const char *command, const char *mode)
{
	return WIDE(NEXT(popen)(command, mode));
}

PL_EXPORT int daemon(int keep_dir, int keep_files)
{
	return WIDE(NEXT(daemon)(keep_dir, keep_files));
}

/* Before 2.34 it is in a library that may be loaded later, and calls fork() where we see it. */
#if __GLIBC_PREREQ(2, 34)
PL_EXPORT int forkpty(int *fd, char *name, const struct termios *term, const struct winsize *size)
{
	return WIDE(NEXT(forkpty)(fd, name, term, size));
}
#endif
