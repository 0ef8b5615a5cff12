// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Programs that visit each CPU by affinity, and programs that keep something per CPU: a thread that
 * asked for a CPU is there at once and stays, the mask it puts back is the one it had, and no
 * thread ever runs on a CPU beyond those that the program counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <sys/mman.h>

#include "base/sys.h"
#include "preload/held.h"

enum { VISIT_MS = 50, NR_THREADS = 32, PLAY_MS = 1500 };

static bool stays_on(int cpu)
{
	int64_t until = own_now_ms() + VISIT_MS;

	do {
		if (sched_getcpu() != cpu)
			return false;
	} while (own_now_ms() < until);
	return true;
}

static void walk(struct helper_failure *f, void *unused)
{
	cpu_set_t first, last, one;

	(void)unused;
	helper_expect(f, sched_getaffinity(0, sizeof(first), &first) == 0);
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		if (!CPU_ISSET(cpu, &first))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		helper_expect(f, sched_setaffinity(0, sizeof(one), &one) == 0);
		helper_expect(f, stays_on(cpu));
		helper_expect(f, sched_getaffinity(0, sizeof(last), &last) == 0);
		helper_expect(f, CPU_EQUAL(&last, &one));
	}
	helper_expect(f, sched_setaffinity(0, sizeof(first), &first) == 0);
	/* By instruction: what is in force, not what is answered. */
	CPU_ZERO(&last);
	helper_expect(f, pl_sys3(SYS_sched_getaffinity, 0, sizeof(last), &last) > 0);
	helper_expect(f, CPU_EQUAL(&last, &first));
}

static void from_the_main_thread(void **state)
{
	struct helper_failure f = {0};

	walk(&f, NULL);
	helper_assert_no_failure(&f);
}

static void from_a_held_thread(void **state)
{
	held_call(false, 2, walk, NULL);
	held_call(true, 1, walk, NULL);
}

static void *walker(void *arg)
{
	walk(arg, NULL);
	return NULL;
}

static void from_two_threads_at_once(void **state)
{
	struct helper_failure f = {0};
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, walker, &f), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	helper_assert_no_failure(&f);
}

/* One page per CPU as counted before any thread, and behind them one that must not be touched. */
static struct slots {
	char *at;
	size_t page;
	_Atomic int stop;
	struct helper_failure failure;
	int count;
} slots;

__attribute__((constructor)) static void count_slots(void)
{
	cpu_set_t set;

	slots.page = (size_t)sysconf(_SC_PAGESIZE);
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		abort();
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			slots.count = cpu + 1;
	slots.at = mmap(NULL, ((size_t)slots.count + 1) * slots.page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (slots.at == MAP_FAILED ||
	    mprotect(slots.at + (size_t)slots.count * slots.page, slots.page, PROT_NONE) != 0)
		abort();
}

static void *use_slots(void *unused)
{
	(void)unused;
	while (!atomic_load(&slots.stop)) {
		int cpu = sched_getcpu();

		if (!helper_expect(&slots.failure, cpu >= 0 && cpu < slots.count))
			break;
		__atomic_fetch_add(slots.at + (size_t)cpu * slots.page, 1, __ATOMIC_RELAXED);
		sched_yield();
	}
	return NULL;
}

static void what_is_kept_per_cpu_is_large_enough(void **state)
{
	pthread_t threads[NR_THREADS];
	struct pingpong *pp = pingpong_new();

	pingpong_start(pp);
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, use_slots, NULL), 0);
	own_pause_ms(PLAY_MS);
	atomic_store(&slots.stop, 1);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	pingpong_stop(pp);
	helper_assert_no_failure(&slots.failure);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, pingpong_end)
	static const struct CMUnitTest tests[] = {
		TEST(from_the_main_thread),
		TEST(from_a_held_thread),
		TEST(from_two_threads_at_once),
		TEST(what_is_kept_per_cpu_is_large_enough),
	};

	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
