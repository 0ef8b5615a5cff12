/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* What the plug-in of the tests offers; see plugin.c. */
#ifndef PL_TESTS_PLUGIN_H
#define PL_TESTS_PLUGIN_H

#include <pthread.h>

#define PLUGIN_EXPORT __attribute__((visibility("default")))

/* CPUs as counted by the plug-in's constructor. */
struct plugin_sizes {
	int process, thread, nprocs, online;
};
extern struct plugin_sizes plugin_sizes PLUGIN_EXPORT;

struct plugin_game {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	unsigned int turn, nr_turns;
};

/* 0 or the error of a call. */
PLUGIN_EXPORT int plugin_play(struct plugin_game *g);
PLUGIN_EXPORT int plugin_lock(pthread_mutex_t *mutex);
PLUGIN_EXPORT int plugin_thread(pthread_t *thread, int fds[2]);

#endif
