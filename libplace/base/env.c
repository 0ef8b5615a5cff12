// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Environment variables of the library: read once, bad values keep the default.
#include "base/env.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/compiler.h"
#include "machine/model.h"

bool pl_policy_parse(const char *name, enum pl_policy *out)
{
	static const char *const names[] = {"off", "observe", "auto"};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0) {
			*out = (enum pl_policy)i;
			return true;
		}
	return false;
}

/* Whether there may be a variable of ours. By characters: a string to compare with would be the
 * only thing that a start needs of a page of constants. */
static PL_START bool has_variables(void)
{
	for (char *const *e = environ; e && *e; e++)
		if ((*e)[0] == 'L' && (*e)[1] == 'I' && (*e)[2] == 'B' && (*e)[3] == 'P')
			return true;
	return false;
}

static PL_COLD void read_variables(struct pl_env *out)
{
	enum pl_capacity_mode mode;
	const char *v;

	v = getenv("LIBPLACE_POLICY");
	if (v)
		pl_policy_parse(v, &out->policy);
	v = getenv("LIBPLACE");
	if (v && strcmp(v, "0") == 0)
		out->policy = PL_POLICY_OFF;
	v = getenv("LIBPLACE_PAIR");
	if (v && strcmp(v, "direct") == 0)
		out->pair_mode = PL_PAIR_DIRECT;
	v = getenv("LIBPLACE_NUMA");
	out->numa_follow = v && strcmp(v, "follow") == 0;
	v = getenv("LIBPLACE_FORCE");
	out->force = v && strcmp(v, "1") == 0;
	v = getenv("LIBPLACE_RUN");
	if (v)
		out->run = (unsigned int)strtoul(v, NULL, 10);
	v = getenv("LIBPLACE_CAPACITY");
	if (v && pl_capacity_mode_parse(v, &mode))
		out->capacity_mode = (int)mode;
	v = secure_getenv("LIBPLACE_SYSFS_ROOT");
	if (v && *v)
		out->sysfs_root = v;
}

PL_START void pl_env_read(struct pl_env *out)
{
	*out = (struct pl_env){
		.policy = PL_POLICY_AUTO, .pair_mode = PL_PAIR_AUTO, .capacity_mode = -1};
	if (getauxval(AT_SECURE))
		out->policy = PL_POLICY_OFF;
	else if (has_variables())
		read_variables(out);
}
