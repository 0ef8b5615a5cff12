// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The watcher's half of R4: runs in the keeper. It reads the segment as hostile memory: numbers are
// checked, and a thread is only ever widened, never narrowed.
#include "apply/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "apply/bind.h"
#include "base/clock.h"
#include "base/sys.h"
#include "decide/reciprocal.h"

enum {
	FORMING_LIMIT_MS = 1000,
	LOAD_FRESH_MS = 300,
	QUIET_LOOKS = 100,     /* a second in which neither side did anything: the pair rests */
	QUIET_CPU_NS = 100000, /* less CPU time than this between two looks is nothing */
};

static long read_file(const char *path, char *text, size_t size)
{
	long fd = pl_sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), n;

	if (fd < 0)
		return fd;
	n = pl_sys3(SYS_read, fd, text, size - 1);
	pl_sys1(SYS_close, fd);
	text[n > 0 ? n : 0] = '\0';
	return n;
}

/* CPU time of a thread in ns; false when it is gone. */
static bool thread_cpu_ns(int32_t pid, int32_t tid, uint64_t *ns)
{
	char path[64], text[96];
	unsigned long long v;
	struct timespec ts;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", pid, tid);
	if (read_file(path, text, sizeof(text)) > 0 && sscanf(text, "%llu", &v) == 1) {
		*ns = v;
		return true;
	}
	/* No schedstat in this kernel: the clock of the process, exact where it has one thread. */
	if (pl_sys2(SYS_clock_gettime, (long)(~(unsigned long)pid << 3 | 2), &ts) != 0)
		return false;
	*ns = (uint64_t)ts.tv_sec * PL_NS_PER_S + (uint64_t)ts.tv_nsec;
	return true;
}

/* Field 22 of stat; 0 when it cannot be read or the thread is a zombie. */
static uint64_t start_time(int32_t pid, int32_t tid)
{
	char path[64], text[512], state, *p;
	unsigned long long v = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return 0;
	p = strrchr(text, ')'); /* the name before it may hold anything */
	if (!p || sscanf(p + 1,
			 " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
			 "%*d %*d %*d %llu",
			 &state, &v) != 2)
		return 0;
	return state == 'Z' || state == 'X' ? 0 : v;
}

static bool is_gone(int32_t pid, int32_t tid, uint64_t start)
{
	if (pid <= 1 || pl_sys3(SYS_tgkill, pid, tid, 0) == -ESRCH)
		return true;
	return start && start_time(pid, tid) != start;
}

/*
 * R4: no turn since the last look and both computed. CPU times are read at every look (12 us a
 * pair), so that one look without a turn is enough to tell.
 */
static bool has_lapsed(struct pl_pair *p, struct pl_task *const task[2], uint64_t now_ns)
{
	uint32_t turns = 0;
	uint64_t cpu[2], used[2], wall = now_ns - pl_get(&p->seen_ns);
	bool moved, have = pl_get(&p->seen_ns) != 0;

	for (int i = 0; i < 2; i++) {
		turns += pl_get(&task[i]->pub) + pl_get(&task[i]->con);
		if (!thread_cpu_ns(pl_get(&task[i]->pid), pl_get(&task[i]->tid), &cpu[i]))
			return false;
		used[i] = cpu[i] - pl_get(&p->seen_cpu_ns[i]);
		pl_set(&p->seen_cpu_ns[i], cpu[i]);
	}
	moved = turns != pl_get(&p->seen_turns);
	pl_set(&p->seen_turns, turns);
	pl_set(&p->seen_ns, now_ns);
	if (moved || !have || used[0] + used[1] >= QUIET_CPU_NS)
		pl_set(&p->nr_quiet, 0);
	else
		pl_inc(&p->nr_quiet);
	return !moved && have && pl_reciprocal_lapsed(0, used, wall);
}

/* Load of the idlest CPU other than CPU that both members may use, 1024 when there is none. */
static uint32_t idlest_other(struct pl_segment *seg, const struct pl_pair *p, uint32_t cpu)
{
	const struct pl_machine *m = pl_seg_machine(seg);
	uint32_t idlest = 1024;
	bool narrowed = pl_get(&p->narrowed[0]);

	for (uint32_t c = 0; c < m->nr_cpu_ids && c < PL_MAX_CPUS; c++)
		if (c != cpu && m->cpu[c].capacity && pl_get(&seg->load[c].busy) < idlest &&
		    (!narrowed || pl_cpumask_has(&p->own[0], (int)c)))
			idlest = pl_get(&seg->load[c].busy);
	return idlest;
}

/*
 * A third task on a CPU of the pair while it would do better elsewhere. Members held apart leave
 * the kernel no choice, so they give way to anybody.
 */
static bool has_third_task(struct pl_segment *seg, const struct pl_pair *p)
{
	uint32_t cpu[2] = {pl_get(&p->cpu[0]), pl_get(&p->cpu[1])};

	for (int i = 0; i < 2; i++)
		if (cpu[i] < PL_MAX_CPUS &&
		    pl_reciprocal_crowded(pl_get(&seg->load[cpu[i]].outside),
					  cpu[0] == cpu[1] ? idlest_other(seg, p, cpu[i]) : 0))
			return true;
	return false;
}

/*
 * R4: a third task in two samples of 100 ms in a row: a program that merely starts and ends is gone
 * by the second.
 */
static bool is_crowded(struct pl_segment *seg, struct pl_pair *p, uint64_t now_ns)
{
	uint64_t sample = pl_get(&seg->load_ns), first = pl_get(&p->crowded_ns);

	if (now_ns - sample > LOAD_FRESH_MS * PL_NS_PER_MS)
		return false;
	if (!has_third_task(seg, p)) {
		pl_set(&p->crowded_ns, 0);
		return false;
	}
	if (!first)
		pl_set(&p->crowded_ns, sample);
	return first && first != sample;
}

/*
 * A held pair of which both sides sleep gets its masks back, so that nobody need watch it; the
 * first turn window after that holds it again.
 */
static bool rests(struct pl_segment *seg, struct pl_pair *p, struct pl_task *const task[2])
{
	bool wide = true;

	if (pl_get(&p->nr_quiet) < QUIET_LOOKS)
		return false;
	if (pl_get(&p->state) != PL_PAIR_HELD) {
		/* A measurement that lasts for ever measures nothing. */
		pl_pair_release(seg, p, PL_REASON_NO_TURN);
		return false;
	}
	pl_pair_command(p, false);
	for (int i = 0; i < 2; i++) {
		if (!pl_get_acquire(&task[i]->bound))
			continue;
		if (pl_widen_other(seg, p, i, pl_get(&task[i]->tid), false))
			pl_set_release(&task[i]->bound, 0);
		else
			wide = false;
	}
	return wide;
}

/* A mask that is not the one we gave is somebody else's from now on. */
static void look_masks(struct pl_segment *seg, struct pl_pair *p, struct pl_task *const task[2])
{
	for (int i = 0; i < 2; i++) {
		uint32_t command = pl_get(&p->command);

		if (!(command & 1) || !pl_get(&task[i]->bound) ||
		    pl_bound_as_told(seg, p, i, pl_get(&task[i]->tid)))
			continue;
		/* Between our reads the member may have been told something else. */
		if (!pl_get(&task[i]->bound) || pl_get(&p->command) != command)
			continue;
		pl_set(&task[i]->pinned, 1);
		pl_pair_release(seg, p, PL_REASON_AFFINITY);
	}
}

/* True when the pair needs a look soon. */
static bool look_live(struct pl_segment *seg, struct pl_pair *p, uint64_t now_ns, bool full)
{
	struct pl_task *task[2];

	for (int i = 0; i < 2; i++) {
		task[i] = pl_seg_task(seg, pl_get(&p->member[i]));
		if (!task[i] || pl_seg_pair(seg, pl_get(&task[i]->pair)) != p ||
		    is_gone(pl_get(&task[i]->pid), pl_get(&task[i]->tid),
			    full ? pl_get(&task[i]->start_time) : 0)) {
			pl_pair_release(seg, p, PL_REASON_EXIT);
			return true;
		}
	}
	if (has_lapsed(p, task, now_ns)) {
		/* They compute, so they will not widen themselves. */
		pl_watch_let_go(seg, p, PL_REASON_NO_TURN);
		return true;
	}
	if (pl_get(&p->state) == PL_PAIR_HELD && is_crowded(seg, p, now_ns)) {
		pl_pair_release(seg, p, PL_REASON_THIRD_TASK);
		return true;
	}
	if (full)
		look_masks(seg, p, task);
	return !rests(seg, p, task);
}

/* A released pair: members that do not widen themselves within a look are widened here. */
static void look_released(struct pl_segment *seg, struct pl_pair *p)
{
	uint32_t looks = pl_get(&p->nr_looks);
	bool wide = true;

	pl_set(&p->nr_looks, looks + 1);
	for (int i = 0; i < 2; i++) {
		struct pl_task *task = pl_seg_task(seg, pl_get(&p->member[i]));

		if (!task || !pl_get_acquire(&task->bound))
			continue;
		/* Also when it is said to be pinned: a mask that is not this pair's is left alone.
		 */
		if (pl_widen_other(seg, p, i, pl_get(&task->tid), false)) {
			pl_set_release(&task->bound, 0);
			pl_inc(&task->nr_widened);
		} else {
			wide = false;
		}
	}
	if (wide && looks >= 2)
		pl_pair_free(seg, p);
}

static void look_forming(struct pl_pair *p, uint64_t now_ns)
{
	uint64_t seen = pl_get(&p->seen_ns);
	uint32_t state = PL_PAIR_FORMING;

	/* The claimer died between two instructions. */
	if (!seen || seen > now_ns)
		pl_set(&p->seen_ns, now_ns);
	else if (now_ns - seen > FORMING_LIMIT_MS * PL_NS_PER_MS)
		atomic_compare_exchange_strong(&p->state, &state, PL_PAIR_RELEASED);
}

unsigned int pl_watch_look(struct pl_segment *seg, uint64_t now_ns, bool full)
{
	unsigned int awake = 0;

	pl_set(&seg->heartbeat_ns, now_ns);
	for (uint32_t i = 0; i < PL_NR_PAIRS; i++) {
		struct pl_pair *p = &seg->pair[i];
		uint32_t state = pl_get_acquire(&p->state);

		if (state == PL_PAIR_FREE)
			continue;
		if (pl_pair_is_live(p)) {
			awake += look_live(seg, p, now_ns, full);
			continue;
		}
		awake++;
		if (state == PL_PAIR_FORMING)
			look_forming(p, now_ns);
		else if (state == PL_PAIR_RELEASED)
			look_released(seg, p);
		else
			pl_set(&p->state, PL_PAIR_RELEASED); /* no state of ours: garbage */
	}
	return awake;
}

unsigned int pl_watch_reclaim(struct pl_segment *seg)
{
	static uint32_t half_made[PL_NR_TASKS];
	uint32_t high = pl_get(&seg->task_high);
	unsigned int live = 0;

	for (uint32_t i = 0; i < high && i < PL_NR_TASKS; i++) {
		struct pl_task *t = &seg->task[i];
		uint32_t id = pl_get_acquire(&t->id);
		int32_t pid = pl_get(&t->pid), tid = pl_get(&t->tid);

		if (!id || !pl_get_acquire(&t->state)) {
			/* Claimed but never filled in: its claimer died amidst, if it stays so. */
			if (id && half_made[i] == id)
				atomic_compare_exchange_strong(&t->id, &id, 0);
			half_made[i] = id;
			continue;
		}
		if (is_gone(pid, tid, pl_get(&t->start_time))) {
			pl_task_free(seg, t, id);
		} else if (!pl_get(&t->start_time)) {
			pl_set(&t->start_time, start_time(pid, tid));
		}
	}
	for (uint32_t i = 0; i < PL_NR_PROCS; i++) {
		struct pl_proc *p = &seg->proc[i];
		uint32_t pid = pl_get(&p->pid);

		if (!pid)
			continue;
		if (is_gone((int32_t)pid, (int32_t)pid, pl_get(&p->start_time))) {
			atomic_compare_exchange_strong(&p->pid, &pid, 0);
			continue;
		}
		if (!pl_get(&p->start_time))
			pl_set(&p->start_time, start_time((int32_t)pid, (int32_t)pid));
		live++;
	}
	return live;
}

void pl_watch_claims(struct pl_segment *seg)
{
	static struct {
		pl_task_id id;
		uint64_t cpu_ns;
		uint32_t nr_same;
	} last[PL_MAX_CPUS];

	for (int c = 0; c < PL_MAX_CPUS; c++) {
		pl_task_id id = (pl_task_id)atomic_load(&seg->claim[c]);
		struct pl_task *task = pl_seg_task(seg, id);
		uint64_t cpu_ns;

		if (!task || !thread_cpu_ns(pl_get(&task->pid), pl_get(&task->tid), &cpu_ns)) {
			last[c].id = 0;
			continue;
		}
		if (last[c].id != id || last[c].cpu_ns != cpu_ns)
			last[c].nr_same = 0;
		else
			last[c].nr_same++;
		last[c].id = id;
		last[c].cpu_ns = cpu_ns;
		pl_set(&task->still, last[c].nr_same >= 2);
	}
}

void pl_watch_let_go(struct pl_segment *seg, struct pl_pair *p, enum pl_reason reason)
{
	bool together = pl_get(&p->cpu[0]) == pl_get(&p->cpu[1]);

	pl_pair_release(seg, p, reason);
	for (int i = 0; i < 2; i++) {
		struct pl_task *task = pl_seg_task(seg, pl_get(&p->member[i]));

		if (task && pl_get_acquire(&task->bound) && pl_get(&task->pinned) != 1)
			pl_widen_other(seg, p, i, pl_get(&task->tid),
				       reason == PL_REASON_NO_TURN && together && i == 1);
	}
}
