// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * What cannot load libplace is not asked to: programs of the other word size, static ones, set-uid
 * ones, those of another C library and those whose root has no libplace run from a shell with the
 * preload as without, and the loader writes nothing. Only what this machine can build is tried.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helper/baseline.h"

static const char hello[] = "#include <stdio.h>\n#include <stdlib.h>\n"
			    "int main(int argc, char **argv)\n{\n"
			    "	for (int i = 1; i < argc; i++) puts(argv[i]);\n"
			    "	return puts(\"hello\") < 0;\n}\n";

/*
 * Ways in which a shell or a program starts another: by path, by PATH, as a script, with the
 * environment changed; EVERYWHERE: more of them. A shell is started with the preload, so its
 * children are programs of the kind.
 */
static void start_from(const char *dir, const char *name, bool everywhere)
{
	static const char *const ways[] = {
		"%s/%s a b; echo $?",
		"echo '#!%s/%s -x' > script; chmod +x script; ./script z",
		"PATH=%s:$PATH; %s",
		"env -u HOME %s/%s",
		"env A=1 %s/%s | cat",
		"/usr/bin/python3 -c 'import subprocess; print(subprocess.run([\"%s/%s\"]))'",
		"/usr/bin/python3 -c 'import os; os.execv(\"%s/%s\", [\"x\", \"y\"])'",
		"/usr/bin/python3 -c 'import os; os.posix_spawn(\"%s/%s\", [\"x\"], os.environ);"
		" os.wait()'",
		"/usr/bin/python3 -c 'import os; print(os.system(\"%s/%s\"))'",
		"nohup %s/%s </dev/null",
	};

	for (size_t i = 0; i < (everywhere ? sizeof(ways) / sizeof(ways[0]) : 2); i++) {
		char script[2 * PATH_MAX], *at = script;
		const char *way = ways[i], *args[] = {dir, name};
		int n = 0;

		at += sprintf(at, "cd %s; ", dir);
		for (; *way; way++)
			if (strncmp(way, "%s", 2) == 0) {
				at += sprintf(at, "%s", args[n++]);
				way++;
			} else {
				*at++ = *way;
			}
		*at = '\0';
		assert_true(helper_same_script(script, NULL));
	}
}

static void built_with(bool everywhere, const char *const args[])
{
	char *dir = helper_dir();

	assert_non_null(dir);
	if (helper_compile(dir, "hello", hello, args))
		start_from(dir, "hello", everywhere);
	helper_remove(dir);
}

#define BUILT_WITH(all, ...) built_with(all, (const char *const[]){__VA_ARGS__, NULL})

static void programs_of_the_other_word_size(void **state)
{
	BUILT_WITH(true, "cc", "-m32");
}

static void static_programs(void **state)
{
	BUILT_WITH(false, "cc", "-static");
	BUILT_WITH(false, "cc", "-static-pie");
}

static void programs_of_another_c_library(void **state)
{
	BUILT_WITH(true, "musl-gcc");
	BUILT_WITH(false, "musl-gcc", "-static");
}

static void programs_run_by_the_loader_itself(void **state)
{
	const char *cc[] = {"cc", NULL};
	char *dir = helper_dir(), script[PATH_MAX];

	assert_non_null(dir);
	snprintf(script, sizeof(script),
		 "i=$(readelf -l %s/hello | sed -n 's/.*interpreter: \\(.*\\)]/\\1/p');"
		 "$i %s/hello a; $i --list %s/hello >/dev/null; echo $?",
		 dir, dir, dir);
	if (helper_compile(dir, "hello", hello, cc))
		assert_true(helper_same_script(script, NULL));
	helper_remove(dir);
}

/* A program that gains rights; the preload object is not for it. */
static void set_uid_programs(void **state)
{
	const char *cc[] = {"cc", NULL};
	char *dir = helper_dir(), file[PATH_MAX], script[2 * PATH_MAX];

	assert_non_null(dir);
	if (geteuid() != 0) {
		helper_skipped("not root");
	} else if (helper_compile(dir, "hello", hello, cc)) {
		snprintf(file, sizeof(file), "%s/hello", dir);
		assert_int_equal(chmod(dir, 0755), 0);
		assert_int_equal(chown(file, 1, 1), 0);
		assert_int_equal(chmod(file, 06755), 0);
		start_from(dir, "hello", false);
		assert_int_equal(chown(file, 0, 0), 0);
		assert_int_equal(chmod(file, 0755), 0);
		snprintf(script, sizeof(script), "setcap cap_net_raw+ep %s", file);
		if (helper_has("setcap") && helper_has("setpriv") && system(script) == 0) {
			snprintf(script, sizeof(script),
				 "setpriv --reuid 65534 --clear-groups %s a", file);
			assert_true(helper_same_script(script, NULL));
		}
	}
	helper_remove(dir);
}

/*
 * A root directory with a shell and the C library, but without libplace: entered by the program
 * itself, by chroot, and in a mount namespace.
 */
static void roots_without_libplace(void **state)
{
	static const char build[] =
		"set -e; cd \"$ROOT\"; mkdir -p bin lib lib64 usr; "
		"cp /bin/sh bin/sh; cp /bin/echo bin/echo; "
		"for f in $(ldd /bin/sh /bin/echo | sed -n 's/[^/]*\\(\\/[^ ]*\\) .*/\\1/p'); do "
		"mkdir -p .$(dirname $f); cp -Lf $f .$f; done";
	char *dir = helper_dir(), root[PATH_MAX];
	const char *argv[] = {"sh", "-c", build, NULL};
	const char *env[] = {root, NULL};
	struct helper_child c = {.argv = argv, .env = env, .preload = ""};

	assert_non_null(dir);
	snprintf(root, sizeof(root), "ROOT=%s", dir);
	if (geteuid() != 0) {
		helper_skipped("not root");
	} else if (helper_child_run(&c) == 0 && helper_child_exited(&c, 0)) {
		assert_true(helper_same_script("chroot \"$ROOT\" /bin/sh -c 'echo in'", env));
		assert_true(helper_same_script("chroot \"$ROOT\" /bin/sh -c '/bin/echo in; "
					       "/bin/echo again | while read a; do echo $a; done'",
					       env));
		assert_true(helper_same_script("unshare -m chroot \"$ROOT\" /bin/echo in", env));
		assert_true(helper_same_script(
			"/usr/bin/python3 -c 'import os; os.chroot(os.environ[\"ROOT\"]); "
			"os.chdir(\"/\"); "
			"os.spawnv(os.P_WAIT, \"/bin/echo\", [\"echo\", \"spawned\"]); "
			"os.posix_spawn(\"/bin/echo\", [\"echo\", \"p\"], os.environ); os.wait(); "
			"os.execv(\"/bin/echo\", [\"echo\", \"in\"])'",
			env));
	} else {
		helper_skipped("no small root can be made here");
	}
	helper_child_free(&c);
	helper_remove(dir);
}

/* The object itself is hidden by a mount: what starts then has none. */
static void a_path_that_disappeared(void **state)
{
	char script[2 * PATH_MAX];
	const char *preload = helper_preload() ? helper_preload() : "/tmp/none/none.so";

	if (geteuid() != 0) {
		helper_skipped("not root");
		return;
	}
	snprintf(script, sizeof(script),
		 "exec unshare -m sh -c 'mount -t tmpfs none \"$(dirname %s)\" 2>/dev/null; "
		 "/bin/echo in; /bin/echo again | cat'",
		 preload);
	assert_true(helper_same_script(script, NULL));
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_of_the_other_word_size),
		cmocka_unit_test(static_programs),
		cmocka_unit_test(programs_of_another_c_library),
		cmocka_unit_test(programs_run_by_the_loader_itself),
		cmocka_unit_test(set_uid_programs),
		cmocka_unit_test(roots_without_libplace),
		cmocka_unit_test(a_path_that_disappeared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
