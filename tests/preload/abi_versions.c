// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Binds names by version through the assembler, which is what linking against an old C library did.
 * Only x86-64 has versions that differ; elsewhere there is one generation.
 */
#include "abi_versions.h"

#if defined(__x86_64__)
#define BIND(local, name, version) __asm__(".symver " #local "," #name "@" version)

__typeof__(pthread_cond_wait) abi_wait_2_2_5, abi_wait_2_3_2;
__typeof__(pthread_cond_timedwait) abi_timedwait_2_2_5, abi_timedwait_2_3_2;
__typeof__(pthread_cond_signal) abi_signal_2_2_5, abi_signal_2_3_2;
__typeof__(pthread_cond_broadcast) abi_broadcast_2_2_5, abi_broadcast_2_3_2;
__typeof__(pthread_cond_destroy) abi_destroy_2_2_5, abi_destroy_2_3_2;
__typeof__(pthread_create) abi_create_2_2_5, abi_create_2_34;

abi_spawn abi_spawn_2_2_5, abi_spawn_2_15;
int abi_getaffinity_2_3_3(pid_t pid, cpu_set_t *set);
int abi_setaffinity_2_3_3(pid_t pid, const cpu_set_t *set);
int abi_thread_getaffinity_2_3_3(pthread_t thread, cpu_set_t *set);
int abi_thread_setaffinity_2_3_3(pthread_t thread, const cpu_set_t *set);
__typeof__(sched_getaffinity) abi_getaffinity_2_3_4;
__typeof__(pthread_getaffinity_np) abi_thread_getaffinity_2_3_4;
__typeof__(pthread_setaffinity_np) abi_thread_setaffinity_2_3_4;
int abi_timer_create_2_2_5(clockid_t clock, struct sigevent *event, int *timer);
int abi_timer_delete_2_2_5(int timer);

BIND(abi_wait_2_2_5, pthread_cond_wait, "GLIBC_2.2.5");
BIND(abi_wait_2_3_2, pthread_cond_wait, "GLIBC_2.3.2");
BIND(abi_timedwait_2_2_5, pthread_cond_timedwait, "GLIBC_2.2.5");
BIND(abi_timedwait_2_3_2, pthread_cond_timedwait, "GLIBC_2.3.2");
BIND(abi_signal_2_2_5, pthread_cond_signal, "GLIBC_2.2.5");
BIND(abi_signal_2_3_2, pthread_cond_signal, "GLIBC_2.3.2");
BIND(abi_broadcast_2_2_5, pthread_cond_broadcast, "GLIBC_2.2.5");
BIND(abi_broadcast_2_3_2, pthread_cond_broadcast, "GLIBC_2.3.2");
BIND(abi_destroy_2_2_5, pthread_cond_destroy, "GLIBC_2.2.5");
BIND(abi_destroy_2_3_2, pthread_cond_destroy, "GLIBC_2.3.2");
BIND(abi_create_2_2_5, pthread_create, "GLIBC_2.2.5");
#if __GLIBC_PREREQ(2, 34)
BIND(abi_create_2_34, pthread_create, "GLIBC_2.34");
#endif
BIND(abi_spawn_2_2_5, posix_spawn, "GLIBC_2.2.5");
BIND(abi_spawn_2_15, posix_spawn, "GLIBC_2.15");
BIND(abi_getaffinity_2_3_3, sched_getaffinity, "GLIBC_2.3.3");
BIND(abi_getaffinity_2_3_4, sched_getaffinity, "GLIBC_2.3.4");
BIND(abi_setaffinity_2_3_3, sched_setaffinity, "GLIBC_2.3.3");
BIND(abi_thread_getaffinity_2_3_3, pthread_getaffinity_np, "GLIBC_2.3.3");
BIND(abi_thread_getaffinity_2_3_4, pthread_getaffinity_np, "GLIBC_2.3.4");
BIND(abi_thread_setaffinity_2_3_3, pthread_setaffinity_np, "GLIBC_2.3.3");
BIND(abi_thread_setaffinity_2_3_4, pthread_setaffinity_np, "GLIBC_2.3.4");
#if __GLIBC_PREREQ(2, 34)
BIND(abi_timer_create_2_2_5, timer_create, "GLIBC_2.2.5");
BIND(abi_timer_delete_2_2_5, timer_delete, "GLIBC_2.2.5");
#endif

#define OLD_COND(create_)                                                                          \
	{                                                                                          \
		.cond_size = sizeof(void *), .create = (create_), .wait = abi_wait_2_2_5,          \
		.timedwait = abi_timedwait_2_2_5, .signal = abi_signal_2_2_5,                      \
		.broadcast = abi_broadcast_2_2_5, .destroy = abi_destroy_2_2_5,                    \
		.name = "condition variables 2.2.5, " #create_                                     \
	}
#define NEW_COND(create_)                                                                          \
	{                                                                                          \
		.cond_size = sizeof(pthread_cond_t), .create = (create_), .wait = abi_wait_2_3_2,  \
		.timedwait = abi_timedwait_2_3_2, .signal = abi_signal_2_3_2,                      \
		.broadcast = abi_broadcast_2_3_2, .destroy = abi_destroy_2_3_2,                    \
		.name = "condition variables 2.3.2, " #create_                                     \
	}

const struct abi_threads abi_threads[] = {
	OLD_COND(abi_create_2_2_5),
	NEW_COND(abi_create_2_2_5),
#if __GLIBC_PREREQ(2, 34)
	OLD_COND(abi_create_2_34),
	NEW_COND(abi_create_2_34),
#endif
};

const struct abi_calls abi_calls = {
	.spawn_2_2_5 = abi_spawn_2_2_5,
	.spawn_2_15 = abi_spawn_2_15,
	.getaffinity_2_3_3 = abi_getaffinity_2_3_3,
	.getaffinity_2_3_4 = abi_getaffinity_2_3_4,
	.setaffinity_2_3_3 = abi_setaffinity_2_3_3,
	.thread_getaffinity_2_3_3 = abi_thread_getaffinity_2_3_3,
	.thread_getaffinity_2_3_4 = abi_thread_getaffinity_2_3_4,
	.thread_setaffinity_2_3_3 = abi_thread_setaffinity_2_3_3,
	.thread_setaffinity_2_3_4 = abi_thread_setaffinity_2_3_4,
#if __GLIBC_PREREQ(2, 34)
	.timer_create_2_2_5 = abi_timer_create_2_2_5,
	.timer_delete_2_2_5 = abi_timer_delete_2_2_5,
#endif
};
#else
const struct abi_threads abi_threads[] = {
	{
		.name = "one generation",
		.cond_size = sizeof(pthread_cond_t),
		.create = pthread_create,
		.wait = pthread_cond_wait,
		.timedwait = pthread_cond_timedwait,
		.signal = pthread_cond_signal,
		.broadcast = pthread_cond_broadcast,
		.destroy = pthread_cond_destroy,
	},
};
#endif

const size_t abi_nr_threads = sizeof(abi_threads) / sizeof(abi_threads[0]);
