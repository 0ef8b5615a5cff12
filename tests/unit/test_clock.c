// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The clock is the kernel's, and read without a system call where the kernel offers that.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sys.h"

static uint64_t kernel_ns(void)
{
	struct timespec ts;

	assert_int_equal(pl_sys2(SYS_clock_gettime, CLOCK_MONOTONIC, &ts), 0);
	return (uint64_t)ts.tv_sec * PL_NS_PER_S + (uint64_t)ts.tv_nsec;
}

static void it_is_the_kernels_clock(void **state)
{
	errno = 77;
	for (int i = 0; i < 1000; i++) {
		uint64_t before = kernel_ns(), now = pl_now_ns(), after = kernel_ns();

		assert_true(before <= now && now <= after);
	}
	assert_int_equal(errno, 77);
}

/* In strict mode any call but read, write and exit kills. */
static void it_needs_no_system_call(void **state)
{
	int status = -1;
	pid_t pid;

	if (!getauxval(AT_SYSINFO_EHDR))
		return;
	pl_now_ns();
	pid = fork();
	if (pid == 0) {
		if (prctl(PR_SET_SECCOMP, 1) != 0)
			_exit(1);
		pl_now_ns();
		pl_sys1(SYS_exit, 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_the_kernels_clock),
		cmocka_unit_test(it_needs_no_system_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
