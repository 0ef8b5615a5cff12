// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Without SysV shared memory, or with a segment under libplace's key that is not libplace's, a
// program runs as without libplace and says nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "preload/pingpong.h"

enum { PLAY_MS = 500 };

/* Answers system call NR with errno ANSWER from here on, in what is exec'ed, too. */
static int deny(long nr, int answer)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

/* The program: both kinds of a pair, and what it must say. */
static int play(void)
{
	char start[256];

	mask_list(getpid(), start, sizeof(start));
	for (int processes = 0; processes < 2; processes++) {
		struct pingpong *pp = pingpong_new();

		pp->processes = processes;
		pingpong_start(pp);
		own_pause_ms(PLAY_MS);
		if (pingpong_stop(pp) != 0 || pp->failure.taken)
			return 1;
	}
	return !mask_is(getpid(), start) || puts("done") < 0;
}

/* "SYSCALL ERRNO" and then the program itself. */
static int play_denied(const char *nr, const char *answer)
{
	char *const argv[] = {(char[]){"no_shm"}, (char[]){"play"}, NULL};

	if (deny(strtol(nr, NULL, 10), atoi(answer)) != 0)
		return 3;
	execv("/proc/self/exe", argv);
	return 4;
}

static void run(const char *first, const char *nr, const char *answer)
{
	const char *argv[] = {"/proc/self/exe", first, nr, answer, NULL};
	struct helper_child c = {.argv = argv};

	assert_int_equal(helper_child_run(&c), 0);
	assert_string_equal(c.err, "");
	assert_string_equal(c.out, "done\n");
	assert_true(helper_child_exited(&c, 0));
	helper_child_free(&c);
}

static void denied_calls_are_survived(void **state)
{
	static const long nrs[] = {SYS_shmget, SYS_shmat, SYS_shmctl};
	static const int answers[] = {ENOSYS, EPERM, ENOSPC, EACCES};
	char nr[16], answer[16];

	for (unsigned int i = 0; i < sizeof(nrs) / sizeof(nrs[0]); i++)
		for (unsigned int k = 0; k < sizeof(answers) / sizeof(answers[0]); k++) {
			snprintf(nr, sizeof(nr), "%ld", nrs[i]);
			snprintf(answer, sizeof(answer), "%d", answers[k]);
			run("denied", nr, answer);
			own_keeper_end(NULL);
		}
}

/* The key that libplace uses here, from a first run; the segment is removed. */
static key_t find_key(void)
{
	struct shmid_ds ds;
	key_t key;
	int id;

	run("play", NULL, NULL);
	id = own_segment_id();
	assert_true(id >= 0);
	assert_int_equal(shmctl(id, IPC_STAT, &ds), 0);
	key = ds.shm_perm.__key;
	own_keeper_end(NULL);
	assert_int_equal(shmctl(id, IPC_RMID, NULL), 0);
	return key;
}

/* A segment of SIZE and MODE filled with BYTE under libplace's key. */
static void squat(size_t size, int mode, int byte)
{
	key_t key;
	void *at;
	int id;

	assert_true(own_namespace());
	key = find_key();
	id = shmget(key, size, IPC_CREAT | IPC_EXCL | mode);
	assert_true(id >= 0);
	at = shmat(id, NULL, 0);
	assert_ptr_not_equal(at, (void *)-1);
	memset(at, byte, size);
	run("play", NULL, NULL);
	own_keeper_end(NULL);
	shmdt(at);
	shmctl(id, IPC_RMID, NULL);
}

static void a_segment_of_another_size_is_left_alone(void **state)
{
	squat(4096, 0600, 0);
	squat(sizeof(struct pl_segment) + 4096, 0600, 0);
	squat(sizeof(struct pl_segment) - 1, 0600, 0);
}

static void a_segment_of_another_mode_is_left_alone(void **state)
{
	squat(sizeof(struct pl_segment), 0666, 0);
	squat(sizeof(struct pl_segment), 0400, 0);
}

static void a_segment_of_another_layout_is_left_alone(void **state)
{
	squat(sizeof(struct pl_segment), 0600, 0x5a);
	squat(sizeof(struct pl_segment), 0600, 0xff);
}

/* Right head, nonsense behind it: taken, and survived. */
static void a_segment_full_of_nonsense_is_survived(void **state)
{
	struct pl_segment *seg;
	uint32_t random = 1;
	unsigned char *bytes;

	assert_true(own_namespace());
	run("play", NULL, NULL);
	seg = own_segment();
	assert_non_null(seg);
	own_keeper_end(NULL);
	bytes = (unsigned char *)seg + sizeof(seg->magic);
	for (size_t i = 0; i < sizeof(*seg) - sizeof(seg->magic); i++) {
		random = random * 1664525 + 1013904223;
		bytes[i] = (unsigned char)(random >> 24);
	}
	run("play", NULL, NULL);
	pl_set(&seg->keeper_pid, 0);
	run("play", NULL, NULL);
	own_keeper_end(NULL);
}

static void a_segment_that_is_removed_in_use_is_survived(void **state)
{
	struct pingpong *pp = pingpong_new();
	int id;

	assert_true(own_namespace());
	pingpong_start(pp);
	pingpong_wait_held(pp);
	id = own_segment_id();
	if (id >= 0)
		assert_int_equal(shmctl(id, IPC_RMID, NULL), 0);
	pingpong_wait_held(pp);
	assert_int_equal(pingpong_stop(pp), 0);
	helper_assert_no_failure(&pp->failure);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, pingpong_end)
	static const struct CMUnitTest tests[] = {
		TEST(denied_calls_are_survived),
		TEST(a_segment_of_another_size_is_left_alone),
		TEST(a_segment_of_another_mode_is_left_alone),
		TEST(a_segment_of_another_layout_is_left_alone),
		TEST(a_segment_full_of_nonsense_is_survived),
		TEST(a_segment_that_is_removed_in_use_is_survived),
	};

	if (argc == 2)
		return play();
	if (argc == 4)
		return play_denied(argv[2], argv[3]);
	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
