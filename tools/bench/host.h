/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The machine a result belongs to. */
#ifndef PL_TOOLS_BENCH_HOST_H
#define PL_TOOLS_BENCH_HOST_H

#include <stdbool.h>
#include <stddef.h>

struct pl_host {
	char cpu_model[96];
	char kernel[72]; /* release */
	char arch[72];
	int nr_online;
	int nr_allowed;
	int nr_cores; /* of the allowed CPUs, as are the next */
	int nr_llcs;
	int nr_nodes;
	bool is_virtual;
	bool has_pti; /* page-table isolation: system calls and switches cost more */
};

void pl_host_read(struct pl_host *out);

/* In one line. */
void pl_host_describe(const struct pl_host *h, char *out, size_t n);

#endif
