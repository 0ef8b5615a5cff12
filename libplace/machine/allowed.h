/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Which CPUs the kernel lets programs be placed on. A program's own mask and its cpuset are the
 * program's affair (apply/): the kernel's answer to an affinity query has both in it. */
#ifndef PL_MACHINE_ALLOWED_H
#define PL_MACHINE_ALLOWED_H

#include "machine/model.h"
#include "machine/sysfs.h"

/* The kernel's list of online CPUs. 0 or a negative errno, *OUT untouched then. */
int pl_allowed_online(const struct pl_sysfs *s, struct pl_cpumask *out);

/* Sets PL_CPU_ISOLATED and PL_CPU_TICKLESS of the CPUs of M; a list that is not there is empty. */
void pl_allowed_flags(const struct pl_sysfs *s, struct pl_machine *m);

#endif
