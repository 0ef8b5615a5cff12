// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// A process of the same user writes nonsense all over the segment while programs hand work over in
// it: their results are right, they end, and soon after it stopped nobody keeps a narrowed mask.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>

#include "preload/pingpong.h"

enum { PLAY_MS = 4000, CALM_MS = 5000 };

static char start_list[256];

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Words that are worth trying: near ids, pids and masks that mean something, or anything. */
static uint32_t nasty_word(uint32_t *random)
{
	switch (next_random(random) % 8) {
	case 0:
		return 0;
	case 1:
		return UINT32_MAX;
	case 2:
		return next_random(random) % 200;
	case 3:
		return (uint32_t)getppid();
	case 4:
		return 1u << next_random(random) % 32;
	default:
		return next_random(random) << 8 ^ next_random(random);
	}
}

/* The peer: for ever, in bursts, so that the others come to do something between them. */
static void scribble(struct pl_segment *seg, uint32_t seed)
{
	struct timespec ts = {.tv_nsec = 300000};
	size_t task = offsetof(struct pl_segment, task) / 4, nr_words = sizeof(*seg) / 4;
	_Atomic uint32_t *word = (_Atomic uint32_t *)(void *)seg;
	uint32_t random = seed;

	for (;;) {
		for (int i = 0; i < 400; i++) {
			size_t at = next_random(&random);

			/* Half of it where the pairs and the first tasks are, after the head. */
			if (i % 2)
				at = i % 4 == 1 ? task + at % (300 * sizeof(struct pl_task) / 4)
						: offsetof(struct pl_segment, pair) / 4 +
							  at % (sizeof(seg->pair) / 4);
			else
				at = 2 + at % (nr_words - 2);
			atomic_store_explicit(&word[at], nasty_word(&random), memory_order_relaxed);
		}
		nanosleep(&ts, NULL);
	}
}

static pid_t start_scribbler(uint32_t seed)
{
	pid_t pid;
	struct pl_segment *seg = own_segment();

	assert_non_null(seg);
	pid = fork();
	if (pid == 0) {
		scribble(seg, seed);
		_exit(0);
	}
	return pid;
}

static bool all_wide(void *arg)
{
	struct pingpong **pp = arg;

	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++)
			if (!mask_is(pp[i]->side[k].tid, start_list))
				return false;
	return mask_is(getpid(), start_list);
}

static bool pair_is_wide(void *arg)
{
	struct pingpong *pp = arg;

	return mask_is(pp->side[0].tid, start_list) && mask_is(pp->side[1].tid, start_list);
}

static bool segment_is_there(void *arg)
{
	return own_segment() != NULL;
}

static bool goes_on(void *arg)
{
	struct pingpong_side *side = arg;
	uint64_t rounds = side->rounds;

	own_pause_ms(10);
	return side->rounds > rounds;
}

/* Once calm, a pair may well be held again: what must not be is one that nobody can end. */
static void it_does_no_more_than_place_wrongly(void **state)
{
	struct pingpong *pp[2] = {pingpong_new(), pingpong_new()};
	pid_t peer;
	int status;
	bool wide;

	pp[1]->processes = true;
	pingpong_start(pp[1]);
	pingpong_start(pp[0]);
	assert_true(own_poll(segment_is_there, NULL, 10000));
	peer = start_scribbler(1);
	for (int64_t until = own_now_ms() + PLAY_MS; own_now_ms() < until; own_pause_ms(20))
		;
	kill(peer, SIGKILL);
	waitpid(peer, &status, 0);
	/* Switched off, all must become wide, whatever the segment says. */
	pl_set(&own_segment()->off_all, 1);
	wide = own_poll(all_wide, pp, CALM_MS);
	pl_set(&own_segment()->off_all, 0);
	if (!wide) {
		for (int i = 0; i < 2; i++)
			for (int k = 0; k < 2; k++) {
				char list[256];

				mask_list(pp[i]->side[k].tid, list, sizeof(list));
				print_error("pair %d side %d: CPUs %s\n", i, k, list);
			}
		fail();
	}
	for (int i = 0; i < 2; i++)
		assert_true(own_poll(goes_on, &pp[i]->side[0], 10000));
	assert_int_equal(pingpong_stop(pp[0]), 0);
	assert_int_equal(pingpong_stop(pp[1]), 0);
	for (int i = 0; i < 2; i++)
		helper_assert_no_failure(&pp[i]->failure);
}

/* One lie each about a held pair; then the pair is switched off. */
enum lie {
	NOT_BOUND,
	NO_PAIR,
	OTHER_PAIR,
	NO_ID,
	OTHER_TID,
	PAIR_FREE,
	OTHER_CPU,
	ONE_CPU_OWNED,
	PINNED
};

static void tell(struct pl_segment *seg, struct pl_task *t, enum lie lie)
{
	struct pl_pair *p = pl_seg_pair(seg, pl_get(&t->pair));

	switch (lie) {
	case NOT_BOUND:
		pl_set(&t->bound, 0);
		break;
	case NO_PAIR:
		pl_set(&t->pair, 0);
		break;
	case OTHER_PAIR:
		pl_set(&t->pair, PL_NR_PAIRS);
		break;
	case NO_ID:
		pl_set(&t->id, 0);
		break;
	case OTHER_TID:
		pl_set(&t->tid, 1);
		break;
	case PAIR_FREE:
		if (p)
			pl_set(&p->state, PL_PAIR_FREE);
		break;
	case OTHER_CPU:
		if (p)
			pl_set(&p->cpu[0], pl_get(&p->cpu[0]) ^ 1);
		break;
	case ONE_CPU_OWNED:
		for (int i = 0; p && i < 2; i++) {
			pl_cpumask_zero(&p->own[i]);
			pl_cpumask_add(&p->own[i], (int)pl_get(&p->cpu[i]));
			pl_set(&p->narrowed[i], 1);
		}
		break;
	case PINNED:
		pl_set(&t->pinned, 1);
		break;
	}
}

static void lie_about(enum lie lie, bool processes)
{
	struct pingpong *pp = pingpong_new();
	struct pl_segment *seg;
	bool wide = true;

	pp->processes = processes;
	pingpong_start(pp);
	if (pingpong_wait_held(pp)) {
		seg = own_segment();
		for (int i = 0; i < 2; i++) {
			struct pl_task *t = pingpong_task(seg, &pp->side[i]);

			if (t)
				tell(seg, t, lie);
		}
		pl_set(&seg->off_all, 1);
		wide = own_poll(pair_is_wide, pp, CALM_MS);
		pl_set(&seg->off_all, 0);
	}
	assert_int_equal(pingpong_stop(pp), 0);
	helper_assert_no_failure(&pp->failure);
	assert_true(wide);
}

#define LIE(name, lie)                                                                             \
	static void name(void **state)                                                             \
	{                                                                                          \
		lie_about(lie, false);                                                             \
		lie_about(lie, true);                                                              \
	}

LIE(threads_said_to_be_wide_become_wide, NOT_BOUND)
LIE(threads_said_to_be_in_no_pair_become_wide, NO_PAIR)
LIE(threads_said_to_be_in_another_pair_become_wide, OTHER_PAIR)
LIE(threads_whose_slot_is_taken_away_become_wide, NO_ID)
LIE(threads_given_another_id_become_wide, OTHER_TID)
LIE(threads_of_a_pair_said_to_be_free_become_wide, PAIR_FREE)
LIE(threads_of_a_pair_moved_to_another_cpu_become_wide, OTHER_CPU)
LIE(threads_said_to_own_one_cpu_become_wide, ONE_CPU_OWNED)
LIE(threads_said_to_be_pinned_become_wide, PINNED)

/* Programs that start and end amid it. */
static int play(void)
{
	for (int processes = 0; processes < 2; processes++) {
		struct pingpong *pp = pingpong_new();

		pp->processes = processes;
		pingpong_start(pp);
		own_pause_ms(150);
		if (pingpong_stop(pp) != 0 || pp->failure.taken)
			return 1;
	}
	return puts("done") < 0;
}

static void programs_start_and_end_amid_it(void **state)
{
	const char *argv[] = {"/proc/self/exe", "play", NULL};
	pid_t peer;

	assert_true(own_poll(segment_is_there, NULL, 10000));
	peer = start_scribbler(2);
	for (int i = 0; i < 10; i++) {
		struct helper_child c = {.argv = argv};
		int ret = helper_child_run(&c);

		if (ret != 0 || c.err_len || strcmp(c.out, "done\n") != 0) {
			kill(peer, SIGKILL);
			waitpid(peer, NULL, 0);
			print_error("round %d: %s, wrote '%s' and '%s', status %#x\n", i,
				    strerror(-ret), c.out, c.err, c.status);
			fail();
		}
		helper_child_free(&c);
	}
	kill(peer, SIGKILL);
	waitpid(peer, NULL, 0);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, pingpong_end)
	static const struct CMUnitTest tests[] = {
		TEST(threads_said_to_be_wide_become_wide),
		TEST(threads_said_to_be_in_no_pair_become_wide),
		TEST(threads_said_to_be_in_another_pair_become_wide),
		TEST(threads_whose_slot_is_taken_away_become_wide),
		TEST(threads_given_another_id_become_wide),
		TEST(threads_of_a_pair_said_to_be_free_become_wide),
		TEST(threads_of_a_pair_moved_to_another_cpu_become_wide),
		TEST(threads_said_to_own_one_cpu_become_wide),
		TEST(threads_said_to_be_pinned_become_wide),
		TEST(it_does_no_more_than_place_wrongly),
		TEST(programs_start_and_end_amid_it),
	};

	if (argc > 1)
		return play();
	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	mask_list(getpid(), start_list, sizeof(start_list));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
