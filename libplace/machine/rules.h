/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* R17: which rules the running kernel has itself, and are left to it. Keeper and tools only. */
#ifndef PL_MACHINE_RULES_H
#define PL_MACHINE_RULES_H

#include <stdbool.h>
#include "machine/model.h"
#include "machine/sysfs.h"

/* The rules that some kernel has or will have. */
enum pl_kernel_rule {
	PL_RULE_IDLE_ASYM = 0, /* R7: idle search on unequal capacities knows siblings */
	PL_RULE_MISFIT,	       /* R9: misfit tasks move to idle cores only */
	PL_RULE_CACHE_AWARE,   /* R11: tasks of a process gather in an LLC */
	PL_RULE_BALANCER,      /* R13: the balancer runs on an idle core */
	PL_RULE_NR,
};

enum pl_probe {
	PL_PROBE_UNKNOWN = 0, /* nothing to read, or not readable for us */
	PL_PROBE_NO,
	PL_PROBE_YES,
};

/* What the kernel shows of itself. */
struct pl_kernel_facts {
	int major, minor;		 /* of the release; 0.0: not known */
	enum pl_probe sched_cache;	 /* CONFIG_SCHED_CACHE in its configuration */
	enum pl_probe sched_cache_debug; /* debugfs has its switches */
	bool sched_ext;			 /* another scheduler is loaded */
};

enum pl_rule_owner {
	PL_RULE_OURS = 0,
	PL_RULE_KERNEL_HINT, /* the version says so, nothing confirms it */
	PL_RULE_KERNEL,	     /* confirmed */
};

struct pl_kernel_rules {
	bool observe_only; /* sched_ext is enabled: nothing is placed */
	enum pl_rule_owner owner[PL_RULE_NR];
};

/* R17 from facts; FORCE (--force) keeps every rule ours. Pure. */
void pl_rules_decide(const struct pl_kernel_facts *f, bool force, struct pl_kernel_rules *out);

/* The same as bits PL_KERNEL_HAS_* for the model. Pure. */
uint8_t pl_rules_bits(const struct pl_kernel_rules *r);

/* Brings the one fact that changes while a kernel runs up to date: sched_ext. One small file. */
void pl_rules_refresh(const struct pl_sysfs *s, struct pl_kernel_facts *facts);

/*
 * Reads the facts below S; RELEASE as uname(2) gives it ("7.2.0-rc1"). Without privileges debugfs
 * is unknown. MT-safe; allocates.
 */
void pl_rules_read(const struct pl_sysfs *s, const char *release, struct pl_kernel_facts *out);

/* In words, for reports: "R7 idle search ...", "ours". */
const char *pl_rule_name(enum pl_kernel_rule rule);
const char *pl_rule_owner_name(enum pl_rule_owner owner);

#endif
