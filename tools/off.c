// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// `place off` and `place on`: switches of a process, or of all, kept in the segment.
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "apply/watch.h"
#include "domain/segment.h"
#include "tools/commands.h"

static int usage(const char *name)
{
	fprintf(stderr, "usage: place %s PID | --all\n", name);
	return PLACE_EXIT_USAGE;
}

/* The balancer of the process gives back what it narrowed. */
static void ring(struct pl_proc *proc)
{
	atomic_fetch_add(&proc->bell, 1);
	syscall(SYS_futex, &proc->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Widens the members of every live pair that has a task of PID (0: any) in it. */
static void let_go(struct pl_segment *seg, uint32_t pid)
{
	for (uint32_t i = 0; i < PL_NR_PAIRS; i++) {
		struct pl_pair *p = &seg->pair[i];

		for (int side = 0; pl_pair_is_live(p) && side < 2; side++) {
			const struct pl_task *task = pl_seg_task(seg, pl_get(&p->member[side]));

			if (task && (!pid || (uint32_t)pl_get(&task->pid) == pid))
				pl_watch_let_go(seg, p, PL_REASON_OFF);
		}
	}
}

static int switch_process(struct pl_segment *seg, const char *arg, bool off, const char *name)
{
	char *end;
	unsigned long pid;

	errno = 0;
	pid = strtoul(arg, &end, 10);
	if (errno || *end || end == arg || pid == 0 || pid > INT32_MAX) {
		fprintf(stderr, "place %s: '%s' is not a process id: give a number or --all\n",
			name, arg);
		return PLACE_EXIT_USAGE;
	}
	for (uint32_t i = 0; i < PL_NR_PROCS; i++)
		if (pl_get(&seg->proc[i].pid) == pid) {
			pl_set(&seg->proc[i].off, off);
			if (off)
				let_go(seg, (uint32_t)pid);
			ring(&seg->proc[i]);
			return 0;
		}
	fprintf(stderr,
		"place %s: process %lu hands no work over under libplace: start it with 'place "
		"run'\n",
		name, pid);
	return 1;
}

static int switch_to(int argc, char **argv, bool off)
{
	struct pl_segment *seg;
	int id;

	if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		printf("usage: place %s PID | --all\n", argv[0]);
		return 0;
	}
	if (argc != 2)
		return usage(argv[0]);
	id = pl_segment_join(&seg);
	if (id < 0 || id == PL_SEGMENT_PRIVATE) {
		fprintf(stderr,
			"place %s: no shared memory (SysV shm) for this user: programs work alone, "
			"start them with LIBPLACE=0\n",
			argv[0]);
		return 1;
	}
	if (strcmp(argv[1], "--all") != 0)
		return switch_process(seg, argv[1], off, argv[0]);
	pl_set(&seg->off_all, off);
	if (off)
		let_go(seg, 0);
	for (uint32_t i = 0; i < PL_NR_PROCS; i++) {
		if (!off)
			pl_set(&seg->proc[i].off, 0);
		if (pl_get(&seg->proc[i].pid))
			ring(&seg->proc[i]);
	}
	return 0;
}

int cmd_off(int argc, char **argv)
{
	return switch_to(argc, argv, true);
}

int cmd_on(int argc, char **argv)
{
	return switch_to(argc, argv, false);
}
