// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Finding the shared segment: who meets in it, what is refused, what happens without one. Runs in
// an IPC namespace of its own, so that no running libplace of this user notices.
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "domain/segment.h"
#include "helper/helper.h"

#define WHOLE sizeof(struct pl_segment)

enum {
	PROBES = 8, /* keys that a joiner tries */
	NOBODY = 65534,
};

static bool isolated;

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

static int isolate(void **state)
{
	char map[64];
	unsigned int uid = geteuid();

	if (unshare(CLONE_NEWIPC) == 0) {
		isolated = true;
		return 0;
	}
	snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	isolated =
		unshare(CLONE_NEWUSER | CLONE_NEWIPC) == 0 && write_file("/proc/self/uid_map", map);
	return 0;
}

/* Each test starts with no segment at all. */
static int empty_namespace(void **state)
{
	struct shm_info info;
	struct shmid_ds ds;
	int highest;

	if (!isolated)
		return 0;
	highest = shmctl(0, SHM_INFO, (struct shmid_ds *)&info);
	for (int i = 0; i <= highest; i++) {
		int id = shmctl(i, SHM_STAT, &ds);

		if (id >= 0)
			shmctl(id, IPC_RMID, NULL);
	}
	return 0;
}

static bool is_isolated(void)
{
	if (!isolated)
		helper_skipped("no IPC namespace of our own");
	return isolated;
}

static struct shmid_ds stat_of(int id)
{
	struct shmid_ds ds;

	assert_return_code(shmctl(id, IPC_STAT, &ds), errno);
	return ds;
}

static struct pl_segment *join(int *id)
{
	struct pl_segment *seg = NULL;

	*id = pl_segment_join(&seg);
	assert_true(*id >= 0);
	assert_non_null(seg);
	return seg;
}

static struct pl_segment *join_shared(int *id)
{
	struct pl_segment *seg = join(id);

	assert_int_not_equal(*id, PL_SEGMENT_PRIVATE);
	return seg;
}

/* The key that a joiner tries first; the segment that told is gone again. */
static key_t next_key(void)
{
	int id;
	struct pl_segment *seg = join_shared(&id);
	key_t key = stat_of(id).shm_perm.__key;

	pl_segment_leave(seg, id);
	assert_return_code(shmctl(id, IPC_RMID, NULL), errno);
	return key;
}

/* A child of fork ends with the value of FN; 0 is success. */
static int in_child(int (*fn)(void *), void *arg)
{
	int status;
	pid_t pid = fork();

	assert_return_code(pid, errno);
	if (pid == 0)
		_exit(fn(arg));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* A joiner meets nobody in the segment ID that lies at KEY, leaves it as it is and goes on to the
 * next key. */
static void assert_not_used(int id, key_t key)
{
	int other;
	struct pl_segment *seg = join_shared(&other);

	assert_int_not_equal(other, id);
	assert_int_not_equal(stat_of(other).shm_perm.__key, key);
	assert_int_equal(stat_of(other).shm_segsz, WHOLE);
	assert_int_equal(stat_of(id).shm_nattch, 0);
	pl_segment_leave(seg, other);
}

static void test_new_segment(void **state)
{
	static const struct pl_segment empty;
	struct pl_segment *seg;
	struct shmid_ds ds;
	int id;

	if (!is_isolated())
		return;
	seg = join_shared(&id);
	ds = stat_of(id);
	assert_int_equal(ds.shm_perm.mode & 0777, 0600);
	assert_int_equal(ds.shm_segsz, WHOLE);
	assert_int_not_equal(ds.shm_perm.__key, IPC_PRIVATE);
	assert_true(pl_get(&seg->magic) == (PL_MAGIC | PL_LAYOUT));
	pl_set(&seg->magic, 0);
	assert_memory_equal(seg, &empty, WHOLE);
	pl_segment_leave(seg, id);
}

static void test_joining_twice(void **state)
{
	struct pl_segment *one, *two;
	int id, id2;

	if (!is_isolated())
		return;
	one = join_shared(&id);
	two = join_shared(&id2);
	assert_int_equal(id, id2);
	assert_ptr_not_equal(one, two); /* a mapping for each joiner */
	pl_set(&one->task_high, 42);
	assert_int_equal(pl_get(&two->task_high), 42);
	pl_segment_leave(one, id);
	assert_int_equal(pl_get(&two->task_high), 42);
	pl_segment_leave(two, id);
	/* It outlives its members. */
	one = join_shared(&id2);
	assert_int_equal(id, id2);
	assert_int_equal(pl_get(&one->task_high), 42);
	pl_segment_leave(one, id);
}

static int answer(void *arg)
{
	struct pl_segment *seg = NULL;
	int id = pl_segment_join(&seg);

	if (id != *(int *)arg || pl_get(&seg->doorbell) != 4711)
		return 1;
	pl_set(&seg->doorbell, 4712);
	return 0;
}

static void test_two_processes_meet(void **state)
{
	struct pl_segment *seg;
	int id;

	if (!is_isolated())
		return;
	seg = join_shared(&id);
	pl_set(&seg->doorbell, 4711);
	assert_int_equal(in_child(answer, &id), 0);
	assert_int_equal(pl_get(&seg->doorbell), 4712);
	pl_segment_leave(seg, id);
}

static void test_leave_unmaps(void **state)
{
	struct pl_segment *seg;
	unsigned char in_core;
	int id;

	if (!is_isolated())
		return;
	seg = join_shared(&id);
	assert_int_equal(stat_of(id).shm_nattch, 1);
	pl_segment_leave(seg, id);
	assert_int_equal(stat_of(id).shm_nattch, 0);
	assert_int_equal(mincore(seg, 1, &in_core), -1);
	assert_int_equal(errno, ENOMEM);
}

static void test_wrong_size(void **state)
{
	const size_t sizes[] = {4096, WHOLE - 4096, WHOLE + 4096, 2 * WHOLE};

	if (!is_isolated())
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(sizes); i++) {
		key_t key = next_key();
		int id = shmget(key, sizes[i], IPC_CREAT | IPC_EXCL | 0600);

		assert_return_code(id, errno);
		assert_not_used(id, key);
		empty_namespace(NULL);
	}
}

static void test_wrong_mode(void **state)
{
	const int modes[] = {0666, 0660, 0606, 0400, 0};

	if (!is_isolated())
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(modes); i++) {
		key_t key = next_key();
		int id = shmget(key, WHOLE, IPC_CREAT | IPC_EXCL | modes[i]);

		assert_return_code(id, errno);
		assert_not_used(id, key);
		empty_namespace(NULL);
	}
}

static int create_as_nobody(void *arg)
{
	if (syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY) != 0)
		return 1;
	return shmget(*(key_t *)arg, WHOLE, IPC_CREAT | IPC_EXCL | 0600) < 0;
}

static void test_foreign_creator(void **state)
{
	key_t key;
	int id;

	if (!is_isolated())
		return;
	key = next_key();
	if (geteuid() != 0 || in_child(create_as_nobody, &key) != 0) {
		helper_skipped("cannot become another user");
		return;
	}
	id = shmget(key, 0, 0); /* root may */
	assert_return_code(id, errno);
	assert_not_used(id, key);
}

/* Made by us, then handed on: the new owner could change mode and contents at will. */
static void test_foreign_owner(void **state)
{
	struct shmid_ds ds;
	key_t key;
	int id;

	if (!is_isolated())
		return;
	key = next_key();
	id = shmget(key, WHOLE, IPC_CREAT | IPC_EXCL | 0600);
	assert_return_code(id, errno);
	ds = stat_of(id);
	ds.shm_perm.uid = NOBODY;
	if (shmctl(id, IPC_SET, &ds) != 0) {
		helper_skipped("cannot give the segment to another user");
		return;
	}
	assert_not_used(id, key);
}

static void test_foreign_layout(void **state)
{
	struct pl_segment *seg;
	key_t key;
	int id;

	if (!is_isolated())
		return;
	key = next_key();
	id = shmget(key, WHOLE, IPC_CREAT | IPC_EXCL | 0600);
	assert_return_code(id, errno);
	seg = shmat(id, NULL, 0);
	assert_ptr_not_equal(seg, MAP_FAILED);
	pl_set(&seg->magic, PL_MAGIC | (PL_LAYOUT + 1));
	assert_return_code(shmdt(seg), errno);
	assert_not_used(id, key);
	seg = shmat(id, NULL, SHM_RDONLY);
	assert_true(pl_get(&seg->magic) == (PL_MAGIC | (PL_LAYOUT + 1)));
	assert_return_code(shmdt(seg), errno);
}

static void assert_private_works(struct pl_segment *seg, int id)
{
	unsigned char in_core;

	assert_int_equal(id, PL_SEGMENT_PRIVATE);
	assert_true(pl_get(&seg->magic) == (PL_MAGIC | PL_LAYOUT));
	pl_set(&seg->task[PL_NR_TASKS - 1].id, 1);
	assert_false(pl_segment_is_gone(id));
	pl_segment_leave(seg, id);
	assert_int_equal(mincore(seg, 1, &in_core), -1);
}

static void test_all_keys_squatted(void **state)
{
	struct pl_segment *seg;
	int id;

	if (!is_isolated())
		return;
	for (int i = 0; i < PROBES; i++)
		assert_return_code(shmget(next_key(), 4096, IPC_CREAT | IPC_EXCL | 0600), errno);
	seg = join(&id);
	assert_private_works(seg, id);
}

/* In a child, where shmget answers the error at ARG: 0 when joining ends in private memory. */
static int join_without_shm(void *arg)
{
	uint32_t error = *(const uint32_t *)arg;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_shmget, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {.len = PL_ARRAY_SIZE(code), .filter = code};
	struct pl_segment *seg = NULL;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		return 77;
	if (pl_segment_join(&seg) != PL_SEGMENT_PRIVATE || !seg)
		return 1;
	pl_set(&seg->task[PL_NR_TASKS - 1].id, 1);
	return 0;
}

static void test_no_sysv_memory(void **state)
{
	uint32_t errors[] = {ENOSYS, EPERM, EACCES, ENOSPC, ENOMEM, EINVAL};

	for (size_t i = 0; i < PL_ARRAY_SIZE(errors); i++) {
		int ret = in_child(join_without_shm, &errors[i]);

		if (ret == 77) {
			helper_skipped("no seccomp");
			return;
		}
		assert_int_equal(ret, 0);
	}
}

static void test_removal_is_noticed(void **state)
{
	struct pl_segment *old, *new;
	int id, id2;

	if (!is_isolated())
		return;
	old = join_shared(&id);
	assert_false(pl_segment_is_gone(id));
	assert_return_code(shmctl(id, IPC_RMID, NULL), errno);
	assert_true(pl_segment_is_gone(id));
	/* Who is in it still may be; who comes now is elsewhere. */
	pl_set(&old->task_high, 1);
	new = join_shared(&id2);
	assert_int_not_equal(id, id2);
	assert_int_equal(pl_get(&new->task_high), 0);
	assert_false(pl_segment_is_gone(id2));
	pl_segment_leave(old, id);
	assert_true(pl_segment_is_gone(id));
	pl_segment_leave(new, id2);
}

/* Whatever number stands in a field, the accessors give a slot inside the segment, or none. */
static void test_accessors_refuse_nonsense(void **state)
{
	const uint32_t numbers[] = {PL_NR_TASKS, PL_NR_QUEUES, 0x7fffffff, 0x80000000, UINT32_MAX};
	const pl_task_id id = 9u << PL_TASK_BITS | 5;
	static struct pl_segment seg;

	assert_null(pl_seg_task(&seg, 0));
	assert_null(pl_seg_pair(&seg, 0));
	assert_null(pl_seg_run(&seg, 0));
	assert_null(pl_seg_proc(&seg, 0));
	for (size_t i = 0; i < PL_ARRAY_SIZE(numbers); i++) {
		assert_null(pl_seg_task(&seg, numbers[i]));
		assert_null(pl_seg_pair(&seg, numbers[i]));
		assert_null(pl_seg_run(&seg, numbers[i]));
		assert_null(pl_seg_proc(&seg, numbers[i]));
	}
	assert_ptr_equal(pl_seg_pair(&seg, PL_NR_PAIRS), &seg.pair[PL_NR_PAIRS - 1]);
	assert_null(pl_seg_pair(&seg, PL_NR_PAIRS + 1));
	assert_ptr_equal(pl_seg_proc(&seg, PL_NR_PROCS), &seg.proc[PL_NR_PROCS - 1]);
	assert_null(pl_seg_proc(&seg, PL_NR_PROCS + 1));

	pl_set(&seg.task[5].id, id);
	assert_ptr_equal(pl_seg_task(&seg, id), &seg.task[5]);
	assert_null(pl_seg_task(&seg, id + (1u << PL_TASK_BITS))); /* the slot's next task */
	assert_null(pl_seg_task(&seg, 5));
}

static void test_run_of_another_serial_is_none(void **state)
{
	const uint32_t last = 9u << PL_RUN_BITS | PL_NR_RUNS;
	static struct pl_segment seg;
	struct pl_run *run = &seg.run[PL_NR_RUNS - 1];

	pl_set(&run->serial, 9);
	assert_null(pl_seg_run(&seg, last)); /* nobody owns it */
	pl_set(&run->owner, 1);
	assert_ptr_equal(pl_seg_run(&seg, last), run);
	assert_null(pl_seg_run(&seg, last + 1)); /* no such slot */
	assert_null(pl_seg_run(&seg, last + (1u << PL_RUN_BITS)));
	pl_set(&run->serial, 10);
	assert_null(pl_seg_run(&seg, last));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_new_segment, empty_namespace),
		cmocka_unit_test_setup(test_joining_twice, empty_namespace),
		cmocka_unit_test_setup(test_two_processes_meet, empty_namespace),
		cmocka_unit_test_setup(test_leave_unmaps, empty_namespace),
		cmocka_unit_test_setup(test_wrong_size, empty_namespace),
		cmocka_unit_test_setup(test_wrong_mode, empty_namespace),
		cmocka_unit_test_setup(test_foreign_creator, empty_namespace),
		cmocka_unit_test_setup(test_foreign_owner, empty_namespace),
		cmocka_unit_test_setup(test_foreign_layout, empty_namespace),
		cmocka_unit_test_setup(test_all_keys_squatted, empty_namespace),
		cmocka_unit_test(test_no_sysv_memory),
		cmocka_unit_test_setup(test_removal_is_noticed, empty_namespace),
		cmocka_unit_test(test_accessors_refuse_nonsense),
		cmocka_unit_test(test_run_of_another_serial_is_none),
	};

	return cmocka_run_group_tests(tests, isolate, NULL);
}
