// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The balancer on a machine that the test describes: two cores of unequal capacity. The test calls
// the hooks as the wrappers of thread creation do.
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "apply/balancer.h"
#include "base/clock.h"
#include "base/sys.h"
#include "domain/thread.h"
#include "helper/helper.h"
#include "observe/hook.h"

enum { LIMIT_MS = 20000 };

static struct pl_segment *seg;
static cpu_set_t before;
static int small_cpu = -1, big_cpu = -1;

struct worker {
	pthread_t thread;
	_Atomic int32_t tid;
	_Atomic int stop;
	_Atomic int cpu;
	_Atomic int wait; /* 1: go into a hooked wait, 2: it is there */
	_Atomic int call; /* 1: begin a call that needs it wide, 2: it is in it, 3: end it */
	int gate[2];
};

/* As the wrapper of fork() does, whose caller may run handlers of the program's amidst. */
static void make_call(struct worker *w)
{
	switch (atomic_load(&w->call)) {
	case 1:
		pl_hook_child_begin();
		atomic_store(&w->call, 2);
		break;
	case 3:
		pl_hook_child_end();
		atomic_store(&w->call, 0);
		break;
	default:
		break;
	}
}

/* Busy until told otherwise, as a thread that the wrapper of pthread_create() started. */
static void *worker_main(void *arg)
{
	struct worker *w = arg;
	char c;

	pl_hook_thread_begin(false);
	atomic_store(&w->tid, gettid());
	while (!atomic_load(&w->stop)) {
		atomic_store(&w->cpu, sched_getcpu());
		make_call(w);
		if (atomic_load(&w->wait) != 1)
			continue;
		atomic_store(&w->wait, 2);
		pl_hook_wait_begin(NULL);
		if (read(w->gate[0], &c, 1) != 1)
			break;
		pl_hook_wait_end(NULL, false);
	}
	pl_hook_thread_exit();
	return NULL;
}

static void start(struct worker *w)
{
	memset(w, 0, sizeof(*w));
	atomic_store(&w->cpu, -1);
	assert_int_equal(pipe(w->gate), 0);
	pl_hook_thread_coming();
	assert_int_equal(pthread_create(&w->thread, NULL, worker_main, w), 0);
	pl_hook_thread_created();
	while (!atomic_load(&w->tid) || atomic_load(&w->cpu) < 0)
		sched_yield();
}

static void end(struct worker *w)
{
	atomic_store(&w->stop, 1);
	assert_int_equal(write(w->gate[1], "", 1), 1);
	pthread_join(w->thread, NULL);
	close(w->gate[0]);
	close(w->gate[1]);
}

/* Publishes the model in which CPU is the small one of the two. */
static void publish(int small)
{
	uint32_t n = pl_get(&seg->machine_ready) + 1;
	struct pl_machine *m = &seg->machine[n & 1];

	memset(m, 0, sizeof(*m));
	m->nr_cpu_ids = (uint16_t)((small_cpu > big_cpu ? small_cpu : big_cpu) + 1);
	for (int i = 0; i < 2; i++) {
		int cpu = i ? big_cpu : small_cpu;
		struct pl_cpu *c = &m->cpu[cpu];

		c->core = c->cluster = (uint16_t)i;
		c->capacity = c->actual = cpu == small ? 400 : 1024;
		c->class = cpu == small;
	}
	m->asymmetric = 1;
	pl_machine_finish(m);
	pl_set_release(&seg->machine_ready, n);
	pl_balancer_wake();
}

static bool is_wide(pid_t tid)
{
	cpu_set_t now;

	return sched_getaffinity(tid, sizeof(now), &now) == 0 && CPU_EQUAL(&now, &before);
}

static int32_t find_balancer(void)
{
	DIR *dir = opendir("/proc/self/task");
	int32_t found = 0;
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		char path[300], name[32] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", e->d_name);
		f = fopen(path, "re");
		if (f && fgets(name, sizeof(name), f) && strcmp(name, "place-balancer\n") == 0)
			found = atoi(e->d_name);
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Times the thread gave its CPU up by itself. */
static long nr_sleeps(int32_t tid)
{
	char path[64], line[128];
	long n = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

static void pause_ms(long ms)
{
	struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

#define wait_until(cond)                                                                           \
	({                                                                                         \
		uint64_t until_ = pl_now_ns() + LIMIT_MS * PL_NS_PER_MS;                           \
                                                                                                   \
		while (!(cond) && pl_now_ns() < until_)                                            \
			pause_ms(2);                                                               \
		(cond);                                                                            \
	})

static bool ready(void)
{
	if (!seg)
		helper_skipped("needs a new IPC namespace and two CPUs");
	return seg != NULL;
}

static void test_misfit_is_moved(void **state)
{
	struct worker w;
	int from;

	if (!ready())
		return;
	start(&w);
	assert_true(wait_until(find_balancer() != 0));
	/* Whichever CPU it is on becomes the small one, twice. */
	for (int i = 0; i < 2; i++) {
		from = atomic_load(&w.cpu);
		publish(from);
		assert_true(wait_until(atomic_load(&w.cpu) != from));
	}
	/* R16: on a machine without SMT no one-CPU mask is left behind. */
	assert_true(wait_until(is_wide(atomic_load(&w.tid))));
	end(&w);
}

static const struct pl_thread *entry_of(int32_t tid)
{
	for (uint32_t i = 0; i < pl_get(&pl_thread_high); i++)
		if (pl_get(&pl_thread_table[i].tid) == tid)
			return &pl_thread_table[i];
	return NULL;
}

/* A wide mask would leave it free to be pulled back at once. */
static void test_held_on_a_core_of_one_cpu(void **state)
{
	const struct pl_thread *entry;
	uint32_t nr_moves;
	struct worker w;

	if (!ready())
		return;
	start(&w);
	assert_true(wait_until(find_balancer() != 0));
	entry = entry_of(atomic_load(&w.tid));
	assert_non_null(entry);
	assert_true(wait_until(is_wide(atomic_load(&w.tid))));
	nr_moves = pl_get(&entry->nr_moves);
	publish(atomic_load(&w.cpu));
	assert_true(wait_until(!is_wide(atomic_load(&w.tid))));
	assert_true(wait_until(pl_get_acquire(&entry->nr_moves) != nr_moves));
	assert_true(wait_until(pl_thread_mask_state(entry) == PL_MASK_SET));
	assert_int_equal(pl_cpumask_weight(&entry->set), 1);
	assert_true(wait_until(is_wide(atomic_load(&w.tid))));
	/* Not before its time was over. */
	assert_true(entry->hold_until_ns && pl_now_ns() >= entry->hold_until_ns);
	end(&w);
}

static void test_program_sees_its_own_mask(void **state)
{
	struct worker w;

	if (!ready())
		return;
	start(&w);
	for (int i = 0; i < 20; i++) {
		publish(atomic_load(&w.cpu));
		pause_ms(3);
		pl_hook_affinity_query(atomic_load(&w.tid));
		assert_true(is_wide(atomic_load(&w.tid)));
		pl_hook_affinity_queried(atomic_load(&w.tid));
		assert_true(is_wide(0));
	}
	end(&w);
}

static void test_pinned_is_left_alone(void **state)
{
	struct worker w;
	cpu_set_t one, now;

	if (!ready())
		return;
	start(&w);
	CPU_ZERO(&one);
	CPU_SET(small_cpu, &one);
	/* By somebody outside: no hook sees it. */
	assert_int_equal(sched_setaffinity(atomic_load(&w.tid), sizeof(one), &one), 0);
	publish(small_cpu);
	pause_ms(300);
	assert_int_equal(sched_getaffinity(atomic_load(&w.tid), sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&now, &one));
	end(&w);
}

static void test_rests_while_all_wait(void **state)
{
	struct worker w;
	int32_t balancer;
	long first;
	bool rested = false;

	if (!ready())
		return;
	start(&w);
	assert_true(wait_until((balancer = find_balancer()) != 0));
	atomic_store(&w.wait, 1);
	assert_true(wait_until(atomic_load(&w.wait) == 2));
	/* The main thread waits, too, as far as the hooks can tell. */
	pl_hook_wait_begin(NULL);
	for (int i = 0; i < 8 && !rested; i++) {
		first = nr_sleeps(balancer);
		pause_ms(2500);
		rested = nr_sleeps(balancer) == first;
	}
	assert_true(rested);
	pl_hook_wait_end(NULL, false);
	/* And it is there again when somebody runs. */
	atomic_store(&w.wait, 0);
	assert_int_equal(write(w.gate[1], "", 1), 1);
	assert_true(wait_until(nr_sleeps(balancer) > first));
	end(&w);
}

static void test_seldom_while_nothing_changes(void **state)
{
	struct worker w;
	int32_t balancer;
	bool seldom = false;
	long first;

	if (!ready())
		return;
	start(&w);
	publish(atomic_load(&w.cpu) == small_cpu ? big_cpu : small_cpu);
	assert_true(wait_until((balancer = find_balancer()) != 0));
	for (int i = 0; i < 6 && !seldom; i++) {
		first = nr_sleeps(balancer);
		pause_ms(3000);
		seldom = nr_sleeps(balancer) - first <= 4;
	}
	assert_true(seldom);
	end(&w);
}

/* A program's last thread ends it, whatever the balancer does. */
static void test_program_ends_with_its_last_thread(void **state)
{
	pid_t child;
	int status = -1;

	if (!ready())
		return;
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		static struct worker w;

		start(&w);
		atomic_store(&w.stop, 1);
		pthread_exit(NULL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_stop_gives_all_back(void **state)
{
	struct worker w;

	if (!ready())
		return;
	start(&w);
	assert_true(wait_until(find_balancer() != 0));
	publish(atomic_load(&w.cpu));
	pl_balancer_stop();
	assert_int_equal(find_balancer(), 0);
	assert_true(is_wide(atomic_load(&w.tid)));
	end(&w);
	/* The next thread starts it again. */
	start(&w);
	assert_true(wait_until(find_balancer() != 0));
	end(&w);
	/* But not while it is held off. */
	pl_balancer_hold();
	assert_int_equal(find_balancer(), 0);
	start(&w);
	assert_int_equal(find_balancer(), 0);
	end(&w);
	pl_balancer_release();
	start(&w);
	assert_true(wait_until(find_balancer() != 0));
	end(&w);
}

/* Asleep on the word of a membership that was given up meanwhile. */
static void test_stop_finds_it_asleep(void **state)
{
	struct worker w;
	int32_t balancer;
	uint32_t proc;
	long before_pause;

	if (!ready())
		return;
	start(&w);
	assert_true(wait_until((balancer = find_balancer()) != 0));
	pl_set(&seg->off_all, 1);
	pl_balancer_wake();
	do {
		before_pause = nr_sleeps(balancer);
		pause_ms(100);
	} while (nr_sleeps(balancer) != before_pause);
	proc = pl_get(&pl_member.proc);
	pl_set(&pl_member.proc, 0);
	alarm(LIMIT_MS / 1000);
	pl_balancer_stop();
	alarm(0);
	assert_int_equal(find_balancer(), 0);
	pl_set(&pl_member.proc, proc);
	pl_set(&seg->off_all, 0);
	end(&w);
}

struct stopper {
	_Atomic int stop;
	_Atomic int nr_wrong;
};

static void *stopper_main(void *arg)
{
	struct stopper *s = arg;

	while (!atomic_load(&s->stop)) {
		pl_balancer_hold();
		if (find_balancer())
			atomic_fetch_add(&s->nr_wrong, 1);
		pl_balancer_release();
	}
	return NULL;
}

/* One thread makes threads, another changes what the process is. */
static void test_held_off_while_threads_come(void **state)
{
	struct stopper s = {0};
	pthread_t stopper;
	struct worker w;
	uint64_t until;

	if (!ready())
		return;
	assert_int_equal(pthread_create(&stopper, NULL, stopper_main, &s), 0);
	until = pl_now_ns() + 2 * PL_NS_PER_S;
	while (pl_now_ns() < until) {
		start(&w);
		end(&w);
	}
	atomic_store(&s.stop, 1);
	pthread_join(stopper, NULL);
	assert_int_equal(atomic_load(&s.nr_wrong), 0);
	start(&w);
	assert_true(wait_until(find_balancer() != 0));
	end(&w);
}

static int mask_state(int32_t tid)
{
	for (uint32_t i = 0; i < pl_get(&pl_thread_high); i++)
		if (pl_get(&pl_thread_table[i].tid) == tid)
			return pl_thread_mask_state(&pl_thread_table[i]);
	return -1;
}

/* For longer than a thread that took its mask is let be when it is in no call. */
static void expect_left_alone(struct worker *w)
{
	for (int k = 0; k < 30; k++) {
		publish(atomic_load(&w->cpu));
		pause_ms(3);
		assert_int_equal(mask_state(atomic_load(&w->tid)), PL_MASK_LEFT);
		assert_true(is_wide(atomic_load(&w->tid)));
	}
}

/* The balancer has a reason to move the thread, and does when it is in no call. */
static void expect_moved(struct worker *w)
{
	bool moved = false;

	for (int i = 0; i < 200 && !moved; i++) {
		int from = atomic_load(&w->cpu);

		publish(from);
		pause_ms(10);
		moved = atomic_load(&w->cpu) != from;
	}
	assert_true(moved);
}

/* Another thread asks about it. */
static void test_stays_wide_through_a_call(void **state)
{
	struct worker w;

	if (!ready())
		return;
	start(&w);
	assert_true(wait_until(find_balancer() != 0));
	for (int i = 0; i < 10; i++) {
		pl_hook_affinity_query(atomic_load(&w.tid));
		expect_left_alone(&w);
		pl_hook_affinity_queried(atomic_load(&w.tid));
	}
	expect_moved(&w);
	end(&w);
}

/* The call is its own, and it runs on meanwhile. */
static void test_stays_wide_through_its_own_call(void **state)
{
	struct worker w;

	if (!ready())
		return;
	start(&w);
	assert_true(wait_until(find_balancer() != 0));
	for (int i = 0; i < 10; i++) {
		atomic_store(&w.call, 1);
		assert_true(wait_until(atomic_load(&w.call) == 2));
		expect_left_alone(&w);
		atomic_store(&w.call, 3);
		assert_true(wait_until(atomic_load(&w.call) == 0));
	}
	expect_moved(&w);
	end(&w);
}

/* Nobody tells of the end of such a thread, so nothing of it may be remembered. */
static void *unseen_main(void *arg)
{
	pl_hook_thread_coming();
	*(bool *)arg = pl_tls.thread != NULL;
	return NULL;
}

static void test_thread_whose_end_is_unseen(void **state)
{
	pthread_t thread;
	bool entered = true;

	if (!ready())
		return;
	assert_int_equal(pthread_create(&thread, NULL, unseen_main, &entered), 0);
	pthread_join(thread, NULL);
	assert_false(entered);
}

static void *late_main(void *arg)
{
	pl_hook_thread_begin(false);
	pl_hook_thread_exit();
	/* A destructor that makes a thread. */
	pl_hook_thread_coming();
	*(bool *)arg = pl_tls.thread != NULL;
	return NULL;
}

static void test_thread_that_has_ended(void **state)
{
	pthread_t thread;
	bool entered = true;

	if (!ready())
		return;
	assert_int_equal(pthread_create(&thread, NULL, late_main, &entered), 0);
	pthread_join(thread, NULL);
	assert_false(entered);
}

static void *short_main(void *arg)
{
	(void)arg;
	pl_hook_thread_begin(false);
	pl_hook_thread_exit();
	return NULL;
}

/* The C library gives a large stack back at once, with the thread's storage in it. */
static void test_threads_end_while_looked_at(void **state)
{
	pthread_attr_t attr;
	pthread_t thread[8];
	struct worker w;
	uint64_t until;

	if (!ready())
		return;
	start(&w);
	assert_true(wait_until(find_balancer() != 0));
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 20);
	until = pl_now_ns() + 3 * PL_NS_PER_S;
	while (pl_now_ns() < until) {
		for (int i = 0; i < 8; i++) {
			pl_hook_thread_coming();
			assert_int_equal(pthread_create(&thread[i], &attr, short_main, NULL), 0);
			pl_hook_thread_created();
		}
		for (int i = 0; i < 8; i++)
			pthread_join(thread[i], NULL);
	}
	pthread_attr_destroy(&attr);
	end(&w);
}

/* Such a call of unshare() answers 0 in a process of one thread, and has no effect. */
static void test_single_thread_after_stop(void **state)
{
	struct worker w;
	int32_t tid;

	if (!ready())
		return;
	for (int i = 0; i < 200; i++) {
		start(&w);
		tid = atomic_load(&w.tid);
		end(&w);
		/* A thread is joined before the kernel has counted it off. */
		assert_true(wait_until(tgkill(getpid(), tid, 0) != 0));
		pl_balancer_stop();
		assert_int_equal(unshare(CLONE_THREAD), 0);
	}
}

static int set_up(void **state)
{
	if (sched_getaffinity(0, sizeof(before), &before) != 0)
		return -1;
	for (int c = 0; c < CPU_SETSIZE; c++) {
		if (!CPU_ISSET(c, &before))
			continue;
		if (small_cpu < 0)
			small_cpu = c;
		else if (big_cpu < 0)
			big_cpu = c;
	}
	if (CPU_COUNT(&before) != 2 || unshare(CLONE_NEWIPC) != 0 || !pl_member_enter() ||
	    pl_segment_join(&seg) < 0)
		return 0;
	/* The test is the keeper. */
	pl_set(&seg->keeper_pid, (uint32_t)getpid());
	pl_set(&seg->try_ns, UINT64_MAX / 2);
	publish(small_cpu);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_misfit_is_moved),
		cmocka_unit_test(test_held_on_a_core_of_one_cpu),
		cmocka_unit_test(test_program_sees_its_own_mask),
		cmocka_unit_test(test_stays_wide_through_a_call),
		cmocka_unit_test(test_stays_wide_through_its_own_call),
		cmocka_unit_test(test_pinned_is_left_alone),
		cmocka_unit_test(test_rests_while_all_wait),
		cmocka_unit_test(test_seldom_while_nothing_changes),
		cmocka_unit_test(test_program_ends_with_its_last_thread),
		cmocka_unit_test(test_thread_whose_end_is_unseen),
		cmocka_unit_test(test_thread_that_has_ended),
		cmocka_unit_test(test_threads_end_while_looked_at),
		cmocka_unit_test(test_single_thread_after_stop),
		cmocka_unit_test(test_stop_gives_all_back),
		cmocka_unit_test(test_stop_finds_it_asleep),
		cmocka_unit_test(test_held_off_while_threads_come),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
