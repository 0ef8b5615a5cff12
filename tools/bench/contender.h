/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* What is done to a program for each contender: preload, policy, mask, arguments. */
#ifndef PL_TOOLS_BENCH_CONTENDER_H
#define PL_TOOLS_BENCH_CONTENDER_H

#include <sched.h>

#include "tools/bench/options.h"

enum pl_role {
	PL_CLIENT, /* what is measured */
	PL_SERVER,
};

struct pl_treatment {
	const char *policy; /* NULL: no preload */
	bool bare;	    /* LD_PRELOAD is set here, not by `place run` */
	cpu_set_t mask;
	bool has_mask; /* else that of the caller */
	uid_t uid;     /* to become, when home is set */
	gid_t gid;
	const char *home; /* NULL: the user stays */
};

void pl_contender_treat(const struct pl_bench_opts *o, enum pl_contender c, enum pl_role role,
			struct pl_treatment *out);

/* The arguments of the program, NULL-terminated; NULL after pl_say() when a program is missing.
 * Free with pl_contender_free_argv(). */
char **pl_contender_argv(const struct pl_bench_opts *o, enum pl_contender c, enum pl_role role);

/* Arguments that only try whether the tool of contender C works here. Free likewise. */
char **pl_contender_probe_argv(const struct pl_bench_opts *o, enum pl_contender c);
void pl_contender_free_argv(char **argv);

/* The command of a contender, and how many operations it does (0: unknown). */
const char *pl_contender_cmd(const struct pl_bench_opts *o, enum pl_contender c, double *ret_ops);

#endif
