// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Claims of cores: one task at a time, idle and dead owners give way, and processes that contend.
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "apply/watch.h"
#include "domain/claim.h"
#include "helper/helper.h"

enum { NR_CPUS = 16, NR_CORES = 8 };

static struct pl_segment *seg; /* shared with children */
static struct pl_machine m;

/* 16 CPUs, siblings are 8 apart. */
static int setup(void **state)
{
	if (!seg) {
		seg = mmap(NULL, sizeof(*seg), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			   -1, 0);
		assert_true(seg != MAP_FAILED);
	}
	memset(seg, 0, sizeof(*seg));
	memset(&m, 0, sizeof(m));
	m.nr_cpu_ids = NR_CPUS;
	for (int c = 0; c < NR_CPUS; c++)
		m.cpu[c] = (struct pl_cpu){.core = (uint16_t)(c % NR_CORES),
					   .cluster = (uint16_t)(c % NR_CORES),
					   .capacity = 1024,
					   .actual = 1024};
	pl_machine_finish(&m);
	return 0;
}

/* A running task in slot N. */
static pl_task_id task(uint32_t n)
{
	pl_task_id id = 1u << PL_TASK_BITS | n;

	pl_set(&seg->task[n].state, PL_TASK_RUNNING);
	pl_set(&seg->task[n].proc, n + 1);
	pl_set_release(&seg->task[n].id, id);
	return id;
}

static void a_core_has_one_owner(void **state)
{
	pl_task_id a = task(1), b = task(2);
	pl_claim_ref ra = pl_claim_core(seg, &m, 11, a); /* named by a sibling */

	assert_int_equal(ra, 3 + 1);
	assert_int_equal(pl_claim_core(seg, &m, 3, b), 0);
	assert_int_equal(pl_claim_core(seg, &m, 11, b), 0);
	assert_int_equal(pl_claim_core(seg, &m, 3, a), ra); /* its own, again */
	assert_true(pl_claim_core_is_busy(seg, &m, 11, 0));
	assert_false(pl_claim_core_is_busy(seg, &m, 11, a));
	pl_claim_release(seg, ra, b); /* not its own */
	assert_true(pl_claim_core_is_busy(seg, &m, 3, 0));
	pl_claim_release(seg, ra, a);
	pl_claim_release(seg, ra, a);
	assert_false(pl_claim_core_is_busy(seg, &m, 3, 0));
	assert_int_equal(pl_claim_core(seg, &m, 3, b), ra);
}

static void idle_still_and_dead_owners_give_way(void **state)
{
	pl_task_id a = task(1), b = task(2);
	pl_claim_ref ref = pl_claim_core(seg, &m, 0, a);

	pl_set(&seg->task[1].state, PL_TASK_WAITING);
	assert_false(pl_claim_core_is_busy(seg, &m, 0, 0));
	pl_set(&seg->task[1].state, PL_TASK_RUNNING);
	assert_true(pl_claim_keep(seg, ref, a));
	assert_int_equal(pl_claim_core(seg, &m, 0, b), 0);
	pl_set(&seg->task[1].still, 1);
	assert_int_equal(pl_claim_core(seg, &m, 0, b), ref);
	pl_set(&seg->task[1].still, 0);
	assert_false(pl_claim_keep(seg, ref, a)); /* lost meanwhile */
	pl_set(&seg->task[2].id, 0);		  /* dies */
	assert_int_equal(pl_claim_core(seg, &m, 0, a), ref);
}

/* No value of a word comes twice, so nobody takes over by what it was before its owner came back.
 */
static void a_word_never_repeats(void **state)
{
	pl_task_id a = task(1);
	uint64_t last = 0;

	for (int i = 0; i < 100; i++) {
		pl_claim_ref ref = pl_claim_core(seg, &m, 0, a);

		assert_true(pl_get(&seg->claim[ref - 1]) >> 32 > last >> 32);
		last = pl_get(&seg->claim[ref - 1]);
		assert_true(pl_claim_keep(seg, ref, a));
		assert_true(pl_get(&seg->claim[ref - 1]) >> 32 > last >> 32);
		last = pl_get(&seg->claim[ref - 1]);
		pl_claim_release(seg, ref, a);
	}
}

static void beside_when_no_core_is_idle(void **state)
{
	pl_task_id a = task(1), b = task(2), c = task(3);
	pl_claim_ref ra = pl_claim_core(seg, &m, 5, a), rb = pl_claim_beside(seg, &m, 5, b);

	assert_int_equal(ra, 5 + 1);
	assert_int_equal(rb, 13 + 1);
	assert_int_equal(pl_claim_beside(seg, &m, 5, c), 0); /* goes without */
	/* The core is not idle while the one beside runs. */
	pl_claim_release(seg, ra, a);
	assert_int_equal(pl_claim_core(seg, &m, 5, c), 0);
	assert_true(pl_claim_core_is_busy(seg, &m, 5, 0));
	pl_set(&seg->task[2].state, PL_TASK_WAITING);
	assert_int_equal(pl_claim_core(seg, &m, 5, c), ra);
}

static void masks_of_claims(void **state)
{
	pl_task_id a = task(1), b = task(2);
	struct pl_cpumask mask;

	pl_claim_core(seg, &m, 2, a);
	pl_claim_core(seg, &m, 4, b);
	pl_claim_busy_cpus(seg, &m, 0, &mask);
	assert_int_equal(pl_cpumask_weight(&mask), 2);
	assert_true(pl_cpumask_has(&mask, 2) && pl_cpumask_has(&mask, 4));
	pl_claim_busy_cpus(seg, &m, 1 + 1, &mask); /* but those of A's process */
	assert_int_equal(pl_cpumask_weight(&mask), 1);
	assert_true(pl_cpumask_has(&mask, 4));
	pl_cpumask_fill(&mask);
	pl_claim_subtract(seg, &m, b, &mask);
	for (int c = 0; c < NR_CPUS; c++)
		assert_int_equal(pl_cpumask_has(&mask, c), c != 2 && c != 10);
}

static void nonsense_does_no_harm(void **state)
{
	const int cpus[] = {-1, NR_CPUS, PL_MAX_CPUS, INT_MAX, INT_MIN};
	static struct pl_machine bad;
	pl_task_id a = task(1);
	unsigned int seed = 1;

	for (size_t i = 0; i < PL_ARRAY_SIZE(cpus); i++) {
		assert_int_equal(pl_claim_core(seg, &m, cpus[i], a), 0);
		assert_int_equal(pl_claim_beside(seg, &m, cpus[i], a), 0);
		assert_false(pl_claim_core_is_busy(seg, &m, cpus[i], 0));
	}
	assert_int_equal(pl_claim_core(seg, &m, 0, 0), 0);
	assert_int_equal(pl_claim_core(seg, &m, 0, a + 1), 0); /* no such task */
	assert_false(pl_claim_keep(seg, 0, a));
	assert_false(pl_claim_keep(seg, PL_MAX_CPUS + 1, a));
	assert_false(pl_claim_keep(seg, 1, 0));
	pl_claim_release(seg, 0, a);
	pl_claim_release(seg, UINT32_MAX, a);
	/* Words and a model that somebody scribbled over. */
	for (int round = 0; round < 200; round++) {
		unsigned char *bytes = (unsigned char *)&bad;
		struct pl_cpumask mask;

		for (size_t i = 0; i < sizeof(bad); i++)
			bytes[i] = (unsigned char)rand_r(&seed);
		for (int c = 0; c < PL_MAX_CPUS; c++)
			pl_set(&seg->claim[c], (uint64_t)rand_r(&seed) << 32 | rand_r(&seed) * 2u);
		for (int k = 0; k < 100; k++) {
			int cpu = rand_r(&seed) % PL_MAX_CPUS;
			pl_claim_ref ref = pl_claim_core(seg, &bad, cpu, a);

			assert_in_range(ref, 0, PL_MAX_CPUS);
			assert_in_range(pl_claim_beside(seg, &bad, cpu, a), 0, PL_MAX_CPUS);
			pl_claim_core_is_busy(seg, &bad, cpu, 0);
			pl_claim_release(seg, ref, a);
		}
		pl_claim_busy_cpus(seg, &bad, 0, &mask);
		pl_claim_subtract(seg, &bad, 0, &mask);
	}
}

/*
 * Contending processes. Each core has a cell of its own that only its owner writes: an owner puts
 * itself into it, looks whether it is still there, and takes itself out again.
 */
enum { NR_PROCESSES = 16, ROUNDS = 20000 };

struct arena {
	_Atomic uint32_t inside[NR_CORES];
	_Atomic uint32_t nr_claimed, nr_kept, nr_lost, nr_none;
	struct helper_failure failure;
};

static bool enter_and_leave(struct arena *a, pl_claim_ref ref, uint32_t n)
{
	uint32_t nobody = 0;

	if (!helper_expect(&a->failure,
			   atomic_compare_exchange_strong(&a->inside[ref - 1], &nobody, n + 1)))
		return false;
	if (n % 3 == 0)
		sched_yield();
	return helper_expect(&a->failure, atomic_exchange(&a->inside[ref - 1], 0) == n + 1);
}

/* One stay on core: works, waits (others may take over), comes back and works on if it still may.
 */
static void stay(struct arena *a, pl_claim_ref ref, uint32_t n, pl_task_id me)
{
	if (!enter_and_leave(a, ref, n))
		return;
	pl_set(&seg->task[n].state, PL_TASK_WAITING);
	if (n % 2)
		sched_yield();
	pl_set(&seg->task[n].state, PL_TASK_RUNNING);
	if (pl_claim_keep(seg, ref, me)) {
		atomic_fetch_add(&a->nr_kept, 1);
		enter_and_leave(a, ref, n);
		pl_claim_release(seg, ref, me);
	} else {
		atomic_fetch_add(&a->nr_lost, 1);
	}
}

static void contend(struct arena *a, uint32_t n)
{
	pl_task_id me = task(n);
	unsigned int seed = n;

	for (int i = 0; i < ROUNDS && !a->failure.taken; i++) {
		int from = rand_r(&seed) % NR_CPUS;
		pl_claim_ref ref = 0;

		for (int k = 0; k < NR_CORES && !ref; k++)
			ref = pl_claim_core(seg, &m, (from + k) % NR_CPUS, me);
		if (ref) {
			atomic_fetch_add(&a->nr_claimed, 1);
			stay(a, ref, n, me);
		} else {
			atomic_fetch_add(&a->nr_none, 1);
		}
	}
	_exit(a->failure.taken != 0);
}

static void contending_processes(void **state)
{
	struct arena *a =
		mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid[NR_PROCESSES];
	pl_task_id me;

	assert_true(a != MAP_FAILED);
	for (uint32_t n = 0; n < NR_PROCESSES; n++) {
		pid[n] = fork();
		assert_true(pid[n] >= 0);
		if (!pid[n])
			contend(a, n + 1);
	}
	for (uint32_t n = 0; n < NR_PROCESSES; n++) {
		int status;

		assert_int_equal(waitpid(pid[n], &status, 0), pid[n]);
		helper_assert_no_failure(&a->failure);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	assert_int_equal(a->nr_claimed + a->nr_none, NR_PROCESSES * ROUNDS);
	assert_int_equal(a->nr_kept + a->nr_lost, a->nr_claimed);
	assert_true(a->nr_kept > 0);
	/* No core is lost: all can be claimed, by one task after all others are done. */
	me = task(NR_PROCESSES + 1);
	for (int core = 0; core < NR_CORES; core++)
		assert_int_not_equal(pl_claim_core(seg, &m, core, me), 0);
	munmap(a, sizeof(*a));
}

/* Claimers killed at any instruction: their cores come back once their slots are freed. */
static void killed_claimers_lose_no_core(void **state)
{
	pl_task_id me;

	for (int round = 0; round < 20; round++) {
		int ready[2];
		pid_t pid[4];
		char c;

		assert_int_equal(pipe(ready), 0);
		for (uint32_t n = 0; n < 4; n++) {
			pid[n] = fork();
			assert_true(pid[n] >= 0);
			if (pid[n])
				continue;
			me = task(n + 1);
			for (unsigned int i = 0;; i++) {
				pl_claim_ref ref = pl_claim_core(seg, &m, (int)(i % NR_CPUS), me);

				if (i == NR_CPUS && write(ready[1], "", 1) != 1)
					_exit(1);
				if (i % 5)
					pl_claim_release(seg, ref, me);
			}
		}
		for (int n = 0; n < 4; n++)
			assert_int_equal(read(ready[0], &c, 1), 1);
		for (int n = 0; n < 4; n++) {
			kill(pid[n], SIGKILL);
			waitpid(pid[n], NULL, 0);
			pl_set(&seg->task[n + 1].id, 0); /* as the reclaimer does */
		}
		close(ready[0]);
		close(ready[1]);
		me = task(9);
		for (int core = 0; core < NR_CORES; core++) {
			pl_claim_ref ref = pl_claim_core(seg, &m, core, me);

			assert_int_not_equal(ref, 0);
			pl_claim_release(seg, ref, me);
		}
	}
}

/* A stopped owner loses its core after two looks without CPU time, and is heard again later. */
static void a_stopped_owner_gives_way(void **state)
{
	pl_task_id a = task(1), b = task(2);
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		alarm(30); /* should the test fail before its end */
		for (;;)
			;
	}
	pl_set(&seg->task[1].pid, child);
	pl_set(&seg->task[1].tid, child);
	pl_set(&seg->task[2].pid, getpid());
	pl_set(&seg->task[2].tid, getpid());
	assert_true(pl_claim_core(seg, &m, 3, a));
	kill(child, SIGSTOP);
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	pl_watch_claims(seg);
	assert_int_equal(pl_claim_core(seg, &m, 3, b), 0);
	/* It may have been on its way off the CPU at the first looks. */
	for (int i = 0; i < 100 && !pl_get(&seg->task[1].still); i++)
		pl_watch_claims(seg);
	assert_true(pl_get(&seg->task[1].still));
	assert_true(pl_claim_core(seg, &m, 3, b));
	pl_claim_release(seg, 3 + 1, b);
	/* Until it runs on. */
	assert_true(pl_claim_beside(seg, &m, 3, a));
	kill(child, SIGCONT);
	for (int i = 0; i < 10000 && pl_get(&seg->task[1].still); i++) {
		sched_yield();
		pl_watch_claims(seg);
	}
	assert_false(pl_get(&seg->task[1].still));
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	pl_watch_claims(seg); /* it is gone: nothing to mark */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_stopped_owner_gives_way, setup),
		cmocka_unit_test_setup(a_core_has_one_owner, setup),
		cmocka_unit_test_setup(idle_still_and_dead_owners_give_way, setup),
		cmocka_unit_test_setup(a_word_never_repeats, setup),
		cmocka_unit_test_setup(beside_when_no_core_is_idle, setup),
		cmocka_unit_test_setup(masks_of_claims, setup),
		cmocka_unit_test_setup(nonsense_does_no_harm, setup),
		cmocka_unit_test_setup(contending_processes, setup),
		cmocka_unit_test_setup(killed_claimers_lose_no_core, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
