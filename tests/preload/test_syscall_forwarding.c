// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * syscall() hands all six arguments to the kernel and its answer back, whatever they are; and a
 * call that succeeds leaves errno as it was. True of the C library alone, and to stay true with the
 * preload object.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MARK	       77 /* errno before each call */
#define NR_FUTEX_WAITV 449

static uint32_t word, other;
static const struct timespec soon = {.tv_nsec = 1000000};
static const struct timespec past = {.tv_sec = 1};
static const struct timespec no_time = {.tv_nsec = -1};

/* Each answer is the kernel's documented one. Arguments that are integers here are no pointers. */
static const struct row {
	const char *name;
	long nr;
	long arg[6];
	long ret;
	int err;
} rows[] = {
#define A(x) (long)(x)
#define FUTEX(op, ...)                                                                             \
	SYS_futex,                                                                                 \
	{                                                                                          \
		A(&word), op, __VA_ARGS__                                                          \
	}
	{"wait, other value", FUTEX(FUTEX_WAIT, 5), -1, EAGAIN},
	{"wait, private", FUTEX(FUTEX_WAIT_PRIVATE, 5), -1, EAGAIN},
	{"wait, time-out", FUTEX(FUTEX_WAIT, 1, A(&soon)), -1, ETIMEDOUT},
	{"wait, bad time", FUTEX(FUTEX_WAIT, 1, A(&no_time)), -1, EINVAL},
	{"wait, bad time pointer", FUTEX(FUTEX_WAIT, 1, 16), -1, EFAULT},
	{"wait, bad address", SYS_futex, {16, FUTEX_WAIT, 1}, -1, EFAULT},
	{"wait, misaligned", SYS_futex, {17, FUTEX_WAIT, 1}, -1, EINVAL},
	{"wait bitset, past", FUTEX(FUTEX_WAIT_BITSET, 1, A(&past), 0, 1), -1, ETIMEDOUT},
	{"wait bitset, real time",
	 FUTEX(FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME | FUTEX_PRIVATE_FLAG, 1, A(&past), 0, 1),
	 -1, ETIMEDOUT},
	{"wait bitset, no bits", FUTEX(FUTEX_WAIT_BITSET, 1, A(&past), 0, 0), -1, EINVAL},
	{"wake", FUTEX(FUTEX_WAKE, 1), 0, 0},
	{"wake, integer for a time", FUTEX(FUTEX_WAKE, 1, 3, 5, 7), 0, 0},
	{"wake bitset", FUTEX(FUTEX_WAKE_BITSET, 1, 0, 0, 1), 0, 0},
	{"wake bitset, no bits", FUTEX(FUTEX_WAKE_BITSET, 1, 0, 0, 0), -1, EINVAL},
	{"wake, bad address", SYS_futex, {16, FUTEX_WAKE, 1}, -1, EFAULT},
	{"requeue", FUTEX(FUTEX_REQUEUE, 1, 7, A(&other)), 0, 0},
	{"requeue, bad second address", FUTEX(FUTEX_REQUEUE, 1, 7, 16), -1, EFAULT},
	{"compare and requeue", FUTEX(FUTEX_CMP_REQUEUE, 1, 7, A(&other), 1), 0, 0},
	{"compare and requeue, other value", FUTEX(FUTEX_CMP_REQUEUE, 1, 7, A(&other), 5), -1,
	 EAGAIN},
	{"unlock pi, not ours", FUTEX(FUTEX_UNLOCK_PI | FUTEX_PRIVATE_FLAG, 0), -1, EPERM},
	{"no such operation", FUTEX(99, 0), -1, ENOSYS},
	{"waitv, nothing", NR_FUTEX_WAITV, {0, 0, 0, 0, CLOCK_MONOTONIC}, -1, EINVAL},
	{"close", SYS_close, {-1}, -1, EBADF},
	{"dup", SYS_dup, {-1}, -1, EBADF},
	{"dup3", SYS_dup3, {0, 0, 0}, -1, EINVAL},
	{"sched_getaffinity, no process", SYS_sched_getaffinity, {-1, 128, 0}, -1, ESRCH},
	{"sched_getaffinity, short", SYS_sched_getaffinity, {0, 4, A(&word)}, -1, EINVAL},
	{"sched_getaffinity, bad address", SYS_sched_getaffinity, {0, 128, 16}, -1, EFAULT},
	{"sched_setaffinity, bad address", SYS_sched_setaffinity, {0, 128, 16}, -1, EFAULT},
	{"sched_setaffinity, no process", SYS_sched_setaffinity, {-1, 0, 0}, -1, ESRCH},
	{"prctl", SYS_prctl, {-1, 1, 2, 3, 4}, -1, EINVAL},
	{"seccomp, asked without a filter", SYS_seccomp, {1, 0, 0}, -1, EFAULT},
	{"execve, bad path", SYS_execve, {16, 0, 0}, -1, EFAULT},
	{"clone3, no arguments", SYS_clone3, {0, 0}, -1, EINVAL},
	{"clone3, bad address", SYS_clone3, {16, 64}, -1, EFAULT},
	{"clone, flags that exclude each other", SYS_clone, {0x00010000, 0, 0, 0, 0}, -1, EINVAL},
	{"pread64, all arguments", SYS_pread64, {-1, A(&word), 4, 5, 6, 7}, -1, EBADF},
	{"last number of the table", 511, {1, 2, 3, 4, 5, 6}, -1, ENOSYS},
	{"first number beyond it", 512, {1, 2, 3, 4, 5, 6}, -1, ENOSYS},
	{"large number", 100000, {1, 2, 3, 4, 5, 6}, -1, ENOSYS},
	{"negative number", -1, {1, 2, 3, 4, 5, 6}, -1, ENOSYS},
};

static void answers_of_the_kernel(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		const long *a = r->arg;
		long ret;
		int err;

		word = 1; /* as a PI lock: held by task 1 */
		errno = MARK;
		ret = syscall(r->nr, a[0], a[1], a[2], a[3], a[4], a[5]);
		err = errno;
		if (ret == -1 && err == ENOSYS && r->nr == NR_FUTEX_WAITV)
			continue; /* older than the call */
		if (ret != r->ret || err != (r->err ? r->err : MARK))
			fail_msg("%s: %ld, errno %d", r->name, ret, err);
	}
}

static void futex_side_effects(void **state)
{
	word = 1;
	other = 40;
	errno = MARK;
	assert_int_equal(syscall(SYS_futex, &word, FUTEX_WAKE_OP, 1, 1L, &other,
				 FUTEX_OP(FUTEX_OP_ADD, 2, FUTEX_OP_CMP_EQ, 40)),
			 0);
	assert_int_equal(other, 42);

	word = 0;
	assert_int_equal(syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0), 0);
	assert_int_equal(word & FUTEX_TID_MASK, syscall(SYS_gettid));
	assert_int_equal(errno, MARK);
	assert_int_equal(syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0), -1);
	assert_int_equal(errno, EDEADLK);
	errno = MARK;
	assert_int_equal(syscall(SYS_futex, &word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0), 0);
	assert_int_equal(word, 0);
	assert_int_equal(errno, MARK);
}

static void on_signal(int sig)
{
	(void)sig;
}

static void a_signal_interrupts_a_futex_wait(void **state)
{
	struct sigaction action = {.sa_handler = on_signal};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	/* Again and again: the first may come before the wait. */
	struct itimerspec each = {{.tv_nsec = 5000000}, {.tv_nsec = 5000000}};
	timer_t timer;
	long ret;
	int err;

	word = 1;
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	assert_int_equal(timer_settime(timer, 0, &each, NULL), 0);
	ret = syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0);
	err = errno;
	assert_int_equal(timer_delete(timer), 0);
	assert_int_equal(ret, -1);
	assert_int_equal(err, EINTR);
}

static _Atomic bool waiter_ended;

static void *waiter(void *arg)
{
	/* So long that it only ends a wait whose wake-up was lost. */
	struct timespec limit = {.tv_sec = 20};
	int error = 0;

	do
		if (syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &limit, NULL, 0))
			error = errno;
	while (!error && __atomic_load_n(&word, __ATOMIC_SEQ_CST) == 1);
	waiter_ended = true;
	return (void *)(intptr_t)(error == EAGAIN ? 0 : error);
}

static void a_futex_wake_reaches_a_waiter(void **state)
{
	for (int i = 0; i < 1000; i++) {
		pthread_t thread;
		void *error;

		word = 1;
		waiter_ended = false;
		assert_int_equal(pthread_create(&thread, NULL, waiter, NULL), 0);
		/* Half of the time it is woken for nothing first. */
		while (i % 2 && !waiter_ended)
			if (syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0))
				break;
		__atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
		assert_true(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0) >= 0);
		assert_int_equal(pthread_join(thread, &error), 0);
		assert_int_equal((intptr_t)error, 0);
	}
}

static void six_arguments(void **state)
{
	char path[] = "/tmp/place-six-XXXXXX";
	int fd = mkstemp(path);
	char *map, buf[4];

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(ftruncate(fd, 8192), 0);
	assert_int_equal(pwrite(fd, "page two", 8, 4096), 8);
	/* The offset is the sixth: on x86-64 it comes on the stack. */
	map = (char *)syscall(SYS_mmap, NULL, 4096L, (long)PROT_READ, (long)MAP_PRIVATE, (long)fd,
			      4096L);
	assert_ptr_not_equal(map, MAP_FAILED);
	assert_memory_equal(map, "page two", 8);
	assert_int_equal(syscall(SYS_munmap, map, 4096L), 0);
	assert_int_equal(syscall(SYS_pread64, fd, buf, 4L, 4101L), 4);
	assert_memory_equal(buf, "two", 4);
	close(fd);
}

/* A child made by the raw call, as old runtimes do, is a process like any other. */
static void children_by_number(void **state)
{
	int status;
	pid_t pid;

	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (pid == 0)
		syscall(SYS_exit_group, 7);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
#if defined(__x86_64__)
	/*
	 * The child may not push anything: it returns from syscall() first, over the address to
	 * which its parent is still to return.
	 */
	pid = (pid_t)syscall(SYS_vfork);
	if (pid == 0)
		__asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(9) : "rcx", "r11");
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 9);
#endif
}

#define KEEPS_ERRNO(call)                                                                          \
	do {                                                                                       \
		errno = MARK;                                                                      \
		if ((long)(call) < 0)                                                              \
			fail_msg("%s failed, errno %d", #call, errno);                             \
		if (errno != MARK)                                                                 \
			fail_msg("%s: errno %d", #call, errno);                                    \
	} while (0)

static void success_keeps_errno(void **state)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	int fds[2], pair[2], event, copy;
	struct timeval now = {0};
	struct pollfd pollfd;
	struct iovec vec;
	eventfd_t value;
	cpu_set_t set;
	char byte = 'x';
	sem_t sem;

	vec.iov_base = &byte;
	vec.iov_len = 1;
	KEEPS_ERRNO(pipe(fds));
	KEEPS_ERRNO(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	KEEPS_ERRNO(event = eventfd(0, 0));
	for (int i = 0; i < 100; i++) {
		KEEPS_ERRNO(write(fds[1], &byte, 1));
		KEEPS_ERRNO(read(fds[0], &byte, 1));
		KEEPS_ERRNO(writev(fds[1], &vec, 1));
		KEEPS_ERRNO(readv(fds[0], &vec, 1));
		KEEPS_ERRNO(send(pair[0], &byte, 1, 0));
		KEEPS_ERRNO(recv(pair[1], &byte, 1, MSG_PEEK));
		KEEPS_ERRNO(recv(pair[1], &byte, 1, 0));
		KEEPS_ERRNO(eventfd_write(event, 1));
		KEEPS_ERRNO(eventfd_read(event, &value));
		KEEPS_ERRNO(sem_init(&sem, 0, 0));
		KEEPS_ERRNO(sem_post(&sem));
		KEEPS_ERRNO(sem_wait(&sem));
		KEEPS_ERRNO(sem_post(&sem));
		KEEPS_ERRNO(sem_trywait(&sem));
		KEEPS_ERRNO(pthread_mutex_lock(&mutex));
		KEEPS_ERRNO(pthread_mutex_unlock(&mutex));
		KEEPS_ERRNO(pthread_rwlock_rdlock(&rwlock));
		KEEPS_ERRNO(pthread_rwlock_unlock(&rwlock));
		KEEPS_ERRNO(pthread_rwlock_wrlock(&rwlock));
		KEEPS_ERRNO(pthread_rwlock_unlock(&rwlock));
		KEEPS_ERRNO(pthread_cond_signal(&cond));
		KEEPS_ERRNO(pthread_cond_broadcast(&cond));
	}
	pollfd.fd = fds[1];
	pollfd.events = POLLOUT;
	KEEPS_ERRNO(poll(&pollfd, 1, 0));
	KEEPS_ERRNO(poll(&pollfd, 1, 1000));
	KEEPS_ERRNO(select(0, NULL, NULL, NULL, &now));
	KEEPS_ERRNO(nanosleep(&soon, NULL));
	KEEPS_ERRNO(copy = fcntl(fds[0], F_DUPFD_CLOEXEC, 20));
	assert_true(copy >= 20);
	KEEPS_ERRNO(dup2(fds[1], copy));
	KEEPS_ERRNO(close(copy));
	KEEPS_ERRNO(copy = dup(fds[1]));
	KEEPS_ERRNO(syscall(SYS_close, copy));
	KEEPS_ERRNO(sched_getaffinity(0, sizeof(set), &set));
	KEEPS_ERRNO(sched_setaffinity(0, sizeof(set), &set));
	KEEPS_ERRNO(pthread_getaffinity_np(pthread_self(), sizeof(set), &set));
	KEEPS_ERRNO(syscall(SYS_sched_getaffinity, 0, sizeof(set), &set));
	KEEPS_ERRNO(sysconf(_SC_NPROCESSORS_ONLN));
	KEEPS_ERRNO(system(":"));
	for (int i = 0; i < 2; i++) {
		KEEPS_ERRNO(close(fds[i]));
		KEEPS_ERRNO(close(pair[i]));
	}
	KEEPS_ERRNO(close(event));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_of_the_kernel),
		cmocka_unit_test(futex_side_effects),
		cmocka_unit_test(a_signal_interrupts_a_futex_wait),
		cmocka_unit_test(a_futex_wake_reaches_a_waiter),
		cmocka_unit_test(six_arguments),
		cmocka_unit_test(children_by_number),
		cmocka_unit_test(success_keeps_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
