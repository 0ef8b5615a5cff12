// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Life of a pair slot: who may be in one, what ends it, what its run's log says, who wins a race.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "domain/pair.h"
#include "helper/helper.h"
#include "trace/counters.h"

static struct pl_segment seg;

/* Makes slot INDEX a task and returns its id. */
static pl_task_id new_task(uint32_t index)
{
	pl_task_id id = 7u << PL_TASK_BITS | index;

	pl_set(&seg.task[index].id, id);
	pl_set(&seg.task[index].tid, (int32_t)(1000 + index));
	return id;
}

static pl_task_id a, b, c;
static struct pl_task *const ta = &seg.task[10], *const tb = &seg.task[11],
			     *const tc = &seg.task[12];

static int setup(void **state)
{
	memset(&seg, 0, sizeof(seg));
	a = new_task(10);
	b = new_task(11);
	c = new_task(12);
	return 0;
}

static struct pl_pair *claim(pl_task_id x, pl_task_id y)
{
	struct pl_pair *p = pl_seg_pair(&seg, pl_pair_claim(&seg, x, y, 3, false));

	assert_non_null(p);
	return p;
}

static void assert_no_slot_taken(void)
{
	for (uint32_t i = 0; i < PL_NR_PAIRS; i++)
		assert_int_equal(pl_get(&seg.pair[i].state), PL_PAIR_FREE);
}

static void test_claim(void **state)
{
	uint32_t n = pl_pair_claim(&seg, a, b, 3, true);
	struct pl_pair *p = pl_seg_pair(&seg, n);

	assert_non_null(p);
	assert_int_equal(pl_get(&p->state), PL_PAIR_VERIFY);
	assert_true(pl_pair_is_live(p));
	assert_int_equal(pl_get(&p->member[0]), a);
	assert_int_equal(pl_get(&p->member[1]), b);
	assert_int_equal(pl_get(&p->cpu[0]), 3);
	assert_int_equal(pl_get(&p->cpu[1]), 3);
	assert_int_equal(pl_get(&p->whole_core), 1);
	assert_int_equal(pl_get(&p->command) & 1, 0); /* members start wide */
	assert_int_equal(pl_get(&ta->pair), n);
	assert_int_equal(pl_get(&tb->pair), n);
}

static void test_claim_refuses_a_paired_task(void **state)
{
	claim(a, b);
	assert_int_equal(pl_pair_claim(&seg, a, c, 0, false), 0);
	assert_int_equal(pl_pair_claim(&seg, c, a, 0, false), 0);
	assert_int_equal(pl_pair_claim(&seg, b, c, 0, false), 0);
	assert_int_equal(pl_pair_claim(&seg, c, b, 0, false), 0);
	assert_int_equal(pl_get(&tc->pair), 0);
	assert_int_equal(pl_pair_count_on(&seg, 0), 0);
}

static void test_claim_refuses_what_is_no_task(void **state)
{
	assert_int_equal(pl_pair_claim(&seg, a, 0, 0, false), 0);
	assert_int_equal(pl_pair_claim(&seg, 0, b, 0, false), 0);
	assert_int_equal(pl_pair_claim(&seg, a, b + (1u << PL_TASK_BITS), 0, false), 0);
	assert_int_equal(pl_pair_claim(&seg, a, UINT32_MAX, 0, false), 0);
	assert_int_equal(pl_pair_claim(&seg, a, a, 0, false), 0); /* with itself */
	assert_int_equal(pl_get(&ta->pair), 0);
	assert_int_equal(pl_get(&tb->pair), 0);
	assert_no_slot_taken();
}

static void test_table_full(void **state)
{
	for (uint32_t i = 0; i < PL_NR_PAIRS; i++)
		claim(new_task(100 + 2 * i), new_task(101 + 2 * i));
	assert_int_equal(pl_pair_claim(&seg, a, b, 0, false), 0);
	assert_int_equal(pl_get(&ta->pair), 0);
	assert_int_equal(pl_get(&tb->pair), 0);
	/* One slot given back is enough. */
	assert_true(pl_pair_release(&seg, &seg.pair[5], PL_REASON_EXIT));
	assert_int_equal(pl_pair_claim(&seg, a, b, 0, false), 0);
	pl_pair_free(&seg, &seg.pair[5]);
	assert_ptr_equal(claim(a, b), &seg.pair[5]);
}

static void test_command(void **state)
{
	struct pl_pair *p = claim(a, b);
	uint32_t before = pl_get(&p->command), bound, wide;

	pl_pair_command(p, false); /* wide already */
	assert_int_equal(pl_get(&p->command), before);
	pl_pair_command(p, true);
	bound = pl_get(&p->command);
	assert_int_equal(bound & 1, 1);
	pl_pair_command(p, true);
	assert_int_equal(pl_get(&p->command), bound);
	pl_pair_command(p, false);
	wide = pl_get(&p->command);
	assert_int_equal(wide & 1, 0);
	/* Every order is told apart from all before it. */
	assert_int_not_equal(wide, before);
	pl_pair_command(p, true);
	assert_int_equal(pl_get(&p->command) & 1, 1);
	assert_int_not_equal(pl_get(&p->command), bound);
}

static void test_command_of_the_next_pair_differs(void **state)
{
	struct pl_pair *p = claim(a, b);
	uint32_t last;

	pl_pair_command(p, true);
	pl_pair_release(&seg, p, PL_REASON_VERIFY);
	last = pl_get(&p->command);
	pl_pair_free(&seg, p);
	assert_ptr_equal(claim(a, b), p);
	assert_int_equal(pl_get(&p->command) & 1, 0);
	assert_int_not_equal(pl_get(&p->command), last);
}

static void test_release(void **state)
{
	struct pl_pair *p = claim(a, b);
	uint32_t bound;

	pl_pair_command(p, true);
	bound = pl_get(&p->command);
	assert_true(pl_pair_release(&seg, p, PL_REASON_AFFINITY));
	assert_int_equal(pl_get(&p->state), PL_PAIR_RELEASED);
	assert_false(pl_pair_is_live(p));
	assert_int_equal(pl_get(&p->reason), PL_REASON_AFFINITY);
	assert_int_equal(pl_get(&p->command) & 1, 0);
	assert_int_not_equal(pl_get(&p->command), bound);
	/* The first reason stays. */
	assert_false(pl_pair_release(&seg, p, PL_REASON_EXIT));
	assert_int_equal(pl_get(&p->reason), PL_REASON_AFFINITY);
}

static void test_release_of_a_free_slot(void **state)
{
	assert_false(pl_pair_release(&seg, &seg.pair[0], PL_REASON_OFF));
	assert_no_slot_taken();
}

static void test_release_wins_over_a_later_command(void **state)
{
	struct pl_pair *p = claim(a, b);
	uint32_t wide;

	pl_pair_release(&seg, p, PL_REASON_OFF);
	wide = pl_get(&p->command);
	pl_pair_command(p, true);
	assert_int_equal(pl_get(&p->command), wide);
	pl_pair_held(&seg, p, false);
	assert_int_equal(pl_get(&p->state), PL_PAIR_RELEASED);
}

static void test_held(void **state)
{
	struct pl_pair *p = claim(a, b);

	pl_pair_held(&seg, p, false);
	assert_int_equal(pl_get(&p->state), PL_PAIR_HELD);
	assert_true(pl_pair_is_live(p));
	assert_true(pl_pair_release(&seg, p, PL_REASON_NO_TURN));
	assert_int_equal(pl_get(&p->state), PL_PAIR_RELEASED);
}

static void test_keeper_frees(void **state)
{
	struct pl_pair *p = claim(a, b);

	pl_pair_release(&seg, p, PL_REASON_EXIT);
	/* Until the keeper frees it, the members are not in another pair. */
	assert_int_equal(pl_pair_claim(&seg, a, c, 0, false), 0);
	pl_pair_free(&seg, p);
	assert_int_equal(pl_get(&p->state), PL_PAIR_FREE);
	assert_int_equal(pl_get(&ta->pair), 0);
	assert_int_equal(pl_get(&tb->pair), 0);
	claim(a, c);
}

static void test_free_leaves_strangers_alone(void **state)
{
	struct pl_pair *p = claim(a, b);
	struct pl_pair *other;
	uint32_t n;

	/* B ended, its slot has a new task, and that one is in another pair. */
	pl_pair_release(&seg, p, PL_REASON_EXIT);
	pl_set(&tb->id, b + (1u << PL_TASK_BITS));
	pl_set(&tb->pair, 0);
	other = claim(c, b + (1u << PL_TASK_BITS));
	n = pl_get(&tb->pair);
	pl_pair_free(&seg, p);
	assert_int_equal(pl_get(&tb->pair), n);
	assert_true(pl_pair_is_live(other));
	assert_int_equal(pl_get(&ta->pair), 0);
}

static void test_count_on(void **state)
{
	struct pl_pair *q;

	claim(a, b);
	assert_int_equal(pl_pair_count_on(&seg, 3), 1);
	assert_int_equal(pl_pair_count_on(&seg, 2), 0);
	q = claim(c, new_task(13));
	assert_int_equal(pl_pair_count_on(&seg, 3), 2);
	pl_pair_release(&seg, q, PL_REASON_OFF);
	assert_int_equal(pl_pair_count_on(&seg, 3), 1);
}

enum { RUN = 77 << PL_RUN_BITS | 5 /* serial 77 in slot 4 */ };

static struct pl_run *open_run(void)
{
	pl_set(&seg.run[4].owner, 999);
	pl_set(&seg.run[4].serial, 77);
	pl_set(&ta->run, RUN);
	return &seg.run[4];
}

static void test_run_join(void **state)
{
	struct pl_run *run = open_run();

	assert_int_equal(pl_run_join(&seg, RUN, 3), RUN);
	assert_int_equal(pl_get(&run->processes), 1);
	assert_int_equal(pl_get(&run->threads), 3);
	assert_int_equal(pl_run_join(&seg, RUN + (1 << PL_RUN_BITS), 1), 0); /* another serial */
	assert_int_equal(pl_run_join(&seg, RUN + 1, 1), 0);		     /* another slot */
	assert_int_equal(pl_run_join(&seg, 0, 1), 0);
	assert_int_equal(pl_run_join(&seg, UINT32_MAX, 1), 0);
	assert_int_equal(pl_get(&run->processes), 1);
	assert_int_equal(pl_get(&run->threads), 3);
	pl_set(&run->owner, 0); /* nobody reports any more */
	assert_int_equal(pl_run_join(&seg, RUN, 1), 0);
}

static void test_run_logs_a_pair(void **state)
{
	struct pl_run *run = open_run();
	struct pl_pair *p = claim(a, b);
	struct pl_pair_record *rec = &run->log[0];

	assert_int_equal(pl_get(&run->entered), 1);
	assert_int_equal(pl_get(&run->held), 0);
	assert_int_equal(pl_get(&rec->tid[0]), 1010);
	assert_int_equal(pl_get(&rec->tid[1]), 1011);
	assert_true(pl_get(&rec->formed_ns) > 0);

	pl_set(&p->rate_off, 20000);
	pl_set(&p->rate_on, 300000);
	pl_pair_held(&seg, p, false);
	assert_int_equal(pl_get(&run->held), 1);
	assert_int_equal(pl_get(&rec->held), 1);
	assert_true(pl_get(&rec->held_ns) >= pl_get(&rec->formed_ns));

	/* Released twice: counted once, under the first reason. */
	pl_pair_release(&seg, p, PL_REASON_NO_TURN);
	pl_pair_release(&seg, p, PL_REASON_EXIT);
	assert_int_equal(pl_get(&run->released[PL_REASON_NO_TURN]), 1);
	assert_int_equal(pl_get(&run->released[PL_REASON_EXIT]), 0);
	assert_int_equal(pl_get(&rec->reason), PL_REASON_NO_TURN);
	assert_int_equal(pl_get(&rec->rate_off), 20000);
	assert_int_equal(pl_get(&rec->rate_on), 300000);
	assert_true(pl_get(&rec->ended_ns) >= pl_get(&rec->held_ns));
	/* A late verdict changes nothing. */
	pl_pair_held(&seg, p, false);
	assert_int_equal(pl_get(&run->held), 1);
}

static void test_run_of_one_pair_is_not_the_next_ones(void **state)
{
	struct pl_run *run = open_run();
	struct pl_pair *p = claim(a, b);

	pl_pair_release(&seg, p, PL_REASON_VERIFY);
	pl_pair_free(&seg, p);
	pl_set(&ta->run, 0);
	assert_ptr_equal(claim(a, b), p);
	pl_pair_release(&seg, p, PL_REASON_EXIT);
	assert_int_equal(pl_get(&run->entered), 1);
	assert_int_equal(pl_get(&run->released[PL_REASON_EXIT]), 0);
	assert_int_equal(pl_get(&run->log[0].reason), PL_REASON_VERIFY);
}

static void test_full_log_still_counts(void **state)
{
	struct pl_run *run = open_run();

	for (uint32_t i = 0; i < PL_RUN_LOG + 3; i++) {
		struct pl_pair *p = claim(a, b);

		pl_pair_release(&seg, p, PL_REASON_BUSY);
		pl_pair_free(&seg, p);
	}
	assert_int_equal(pl_get(&run->entered), PL_RUN_LOG + 3);
	assert_int_equal(pl_get(&run->released[PL_REASON_BUSY]), PL_RUN_LOG + 3);
}

static void test_run_adds_a_task(void **state)
{
	struct pl_run *run = open_run();

	pl_set(&ta->con, 10);
	pl_set(&ta->pub, 20);
	pl_set(&ta->nr_binds, 3);
	pl_run_add_task(run, ta);
	pl_run_add_task(run, ta);
	assert_int_equal(pl_get(&run->tasks), 2);
	assert_int_equal(pl_get(&run->turns), 20);
	assert_int_equal(pl_get(&run->published), 40);
	assert_int_equal(pl_get(&run->binds), 6);
}

static void test_every_reason_has_a_name(void **state)
{
	for (uint32_t r = 0; r < PL_REASON_NR; r++) {
		assert_non_null(pl_reason_name(r));
		for (uint32_t q = 0; q < r; q++)
			assert_string_not_equal(pl_reason_name(r), pl_reason_name(q));
	}
	assert_string_equal(pl_reason_name(PL_REASON_NR), pl_reason_name(PL_REASON_NONE));
	assert_string_equal(pl_reason_name(UINT32_MAX), pl_reason_name(PL_REASON_NONE));
}

/* Not tried again for 1, 2, 4 .. 64 s, and from the start with another partner. */
static void test_back_off(void **state)
{
	for (int i = 0; i < 9; i++) {
		uint64_t step = PL_NS_PER_S << (i < 6 ? i : 6), before = pl_now_ns();
		struct pl_pair *p = claim(a, b);

		pl_pair_release(&seg, p, PL_REASON_VERIFY);
		pl_pair_free(&seg, p);
		assert_int_equal(pl_get(&ta->fail_partner), b);
		assert_int_equal(pl_get(&tb->fail_partner), a);
		assert_true(pl_get(&ta->retry_ns) >= before + step);
		assert_true(pl_get(&ta->retry_ns) <= pl_now_ns() + step);
	}
	pl_pair_release(&seg, claim(a, c), PL_REASON_VERIFY);
	assert_int_equal(pl_get(&ta->fail_partner), c);
	assert_true(pl_get(&ta->retry_ns) <= pl_now_ns() + PL_NS_PER_S);
}

/* Races. Each round starts both threads at a barrier; the main thread checks between two rounds. */
enum { ROUNDS = 3000 };
static pthread_barrier_t barrier;
static struct helper_failure failure;
static struct pl_pair *contended;
static _Atomic uint32_t nr_won;

static void *releaser(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&barrier);
		if (pl_pair_release(&seg, contended, PL_REASON_EXIT))
			atomic_fetch_add(&nr_won, 1);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void *commander(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&barrier);
		for (int j = 0; j < 8; j++)
			pl_pair_command(contended, j % 2 == 0);
		pl_pair_command(contended, true);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void *claimer(void *arg)
{
	bool first = arg != NULL;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&barrier);
		if (pl_pair_claim(&seg, first ? a : c, b, 0, false))
			atomic_fetch_add(&nr_won, 1);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void *first_claimer(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&barrier);
		pl_pair_claim(&seg, a, b, 0, false);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

/* What the end of B does: whatever pair B is in is released. */
static void *member_exit(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct pl_pair *p;

		pthread_barrier_wait(&barrier);
		do {
			p = pl_seg_pair(&seg, pl_get(&tb->pair));
		} while (!p);
		if (pl_pair_release(&seg, p, PL_REASON_EXIT))
			atomic_fetch_add(&nr_won, 1);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void race(void *(*one)(void *), void *(*other)(void *), void (*before)(void),
		 void (*after)(void))
{
	pthread_t t[2];

	memset(&failure, 0, sizeof(failure));
	pthread_barrier_init(&barrier, NULL, 3);
	before(); /* the first round's state, also when a thread is quick */
	assert_int_equal(pthread_create(&t[0], NULL, one, &seg), 0);
	assert_int_equal(pthread_create(&t[1], NULL, other, NULL), 0);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
		after();
		before();
	}
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	pthread_barrier_destroy(&barrier);
	helper_assert_no_failure(&failure);
}

static void claim_contended(void)
{
	pl_set(&nr_won, 0);
	contended = pl_seg_pair(&seg, pl_pair_claim(&seg, a, b, 3, false));
	helper_expect(&failure, contended != NULL);
}

static void check_released_once(void)
{
	helper_expect(&failure, pl_get(&nr_won) == 1);
	helper_expect(&failure, pl_get(&contended->state) == PL_PAIR_RELEASED);
	helper_expect(&failure, (pl_get(&contended->command) & 1) == 0);
	pl_pair_free(&seg, contended);
}

static void nothing(void)
{
	pl_set(&nr_won, 0);
}

/* B cannot be in two pairs; both may lose, and then nobody is in one. */
static void check_claims(void)
{
	uint32_t n = pl_get(&tb->pair);

	helper_expect(&failure, pl_get(&nr_won) == (n != 0));
	helper_expect(&failure, (pl_get(&ta->pair) != 0) + (pl_get(&tc->pair) != 0) == (n != 0));
	for (uint32_t i = 0; i < PL_NR_PAIRS; i++)
		helper_expect(&failure, pl_pair_is_live(&seg.pair[i]) == (i + 1 == n));
	if (n) {
		pl_pair_release(&seg, &seg.pair[n - 1], PL_REASON_EXIT);
		pl_pair_free(&seg, &seg.pair[n - 1]);
	}
}

static void check_released(void)
{
	struct pl_pair *p = pl_seg_pair(&seg, pl_get(&tb->pair));

	helper_expect(&failure, pl_get(&nr_won) == 1);
	helper_expect(&failure, !p || !pl_pair_is_live(p));
	if (p) {
		pl_pair_release(&seg, p, PL_REASON_EXIT);
		pl_pair_free(&seg, p);
	}
}

static void test_racing_releases_count_once(void **state)
{
	struct pl_run *run = open_run();

	race(releaser, releaser, claim_contended, check_released_once);
	assert_int_equal(pl_get(&run->released[PL_REASON_EXIT]), ROUNDS);
}

static void test_racing_command_and_release(void **state)
{
	race(commander, releaser, claim_contended, check_released_once);
}

static void test_racing_claims(void **state)
{
	race(claimer, claimer, nothing, check_claims);
}

static void test_racing_claim_and_member_exit(void **state)
{
	struct pl_run *run = open_run();

	race(first_claimer, member_exit, nothing, check_released);
	assert_int_equal(pl_get(&run->entered), ROUNDS);
	assert_int_equal(pl_get(&run->released[PL_REASON_EXIT]), ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_claim, setup),
		cmocka_unit_test_setup(test_claim_refuses_a_paired_task, setup),
		cmocka_unit_test_setup(test_claim_refuses_what_is_no_task, setup),
		cmocka_unit_test_setup(test_table_full, setup),
		cmocka_unit_test_setup(test_command, setup),
		cmocka_unit_test_setup(test_command_of_the_next_pair_differs, setup),
		cmocka_unit_test_setup(test_release, setup),
		cmocka_unit_test_setup(test_release_of_a_free_slot, setup),
		cmocka_unit_test_setup(test_release_wins_over_a_later_command, setup),
		cmocka_unit_test_setup(test_held, setup),
		cmocka_unit_test_setup(test_keeper_frees, setup),
		cmocka_unit_test_setup(test_free_leaves_strangers_alone, setup),
		cmocka_unit_test_setup(test_count_on, setup),
		cmocka_unit_test_setup(test_run_join, setup),
		cmocka_unit_test_setup(test_run_logs_a_pair, setup),
		cmocka_unit_test_setup(test_run_of_one_pair_is_not_the_next_ones, setup),
		cmocka_unit_test_setup(test_full_log_still_counts, setup),
		cmocka_unit_test_setup(test_run_adds_a_task, setup),
		cmocka_unit_test(test_every_reason_has_a_name),
		cmocka_unit_test_setup(test_back_off, setup),
		cmocka_unit_test_setup(test_racing_releases_count_once, setup),
		cmocka_unit_test_setup(test_racing_command_and_release, setup),
		cmocka_unit_test_setup(test_racing_claims, setup),
		cmocka_unit_test_setup(test_racing_claim_and_member_exit, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
