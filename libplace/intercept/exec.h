/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The environment that a program to be started gets: without the preload object, if that is not
 * for it. */
#ifndef PL_INTERCEPT_EXEC_H
#define PL_INTERCEPT_EXEC_H

#include "intercept/around.h"

#include "base/exec_env.h"

/*
 * ENV, or a changed copy on the caller's stack. A macro, as memory from alloca() ends with the
 * function that asked for it. DIR and PATH as execveat() takes them.
 */
#define PL_FITTING_ENV_AT(dir, path, search, env)                                                  \
	({                                                                                         \
		char *const *env_ = (env);                                                         \
		struct pl_exec_env plan_;                                                          \
                                                                                                   \
		pl_exec_env_plan((dir), (path), (search), env_, &plan_);                           \
		if (plan_.nr_variables) {                                                          \
			char **new_ = __builtin_alloca((plan_.nr_variables + 1) * sizeof(*new_));  \
			char *text_ = __builtin_alloca(plan_.text_size);                           \
                                                                                                   \
			pl_exec_env_make(&plan_, env_, new_, text_);                               \
			env_ = new_;                                                               \
		}                                                                                  \
		env_;                                                                              \
	})

#define PL_FITTING_ENV(path, search, env) PL_FITTING_ENV_AT(AT_FDCWD, path, search, env)

#endif
