/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The one table of LIBPLACE_* variables; no other file of the library reads the environment. */
#ifndef PL_BASE_ENV_H
#define PL_BASE_ENV_H

#include <stdbool.h>

enum pl_policy {
	PL_POLICY_OFF = 0, /* hooks pass through: the control of benchmarks */
	PL_POLICY_OBSERVE, /* count turns and edges, change nothing */
	PL_POLICY_AUTO,	   /* place */
};

/* R4s: how a pair is held where cores have siblings. */
enum pl_pair_mode {
	PL_PAIR_AUTO = 0, /* by the handoff cost table, else the sibling */
	PL_PAIR_DIRECT,	  /* always one CPU */
};

struct pl_env {
	enum pl_policy policy;	     /* LIBPLACE=0 or LIBPLACE_POLICY=auto|observe|off */
	enum pl_pair_mode pair_mode; /* LIBPLACE_PAIR=auto|direct */
	unsigned int run;	     /* LIBPLACE_RUN: reference to a "place run --stats", 0: none */
	bool numa_follow; /* LIBPLACE_NUMA=follow: pages of a thread come after it to another node
			   */
	bool force; /* LIBPLACE_FORCE=1: also rules that the running kernel has itself (R17) */
	/* LIBPLACE_CAPACITY=auto|group|exact|packing|off as enum pl_capacity_mode; -1: not asked */
	int capacity_mode;
	/* LIBPLACE_SYSFS_ROOT, for the tools and a keeper started by hand; NULL: none. Good until
	 * the environment changes. */
	const char *sysfs_root;
};

/*
 * Reads the table from the environment. A bad value keeps the default; a process in secure
 * execution (set-uid) ignores all of it and gets PL_POLICY_OFF. Call once, before other threads
 * may change the environment. No allocation.
 */
void pl_env_read(struct pl_env *out);

/* Parses the name of a policy into *OUT; false when it is none. MT-safe. */
bool pl_policy_parse(const char *name, enum pl_policy *out);

#endif
