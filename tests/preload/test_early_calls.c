// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Constructors of other libraries run before libplace's and call what it stands in for, and an
 * allocator that the program brings along is called while the next definitions are looked up:
 * nothing waits for itself, and programs start and print as without libplace, whatever place it
 * has among the preloaded objects.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "helper/baseline.h"

static const char *early(void)
{
	const char *path = getenv("LIBPLACE_TEST_EARLY");

	return path ? path : "";
}

static const char *const programs[] = {"exec true",
				       "exec bash -c :", "exec /usr/bin/python3 -c 'print(1)'",
				       "date -u +%Y; exit 3"};

/* Starts programs with the preloaded objects that LIST names, in that order. */
static void start_with(const char *const list[])
{
	char value[3 * PATH_MAX] = "LD_PRELOAD=";
	size_t len = strlen(value);

	for (; *list; list++)
		len += (size_t)snprintf(value + len, sizeof(value) - len, "%s:", *list);
	assert_true(len < sizeof(value));
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		const char *argv[] = {"env", value, "sh", "-c", programs[i], NULL};
		struct helper_child plain = {.argv = argv + 2, .preload = ""};
		struct helper_child with = {.argv = argv, .preload = ""};

		assert_int_equal(helper_child_run(&plain), 0);
		assert_int_equal(helper_child_run(&with), 0);
		if (with.err_len != plain.err_len)
			print_error("%s %s: %s", value, programs[i], with.err);
		assert_string_equal(with.err, plain.err);
		assert_string_equal(with.out, plain.out);
		assert_int_equal(with.status, plain.status);
		helper_child_free(&plain);
		helper_child_free(&with);
	}
}

#define START_WITH(...) start_with((const char *const[]){__VA_ARGS__, NULL})

static const char *libplace(void)
{
	return helper_preload() ? helper_preload() : "";
}

static void constructors_that_come_first(void **state)
{
	START_WITH(libplace(), early());
}

static void constructors_that_come_last(void **state)
{
	START_WITH(early(), libplace());
}

static void between_two_others(void **state)
{
	const char *cc[] = {"cc", "-shared", "-fPIC", NULL};
	char *dir = helper_dir(), other[PATH_MAX];

	assert_non_null(dir);
	snprintf(other, sizeof(other), "%s/other.so", dir);
	if (helper_compile(dir, "other.so",
			   "#include <unistd.h>\n"
			   "__attribute__((constructor)) static void f(void)\n"
			   "{ int p[2]; if (pipe(p) == 0) { close(p[0]); close(p[1]); } }\n",
			   cc)) {
		START_WITH(early(), libplace(), other);
		START_WITH(other, libplace(), early());
	}
	helper_remove(dir);
}

/* Its own allocator: a pool behind a mutex, set up by the first call with a file and a thread. */
static const char allocator[] =
	"#define _GNU_SOURCE\n"
	"#include <fcntl.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <string.h>\n"
	"#include <unistd.h>\n"
	"static char pool[64 << 20]; static size_t used;\n"
	"static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n"
	"static int state; static __thread int depth; static int deepest;\n"
	"static unsigned long calls; static pthread_t helper;\n"
	"static void *idle(void *p) { return p; }\n"
	"static void set_up(void)\n{\n"
	"	char text[256]; int fd = open(\"/proc/cpuinfo\", O_RDONLY);\n"
	"	if (fd >= 0) { if (read(fd, text, sizeof(text)) < 0) _exit(9); close(fd); }\n"
	"	if (pthread_create(&helper, 0, idle, 0) == 0) pthread_join(helper, 0);\n}\n"
	"static void *take(size_t n)\n{\n"
	"	char *at; depth++; if (depth > deepest) deepest = depth; calls++;\n"
	"	if (!state) { state = 1; set_up(); }\n"
	"	pthread_mutex_lock(&mutex);\n"
	"	used = (used + 15) & ~15ul; at = pool + used + 16; used += n + 16;\n"
	"	*(size_t *)(at - 16) = n;\n"
	"	pthread_mutex_unlock(&mutex); depth--; return at;\n}\n"
	"void *malloc(size_t n) { return take(n); }\n"
	"void *calloc(size_t a, size_t b) { return take(a * b); }\n"
	"void *realloc(void *p, size_t n)\n{\n"
	"	void *q = take(n); if (p) { size_t o = *(size_t *)((char *)p - 16);\n"
	"	memcpy(q, p, o < n ? o : n); } return q;\n}\n"
	"void free(void *p) { (void)p; }\n"
	"static int there[2], back[2];\n"
	"static void *echo(void *p)\n{\n"
	"	char c; while (read(there[0], &c, 1) == 1 && write(back[1], &c, 1) == 1) ;\n"
	"	return p;\n}\n"
	"int main(void)\n{\n"
	"	pthread_t t; unsigned long before; char c = 1;\n"
	"	if (pipe(there) || pipe(back) || pthread_create(&t, 0, echo, 0)) return 1;\n"
	"	for (int i = 0; i < 60000; i++) {\n"
	"		if (i == 1000) before = calls;\n"
	"		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1) return 2;\n"
	"		pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex);\n"
	"	}\n"
	"	before = calls - before; close(there[1]); pthread_join(t, 0);\n"
	"	printf(\"depth ok %d, allocations while handing over %lu\\n\", deepest <= 2,\n"
	"	       before);\n	return 0;\n}\n";

static void an_allocator_of_the_program(void **state)
{
	const char *cc[] = {"cc", "-O1", "-pthread", "-fno-builtin", NULL};
	char *dir = helper_dir(), exe[PATH_MAX];
	const char *argv[] = {exe, NULL};
	struct helper_child c = {.argv = argv};

	assert_non_null(dir);
	snprintf(exe, sizeof(exe), "%s/allocator", dir);
	if (helper_compile(dir, "allocator", allocator, cc)) {
		assert_int_equal(helper_child_run(&c), 0);
		assert_string_equal(c.err, "");
		assert_string_equal(c.out, "depth ok 1, allocations while handing over 0\n");
		assert_true(helper_child_exited(&c, 0));
		helper_child_free(&c);
	}
	helper_remove(dir);
}

/* The file name that the loader finds for LIBRARY; empty when it is not installed. */
static bool find_library(const char *library, char *out, size_t size)
{
	char script[128];
	const char *argv[] = {"sh", "-c", script, NULL};
	struct helper_child c = {.argv = argv, .preload = ""};

	snprintf(script, sizeof(script),
		 "/sbin/ldconfig -p | sed -n 's/.*%s.*x86-64.* => //p' | head -n 1", library);
	out[0] = '\0';
	if (helper_child_run(&c) == 0 && c.out_len > 1)
		snprintf(out, size, "%.*s", (int)c.out_len - 1, c.out);
	helper_child_free(&c);
	if (!out[0])
		helper_skipped(library);
	return out[0];
}

static void allocators_that_are_preloaded(void **state)
{
	static const char *const libraries[] = {"libjemalloc.so.2", "libtcmalloc_minimal.so.4",
						"libtcmalloc.so.4", "libmimalloc.so.2"};

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		char path[PATH_MAX];

		if (!find_library(libraries[i], path, sizeof(path)))
			continue;
		START_WITH(libplace(), path);
		START_WITH(path, libplace());
		START_WITH(path, libplace(), early());
	}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(constructors_that_come_first),
		cmocka_unit_test(constructors_that_come_last),
		cmocka_unit_test(between_two_others),
		cmocka_unit_test(an_allocator_of_the_program),
		cmocka_unit_test(allocators_that_are_preloaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
