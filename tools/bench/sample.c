// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See sample.h. The stat files stay open and children are searched for seldom: on a machine with
// two CPUs the looking must not be what is measured.
#include "tools/bench/sample.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define LOOK_MS	      5
#define LOOK_MAX_MS   1000
#define COST_FACTOR   100 /* looking takes at most a hundredth of the time */
#define MIN_SAMPLES   10
#define MAX_PROCESSES 64
#define EAGER_SCANS   10 /* the first ones: a program starts its threads early */

/* Fields of /proc/PID/stat, counted from 1 as proc(5) does; the name in field 2 may hold blanks, so
 * counting starts behind its parenthesis. */
#define FIELD_AFTER_NAME 3
#define FIELD_UTIME	 14
#define FIELD_STIME	 15
#define FIELD_PROCESSOR	 39

void pl_sampler_init(struct pl_sampler *s, pid_t root_a, pid_t root_b)
{
	*s = (struct pl_sampler){.root = {root_a, root_b}};
}

static void forget(struct pl_sampler *s, int i)
{
	close(s->task[i].fd);
	if (s->task[i].migrations > 0)
		s->migrations += s->task[i].migrations;
	s->task[i] = s->task[--s->nr_tasks];
}

static void remember(struct pl_sampler *s, pid_t pid, pid_t tid)
{
	char path[64];
	int fd;

	for (int i = 0; i < s->nr_tasks; i++) {
		if (s->task[i].tid == tid)
			return;
	}
	if (s->nr_tasks == PL_SAMPLE_TASKS)
		return;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		s->task[s->nr_tasks++] = (struct pl_sampled_task){
			.pid = pid, .tid = tid, .fd = fd, .migrations = -1};
}

/* Kernels without scheduler statistics have no such file. */
static void read_migrations(struct pl_sampler *s, struct pl_sampled_task *t)
{
	char path[64], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/sched", (int)t->pid, (int)t->tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "se.nr_migrations : %ld", &t->migrations) == 1) {
			s->has_migrations = true;
			break;
		}
	}
	if (f)
		fclose(f);
}

/* Appends the children that thread TID of PID has started; kernels without the file have none. */
static void list_children(pid_t pid, pid_t tid, pid_t *list, int *n)
{
	char path[64];
	int child;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)tid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (*n < MAX_PROCESSES && fscanf(f, "%d", &child) == 1)
		list[(*n)++] = child;
	fclose(f);
}

/* All threads of the roots and their descendants. */
static void scan(struct pl_sampler *s)
{
	pid_t list[MAX_PROCESSES];
	int n = 0;

	for (int r = 0; r < 2; r++) {
		if (s->root[r])
			list[n++] = s->root[r];
	}
	for (int i = 0; i < n; i++) {
		char path[64];
		struct dirent *e;
		DIR *d;

		snprintf(path, sizeof(path), "/proc/%d/task", (int)list[i]);
		d = opendir(path);
		while (d && (e = readdir(d))) {
			pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);

			if (tid <= 0)
				continue;
			remember(s, list[i], tid);
			list_children(list[i], tid, list, &n);
		}
		if (d)
			closedir(d);
	}
}

/* False when the task is gone. */
static bool read_task(struct pl_sampled_task *t)
{
	char buf[1024], *p, *save = NULL;
	ssize_t len = pread(t->fd, buf, sizeof(buf) - 1, 0);
	int field = FIELD_AFTER_NAME;

	if (len <= 0)
		return false;
	buf[len] = '\0';
	p = strrchr(buf, ')');
	if (!p)
		return false;
	for (p = strtok_r(p + 1, " ", &save); p; p = strtok_r(NULL, " ", &save), field++) {
		if (field == FIELD_UTIME)
			t->ticks = strtoul(p, NULL, 10);
		else if (field == FIELD_STIME)
			t->ticks += strtoul(p, NULL, 10);
		else if (field == FIELD_PROCESSOR)
			t->cpu = (int)strtol(p, NULL, 10);
	}
	return field > FIELD_PROCESSOR;
}

int pl_sampler_look(struct pl_sampler *s, uint64_t now_ns)
{
	const struct pl_sampled_task *first = NULL, *second = NULL;
	uint64_t cost_ms;

	if (now_ns >= s->next_scan_ns) {
		scan(s);
		for (int i = 0; i < s->nr_tasks; i++)
			read_migrations(s, &s->task[i]);
		s->next_scan_ns = now_ns + (s->nr_scans++ < EAGER_SCANS ? 20 : 500) * PL_NS_PER_MS;
	}
	for (int i = 0; i < s->nr_tasks;) {
		if (read_task(&s->task[i]))
			i++;
		else
			forget(s, i);
	}
	for (int i = 0; i < s->nr_tasks; i++) {
		const struct pl_sampled_task *t = &s->task[i];

		if (!first || t->ticks > first->ticks) {
			second = first;
			first = t;
		} else if (!second || t->ticks > second->ticks) {
			second = t;
		}
	}
	/* A thread that has not used one tick yet is none of the two that are meant. */
	if (second && second->ticks) {
		s->samples++;
		s->cross += first->cpu != second->cpu;
	}
	cost_ms = (pl_now_ns() - now_ns) * COST_FACTOR / PL_NS_PER_MS;
	if (cost_ms > LOOK_MAX_MS)
		return LOOK_MAX_MS;
	return cost_ms > LOOK_MS ? (int)cost_ms : LOOK_MS;
}

double pl_sampler_cross(const struct pl_sampler *s)
{
	return s->samples < MIN_SAMPLES ? NAN : (double)s->cross / (double)s->samples;
}

double pl_sampler_migrations(const struct pl_sampler *s)
{
	long sum = s->migrations;

	for (int i = 0; i < s->nr_tasks; i++)
		sum += s->task[i].migrations > 0 ? s->task[i].migrations : 0;
	return s->has_migrations ? (double)sum : NAN;
}

void pl_sampler_fini(struct pl_sampler *s)
{
	while (s->nr_tasks)
		forget(s, s->nr_tasks - 1);
}
