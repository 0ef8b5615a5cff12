/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* What the tests of the interface share. Each runs with and without the preload object. */
#ifndef PL_TESTS_API_API_H
#define PL_TESTS_API_API_H

#include <sys/wait.h>

#include "helper/helper.h"
#include "libplace/place.h"
#include "libplace/stats.h"
#include "preload/own_segment.h"

static inline bool api_preloaded(void)
{
	return helper_preload() != NULL;
}

/* What a thread or child that neither registered nor started is told. */
static inline int api_error_unstarted(void)
{
	return api_preloaded() ? 0 : -ENOTCONN;
}

/* The counters of the calling thread; all ones when there are none. */
static inline struct place_thread_stats api_stats(void)
{
	struct place_thread_stats s;

	memset(&s, 0xff, sizeof(s));
	s.size = sizeof(s);
	(void)place_thread_stats_get(&s);
	return s;
}

/* Runs CHECK in a child of fork; true when it returned true there. */
static inline bool api_in_child(bool (*check)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(check() ? 0 : 1);
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

#endif
