// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * A plug-in that sizes itself when it is loaded, and that takes one side in a handoff with the
 * program: loaded plainly, deep-bound or into a namespace of its own.
 */
#include "plugin.h"

#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

struct plugin_sizes plugin_sizes;

__attribute__((constructor)) static void size(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		plugin_sizes.process = CPU_COUNT(&set);
	if (pthread_getaffinity_np(pthread_self(), sizeof(set), &set) == 0)
		plugin_sizes.thread = CPU_COUNT(&set);
	plugin_sizes.nprocs = get_nprocs();
	plugin_sizes.online = (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Takes every second turn until the last one. */
int plugin_play(struct plugin_game *g)
{
	int ret = pthread_mutex_lock(&g->mutex);

	while (!ret && g->turn < g->nr_turns) {
		if (g->turn % 2 == 1) {
			g->turn++;
			ret = pthread_cond_signal(&g->cond);
		} else {
			ret = pthread_cond_wait(&g->cond, &g->mutex);
		}
	}
	return ret ? ret : pthread_mutex_unlock(&g->mutex);
}

/* Locks here, for the program to unlock. */
int plugin_lock(pthread_mutex_t *mutex)
{
	return pthread_mutex_lock(mutex);
}

static void *echo(void *arg)
{
	const int *fds = arg;
	char c;

	while (read(fds[0], &c, 1) == 1)
		if (write(fds[1], &c, 1) != 1)
			break;
	return arg;
}

/* A thread that sends back what comes through FDS[0], for the program to join. */
int plugin_thread(pthread_t *thread, int fds[2])
{
	return pthread_create(thread, NULL, echo, fds);
}
