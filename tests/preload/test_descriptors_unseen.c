// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * A program's descriptors are its own: libplace keeps none open, so the lowest free number is the
 * one POSIX promises, closing all of them breaks nothing, and what is opened next is not written
 * to by anybody else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <limits.h>
#include <sys/resource.h>

#include "helper/baseline.h"
#include "preload/pingpong.h"

enum { NR_FILES = 5, PLAY_MS = 300, MANY = 65536 };

/* Number and target of each descriptor, that of the listing itself left out. */
static void list_descriptors(FILE *out)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char target[PATH_MAX] = "";
		int fd = atoi(e->d_name);

		if (e->d_name[0] == '.' || fd == dirfd(d))
			continue;
		if (readlinkat(dirfd(d), e->d_name, target, sizeof(target) - 1) < 0)
			continue;
		fprintf(out, "%d %.*s\n", fd, (int)strcspn(target, ":["), target);
	}
	if (d)
		closedir(d);
}

static bool play(int ms)
{
	struct pingpong *pp = pingpong_new();

	pingpong_start(pp);
	own_pause_ms(ms);
	return pingpong_stop(pp) == 0 && !pp->failure.taken;
}

static int first_open(void)
{
	int fd = open("/dev/null", O_RDONLY);

	printf("first: %d\n", fd);
	list_descriptors(stdout);
	if (!play(300))
		return 1;
	fflush(stdout);
	list_descriptors(stdout);
	printf("next: %d\n", open("/dev/null", O_RDONLY));
	fflush(stdout);
	/* What a program started now is handed. */
	return system("ls /proc/self/fd");
}

static void close_in(const char *how)
{
	for (int fd = 3; strcmp(how, "loop") == 0 && fd < MANY; fd++)
		close(fd);
	if (strcmp(how, "loop") == 0)
		return;
#if __GLIBC_PREREQ(2, 34)
	if (strcmp(how, "closefrom") == 0)
		closefrom(3);
	else
		close_range(3, ~0u, 0);
#else
	syscall(436, 3, ~0u, 0); /* close_range */
#endif
}

/* Closes all, opens files, lets threads run, and looks whether anybody wrote into the files. */
static int close_all(const char *how)
{
	int fds[NR_FILES];

	if (!play(300))
		return 1;
	close_in(how);
	for (int i = 0; i < NR_FILES; i++) {
		char text[16];

		fds[i] = memfd_create("file", 0);
		snprintf(text, sizeof(text), "file %d", i);
		if (write(fds[i], text, sizeof(text)) != sizeof(text))
			return 2;
	}
	if (!play(PLAY_MS))
		return 3;
	for (int i = 0; i < NR_FILES; i++) {
		char text[64] = "";

		printf("%d: %zd bytes, ", fds[i], pread(fds[i], text, sizeof(text), 0));
		printf("\"%s\", at %ld\n", text, (long)lseek(fds[i], 0, SEEK_CUR));
	}
	list_descriptors(stdout);
	return 0;
}

/* Fails where it fails: as many opens as the limit leaves, then EMFILE. */
static int few(void)
{
	struct rlimit limit = {.rlim_cur = 8, .rlim_max = 8};

	if (!play(300) || setrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 1;
	if (!play(300))
		return 2;
	for (int i = 0; i < 8; i++) {
		errno = 0;
		printf("%d %d\n", open("/dev/null", O_RDONLY), errno);
	}
	limit.rlim_cur = 3;
	setrlimit(RLIMIT_NOFILE, &limit);
	errno = 0;
	printf("%d %d\n", pipe((int[2]){0}), errno);
	return 0;
}

static void same(const char *mode)
{
	const char *argv[] = {helper_self(), mode, NULL};

	assert_true(helper_same(argv, NULL));
}

static void the_first_descriptor_is_the_lowest(void **state)
{
	same("first");
}

static void closing_a_range_breaks_nothing(void **state)
{
	same("range");
}

static void closing_from_three_breaks_nothing(void **state)
{
	same("closefrom");
}

static void closing_one_by_one_breaks_nothing(void **state)
{
	same("loop");
}

static void few_descriptors_are_enough(void **state)
{
	same("few");
}

static void a_shell_without_descriptors_runs(void **state)
{
	assert_true(helper_same_script("ulimit -n 4; echo one; ls /proc/self/fd", NULL));
	assert_true(helper_same_script("exec 0<&- 2>&-; echo one | cat; ls /proc/self/fd", NULL));
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_descriptor_is_the_lowest),
		cmocka_unit_test(closing_a_range_breaks_nothing),
		cmocka_unit_test(closing_from_three_breaks_nothing),
		cmocka_unit_test(closing_one_by_one_breaks_nothing),
		cmocka_unit_test(few_descriptors_are_enough),
		cmocka_unit_test(a_shell_without_descriptors_runs),
	};

	if (argc > 1 && strcmp(argv[1], "first") == 0)
		return first_open();
	if (argc > 1 && strcmp(argv[1], "few") == 0)
		return few();
	if (argc > 1)
		return close_all(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
