// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The mask a program reads is the one it owns, however it asks, while its threads hand work over;
// the mask it sets is kept exactly and for ever, and so is one that was set from outside.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <sys/sysinfo.h>

#include "preload/pingpong.h"

enum { NR_QUESTIONS = 4, WATCH_MS = 1000, STEP_MS = 20 };

static char start_list[256];
static cpu_set_t start_set;
static int start_cpus;

static void read_own(struct pingpong_side *s)
{
	struct helper_failure *f = &s->pp->failure;
	cpu_set_t set;
	long n;

	CPU_ZERO(&set);
	helper_expect(f, sched_getaffinity(0, sizeof(set), &set) == 0);
	helper_expect(f, CPU_EQUAL(&set, &start_set));
	CPU_ZERO(&set);
	helper_expect(f, sched_getaffinity((pid_t)syscall(SYS_gettid), sizeof(set), &set) == 0);
	helper_expect(f, CPU_EQUAL(&set, &start_set));
	CPU_ZERO(&set);
	helper_expect(f, pthread_getaffinity_np(pthread_self(), sizeof(set), &set) == 0);
	helper_expect(f, CPU_EQUAL(&set, &start_set));
	CPU_ZERO(&set);
	n = syscall(SYS_sched_getaffinity, 0, sizeof(set), &set);
	helper_expect(f, n > 0 && n <= (long)sizeof(set));
	helper_expect(f, CPU_EQUAL(&set, &start_set));
	helper_expect(f, get_nprocs() == start_cpus);
	helper_expect(f, sysconf(_SC_NPROCESSORS_ONLN) == start_cpus);
}

/* The partner's by id, by the C library and by the kernel's call. */
static void read_partner(struct pingpong_side *s)
{
	struct pingpong *pp = s->pp;
	pid_t tid = atomic_load(&pp->side[!s->index].tid);
	cpu_set_t set;

	CPU_ZERO(&set);
	helper_expect(&pp->failure, sched_getaffinity(tid, sizeof(set), &set) == 0);
	helper_expect(&pp->failure, CPU_EQUAL(&set, &start_set));
	CPU_ZERO(&set);
	helper_expect(&pp->failure, syscall(SYS_sched_getaffinity, tid, sizeof(set), &set) > 0);
	helper_expect(&pp->failure, CPU_EQUAL(&set, &start_set));
	if (pp->processes)
		return;
	CPU_ZERO(&set);
	helper_expect(&pp->failure,
		      pthread_getaffinity_np(pp->side[!s->index].thread, sizeof(set), &set) == 0);
	helper_expect(&pp->failure, CPU_EQUAL(&set, &start_set));
}

static bool was_asked(void *arg)
{
	struct pingpong *pp = arg;
	uint64_t *before = pp->arg;

	return pp->nr_every > *before + 4;
}

static void read_while_held(bool processes, void (*ask)(struct pingpong_side *))
{
	struct pingpong *pp = pingpong_new();
	uint64_t asked = 0;

	pp->arg = &asked;
	pp->processes = processes;
	pp->every = ask;
	pp->period = 1;
	pingpong_start(pp);
	for (int i = 0; i < NR_QUESTIONS; i++) {
		pingpong_wait_held(pp);
		asked = pp->nr_every;
		atomic_store(&pp->on, 1);
		own_poll(was_asked, pp, 5000);
		atomic_store(&pp->on, 0);
		assert_true(pp->nr_every > asked);
	}
	assert_int_equal(pingpong_stop(pp), 0);
	helper_assert_no_failure(&pp->failure);
}

static void threads_read_their_own(void **state)
{
	read_while_held(false, read_own);
}

static void processes_read_their_own(void **state)
{
	read_while_held(true, read_own);
}

static void threads_read_their_partners(void **state)
{
	read_while_held(false, read_partner);
}

static void processes_read_their_partners(void **state)
{
	read_while_held(true, read_partner);
}

/* The ways of setting a mask that a side of the pair uses in its 1,000th round. */
enum way {
	BY_SELF,
	BY_TID_OF_SELF,
	BY_TID_OF_PARTNER,
	BY_PTHREAD,
	BY_PTHREAD_OF_PARTNER,
	BY_KERNEL
};

static _Atomic int32_t order;	/* way + 1, to be carried out once by side 0 */
static _Atomic int32_t changed; /* tid of the thread whose mask was set */
static cpu_set_t wanted;

static void set_when_told(struct pingpong_side *s)
{
	struct pingpong *pp = s->pp;
	pid_t self = (pid_t)syscall(SYS_gettid), other = atomic_load(&pp->side[!s->index].tid);
	int way;

	if (s->index != 0 || (way = atomic_exchange(&order, 0)) == 0)
		return;
	switch ((enum way)(way - 1)) {
	case BY_SELF:
		helper_expect(&pp->failure, sched_setaffinity(0, sizeof(wanted), &wanted) == 0);
		break;
	case BY_TID_OF_SELF:
		helper_expect(&pp->failure, sched_setaffinity(self, sizeof(wanted), &wanted) == 0);
		break;
	case BY_TID_OF_PARTNER:
		helper_expect(&pp->failure, sched_setaffinity(other, sizeof(wanted), &wanted) == 0);
		self = other;
		break;
	case BY_PTHREAD:
		helper_expect(&pp->failure,
			      pthread_setaffinity_np(pthread_self(), sizeof(wanted), &wanted) == 0);
		break;
	case BY_PTHREAD_OF_PARTNER:
		helper_expect(&pp->failure, pthread_setaffinity_np(pp->side[1].thread,
								   sizeof(wanted), &wanted) == 0);
		self = other;
		break;
	case BY_KERNEL:
		helper_expect(&pp->failure,
			      syscall(SYS_sched_setaffinity, 0, sizeof(wanted), &wanted) == 0);
		break;
	}
	atomic_store(&changed, self);
}

static bool is_changed(void *arg)
{
	return atomic_load(&changed) != 0;
}

/* CPU of a held pair, or any allowed one; OTHER: one that is not it. */
static int cpu_of(const struct pingpong *pp, int side, bool other)
{
	char now[256];
	int cpu, at;

	mask_list(pp->side[side].tid, now, sizeof(now));
	at = (int)strtol(now, NULL, 10);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &start_set) && (cpu == at) != other)
			return cpu;
	return -1;
}

static void watch_mask(pid_t tid, const char *list)
{
	for (int64_t until = own_now_ms() + WATCH_MS; own_now_ms() < until; own_pause_ms(STEP_MS)) {
		char now[256];

		mask_list(tid, now, sizeof(now));
		assert_string_equal(now, list);
	}
}

/* Side 0 sets a mask while the pair is held; it must be there at once and stay. */
static void set_while_held(bool processes, enum way way, bool other_cpu)
{
	struct pingpong *pp = pingpong_new();
	char list[32];
	int cpu;

	pp->processes = processes;
	pp->every = set_when_told;
	pp->period = 100;
	pingpong_start(pp);
	pingpong_wait_held(pp);
	cpu = cpu_of(pp, 0, other_cpu);
	assert_true(cpu >= 0);
	snprintf(list, sizeof(list), "%d", cpu);
	CPU_ZERO(&wanted);
	CPU_SET(cpu, &wanted);
	atomic_store(&changed, 0);
	atomic_store(&order, (int)way + 1);
	atomic_store(&pp->on, 1);
	assert_true(own_poll(is_changed, NULL, 20000));
	watch_mask(changed, list);
	assert_int_equal(pingpong_stop(pp), 0);
	helper_assert_no_failure(&pp->failure);
}

#define SETS(name, processes, way)                                                                 \
	static void name(void **state)                                                             \
	{                                                                                          \
		set_while_held(processes, way, true);                                              \
		set_while_held(processes, way, false);                                             \
	}

SETS(a_thread_keeps_the_mask_it_set_for_itself, false, BY_SELF)
SETS(a_thread_keeps_the_mask_it_set_by_its_id, false, BY_TID_OF_SELF)
SETS(a_thread_keeps_the_mask_its_partner_set, false, BY_TID_OF_PARTNER)
SETS(a_thread_keeps_the_mask_set_by_pthread, false, BY_PTHREAD)
SETS(a_thread_keeps_the_mask_its_partner_set_by_pthread, false, BY_PTHREAD_OF_PARTNER)
SETS(a_thread_keeps_the_mask_set_by_system_call, false, BY_KERNEL)
SETS(a_process_keeps_the_mask_it_set_for_itself, true, BY_SELF)
SETS(a_process_keeps_the_mask_its_partner_set, true, BY_TID_OF_PARTNER)

/* Set before the thread exists. */
static void a_thread_keeps_the_mask_of_its_attribute(void **state)
{
	struct pingpong *pp = pingpong_new();
	int there[2], back[2], cpu;
	pthread_attr_t attr;
	char list[32];

	for (cpu = 0; !CPU_ISSET(cpu, &start_set);)
		cpu++;
	snprintf(list, sizeof(list), "%d", cpu);
	CPU_ZERO(&wanted);
	CPU_SET(cpu, &wanted);
	assert_int_equal(pipe(there), 0);
	assert_int_equal(pipe(back), 0);
	pp->side[0] = (struct pingpong_side){.pp = pp, .index = 0, .in = back[0], .out = there[1]};
	pp->side[1] = (struct pingpong_side){.pp = pp, .index = 1, .in = there[0], .out = back[1]};
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(wanted), &wanted);
	assert_int_equal(pthread_create(&pp->side[1].thread, &attr, pingpong_main, &pp->side[1]),
			 0);
	assert_int_equal(pthread_create(&pp->side[0].thread, NULL, pingpong_main, &pp->side[0]), 0);
	pthread_attr_destroy(&attr);
	while (!atomic_load(&pp->side[1].tid))
		own_pause_ms(1);
	watch_mask(pp->side[1].tid, list);
	assert_true(mask_is(pp->side[0].tid, start_list));
	pingpong_stop(pp);
	helper_assert_no_failure(&pp->failure);
}

/* Set for all threads that are made without attributes: as much the program's as any other. */
static void a_thread_keeps_the_mask_of_the_default_attributes(void **state)
{
	struct pingpong *pp = pingpong_new();
	pthread_attr_t attr;

	assert_int_equal(pthread_getattr_default_np(&attr), 0);
	assert_int_equal(pthread_attr_setaffinity_np(&attr, sizeof(start_set), &start_set), 0);
	assert_int_equal(pthread_setattr_default_np(&attr), 0);
	pingpong_start(pp);
	/* Nobody may touch them, so no pair is ever held. */
	for (int64_t until = own_now_ms() + WATCH_MS; own_now_ms() < until; own_pause_ms(STEP_MS)) {
		pingpong_coax(pp);
		assert_true(mask_is(pp->side[0].tid, start_list));
		assert_true(mask_is(pp->side[1].tid, start_list));
	}
	pingpong_stop(pp);
	pthread_attr_destroy(&attr);
	pthread_attr_init(&attr);
	assert_int_equal(pthread_setattr_default_np(&attr), 0);
	pthread_attr_destroy(&attr);
	helper_assert_no_failure(&pp->failure);
}

static char inherited[256];

static void pin_and_spawn(struct pingpong_side *s)
{
	char line[256] = "";
	FILE *out;

	if (s->index != 0 || atomic_exchange(&order, 0) == 0)
		return;
	helper_expect(&s->pp->failure, sched_setaffinity(0, sizeof(wanted), &wanted) == 0);
	out = popen("grep Cpus_allowed_list /proc/self/status", "re");
	if (helper_expect(&s->pp->failure, out && fgets(line, sizeof(line), out)))
		snprintf(inherited, sizeof(inherited), "%s", line);
	if (out)
		pclose(out);
	atomic_store(&changed, 1);
}

static void children_inherit_the_mask_that_was_set(void **state)
{
	struct pingpong *pp = pingpong_new();
	char list[64];
	int cpu;

	pp->every = pin_and_spawn;
	pp->period = 100;
	pingpong_start(pp);
	pingpong_wait_held(pp);
	cpu = cpu_of(pp, 0, true);
	CPU_ZERO(&wanted);
	CPU_SET(cpu, &wanted);
	atomic_store(&changed, 0);
	atomic_store(&order, 1);
	atomic_store(&pp->on, 1);
	assert_true(own_poll(is_changed, NULL, 20000));
	pingpong_stop(pp);
	snprintf(list, sizeof(list), "Cpus_allowed_list:\t%d\n", cpu);
	assert_string_equal(inherited, list);
	helper_assert_no_failure(&pp->failure);
}

/* As `taskset -p` does, from a process without libplace. */
static void set_from_outside(const char *list, pid_t tid)
{
	char id[16];
	const char *argv[] = {"taskset", "-p", "-c", list, id, NULL};
	struct helper_child c = {.argv = argv, .preload = ""};

	snprintf(id, sizeof(id), "%d", tid);
	assert_int_equal(helper_child_run(&c), 0);
	assert_true(helper_child_exited(&c, 0));
	helper_child_free(&c);
}

static bool partner_is_wide(void *arg)
{
	struct pingpong *pp = arg;

	return mask_is(pp->side[0].tid, start_list);
}

/* Whether the pair has moved to CPU: one set there is then the same mask, and cannot be told apart.
 */
static bool pair_is_on(struct pingpong *pp, int cpu)
{
	struct pl_segment *seg = own_segment();
	struct pl_task *task = seg ? pingpong_task(seg, &pp->side[1]) : NULL;
	struct pl_pair *pair = task ? pl_seg_pair(seg, pl_get(&task->pair)) : NULL;

	for (int i = 0; pair && i < 2; i++)
		if ((int)pl_get(&pair->cpu[i]) == cpu)
			return true;
	return false;
}

static void outside_while_held(bool processes)
{
	struct pingpong *pp = pingpong_new();
	char list[32];
	int cpu;

	pp->processes = processes;
	pingpong_start(pp);
	/* A pair that is being tried may be on the very CPU that is chosen here. */
	if (!pingpong_wait_held(pp) && helper_preload()) {
		pingpong_stop(pp);
		return;
	}
	do {
		cpu = cpu_of(pp, 1, true);
		snprintf(list, sizeof(list), "%d", cpu);
		set_from_outside(list, pp->side[1].tid);
	} while (pair_is_on(pp, cpu));
	assert_true(own_poll(partner_is_wide, pp, 2500));
	watch_mask(pp->side[1].tid, list);
	assert_true(mask_is(pp->side[0].tid, start_list));
	assert_int_equal(pingpong_stop(pp), 0);
	helper_assert_no_failure(&pp->failure);
}

static void a_mask_from_outside_stays_on_a_thread(void **state)
{
	outside_while_held(false);
}

static void a_mask_from_outside_stays_on_a_process(void **state)
{
	outside_while_held(true);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, pingpong_end)
	static const struct CMUnitTest tests[] = {
		TEST(threads_read_their_own),
		TEST(processes_read_their_own),
		TEST(threads_read_their_partners),
		TEST(processes_read_their_partners),
		TEST(a_thread_keeps_the_mask_it_set_for_itself),
		TEST(a_thread_keeps_the_mask_it_set_by_its_id),
		TEST(a_thread_keeps_the_mask_its_partner_set),
		TEST(a_thread_keeps_the_mask_set_by_pthread),
		TEST(a_thread_keeps_the_mask_its_partner_set_by_pthread),
		TEST(a_thread_keeps_the_mask_set_by_system_call),
		TEST(a_process_keeps_the_mask_it_set_for_itself),
		TEST(a_process_keeps_the_mask_its_partner_set),
		TEST(a_thread_keeps_the_mask_of_its_attribute),
		TEST(a_thread_keeps_the_mask_of_the_default_attributes),
		TEST(children_inherit_the_mask_that_was_set),
		TEST(a_mask_from_outside_stays_on_a_thread),
		TEST(a_mask_from_outside_stays_on_a_process),
	};

	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	mask_list(getpid(), start_list, sizeof(start_list));
	sched_getaffinity(0, sizeof(start_set), &start_set);
	start_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	if (CPU_COUNT(&start_set) < 2) {
		helper_skipped("one CPU: nothing is narrower than that");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
