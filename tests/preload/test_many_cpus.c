// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// A kernel of 2,048 CPUs, as far as affinity calls show it: they are answered by this test. The
// program gets EINVAL for buffers that are too small and whole masks otherwise, never none.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/uio.h>

#include "preload/answered.h"
#include "preload/pingpong.h"

enum { MASK_BYTES = 256, MAX_BYTES = 8192, NR_TASKS = 256, PLAY_MS = 500 };

struct mask {
	unsigned char byte[MASK_BYTES];
};

struct kernel {
	struct mask allowed;
	unsigned int nr_get;
	struct {
		pid_t tid;
		struct mask mask;
	} task[NR_TASKS];
};

static void fill(struct mask *m, int first, int last)
{
	memset(m, 0, sizeof(*m));
	for (int c = first; c <= last; c++)
		m->byte[c / 8] |= (unsigned char)(1u << c % 8);
}

static struct mask *mask_of(struct kernel *k, pid_t tid)
{
	int i;

	for (i = 0; i < NR_TASKS - 1 && k->task[i].tid && k->task[i].tid != tid;)
		i++;
	if (k->task[i].tid != tid) {
		k->task[i].tid = tid;
		k->task[i].mask = k->allowed;
	}
	return &k->task[i].mask;
}

static struct iovec bytes(void *at, size_t len)
{
	return (struct iovec){.iov_base = at, .iov_len = len};
}

static int64_t answer_get(struct kernel *k, pid_t pid, const __u64 *args)
{
	struct iovec from = bytes(mask_of(k, args[0] ? (pid_t)args[0] : pid), MASK_BYTES);
	struct iovec to = bytes((void *)(uintptr_t)args[2], MASK_BYTES);

	k->nr_get++;
	if (args[1] < MASK_BYTES || args[1] % sizeof(long))
		return -EINVAL;
	return process_vm_writev(pid, &from, 1, &to, 1, 0) == MASK_BYTES ? MASK_BYTES : -EFAULT;
}

static int64_t answer_set(struct kernel *k, pid_t pid, const __u64 *args)
{
	struct mask want = {{0}};
	size_t len = args[1] < MASK_BYTES ? (size_t)args[1] : MASK_BYTES;
	struct iovec to = bytes(&want, len), from = bytes((void *)(uintptr_t)args[2], len);
	unsigned char any = 0;

	if (process_vm_readv(pid, &to, 1, &from, 1, 0) != (ssize_t)len)
		return -EFAULT;
	for (int i = 0; i < MASK_BYTES; i++)
		any |= want.byte[i] &= k->allowed.byte[i];
	if (!any)
		return -EINVAL;
	*mask_of(k, args[0] ? (pid_t)args[0] : pid) = want;
	return 0;
}

static int64_t answer(void *arg, pid_t tid, const struct seccomp_data *call)
{
	const __u64 *args = call->args;

	return call->nr == SYS_sched_getaffinity ? answer_get(arg, tid, args)
						 : answer_set(arg, tid, args);
}

static void run_on(int first, int last)
{
	struct kernel *k = calloc(1, sizeof(*k));
	struct answered a = {.get = true, .set = true, .answer = answer, .arg = k};
	char range[32], text[4096];
	char *const argv[] = {(char[]){"many"}, range, NULL};

	assert_non_null(k);
	fill(&k->allowed, first, last);
	snprintf(range, sizeof(range), "%d-%d", first, last);
	assert_int_equal(answered_run(&a, argv, text, sizeof(text)), 0);
	assert_string_equal(text, "done\n");
	assert_true(k->nr_get > 0);
	free(k);
}

static void cpus_beyond_1024(void **state)
{
	run_on(1030, 1033);
}

static void nearly_two_thousand_cpus(void **state)
{
	run_on(0, 1919);
}

/* The program: what it was told to find. */
static struct mask expected;

static void ask_with(struct helper_failure *f, size_t size)
{
	static const struct mask none;
	_Alignas(long) unsigned char buf[MAX_BYTES];
	cpu_set_t *set = (cpu_set_t *)buf;
	bool ok = size >= MASK_BYTES;

	memset(buf, 0xa5, sizeof(buf));
	errno = 0;
	helper_expect(f, sched_getaffinity(0, size, set) == (ok ? 0 : -1));
	helper_expect(f, ok || errno == EINVAL);
	helper_expect(f, !ok || memcmp(buf, &expected, MASK_BYTES) == 0);
	for (size_t i = MASK_BYTES; ok && i + MASK_BYTES <= size; i += MASK_BYTES)
		helper_expect(f, memcmp(buf + i, &none, MASK_BYTES) == 0);
	memset(buf, 0xa5, sizeof(buf));
	errno = 0;
	helper_expect(f, syscall(SYS_sched_getaffinity, 0, size, buf) == (ok ? MASK_BYTES : -1));
	helper_expect(f, ok || errno == EINVAL);
	helper_expect(f, !ok || memcmp(buf, &expected, MASK_BYTES) == 0);
	helper_expect(f, pthread_getaffinity_np(pthread_self(), size, set) == (ok ? 0 : EINVAL));
	helper_expect(f, !ok || memcmp(buf, &expected, MASK_BYTES) == 0);
}

static void ask(struct pingpong_side *s)
{
	static const size_t sizes[] = {8, 128, 256, 8192};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		ask_with(&s->pp->failure, sizes[i]);
}

static int play(const char *range)
{
	struct pingpong *pp = pingpong_new();
	int first = -1, last = -1, status;
	int64_t until;
	pid_t pid;

	if (sscanf(range, "%d-%d", &first, &last) != 2)
		return 2;
	fill(&expected, first, last);
	pp->every = ask;
	pp->period = 200;
	pp->on = 1;
	ask(&(struct pingpong_side){.pp = pp});
	pingpong_start(pp);
	until = own_now_ms() + PLAY_MS;
	while (own_now_ms() < until || atomic_load(&pp->nr_every) < 2) {
		pingpong_coax(pp);
		own_pause_ms(2);
	}
	if (pingpong_stop(pp) != 0)
		return 1;
	if (pp->failure.taken) {
		printf("%d: %s\n", pp->failure.line, pp->failure.what);
		return 1;
	}
	pid = fork();
	if (pid == 0) {
		ask(&(struct pingpong_side){.pp = pp});
		_exit(pp->failure.taken != 0);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		return 1;
	puts("done");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(cpus_beyond_1024, own_keeper_end),
		cmocka_unit_test_teardown(nearly_two_thousand_cpus, own_keeper_end),
	};

	if (argc > 1)
		return play(argv[1]);
	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
