// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Binds the next definitions: the only file that calls dlsym() or dlvsym(). Binding twice is
 * harmless (two threads store the same value), so no lock is taken. Must not call an interposed
 * name.
 */
#include "intercept/next.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/sys.h"

union pl_next pl_next __attribute__((used));

/* The text itself, not pointers to it: the loader would have to correct each of them at every start
 * of a program, on a page of its own. An empty version is the default one. */
enum { NAME_SIZE = 32, VERSION_SIZE = 16 };

static const struct {
	char name[NAME_SIZE];
	char version[VERSION_SIZE];
} names[PL_NR_NEXT] = {
#define NAME_N(name)			   {#name, ""},
#define NAME_V(name, version)		   {#name, PL_VER(version)},
#define NAME_O(field, name, version, type) {#name, version},
	PL_NEXT_ALL(NAME_N, NAME_V, NAME_O)};

#define COUNT_N(name)			    +1
#define COUNT_V(name, version)		    +1
#define COUNT_O(field, name, version, type) +1
enum {
	FIRST_LOCK = 0 PL_NEXT_ENTRY(COUNT_N, COUNT_V, COUNT_O),
	END_LOCKS = FIRST_LOCK PL_NEXT_LOCKS(COUNT_N, COUNT_V, COUNT_O),
	END_EARLY = END_LOCKS PL_NEXT_EARLY(COUNT_N, COUNT_V, COUNT_O),
};

/*
 * Until 2.34 every lookup may call the program's allocator, so it must not come for the first time
 * in a signal handler. Later ones allocate only to report a failure.
 */
#define LOOKUP_ALLOCATES !__GLIBC_PREREQ(2, 34)

/* This thread is inside a lookup. */
static __thread unsigned int binding __attribute__((tls_model("initial-exec")));

/* Stand-ins for names that the C library does not have. */
static int missing_errno(void)
{
	errno = ENOSYS;
	return -1;
}

static int missing_code(void)
{
	return ENOSYS;
}

/*
 * Stand-ins inside a lookup, for an allocator that comes back into the wrappers: looking these up
 * would call the allocator again, which may not be ready: one that sets itself up more than once
 * registers its fork handlers more than once, and they wait for themselves. Locking nothing is
 * right: the lookup has not returned, so the lock is taken and given back within it. That holds as
 * the three lock functions are bound at one moment, outside of any lookup.
 */
static int early_lock(pthread_mutex_t *mutex)
{
	(void)mutex;
	return 0;
}

static long early_result(long ret)
{
	if (ret >= 0)
		return ret;
	errno = (int)-ret;
	return -1;
}

static ssize_t early_read(int fd, void *buf, size_t n)
{
	return early_result(pl_sys3(SYS_read, fd, buf, n));
}

static ssize_t early_write(int fd, const void *buf, size_t n)
{
	return early_result(pl_sys3(SYS_write, fd, buf, n));
}

static int early_close(int fd)
{
	return (int)early_result(pl_sys1(SYS_close, fd));
}

/* What allocators ask for as they start. */
static long early_sysconf(int name)
{
	unsigned long cpus[64] = {0};
	long nr = 0, size;

	switch (name) {
	case _SC_PAGESIZE:
		return (long)getauxval(AT_PAGESZ);
	case _SC_NPROCESSORS_CONF:
	case _SC_NPROCESSORS_ONLN:
		size = pl_sys3(SYS_sched_getaffinity, 0, sizeof(cpus), cpus);
		for (long i = 0; i * (long)sizeof(cpus[0]) < size; i++)
			nr += __builtin_popcountl(cpus[i]);
		return nr ? nr : 1;
	default:
		return early_result(-EINVAL);
	}
}

/* By this jemalloc reads files. It takes up to six arguments, whatever the number needs. */
static long early_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	return early_result(pl_sys6(nr, a, b, c, d, e, f));
}

static pl_next_fn early(enum pl_next_index i)
{
	switch (i) {
	case PL_NEXT_pthread_mutex_lock:
	case PL_NEXT_pthread_mutex_trylock:
	case PL_NEXT_pthread_mutex_unlock:
		return (pl_next_fn)early_lock;
	case PL_NEXT_read:
		return (pl_next_fn)early_read;
	case PL_NEXT_write:
		return (pl_next_fn)early_write;
	case PL_NEXT_close:
		return (pl_next_fn)early_close;
	case PL_NEXT_sysconf:
		return (pl_next_fn)early_sysconf;
	case PL_NEXT_syscall:
		return (pl_next_fn)early_syscall;
	default:
		return NULL;
	}
}

static pl_next_fn missing(const char *name)
{
	/* Declared as functions that call nothing back; volatile hides that untruth. */
	char *(*volatile forget_error)(void) = dlerror;

	forget_error();
	if (!strncmp(name, "pthread_", 8) || !strncmp(name, "posix_", 6))
		return (pl_next_fn)missing_code;
	return (pl_next_fn)missing_errno;
}

static pl_next_fn find(enum pl_next_index i)
{
	void *(*volatile by_name)(void *, const char *) = dlsym;
	void *(*volatile by_version)(void *, const char *, const char *) = dlvsym;
	union {
		void *data;
		pl_next_fn fn;
	} found;

	binding++;
	if (names[i].version[0])
		found.data = by_version(RTLD_NEXT, names[i].name, names[i].version);
	else
		found.data = by_name(RTLD_NEXT, names[i].name);
	if (!found.fn)
		found.fn = missing(names[i].name);
	binding--;
	return found.fn;
}

static pl_next_fn bound(enum pl_next_index i)
{
	return __atomic_load_n(&pl_next.slot[i], __ATOMIC_RELAXED);
}

static void bind_one(enum pl_next_index i)
{
	if (!bound(i))
		__atomic_store_n(&pl_next.slot[i], find(i), __ATOMIC_RELAXED);
}

static void bind_locks(void)
{
	pl_next_fn fn[END_LOCKS - FIRST_LOCK];
	unsigned int i;

	if (binding || bound((enum pl_next_index)FIRST_LOCK))
		return;
	for (i = FIRST_LOCK; i < END_LOCKS; i++)
		fn[i - FIRST_LOCK] = find((enum pl_next_index)i);
	for (i = END_LOCKS; i-- > FIRST_LOCK;)
		__atomic_store_n(&pl_next.slot[i], fn[i - FIRST_LOCK], __ATOMIC_RELAXED);
}

static void bind_range(unsigned int first, unsigned int end)
{
	int err = errno;
	unsigned int i;

	bind_locks();
	for (i = first; i < end; i++)
		if (i < FIRST_LOCK || i >= END_LOCKS)
			bind_one((enum pl_next_index)i);
	errno = err;
}

pl_next_fn pl_next_bind(enum pl_next_index i)
{
	pl_next_fn fn = NULL;
	int err = errno;

	bind_locks();
	if (binding)
		fn = early(i);
	if (!fn && binding > 4)
		/* An allocator that comes here from each lookup it causes must be stopped. */
		fn = (pl_next_fn)missing_errno;
	if (!fn) {
		bind_one(i);
		fn = bound(i);
	}
	errno = err;
	return fn;
}

/*
 * Nothing when lookups are harmless: the first one alone makes 10-20 us of page faults in a process
 * that has just started, and most of those that end at once need none.
 */
void pl_next_bind_common(void)
{
	bind_range(0, END_EARLY);
}

PL_START void pl_next_bind_early(void)
{
	if (LOOKUP_ALLOCATES)
		pl_next_bind_common();
}

void pl_next_bind_all(void)
{
	static _Atomic bool done;

	if (pl_get(&done))
		return;
	bind_range(0, PL_NR_NEXT);
	pl_set(&done, true);
}
