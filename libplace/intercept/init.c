// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/* The constructor of the preload object. Must not open, map, print or start anything. */
#include "intercept/next.h"

#include "domain/member.h"

/* The environment, before the program changes it; all else at the first call that is seen. */
PL_START __attribute__((constructor)) static void preload_init(void)
{
	pl_next_bind_early();
	pl_set(&pl_member.preloaded, 1);
	pl_member_read_env();
}
