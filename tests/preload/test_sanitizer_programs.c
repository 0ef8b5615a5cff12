// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Programs built with sanitizers, of gcc (whose AddressSanitizer insists on coming first) and of
 * clang: started from a preloaded shell or by `place run` they run, and report what they are to
 * report, as without libplace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <sched.h>
#include <unistd.h>

#include "helper/baseline.h"

/* A planted fault must be reported, a clean program must run; reports differ by addresses. */
static const char clean[] =
	"#include <pthread.h>\n#include <stdio.h>\n#include <unistd.h>\n"
	"static int there[2], back[2];\n"
	"static void *echo(void *p)\n{\n"
	"	char c; while (read(there[0], &c, 1) == 1 && write(back[1], &c, 1) == 1) ;\n"
	"	return p;\n}\n"
	"int main(void)\n{\n"
	"	pthread_t t; char c = 1;\n"
	"	if (pipe(there) || pipe(back) || pthread_create(&t, 0, echo, 0)) return 1;\n"
	"	for (int i = 0; i < 3000; i++)\n"
	"		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1) return 2;\n"
	"	close(there[1]); pthread_join(t, 0); return puts(\"clean\") < 0;\n}\n";
static const char overflow[] = "#include <stdlib.h>\n#include <string.h>\n"
			       "int main(int argc, char **argv)\n{\n"
			       "	char *p = malloc(8); memset(p, argc, 8 + (size_t)argc);\n"
			       "	argc = p[8]; free(p); return argc;\n}\n";
static const char leak[] = "#include <stdlib.h>\nchar *volatile at;\n"
			   "int main(void) { at = malloc(77); at = 0; return 0; }\n";
static const char undefined[] = "#include <limits.h>\n"
				"int main(int argc, char **argv)\n"
				"{ int i = INT_MAX; i += argc; return i == 3; }\n";
static const char race[] = "#include <pthread.h>\nint n; static void *run(void *p)\n"
			   "{ for (int i = 0; i < 1000; i++) n++; return p; }\n"
			   "int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++)\n"
			   "	pthread_create(&t[i], 0, run, 0);\n"
			   "	for (int i = 0; i < 2; i++) pthread_join(t[i], 0); return 0; }\n";

struct program {
	const char *name, *source;
};

static void sanitized(const char *cc, const char *option, const struct program *programs, int n)
{
	const char *args[] = {cc, "-g", "-O0", option, "-pthread", NULL};
	char *dir = helper_dir(), script[PATH_MAX];

	assert_non_null(dir);
	for (int i = 0; i < n; i++) {
		if (!helper_compile(dir, programs[i].name, programs[i].source, args))
			break;
		/* From a shell: its exit status and what kind of error was found. */
		snprintf(script, sizeof(script),
			 "%s/%s >%s/out 2>%s/err; echo $?; cat %s/out; "
			 "sed -n 's/.*\\(SUMMARY: [A-Za-z]*: [a-z-]*\\).*/\\1/p; "
			 "s/.*runtime error: \\([a-z ]*\\).*/\\1/p; s/.*ASan runtime.*/&/p; "
			 "s/.*FATAL.*/&/p' %s/err",
			 dir, programs[i].name, dir, dir, dir, dir);
		/* Nobody knows the machine yet in a new namespace (root only), so that a program
		 * with threads gets a balancer for a moment on any machine. */
		(void)unshare(CLONE_NEWIPC);
		assert_true(helper_same_script(script, NULL));
	}
	helper_remove(dir);
}

#define SANITIZED(cc, option, ...)                                                                 \
	do {                                                                                       \
		const struct program programs_[] = {__VA_ARGS__};                                  \
                                                                                                   \
		sanitized(cc, option, programs_, sizeof(programs_) / sizeof(programs_[0]));        \
	} while (0)

static void programs_with_sanitizers(void **state)
{
	SANITIZED("gcc", "-fsanitize=address", {"clean", clean}, {"overflow", overflow},
		  {"leak", leak});
	SANITIZED("gcc", "-fsanitize=undefined", {"clean", clean}, {"undefined", undefined});
	SANITIZED("gcc", "-fsanitize=thread", {"clean", clean}, {"race", race});
	SANITIZED("clang", "-fsanitize=address", {"clean", clean}, {"overflow", overflow});
	SANITIZED("clang", "-fsanitize=thread", {"clean", clean});
}

/* `place run` of a sanitized program, which it starts itself. */
static void a_sanitized_program_by_place_run(void **state)
{
	const char *args[] = {"gcc", "-g", "-fsanitize=address", "-pthread", NULL};
	char *dir = helper_dir(), exe[PATH_MAX];
	const char *argv[] = {helper_place(), "run", "--", exe, NULL};
	struct helper_child c = {.argv = argv, .preload = ""};

	assert_non_null(dir);
	snprintf(exe, sizeof(exe), "%s/clean", dir);
	if (helper_place() && access(helper_place(), X_OK) == 0 &&
	    helper_compile(dir, "clean", clean, args)) {
		assert_int_equal(helper_child_run(&c), 0);
		assert_string_equal(c.out, "clean\n");
		assert_true(helper_child_exited(&c, 0));
		helper_child_free(&c);
	}
	helper_remove(dir);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_with_sanitizers),
		cmocka_unit_test(a_sanitized_program_by_place_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
