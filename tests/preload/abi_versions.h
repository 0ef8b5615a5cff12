// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/* Names of the C library bound to one version each, as programs of different ages bind them. */
#ifndef PL_TESTS_ABI_VERSIONS_H
#define PL_TESTS_ABI_VERSIONS_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <time.h>

/* One generation of the threads interface. COND points to a condition variable of that age. */
struct abi_threads {
	const char *name;
	size_t cond_size; /* bytes of the object that the functions may touch */
	int (*create)(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
		      void *arg);
	int (*wait)(pthread_cond_t *cond, pthread_mutex_t *mutex);
	int (*timedwait)(pthread_cond_t *cond, pthread_mutex_t *mutex,
			 const struct timespec *until);
	int (*signal)(pthread_cond_t *cond);
	int (*broadcast)(pthread_cond_t *cond);
	int (*destroy)(pthread_cond_t *cond);
};

extern const struct abi_threads abi_threads[];
extern const size_t abi_nr_threads;

#if defined(__x86_64__)
typedef int(abi_spawn)(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr, char *const argv[], char *const env[]);

/* Calls whose versions differ in what they do or in their arguments. */
struct abi_calls {
	abi_spawn *spawn_2_2_5;
	abi_spawn *spawn_2_15;
	int (*getaffinity_2_3_3)(pid_t pid, cpu_set_t *set);
	int (*getaffinity_2_3_4)(pid_t pid, size_t size, cpu_set_t *set);
	int (*setaffinity_2_3_3)(pid_t pid, const cpu_set_t *set);
	int (*thread_getaffinity_2_3_3)(pthread_t thread, cpu_set_t *set);
	int (*thread_getaffinity_2_3_4)(pthread_t thread, size_t size, cpu_set_t *set);
	int (*thread_setaffinity_2_3_3)(pthread_t thread, const cpu_set_t *set);
	int (*thread_setaffinity_2_3_4)(pthread_t thread, size_t size, const cpu_set_t *set);
	int (*timer_create_2_2_5)(clockid_t clock, struct sigevent *event, int *timer);
	int (*timer_delete_2_2_5)(int timer);
};

extern const struct abi_calls abi_calls;
#endif

#endif
