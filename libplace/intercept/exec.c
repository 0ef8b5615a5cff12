// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * The exec family. May run in a vfork child, that is in its parent's memory and on its stack, and
 * in signal handlers, so argument lists are built on the stack.
 */
#include "intercept/exec.h"

#include <stdarg.h>
#include <string.h>

/* Without an environment among the arguments it is the program's present one. */
static int execute(const char *path, char *const argv[])
{
	char *const *env = PL_FITTING_ENV(path, false, environ);

	return env == environ ? NEXT(execv)(path, argv) : NEXT(execve)(path, argv, env);
}

static int execute_searched(const char *file, char *const argv[])
{
	char *const *env = PL_FITTING_ENV(file, true, environ);

	return env == environ ? NEXT(execvp)(file, argv) : NEXT(execvpe)(file, argv, env);
}

PL_EXPORT int execve(const char *path, char *const argv[], char *const env[])
{
	pl_hook_before_exec();
	return NEXT(execve)(path, argv, PL_FITTING_ENV(path, false, env));
}

PL_EXPORT int execv(const char *path, char *const argv[])
{
	pl_hook_before_exec();
	return execute(path, argv);
}

PL_EXPORT int execvp(const char *file, char *const argv[])
{
	pl_hook_before_exec();
	return execute_searched(file, argv);
}

PL_EXPORT int execvpe(const char *file, char *const argv[], char *const env[])
{
	pl_hook_before_exec();
	return NEXT(execvpe)(file, argv, PL_FITTING_ENV(file, true, env));
}

PL_EXPORT int fexecve(int fd, char *const argv[], char *const env[])
{
	pl_hook_before_exec();
	return NEXT(fexecve)(fd, argv, PL_FITTING_ENV_AT(fd, "", false, env));
}

#if __GLIBC_PREREQ(2, 34)
PL_EXPORT int execveat(int dir, const char *path, char *const argv[], char *const env[], int flags)
{
	pl_hook_before_exec();
	return NEXT(execveat)(dir, path, argv, PL_FITTING_ENV_AT(dir, path, false, env), flags);
}
#endif

/*
 * Declares ARGV, FIRST and what follows it up to NULL, on the caller's stack, and leaves AP behind
 * that NULL. A macro, as memory from alloca() ends with the function that asked for it.
 */
#define COLLECT(argv, first, ap)                                                                   \
	size_t nr_ = 0, i_;                                                                        \
	const char *arg_;                                                                          \
	char **argv;                                                                               \
                                                                                                   \
	va_start(ap, first);                                                                       \
	for (arg_ = (first); arg_; arg_ = va_arg(ap, const char *))                                \
		nr_++;                                                                             \
	va_end(ap);                                                                                \
	(argv) = __builtin_alloca((nr_ + 1) * sizeof(*(argv)));                                    \
	va_start(ap, first);                                                                       \
	for (i_ = 0, arg_ = (first); i_ < nr_; i_++, arg_ = va_arg(ap, const char *))              \
		memcpy(&(argv)[i_], &arg_, sizeof(arg_));                                          \
	(argv)[nr_] = NULL

PL_EXPORT int execl(const char *path, const char *arg, ...)
{
	va_list ap;
	COLLECT(argv, arg, ap);

	va_end(ap);
	pl_hook_before_exec();
	return execute(path, argv);
}

PL_EXPORT int execlp(const char *file, const char *arg, ...)
{
	va_list ap;
	COLLECT(argv, arg, ap);

	va_end(ap);
	pl_hook_before_exec();
	return execute_searched(file, argv);
}

PL_EXPORT int execle(const char *path, const char *arg, ...)
{
	char *const *env;
	va_list ap;
	COLLECT(argv, arg, ap);

	env = va_arg(ap, char *const *);
	va_end(ap);
	pl_hook_before_exec();
	return NEXT(execve)(path, argv, PL_FITTING_ENV(path, false, env));
}
