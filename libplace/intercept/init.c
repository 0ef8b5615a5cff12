// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/* The constructor of the preload object. Must not open, map, print or start anything. */
#include "intercept/next.h"

#include "domain/member.h"

/* Entered here so that the environment is read before the program changes it. */
__attribute__((constructor)) static void preload_init(void)
{
	pl_next_bind_early();
	pl_set(&pl_member.preloaded, 1);
	(void)pl_member_enter();
}
