/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Commands with places to fill in. */
#ifndef PL_TOOLS_BENCH_TEMPLATE_H
#define PL_TOOLS_BENCH_TEMPLATE_H

struct pl_var {
	const char *name;
	const char *value;
};

/*
 * A copy of TEXT with each {NAME} of VARS replaced; VARS ends with a NULL name. Braces around
 * anything else stay. The caller frees; NULL when out of memory. Pure.
 */
char *pl_template(const char *text, const struct pl_var *vars);

#endif
