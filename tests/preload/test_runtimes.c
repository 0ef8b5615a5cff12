// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Libraries and language runtimes size themselves by the CPUs they find: each finds as many as
 * without libplace, at the start, from its threads after these handed work over, in its children,
 * and under a mask that was narrowed around it. Those that are not installed are skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helper/baseline.h"

/* The script as it is, and with one CPU given by what stands around it. */
static void same_on_all_and_on_one(const char *script, const char *file)
{
	char name[PATH_MAX + 8], narrow[PATH_MAX + 64];
	const char *env[] = {name, NULL};

	snprintf(name, sizeof(name), "FILE=%s", file);
	assert_true(helper_same_script(script, env));
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return;
	snprintf(narrow, sizeof(narrow), "taskset -c 1 sh -c '%s'", script);
	assert_true(helper_same_script(narrow, env));
}

static void commands(void **state)
{
	same_on_all_and_on_one("nproc; nproc --all; getconf _NPROCESSORS_ONLN; "
			       "taskset -p $$ | sed s/.*pid.*:/:/; grep Cpus_a /proc/self/status",
			       "");
	assert_true(helper_same_script("lscpu | grep -v MHz", NULL));
	if (helper_has("numactl"))
		assert_true(helper_same_script("numactl -s", NULL));
	if (helper_has("hwloc-ls"))
		assert_true(helper_same_script("hwloc-ls", NULL));
}

/* One CPU outside is one CPU inside, wherever it was said. */
static void a_mask_around_is_the_mask_inside(void **state)
{
	static const char around[] = "taskset -c 1 \"$PLACE\" run -- sh -c \"$WHAT\"; "
				     "\"$PLACE\" run -- taskset -c 1 sh -c \"$WHAT\"";
	static const char what[] = "WHAT=nproc; grep Cpus_allowed_list /proc/self/status";
	char place[PATH_MAX];
	const char *env[] = {place, what, NULL};
	const char *argv[] = {"sh", "-c", around, NULL};
	struct helper_child c = {.argv = argv, .env = env, .preload = ""};

	if (!helper_place() || access(helper_place(), X_OK) != 0 ||
	    sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		helper_skipped("no place tool, or one CPU");
		return;
	}
	snprintf(place, sizeof(place), "PLACE=%s", helper_place());
	assert_int_equal(helper_child_run(&c), 0);
	assert_string_equal(c.err, "");
	assert_string_equal(c.out, "1\nCpus_allowed_list:\t1\n1\nCpus_allowed_list:\t1\n");
	helper_child_free(&c);
}

static const char python[] =
	"import concurrent.futures, multiprocessing, os, subprocess, sys, threading\n"
	"def count(*_): return len(os.sched_getaffinity(0)), os.cpu_count()\n"
	"def busy(n):\n"
	"    x = 0\n"
	"    for i in range(100000): x += i\n"
	"    return count()\n"
	"def play(out):\n"
	"    there, back = os.pipe(), os.pipe()\n"
	"    def echo():\n"
	"        while (c := os.read(there[0], 1)) != b'.': os.write(back[1], c)\n"
	"    t = threading.Thread(target=echo); t.start()\n"
	"    for i in range(5000): os.write(there[1], b'x'); os.read(back[0], 1)\n"
	"    out.append(count())\n"
	"    out.append(subprocess.run(['nproc'], capture_output=True).stdout)\n"
	"    out.append(os.popen('nproc').read())\n"
	"    os.write(there[1], b'.'); t.join()\n"
	"if __name__ == '__main__':\n"
	"    print('start', count())\n"
	"    out = []\n"
	"    w = threading.Thread(target=play, args=(out,)); w.start(); w.join()\n"
	"    print('worker', out, 'after', count())\n"
	"    print(concurrent.futures.ThreadPoolExecutor()._max_workers)\n"
	"    for how in 'fork', 'forkserver', 'spawn':\n"
	"        with multiprocessing.get_context(how).Pool() as p:\n"
	"            print(how, p._processes, sorted(p.map(busy, range(4), 1)))\n";

/* TEXT run by COMMAND, written to a file of that NAME first; NARROWED: on one CPU as well. */
static void run_text(const char *name, const char *text, const char *command, bool narrowed)
{
	char env_name[PATH_MAX + 8];
	const char *env[] = {env_name, NULL};

	char *dir = helper_dir(), file[PATH_MAX];
	FILE *f;

	assert_non_null(dir);
	snprintf(file, sizeof(file), "%s/%s", dir, name);
	f = fopen(file, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	snprintf(env_name, sizeof(env_name), "FILE=%s", file);
	if (narrowed)
		same_on_all_and_on_one(command, file);
	else
		assert_true(helper_same_script(command, env));
	helper_remove(dir);
}

static void python_counts_the_same(void **state)
{
	if (helper_has("/usr/bin/python3"))
		run_text("count.py", python, "/usr/bin/python3 \"$FILE\"", true);
}

static void node_counts_the_same(void **state)
{
	if (helper_has("node"))
		run_text(
			"count.js",
			"const os = require('os'); const { Worker, isMainThread } = "
			"require('worker_threads');\n"
			"const n = () => os.availableParallelism ? os.availableParallelism() : 0;\n"
			"console.log(isMainThread, os.cpus().length, n());\n"
			"if (isMainThread) new Worker(__filename).on('exit', () =>\n"
			"  console.log(n(), require('child_process').execSync('nproc') + ''));\n",
			"node \"$FILE\"", false);
}

static void java_counts_the_same(void **state)
{
	if (helper_has("java") && helper_has("javac"))
		run_text(
			"Count.java",
			"public class Count { public static void main(String[] a) throws Exception "
			"{ Runnable r = () -> System.out.println(Runtime.getRuntime()"
			".availableProcessors()); r.run(); Thread t = new Thread(r); t.start(); "
			"t.join(); } }\n",
			"java \"$FILE\"", false);
}

static const char openmp[] =
	"#define _GNU_SOURCE\n#include <omp.h>\n#include <sched.h>\n#include <stdio.h>\n"
	"int main(void)\n{\n"
	"	int counts[1024] = {0}, n = 0, sum = 0; cpu_set_t set;\n"
	"	printf(\"%d %d\\n\", omp_get_num_procs(), omp_get_max_threads());\n"
	"	for (int r = 0; r < 50; r++) {\n"
	"#pragma omp parallel reduction(+:sum)\n"
	"		{ cpu_set_t own; sched_getaffinity(0, sizeof(own), &own);\n"
	"		  counts[omp_get_thread_num()] = CPU_COUNT(&own); n = "
	"omp_get_num_threads();\n"
	"		  sum++; }\n"
	"	}\n"
	"	sched_getaffinity(0, sizeof(set), &set);\n"
	"	printf(\"%d threads, %d, %d:\", n, sum, CPU_COUNT(&set));\n"
	"	for (int i = 0; i < n; i++) printf(\" %d\", counts[i]);\n"
	"	return puts(\"\") < 0;\n}\n";

/* Also where the runtime binds its threads itself: those masks stay. */
static void openmp_counts_the_same(void **state)
{
	const char *cc[] = {"gcc", "-fopenmp", NULL};
	char *dir = helper_dir(), file[PATH_MAX];

	assert_non_null(dir);
	snprintf(file, sizeof(file), "%s/count", dir);
	if (helper_compile(dir, "count", openmp, cc)) {
		same_on_all_and_on_one("\"$FILE\"", file);
		same_on_all_and_on_one("OMP_PROC_BIND=close OMP_PLACES=cores \"$FILE\"", file);
	}
	helper_remove(dir);
}

static void cxx_and_c_count_the_same(void **state)
{
	static const char cxx_source[] =
		"#include <iostream>\n#include <thread>\n"
		"int main() { auto n = [] { std::cout << std::thread::hardware_concurrency() << "
		"'\\n'; }; n(); std::thread(n).join(); n(); }\n";
	const char *cxx[] = {"c++", "-pthread", NULL};
	char *dir = helper_dir(), file[PATH_MAX];

	assert_non_null(dir);
	snprintf(file, sizeof(file), "%s/count", dir);
	if (helper_compile(dir, "count", cxx_source, cxx))
		same_on_all_and_on_one("\"$FILE\"", file);
	helper_remove(dir);
}

/* Objects of a parallel build are the same, byte for byte. */
static void a_build_makes_the_same_objects(void **state)
{
	static const char script[] =
		"cd \"$FILE\" && rm -rf o && mkdir o && for i in 1 2 3 4 5 6 7 8; do "
		"echo \"int f$i(int x) { return x * $i; }\" >$i.c; done; "
		"printf 'all: $(patsubst %.c,o/%.o,$(wildcard *.c))\\no/%.o: %.c\\n\\tcc -O2 -c "
		"$< -o $@\\n' >Makefile; make -s -j2; echo $?; sha256sum o/*.o";
	char *dir = helper_dir(), name[PATH_MAX];
	const char *env[] = {name, NULL};

	assert_non_null(dir);
	snprintf(name, sizeof(name), "FILE=%s", dir);
	if (helper_has("make"))
		assert_true(helper_same_script(script, env));
	helper_remove(dir);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands),
		cmocka_unit_test(a_mask_around_is_the_mask_inside),
		cmocka_unit_test(python_counts_the_same),
		cmocka_unit_test(node_counts_the_same),
		cmocka_unit_test(java_counts_the_same),
		cmocka_unit_test(openmp_counts_the_same),
		cmocka_unit_test(cxx_and_c_count_the_same),
		cmocka_unit_test(a_build_makes_the_same_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
