// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Programs that confine themselves or are confined: by a filter of system calls that kills at the
 * first one the program does not make itself, by Landlock, by limits on processes, memory and
 * stacks, without /proc and /sys, as one user after another. Each runs as without libplace, and
 * says nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "helper/baseline.h"
#include "preload/held.h"

enum { PLAY_MS = 400, NR_ROUNDS = 5000 };

/* All that threads and processes need that hand bytes over; whatever else is called kills. */
static const int allowed[] = {
	SYS_read,
	SYS_write,
	SYS_close,
	SYS_pipe2,
	SYS_futex,
	SYS_exit,
	SYS_exit_group,
	SYS_mmap,
	SYS_munmap,
	SYS_mprotect,
	SYS_madvise,
	SYS_brk,
	SYS_clone,
	SYS_clone3,
	SYS_wait4,
	SYS_rt_sigprocmask,
	SYS_gettid,
	SYS_getpid,
	SYS_sched_yield,
	SYS_set_robust_list,
	SYS_rt_sigreturn,
	SYS_restart_syscall,
	SYS_clock_nanosleep,
	SYS_set_tid_address,
	334 /* rseq */,
	SYS_mremap,
	SYS_lseek,
	262 /* newfstatat, by stdio */,
	SYS_fstat,
#ifdef SYS_pipe
	SYS_pipe,
#endif
};

enum { NR_ALLOWED = sizeof(allowed) / sizeof(allowed[0]) };

static int filter(bool by_number, unsigned int flags)
{
	static struct sock_filter code[2 + 2 * NR_ALLOWED];
	struct sock_fprog prog = {.len = 2 + 2 * NR_ALLOWED, .filter = code};
	int n = 0;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (int i = 0; i < NR_ALLOWED; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							 (unsigned int)allowed[i], 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	if (by_number)
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

struct ends {
	int in, out;
};

/* Sends back what comes, NR_ROUNDS times; the other half of exchange(). */
static void *echo(void *arg)
{
	struct ends *e = arg;

	for (int i = 0; i < NR_ROUNDS; i++)
		if (!pingpong_put(e->out, (unsigned char)pingpong_get(e->in)))
			break;
	return NULL;
}

/* Byte after byte with a thread or a child; no call but those that are allowed. */
static bool exchange(bool process)
{
	int there[2], back[2], status = 0;
	struct ends e;
	pthread_t thread;
	pid_t pid = 0;
	bool ok = true;

	if (pipe(there) != 0 || pipe(back) != 0)
		return false;
	e = (struct ends){.in = there[0], .out = back[1]};
	if (process) {
		pid = fork();
		if (pid == 0) {
			echo(&e);
			_exit(0);
		}
	} else if (pthread_create(&thread, NULL, echo, &e) != 0) {
		return false;
	}
	for (int i = 0; i < NR_ROUNDS; i++)
		ok = ok && pingpong_put(there[1], (unsigned char)i) &&
		     pingpong_get(back[0]) == (unsigned char)i;
	if (process)
		ok = waitpid(pid, &status, 0) == pid && status == 0 && ok;
	else
		ok = pthread_join(thread, NULL) == 0 && ok;
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
	return ok;
}

static void *confine(void *arg)
{
	const char *how = arg;
	int ret = strcmp(how, "prctl") == 0
			  ? filter(false, 0)
			  : filter(true, strcmp(how, "all") == 0 ? SECCOMP_FILTER_FLAG_TSYNC : 0);

	return ret == 0 ? arg : NULL;
}

/* Plays, locks itself in while a pair plays, goes on with threads and children in there. */
static int filtered(const char *how)
{
	struct pingpong *pp = pingpong_new();

	pingpong_start(pp);
	for (int64_t until = own_now_ms() + PLAY_MS; own_now_ms() < until; own_pause_ms(2))
		pingpong_coax(pp);
	if (!confine((void *)(uintptr_t)how))
		return 3;
	for (int i = 0; i < 2; i++)
		if (!exchange(false) || !exchange(true))
			return 4;
	if (pingpong_stop(pp) != 0 || pp->failure.taken)
		return 5;
	puts("done");
	return 0;
}

/* read, write, exit and nothing else. */
static int strict(void)
{
	int there[2], back[2], status = -1;
	struct ends e;
	pid_t pid;

	if (!exchange(false) || pipe(there) != 0 || pipe(back) != 0)
		return 1;
	e = (struct ends){.in = there[0], .out = back[1]};
	pid = fork();
	if (pid == 0) {
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
			_exit(1);
		echo(&e);
		syscall(SYS_exit, 0);
	}
	for (int i = 0; i < NR_ROUNDS; i++)
		if (!pingpong_put(there[1], (unsigned char)i) ||
		    pingpong_get(back[0]) != (unsigned char)i)
			return 2;
	waitpid(pid, &status, 0);
	printf("%#x\n", (unsigned int)status);
	return 0;
}

static bool play_all(void)
{
	return exchange(false) && exchange(true);
}

static int landlocked(void)
{
	/* struct landlock_ruleset_attr, which headers older than 5.13 lack: the accesses handled.
	 */
	uint64_t attr = 0x1fff;
	int fd = (int)syscall(444, &attr, sizeof(attr), 0);

	if (fd < 0)
		return puts("no Landlock") < 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(446, fd, 0) != 0)
		return 1;
	close(fd);
	if (!play_all())
		return 2;
	printf("%d %d\n", open("/etc/passwd", O_RDONLY), errno);
	execl("/bin/true", "true", (char *)NULL);
	printf("%d\n", errno);
	return 0;
}

/* A user of its own, as the limit counts all processes of one. */
static int few_processes(void)
{
	struct rlimit limit = {.rlim_cur = 3, .rlim_max = 3};
	uid_t uid = 40000 + (uid_t)getpid() % 20000;
	pthread_t threads[4];
	int there[2];
	struct ends e;

	if (setrlimit(RLIMIT_NPROC, &limit) != 0 || setgid(uid) != 0 || setuid(uid) != 0)
		return 1;
	if (!exchange(false) || !exchange(true) || pipe(there) != 0)
		return 2;
	e = (struct ends){.in = there[0], .out = there[1]};
	for (int i = 0; i < 4; i++)
		printf("%d\n", pthread_create(&threads[i], NULL, echo, &e));
	fflush(stdout);
	_exit(0);
}

static long vm_size(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long pages = 0;

	if (!f || fscanf(f, "%ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

static int little_memory(void)
{
	struct rlimit limit;

	limit.rlim_cur = limit.rlim_max = (rlim_t)vm_size() + (24 << 20);
	if (setrlimit(RLIMIT_AS, &limit) != 0)
		return 1;
	if (!play_all())
		return 2;
	puts("done");
	return 0;
}

/* Not a byte more than the program has: the segment does not fit in. */
static int no_memory(void)
{
	struct rlimit limit;
	pthread_attr_t attr;
	pthread_t thread;
	int there[2], back[2];
	struct ends e;

	if (pipe(there) != 0 || pipe(back) != 0)
		return 1;
	e = (struct ends){.in = there[0], .out = back[1]};
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	if (pthread_create(&thread, &attr, echo, &e) != 0)
		return 2;
	limit.rlim_cur = limit.rlim_max = (rlim_t)vm_size();
	if (setrlimit(RLIMIT_AS, &limit) != 0)
		return 3;
	for (int i = 0; i < NR_ROUNDS; i++)
		if (!pingpong_put(there[1], 1) || pingpong_get(back[0]) != 1)
			return 4;
	pthread_join(thread, NULL);
	puts("done");
	return 0;
}

/* Threads that have no more room than the least there is, in the deepest path of the hooks. */
static int small_stacks(void)
{
	struct pingpong *pp = pingpong_new();
	int there[2], back[2];
	pthread_attr_t attr;

	if (pipe(there) != 0 || pipe(back) != 0)
		return 1;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN));
	pp->side[0] = (struct pingpong_side){.pp = pp, .index = 0, .in = back[0], .out = there[1]};
	pp->side[1] = (struct pingpong_side){.pp = pp, .index = 1, .in = there[0], .out = back[1]};
	for (int i = 0; i < 2; i++)
		if (pthread_create(&pp->side[i].thread, &attr, pingpong_main, &pp->side[i]) != 0)
			return 2;
	for (int64_t until = own_now_ms() + 2 * PLAY_MS; own_now_ms() < until; own_pause_ms(2))
		pingpong_coax(pp);
	if (pingpong_stop(pp) != 0 || pp->failure.taken)
		return 3;
	puts("done");
	return 0;
}

static int locked_memory(void)
{
	if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0 || !play_all())
		return 1;
	puts("done");
	return 0;
}

static int play(void)
{
	char before[256], after[256];

	mask_list(getpid(), before, sizeof(before));
	if (!play_all())
		return 1;
	mask_list(getpid(), after, sizeof(after));
	puts(strcmp(before, after) == 0 ? "done" : after);
	return 0;
}

static void same(const char *mode, const char *how)
{
	const char *argv[] = {helper_self(), mode, how, NULL};

	assert_true(helper_same(argv, NULL));
}

static void ends_well(const char *mode, const char *how)
{
	const char *argv[] = {helper_self(), mode, how, NULL};
	struct helper_child c = {.argv = argv};

	assert_int_equal(helper_child_run(&c), 0);
	if (!helper_child_exited(&c, 0))
		fail_msg("%s %s: %#x %s", mode, how ? how : "", (unsigned int)c.status, c.err);
	assert_string_equal(c.err, "");
	assert_string_equal(c.out, "done\n");
	helper_child_free(&c);
}

static void a_filter_by_prctl(void **state)
{
	ends_well("filter", "prctl");
}

static void a_filter_by_number(void **state)
{
	ends_well("filter", "number");
}

static void a_filter_for_all_threads(void **state)
{
	ends_well("filter", "all");
}

static void strict_mode(void **state)
{
	same("strict", NULL);
}

static void landlock(void **state)
{
	same("landlock", NULL);
}

static void few_processes_are_enough(void **state)
{
	same("processes", NULL);
}

static void little_memory_is_enough(void **state)
{
	ends_well("memory", NULL);
	ends_well("none", NULL);
}

static void the_smallest_stacks_are_enough(void **state)
{
	ends_well("stacks", NULL);
}

static void memory_may_be_locked(void **state)
{
	ends_well("locked", NULL);
}

/* "$SELF play" in a mount namespace of its own after COMMANDS. */
static void without(const char *commands)
{
	char self[PATH_MAX + 8], script[1024];
	const char *env[] = {self, NULL};

	snprintf(self, sizeof(self), "SELF=%s", helper_self());
	snprintf(script, sizeof(script), "exec unshare -m sh -c '%s; exec \"$SELF\" play'",
		 commands);
	assert_true(helper_same_script(script, env));
}

static void no_proc_and_no_sys(void **state)
{
	without("mount -t tmpfs none /sys");
	without("mount -t tmpfs none /sys/devices/system/cpu/cpu0/topology");
	without("mount -t tmpfs none /sys/devices/system/cpu; mount -t tmpfs none /sys/fs/cgroup");
	without("mount -t tmpfs none /proc");
	without("mount -t tmpfs none /proc; mount -t tmpfs none /sys; mount -t tmpfs none "
		"/dev/shm");
}

/* Root first, one user, another, root again; with files that nobody else may read, and all may. */
static void users_do_not_meet(void **state)
{
	static const char *const users[] = {"0", "41001", "41002", "0", "41002", "41001"};
	char self[PATH_MAX + 8], script[512];
	const char *env[] = {self, NULL};
	struct stat st;

	/* The build directory must be open to others. */
	if (stat(helper_self(), &st) != 0 || !(st.st_mode & S_IXOTH) || !helper_has("setpriv"))
		return;
	snprintf(self, sizeof(self), "SELF=%s", helper_self());
	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		snprintf(script, sizeof(script),
			 "umask %s; exec setpriv --reuid %s --regid %s --clear-groups \"$SELF\" "
			 "play",
			 i % 2 ? "077" : "000", users[i], users[i]);
		assert_true(helper_same_script(script, env));
	}
}

static int run_mode(char **argv)
{
	const char *mode = argv[1];

	if (strcmp(mode, "filter") == 0)
		return filtered(argv[2]);
	if (strcmp(mode, "strict") == 0)
		return strict();
	if (strcmp(mode, "landlock") == 0)
		return landlocked();
	if (strcmp(mode, "processes") == 0)
		return few_processes();
	if (strcmp(mode, "memory") == 0)
		return little_memory();
	if (strcmp(mode, "none") == 0)
		return no_memory();
	if (strcmp(mode, "stacks") == 0)
		return small_stacks();
	if (strcmp(mode, "locked") == 0)
		return locked_memory();
	return play();
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, own_keeper_end)
	static const struct CMUnitTest tests[] = {
		TEST(a_filter_by_prctl),
		TEST(a_filter_by_number),
		TEST(a_filter_for_all_threads),
		TEST(strict_mode),
		TEST(landlock),
		TEST(few_processes_are_enough),
		TEST(little_memory_is_enough),
		TEST(the_smallest_stacks_are_enough),
		TEST(memory_may_be_locked),
		TEST(no_proc_and_no_sys),
		TEST(users_do_not_meet),
	};

	if (argc > 1)
		return run_mode(argv);
	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
