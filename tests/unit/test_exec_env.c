// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Which programs are asked to load the preload object, from files with the headers of each kind,
// and what is left of LD_PRELOAD for the others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exec_env.h"
#include "helper/baseline.h"

static char *dir;
static char path[256], list[256];

#if defined(__x86_64__)
enum { OURS = EM_X86_64, ALIEN = EM_AARCH64, ALIEN_32 = EM_386 };
#else
enum { OURS = EM_AARCH64, ALIEN = EM_X86_64, ALIEN_32 = EM_ARM };
#endif

static void write_file(const char *name, const void *text, size_t len)
{
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), (ssize_t)len);
	close(fd);
}

/* An ELF file with nothing but headers; LOADER NULL: static. */
static void write_elf(const char *name, int class, int machine, const char *loader)
{
	struct {
		Elf64_Ehdr h;
		Elf64_Phdr p[2];
		char loader[64];
	} file = {
		.h = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, (unsigned char)class},
		      .e_machine = (uint16_t)machine,
		      .e_phoff = sizeof(Elf64_Ehdr),
		      .e_phentsize = sizeof(Elf64_Phdr),
		      .e_phnum = 2},
		.p = {{.p_type = PT_LOAD}, {.p_type = loader ? PT_INTERP : PT_NOTE}},
	};

	if (loader) {
		strcpy(file.loader, loader);
		file.p[1].p_offset = offsetof(__typeof__(file), loader);
		file.p[1].p_filesz = strlen(loader) + 1;
	}
	write_file(name, &file, sizeof(file));
}

static bool is_asked(const char *file, bool search)
{
	char *const env[] = {(char[]){"A=1"}, list, NULL};
	struct pl_exec_env plan;

	snprintf(list, sizeof(list), "LD_PRELOAD=%s/libplace-preload.so", dir);
	pl_exec_env_plan(AT_FDCWD, file, search, env, &plan);
	return plan.nr_variables == 0;
}

static void programs_like_ours_are_asked(void **state)
{
	write_elf("p", ELFCLASS64, OURS, "/lib64/ld-linux-x86-64.so.2");
	assert_true(is_asked(path, false));
	write_elf("p", ELFCLASS64, OURS, "/lib/ld-linux-aarch64.so.1");
	assert_true(is_asked(path, false));
	write_elf("p", ELFCLASS64, OURS, "/gnu/store/x/lib/ld-linux-x86-64.so.2");
	assert_true(is_asked(path, false));
	assert_true(is_asked("/bin/sh", false));
}

/* They hand it on to their children, which may be able to. */
static void static_programs_are_asked(void **state)
{
	write_elf("p", ELFCLASS64, OURS, NULL);
	assert_true(is_asked(path, false));
}

static void other_word_sizes_machines_and_loaders_are_not_asked(void **state)
{
	write_elf("p", ELFCLASS32, ALIEN_32, "/lib/ld-linux.so.2");
	assert_false(is_asked(path, false));
	write_elf("p", ELFCLASS32, OURS, "/libx32/ld-linux-x32.so.2");
	assert_false(is_asked(path, false));
	write_elf("p", ELFCLASS64, ALIEN, "/lib64/ld-linux.so.2");
	assert_false(is_asked(path, false));
	write_elf("p", ELFCLASS64, OURS, "/lib/ld-musl-x86_64.so.1");
	assert_false(is_asked(path, false));
	write_elf("p", ELFCLASS64, OURS, "/system/bin/linker64");
	assert_false(is_asked(path, false));
	write_elf("ld-musl-x86_64.so.1", ELFCLASS64, OURS, NULL);
	assert_false(is_asked(path, false));
}

static void scripts_are_judged_by_their_interpreter(void **state)
{
	char text[512], musl[256], script[256];

	write_elf("musl", ELFCLASS64, OURS, "/lib/ld-musl-x86_64.so.1");
	strcpy(musl, path);
	snprintf(text, sizeof(text), "#! %s -x\nexit\n", musl);
	write_file("script", text, strlen(text));
	strcpy(script, path);
	assert_false(is_asked(script, false));
	snprintf(text, sizeof(text), "#!%s\n", script);
	write_file("chain", text, strlen(text));
	assert_false(is_asked(path, false));
	write_file("sh", "#!/bin/sh\n", 10);
	assert_true(is_asked(path, false));
	/* Itself, and ends that are no ends: nothing is known, nobody hangs. */
	snprintf(text, sizeof(text), "#!%s/loop\n", dir);
	write_file("loop", text, strlen(text));
	assert_true(is_asked(path, false));
	write_file("open", "#!/bin/sh", 9);
	assert_true(is_asked(path, false));
	write_file("empty", "#!\n", 3);
	assert_true(is_asked(path, false));
}

static void what_is_no_program_is_left_alone(void **state)
{
	char fifo[256];

	assert_true(is_asked("/nonexistent", false));
	assert_true(is_asked("/", false));
	assert_true(is_asked("/dev/null", false));
	write_file("text", "exit 0\n", 7);
	assert_true(is_asked(path, false));
	write_file("short", "\177ELF", 4);
	assert_true(is_asked(path, false));
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	assert_int_equal(mkfifo(fifo, 0700), 0);
	assert_true(is_asked(fifo, false));
}

static void programs_are_found_as_execvp_finds_them(void **state)
{
	char value[300];

	write_elf("alien", ELFCLASS64, ALIEN, NULL);
	snprintf(value, sizeof(value), "/nonexistent::%s:/usr/bin", dir);
	setenv("PATH", value, 1);
	assert_false(is_asked("alien", true));
	assert_true(is_asked("sh", true));
	assert_true(is_asked("nosuchprogram", true));
}

static void descriptors_are_read_themselves(void **state)
{
	char *const env[] = {list, NULL};
	struct pl_exec_env plan;
	int fd;

	write_elf("alien", ELFCLASS64, ALIEN, NULL);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(list, sizeof(list), "LD_PRELOAD=%s/libplace-preload.so", dir);
	pl_exec_env_plan(fd, "", false, env, &plan);
	assert_int_equal(plan.nr_variables, 1);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
	assert_int_equal(close(fd), 0);
}

/* LIST with %s as the object, for a program that cannot load it: what becomes of it. */
static void expect_left(const char *before, const char *after, const char *left)
{
	char *const env[] = {(char[]){"A=1"}, list, (char[]){"B=2"}, NULL};
	char *out[4], text[256];
	struct pl_exec_env plan;

	snprintf(list, sizeof(list), "LD_PRELOAD=%s%s/libplace-preload.so%s", before, dir, after);
	pl_exec_env_plan(AT_FDCWD, path, false, env, &plan);
	assert_int_equal(plan.nr_variables, 3);
	assert_true(plan.text_size <= sizeof(text));
	pl_exec_env_make(&plan, env, out, text);
	assert_string_equal(out[0], "A=1");
	assert_string_equal(out[left ? 2 : 1], "B=2");
	assert_null(out[left ? 3 : 2]);
	if (left)
		assert_string_equal(out[1], left);
}

static void other_objects_are_left(void **state)
{
	write_elf("alien", ELFCLASS64, ALIEN, NULL);
	expect_left("", "", NULL);
	expect_left(":", " ", NULL);
	expect_left("/a.so:", "", "LD_PRELOAD=/a.so");
	expect_left("", " /b.so", "LD_PRELOAD=/b.so");
	expect_left("/a.so ", ":/b.so", "LD_PRELOAD=/a.so:/b.so");
}

static void other_lists_are_not_touched(void **state)
{
	static const char *const lists[] = {"LD_PRELOAD=", "LD_PRELOAD=/a.so:libplace-preload.so.1",
					    "XLD_PRELOAD=/x/libplace-preload.so"};

	write_elf("alien", ELFCLASS64, ALIEN, NULL);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		char *const env[] = {list, NULL};
		struct pl_exec_env plan;

		strcpy(list, lists[i]);
		pl_exec_env_plan(AT_FDCWD, path, false, env, &plan);
		assert_int_equal(plan.nr_variables, 0);
	}
}

/* The same program where the object is not: not asked. */
static void an_object_that_is_not_there_is_not_asked_for(void **state)
{
	char *const env[] = {list, NULL};
	struct pl_exec_env plan;

	strcpy(list, "LD_PRELOAD=/nonexistent/libplace-preload.so");
	pl_exec_env_plan(AT_FDCWD, "/bin/sh", false, env, &plan);
	assert_int_equal(plan.nr_variables, 1);
	/* Where the loader looks for it, or what it puts in, is its business. */
	strcpy(list, "LD_PRELOAD=libplace-preload.so");
	pl_exec_env_plan(AT_FDCWD, "/bin/sh", false, env, &plan);
	assert_int_equal(plan.nr_variables, 0);
	strcpy(list, "LD_PRELOAD=/opt/$LIB/libplace-preload.so");
	pl_exec_env_plan(AT_FDCWD, "/bin/sh", false, env, &plan);
	assert_int_equal(plan.nr_variables, 0);
}

static int setup(void **state)
{
	dir = helper_dir();
	if (!dir)
		return -1;
	write_file("libplace-preload.so", "", 0);
	return 0;
}

static int teardown(void **state)
{
	setenv("PATH", "/usr/bin:/bin", 1);
	helper_remove(dir);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_like_ours_are_asked),
		cmocka_unit_test(static_programs_are_asked),
		cmocka_unit_test(other_word_sizes_machines_and_loaders_are_not_asked),
		cmocka_unit_test(scripts_are_judged_by_their_interpreter),
		cmocka_unit_test(what_is_no_program_is_left_alone),
		cmocka_unit_test(programs_are_found_as_execvp_finds_them),
		cmocka_unit_test(descriptors_are_read_themselves),
		cmocka_unit_test(other_objects_are_left),
		cmocka_unit_test(other_lists_are_not_touched),
		cmocka_unit_test(an_object_that_is_not_there_is_not_asked_for),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
