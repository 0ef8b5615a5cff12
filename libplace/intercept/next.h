// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * The next definition of each interposed name, as one table of typed pointers. To be included first
 * in every file of intercept/: it undoes build flags that would rename or inline the names we
 * define. Nothing but next.c looks a symbol up.
 */
#ifndef PL_INTERCEPT_NEXT_H
#define PL_INTERCEPT_NEXT_H

#undef _FORTIFY_SOURCE	 /* defines read, poll, ... as inline functions */
#undef _FILE_OFFSET_BITS /* renames fcntl and sendfile to their 64 forms */

#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wordexp.h>

#include "base/compiler.h"

/* Names that are exported by the C library but declared nowhere, or only when fortified. */
extern __typeof__(vfork) __vfork;
extern __typeof__(read) __read;
extern __typeof__(write) __write;
extern __typeof__(send) __send;
extern __typeof__(poll) __poll;
extern __typeof__(select) __select;
extern __typeof__(close) __close;
extern __typeof__(dup2) __dup2;
extern __typeof__(fcntl) __fcntl;
extern __typeof__(pipe) __pipe;
extern __typeof__(connect) __connect;
extern __typeof__(fork) __fork;
extern __typeof__(clone) __clone;
extern __typeof__(wait) __wait;
extern __typeof__(waitpid) __waitpid;
extern __typeof__(nanosleep) __nanosleep;
extern __typeof__(sigsuspend) __sigsuspend;
extern __typeof__(sysconf) __sysconf;
extern __typeof__(sched_yield) __sched_yield;
extern __typeof__(sched_setscheduler) __sched_setscheduler;
extern __typeof__(pthread_mutex_lock) __pthread_mutex_lock;
extern __typeof__(pthread_mutex_unlock) __pthread_mutex_unlock;
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __recv_chk(int fd, void *buf, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t room, int flags, __SOCKADDR_ARG addr,
		       socklen_t *len);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *set,
		size_t room);

/* Prototypes of the first affinity calls, which had no length. */
typedef int(pl_old_setaffinity)(pid_t pid, const cpu_set_t *set);
typedef int(pl_old_getaffinity)(pid_t pid, cpu_set_t *set);
typedef int(pl_old_pthread_setaffinity)(pthread_t thread, const cpu_set_t *set);
typedef int(pl_old_pthread_getaffinity)(pthread_t thread, cpu_set_t *set);
/* Of the first timers, whose id was an int. */
typedef int(pl_int_timer_create)(clockid_t clock, struct sigevent *event, int *timer);

/*
 * PL_HAS_OLD_ABI: x86-64 has names with two incompatible ABIs; a plain lookup answers one or the
 * other, depending on the age of the C library, so these are looked up by version. aarch64 began
 * with all of them at one version.
 */
#if defined(__x86_64__)
#define PL_HAS_OLD_ABI	1
#define PL_VER(version) version
#else
#define PL_HAS_OLD_ABI	0
#define PL_VER(version) "GLIBC_2.17"
#endif

/*
 * The names. N(name): by default version. V(name, version): the one with the present ABI.
 * O(field, name, version, type): the old ABI. The order is that of binding.
 */
// clang-format off

/* First, as entry.c reaches these three from assembly by offset. */
#define PL_NEXT_ENTRY(N, V, O) \
	N(vfork) N(__vfork) N(syscall)

/* Bound before anything else, and together: see next.c. */
#define PL_NEXT_LOCKS(N, V, O) \
	N(pthread_mutex_lock) N(pthread_mutex_trylock) N(pthread_mutex_unlock)

/* What a signal handler may call: bound by our constructor where a lookup may allocate. */
#define PL_NEXT_EARLY(N, V, O) \
	N(read) N(write) N(close) N(poll) \
	V(pthread_cond_wait, "GLIBC_2.3.2") V(pthread_cond_timedwait, "GLIBC_2.3.2") \
	V(pthread_cond_signal, "GLIBC_2.3.2") V(pthread_cond_broadcast, "GLIBC_2.3.2") \
	N(readv) N(writev) N(recv) N(recvfrom) N(recvmsg) N(send) N(sendto) N(sendmsg) \
	N(ppoll) N(select) N(pselect) N(epoll_wait) \
	N(dup) N(dup2) N(fcntl) N(fcntl64) N(pipe) N(socket) N(connect) N(accept) \
	N(fork) N(execve) N(execv) N(wait) N(waitpid) \
	N(nanosleep) N(sleep) N(pause) N(sigsuspend) N(sem_post) N(sem_trywait) N(sysconf)

/*
 * The rest: bound one by one at first use, and all of it before the first thread is created: from
 * then on a child of fork could find the loader's lock taken.
 */
#define PL_NEXT_LATE(N, V, O) \
	N(__read) N(__write) N(__send) N(__poll) N(__select) N(__close) N(__dup2) N(__fcntl) \
	N(__pipe) N(__connect) N(__fork) N(clone) N(__clone) N(__wait) N(__waitpid) \
	N(__nanosleep) N(__sigsuspend) N(__sysconf) N(__sched_setscheduler) \
	N(__read_chk) N(__recv_chk) N(__recvfrom_chk) N(__poll_chk) N(__ppoll_chk) \
	N(recvmmsg) N(sendmmsg) N(splice) N(sendfile) N(sendfile64) \
	N(eventfd_read) N(eventfd_write) N(epoll_pwait) \
	N(dup3) N(pipe2) N(socketpair) N(accept4) N(eventfd) \
	N(pthread_mutex_timedlock) N(pthread_mutex_clocklock) \
	V(__pthread_mutex_lock, "GLIBC_2.2.5") V(__pthread_mutex_unlock, "GLIBC_2.2.5") \
	N(mtx_lock) N(mtx_trylock) N(mtx_timedlock) N(mtx_unlock) \
	N(pthread_rwlock_rdlock) N(pthread_rwlock_tryrdlock) N(pthread_rwlock_timedrdlock) \
	N(pthread_rwlock_clockrdlock) N(pthread_rwlock_wrlock) N(pthread_rwlock_trywrlock) \
	N(pthread_rwlock_timedwrlock) N(pthread_rwlock_clockwrlock) N(pthread_rwlock_unlock) \
	N(pthread_barrier_wait) \
	N(pthread_cond_clockwait) N(cnd_wait) N(cnd_timedwait) N(cnd_signal) N(cnd_broadcast) \
	N(sem_wait) N(sem_timedwait) N(sem_clockwait) \
	N(pthread_create) N(pthread_join) N(pthread_timedjoin_np) N(pthread_clockjoin_np) \
	N(thrd_create) N(thrd_join) N(thrd_yield) N(sched_yield) N(__sched_yield) \
	V(posix_spawn, "GLIBC_2.15") V(posix_spawnp, "GLIBC_2.15") \
	N(system) N(popen) N(wordexp) N(daemon) N(execvp) N(execvpe) N(fexecve) \
	N(wait3) N(wait4) N(waitid) N(clock_nanosleep) N(usleep) N(thrd_sleep) \
	N(sigwait) N(sigwaitinfo) N(sigtimedwait) \
	V(sched_setaffinity, "GLIBC_2.3.4") V(sched_getaffinity, "GLIBC_2.3.4") \
	V(pthread_setaffinity_np, "GLIBC_2.3.4") V(pthread_getaffinity_np, "GLIBC_2.3.4") \
	N(pthread_getattr_np) N(pthread_setattr_default_np) N(get_nprocs) \
	N(prctl) N(unshare) N(setns) N(setuid) N(seteuid) N(setreuid) N(setresuid) \
	N(setgid) N(setegid) N(setregid) N(setresgid) \
	N(sched_setscheduler) N(sched_setparam) N(pthread_setschedparam) N(pthread_setschedprio)

/* Newer than glibc 2.31; built, and exported, only where the headers have them. */
#if __GLIBC_PREREQ(2, 34)
#define PL_NEXT_2_34(N, V, O) \
	N(close_range) N(closefrom) N(_Fork) N(forkpty) N(execveat) \
	V(timer_create, "GLIBC_2.3.3") N(mq_notify) N(getaddrinfo_a) \
	N(aio_read) N(aio_read64) N(aio_write) N(aio_write64) N(aio_fsync) N(aio_fsync64) \
	V(lio_listio, "GLIBC_2.4") V(lio_listio64, "GLIBC_2.4")
#else
#define PL_NEXT_2_34(N, V, O)
#endif
#if __GLIBC_PREREQ(2, 35)
#define PL_NEXT_2_35(N, V, O) \
	N(epoll_pwait2)
#else
#define PL_NEXT_2_35(N, V, O)
#endif
#if __GLIBC_PREREQ(2, 39)
#define PL_NEXT_2_39(N, V, O) \
	N(pidfd_spawn) N(pidfd_spawnp)
#else
#define PL_NEXT_2_39(N, V, O)
#endif
#if __GLIBC_PREREQ(2, 41)
#define PL_NEXT_2_41(N, V, O) \
	N(sched_setattr)
#else
#define PL_NEXT_2_41(N, V, O)
#endif

#if PL_HAS_OLD_ABI && __GLIBC_PREREQ(2, 34)
#define PL_NEXT_OLD_2_34(N, V, O) \
	O(old_timer_create, timer_create, "GLIBC_2.2.5", pl_int_timer_create) \
	O(old_lio_listio, lio_listio, "GLIBC_2.2.5", __typeof__(lio_listio)) \
	O(old_lio_listio64, lio_listio64, "GLIBC_2.2.5", __typeof__(lio_listio64))
#else
#define PL_NEXT_OLD_2_34(N, V, O)
#endif
#if PL_HAS_OLD_ABI
#define PL_NEXT_OLD(N, V, O) \
	O(old_cond_wait, pthread_cond_wait, "GLIBC_2.2.5", __typeof__(pthread_cond_wait)) \
	O(old_cond_timedwait, pthread_cond_timedwait, "GLIBC_2.2.5", \
	  __typeof__(pthread_cond_timedwait)) \
	O(old_cond_signal, pthread_cond_signal, "GLIBC_2.2.5", __typeof__(pthread_cond_signal)) \
	O(old_cond_broadcast, pthread_cond_broadcast, "GLIBC_2.2.5", \
	  __typeof__(pthread_cond_broadcast)) \
	O(old_posix_spawn, posix_spawn, "GLIBC_2.2.5", __typeof__(posix_spawn)) \
	O(old_posix_spawnp, posix_spawnp, "GLIBC_2.2.5", __typeof__(posix_spawnp)) \
	O(old_sched_setaffinity, sched_setaffinity, "GLIBC_2.3.3", pl_old_setaffinity) \
	O(old_sched_getaffinity, sched_getaffinity, "GLIBC_2.3.3", pl_old_getaffinity) \
	O(old_pthread_setaffinity, pthread_setaffinity_np, "GLIBC_2.3.3", \
	  pl_old_pthread_setaffinity) \
	O(old_pthread_getaffinity, pthread_getaffinity_np, "GLIBC_2.3.3", \
	  pl_old_pthread_getaffinity)
#else
#define PL_NEXT_OLD(N, V, O)
#endif

#define PL_NEXT_ALL(N, V, O) \
	PL_NEXT_ENTRY(N, V, O) PL_NEXT_LOCKS(N, V, O) PL_NEXT_EARLY(N, V, O) \
	PL_NEXT_LATE(N, V, O) PL_NEXT_2_34(N, V, O) PL_NEXT_2_35(N, V, O) \
	PL_NEXT_2_39(N, V, O) PL_NEXT_2_41(N, V, O) PL_NEXT_OLD(N, V, O) PL_NEXT_OLD_2_34(N, V, O)

#define PL_INDEX_N(name) PL_NEXT_##name,
#define PL_INDEX_V(name, version) PL_NEXT_##name,
#define PL_INDEX_O(field, name, version, type) PL_NEXT_##field,
enum pl_next_index { PL_NEXT_ALL(PL_INDEX_N, PL_INDEX_V, PL_INDEX_O) PL_NR_NEXT };

typedef void (*pl_next_fn)(void);

#define PL_FIELD_N(name) __typeof__(name) *name;
#define PL_FIELD_V(name, version) __typeof__(name) *name;
#define PL_FIELD_O(field, name, version, type) type *field;
union pl_next {
	struct {
		PL_NEXT_ALL(PL_FIELD_N, PL_FIELD_V, PL_FIELD_O)
	};
	pl_next_fn slot[PL_NR_NEXT];
};
// clang-format on

extern union pl_next pl_next PL_HIDDEN;

/*
 * Looks slot I up, unless it is bound, and returns it; never NULL: a name that does not exist gets
 * a function that fails with ENOSYS. Keeps errno. Any thread, also before our constructor, and from
 * inside a lookup. Makes no lock of its own.
 */
PL_COLD PL_HIDDEN pl_next_fn pl_next_bind(enum pl_next_index i);

/* Binds what the constructor is to bind. */
PL_HIDDEN void pl_next_bind_early(void);

/* Binds the names that most programs call: about 12 us. */
PL_HIDDEN void pl_next_bind_common(void);

/* Binds everything; a load when that was done. */
PL_COLD PL_HIDDEN void pl_next_bind_all(void);

/* The next definition of NAME: one load when it is bound. */
#define NEXT(name)                                                                                 \
	({                                                                                         \
		__typeof__(pl_next.name) next_ = __atomic_load_n(&pl_next.name, __ATOMIC_RELAXED); \
                                                                                                   \
		if (pl_unlikely(!next_))                                                           \
			next_ = (__typeof__(next_))pl_next_bind(PL_NEXT_##name);                   \
		next_;                                                                             \
	})

#endif
