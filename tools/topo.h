/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* What `place topo` shows, and its two ways to print it. */
#ifndef TOOLS_TOPO_H
#define TOOLS_TOPO_H

#include <stdbool.h>
#include <stdio.h>

#include "machine/read.h"
#include "machine/rules.h"

struct topo {
	struct pl_machine machine;
	struct pl_raw raw;
	bool has_rules; /* the machine has a running kernel */
	char release[128];
	struct pl_kernel_facts facts;
	struct pl_kernel_rules rules;
};

/* For people; VERBOSE: raw values of every source, and rules of the kernel. */
void topo_print(FILE *to, const struct topo *t, bool verbose);

/* One JSON object with everything, ended by a newline. 0 or -ENOMEM, -EIO. */
int topo_print_json(FILE *to, const struct topo *t);

#endif
