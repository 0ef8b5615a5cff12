// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Every affinity call, by the C library, by number and by pthread, against what the kernel says
 * when it is asked by instruction: result, errno and every byte of the buffer, for lengths, ids,
 * pointers and masks good and bad; on a thread at rest and on a member of a held pair.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>

#include "base/sys.h"
#include "preload/held.h"

enum { ROOM = 8192, TAIL = 0xa5, NR_MASKS = 6 };

static const long lengths[] = {0, 4, 7, 8, 9, 16, 128, 256, ROOM};
#define NR_LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

static pthread_t idler;
static pid_t idler_tid;
static int idler_in[2];

struct answer {
	long ret;
	int error;
	unsigned char bytes[ROOM + 64];
};

/* What the kernel says of a thread that nobody binds: the truth for all threads of this test. */
static struct answer truth[NR_LENGTHS];

static void prepare(struct answer *a)
{
	memset(a, TAIL, sizeof(*a));
	a->ret = -99;
	a->error = 0;
}

static void by_number(long pid, long length, void *to, struct answer *a)
{
	errno = 0;
	a->ret = syscall(SYS_sched_getaffinity, pid, length, to);
	a->error = errno;
}

static void by_library(pid_t pid, long length, void *to, struct answer *a)
{
	errno = 0;
	a->ret = sched_getaffinity(pid, (size_t)length, to);
	a->error = errno;
}

/* As the library turns the kernel's answer: zero or an error, and the rest of the set cleared. */
static void as_library(const struct answer *kernel, long length, struct answer *a)
{
	*a = *kernel;
	if (kernel->ret < 0)
		return;
	memset(a->bytes + kernel->ret, 0, (size_t)(length - kernel->ret));
	a->ret = 0;
}

static bool same(const struct answer *a, const struct answer *b)
{
	return a->ret == b->ret && a->error == b->error &&
	       memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

static pid_t dead_tid(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static void queries(struct helper_failure *f, void *unused)
{
	static struct answer got, expected;
	const pid_t ids[] = {0, (pid_t)pl_sys0(SYS_gettid), idler_tid};

	(void)unused;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		for (size_t n = 0; n < NR_LENGTHS; n++) {
			prepare(&got);
			by_number(ids[i], lengths[n], got.bytes, &got);
			helper_expect(f, same(&got, &truth[n]));
			prepare(&got);
			by_library(ids[i], lengths[n], got.bytes, &got);
			as_library(&truth[n], lengths[n], &expected);
			helper_expect(f, same(&got, &expected));
			/* POSIX threads' form returns the error and leaves errno alone. */
			prepare(&got);
			errno = 77;
			got.ret =
				pthread_getaffinity_np(i == 2 ? idler : pthread_self(),
						       (size_t)lengths[n], (cpu_set_t *)got.bytes);
			helper_expect(f, errno == 77);
			expected.ret = expected.ret < 0 ? expected.error : 0;
			expected.error = got.error = 0;
			helper_expect(f, same(&got, &expected));
		}
}

/* The kernel's answer to a call that is refused, and what the library makes of it. */
static void refused(struct helper_failure *f, long pid, long length, void *to)
{
	static struct answer got;
	long kernel = pl_sys3(SYS_sched_getaffinity, pid, length, to);

	helper_expect(f, kernel < 0);
	prepare(&got);
	by_number(pid, length, to, &got);
	helper_expect(f, got.ret == -1 && got.error == -kernel);
	by_library((pid_t)pid, length, to, &got);
	helper_expect(f, got.ret == -1 && got.error == -kernel);
}

static void refused_queries(struct helper_failure *f, void *unused)
{
	cpu_set_t set;
	pid_t dead = dead_tid();

	(void)unused;
	refused(f, dead, sizeof(set), &set);
	refused(f, -1, sizeof(set), &set);
	refused(f, INT32_MIN, sizeof(set), &set);
	refused(f, 0, sizeof(set), NULL);
	refused(f, 0, sizeof(set), (void *)16);
	refused(f, (long)pl_sys0(SYS_gettid), sizeof(set), (void *)16);
	refused(f, 0, 7, &set);
	/* A length that does not fit into 32 bits is cut by the kernel, not by anybody before. */
	refused(f, 0, (long)((1ul << 32) + 4), &set);
}

/* The CPUs one by one, all, none, one and an impossible one, only impossible ones. */
static bool make_mask(int which, cpu_set_t *set)
{
	CPU_ZERO(set);
	switch (which) {
	case 0:
		memcpy(set, truth[6].bytes, sizeof(*set));
		return true;
	case 1:
		memset(set, 0xff, sizeof(*set));
		return true;
	case 2:
		CPU_SET(0, set);
		return true;
	case 3:
		CPU_SET(0, set);
		CPU_SET(1023, set);
		return true;
	case 4:
		CPU_SET(1023, set);
		return true;
	default:
		return true; /* none at all */
	}
}

/* Each change is tried on a thread nobody looks at by instruction, then here by the other ways. */
static void changes(struct helper_failure *f, void *unused)
{
	static const long sizes[] = {0, 1, 8, sizeof(cpu_set_t)};
	pid_t self = (pid_t)pl_sys0(SYS_gettid);

	(void)unused;
	for (int which = 0; which < NR_MASKS; which++)
		for (size_t n = 0; n < sizeof(sizes) / sizeof(sizes[0]); n++) {
			cpu_set_t set, after = {0}, now = {0};
			long kernel;

			make_mask(which, &set);
			kernel = pl_sys3(SYS_sched_setaffinity, idler_tid, sizes[n], &set);
			pl_sys3(SYS_sched_getaffinity, idler_tid, sizeof(after), &after);
			pl_sys3(SYS_sched_setaffinity, idler_tid, sizeof(cpu_set_t),
				truth[6].bytes);
			for (int way = 0; way < 4; way++) {
				long ret;

				errno = 0;
				if (way == 0)
					ret = sched_setaffinity(0, (size_t)sizes[n], &set);
				else if (way == 1)
					ret = sched_setaffinity(self, (size_t)sizes[n], &set);
				else if (way == 2)
					ret = syscall(SYS_sched_setaffinity, 0, sizes[n], &set);
				else
					ret = pthread_setaffinity_np(pthread_self(),
								     (size_t)sizes[n], &set);
				if (way == 3)
					helper_expect(f, ret == (kernel < 0 ? -kernel : 0));
				else
					helper_expect(f, kernel < 0 ? ret == -1 && errno == -kernel
								    : ret == 0);
				pl_sys3(SYS_sched_getaffinity, 0, sizeof(now), &now);
				helper_expect(f, kernel < 0 || CPU_EQUAL(&now, &after));
				sched_setaffinity(0, sizeof(cpu_set_t),
						  (cpu_set_t *)truth[6].bytes);
			}
		}
}

static void refused_changes(struct helper_failure *f, void *unused)
{
	cpu_set_t set;
	pid_t dead = dead_tid();
	const struct {
		long pid;
		void *from;
	} cases[] = {{dead, &set}, {-1, &set}, {0, NULL}, {0, (void *)16}, {idler_tid, NULL}};

	(void)unused;
	make_mask(0, &set);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		long kernel =
			pl_sys3(SYS_sched_setaffinity, cases[i].pid, sizeof(set), cases[i].from);

		helper_expect(f, kernel < 0);
		errno = 0;
		helper_expect(f, sched_setaffinity((pid_t)cases[i].pid, sizeof(set),
						   cases[i].from) == -1);
		helper_expect(f, errno == -kernel);
		errno = 0;
		helper_expect(f, syscall(SYS_sched_setaffinity, cases[i].pid, sizeof(set),
					 cases[i].from) == -1);
		helper_expect(f, errno == -kernel);
	}
}

static void at_rest(void (*run)(struct helper_failure *f, void *arg))
{
	struct helper_failure f = {0};

	run(&f, NULL);
	helper_assert_no_failure(&f);
}

static void queries_on_a_thread_at_rest(void **state)
{
	at_rest(queries);
	at_rest(refused_queries);
}

static void changes_on_a_thread_at_rest(void **state)
{
	at_rest(changes);
	at_rest(refused_changes);
}

static void queries_on_a_held_thread(void **state)
{
	held_call(false, 2, queries, NULL);
	held_call(false, 1, refused_queries, NULL);
	held_call(true, 1, queries, NULL);
}

/* A thread that set its own mask is left alone for good: one call each. */
static void changes_on_a_held_thread(void **state)
{
	held_call(false, 1, refused_changes, NULL);
	held_call(false, 1, changes, NULL);
	held_call(true, 1, changes, NULL);
}

static void *idle(void *unused)
{
	char c;

	(void)unused;
	__atomic_store_n(&idler_tid, (pid_t)pl_sys0(SYS_gettid), __ATOMIC_SEQ_CST);
	pl_sys3(SYS_read, idler_in[0], &c, 1);
	return NULL;
}

static int setup(void **state)
{
	for (size_t n = 0; n < NR_LENGTHS; n++) {
		long ret;

		prepare(&truth[n]);
		ret = pl_sys3(SYS_sched_getaffinity, 0, lengths[n], truth[n].bytes);
		truth[n].ret = ret < 0 ? -1 : ret;
		truth[n].error = ret < 0 ? (int)-ret : 0;
	}
	if (pipe(idler_in) != 0 || pthread_create(&idler, NULL, idle, NULL) != 0)
		return -1;
	while (!__atomic_load_n(&idler_tid, __ATOMIC_SEQ_CST))
		own_pause_ms(1);
	return 0;
}

static int teardown(void **state)
{
	close(idler_in[1]);
	return pthread_join(idler, NULL);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, pingpong_end)
	static const struct CMUnitTest tests[] = {
		TEST(queries_on_a_thread_at_rest),
		TEST(changes_on_a_thread_at_rest),
		TEST(queries_on_a_held_thread),
		TEST(changes_on_a_held_thread),
	};

	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	return cmocka_run_group_tests(tests, setup, teardown);
}
