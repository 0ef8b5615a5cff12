// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Moves the pages that a thread certainly uses to the node it runs on now. By system call: libnuma
// stays out of programs.
#include "apply/memory_follow.h"

#include <errno.h>
#include <sys/auxv.h>

#include "base/sys.h"

enum {
	MOVE_OWN = 2,	  /* MPOL_MF_MOVE: pages that only this process uses */
	PAGES_ABOVE = 2,  /* the control block begins at TP */
	BIG_PAGE = 65536, /* aarch64 has pages of up to that size */
};

int pl_memory_follow(uintptr_t tp, int node)
{
	static uintptr_t page_size;
	const void *page[PL_FOLLOW_PAGES];
	int nodes[PL_FOLLOW_PAGES], status[PL_FOLLOW_PAGES], policy = 0, there = 0;
	uintptr_t top;
	long ret;

	if (!page_size)
		page_size = getauxval(AT_PAGESZ);
	if (page_size < 4096 || page_size > BIG_PAGE)
		return -EINVAL;
	if (pl_sys5(SYS_get_mempolicy, &policy, NULL, 0, NULL, 0) == 0 && policy != 0)
		return -EBUSY;
	top = (tp & ~(page_size - 1)) + PAGES_ABOVE * page_size;
	for (int i = 0; i < PL_FOLLOW_PAGES; i++) {
		page[i] = (const void *)(top - (uintptr_t)(i + 1) * page_size);
		nodes[i] = node;
		status[i] = -ENOENT;
	}
	ret = pl_sys6(SYS_move_pages, 0, PL_FOLLOW_PAGES, (long)page, (long)nodes, (long)status,
		      MOVE_OWN);
	if (ret < 0)
		return (int)ret;
	for (int i = 0; i < PL_FOLLOW_PAGES; i++)
		there += status[i] == node;
	return there;
}
