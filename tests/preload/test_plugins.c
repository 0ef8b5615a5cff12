// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Libraries loaded while threads hand work over: one that sizes itself counts as many CPUs as at
 * the start, also on a held thread; one that is deep-bound or in a namespace of its own calls the C
 * library past every other object, so only one half of each handoff is seen, and all of them
 * complete. A library may use as much of the static thread storage as without libplace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <sched.h>
#include <sys/sysinfo.h>

#include "helper/baseline.h"
#include "preload/held.h"
#include "preload/plugin.h"

enum { NR_TURNS = 20000 };

static struct plugin_sizes start;

struct plugin {
	void *handle;
	__typeof__(plugin_play) *play;
	__typeof__(plugin_lock) *lock;
	__typeof__(plugin_thread) *thread;
	struct plugin_sizes *sizes;
};

static const char *plugin_path(void)
{
	const char *path = getenv("LIBPLACE_TEST_PLUGIN");

	return path ? path : "";
}

static bool find(struct plugin *p)
{
	if (!p->handle)
		return false;
	p->play = (__typeof__(p->play))dlsym(p->handle, "plugin_play");
	p->lock = (__typeof__(p->lock))dlsym(p->handle, "plugin_lock");
	p->thread = (__typeof__(p->thread))dlsym(p->handle, "plugin_thread");
	p->sizes = dlsym(p->handle, "plugin_sizes");
	return p->play && p->lock && p->thread && p->sizes;
}

/* Each load counts anew, so the plug-in must have gone in between. */
static void load_and_count(struct helper_failure *f, void *unused)
{
	struct plugin p = {.handle = dlopen(plugin_path(), RTLD_NOW | RTLD_LOCAL)};

	(void)unused;
	if (!helper_expect(f, find(&p)))
		return;
	helper_expect(f, p.sizes->process == start.process);
	helper_expect(f, p.sizes->thread == start.thread);
	helper_expect(f, p.sizes->nprocs == start.nprocs);
	helper_expect(f, p.sizes->online == start.online);
	dlclose(p.handle);
	helper_expect(f, !dlopen(plugin_path(), RTLD_NOW | RTLD_NOLOAD));
}

static void a_library_sizes_itself_by_all_cpus(void **state)
{
	struct helper_failure f = {0};

	load_and_count(&f, NULL);
	helper_assert_no_failure(&f);
	held_call(false, 2, load_and_count, NULL);
	held_call(true, 1, load_and_count, NULL);
}

struct half {
	struct plugin *p;
	struct plugin_game *g;
	int result;
};

static void *plugin_half(void *arg)
{
	struct half *h = arg;

	h->result = h->p->play(h->g);
	return NULL;
}

static void play_with(struct plugin *p)
{
	struct plugin_game g = {.mutex = PTHREAD_MUTEX_INITIALIZER,
				.cond = PTHREAD_COND_INITIALIZER,
				.nr_turns = NR_TURNS};
	struct half h = {.p = p, .g = &g};
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, plugin_half, &h), 0);
	assert_int_equal(pthread_mutex_lock(&g.mutex), 0);
	while (g.turn < NR_TURNS) {
		if (g.turn % 2 == 0) {
			g.turn++;
			assert_int_equal(pthread_cond_signal(&g.cond), 0);
		} else {
			assert_int_equal(pthread_cond_wait(&g.cond, &g.mutex), 0);
		}
	}
	assert_int_equal(pthread_mutex_unlock(&g.mutex), 0);
	assert_int_equal(pthread_cond_broadcast(&g.cond), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(h.result, 0);
}

static void lock_there_unlock_here(struct plugin *p)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	for (int i = 0; i < 1000; i++) {
		assert_int_equal(p->lock(&mutex), 0);
		assert_int_equal(pthread_mutex_trylock(&mutex), EBUSY);
		assert_int_equal(pthread_mutex_unlock(&mutex), 0);
	}
}

/* Created there, joined here; its reads and writes are not seen, ours are. */
static void play_by_descriptor(struct plugin *p)
{
	int there[2], back[2], theirs[2];
	pthread_t thread;
	void *result;

	assert_int_equal(pipe(there), 0);
	assert_int_equal(pipe(back), 0);
	theirs[0] = there[0];
	theirs[1] = back[1];
	assert_int_equal(p->thread(&thread, theirs), 0);
	for (int i = 0; i < NR_TURNS; i++) {
		assert_true(pingpong_put(there[1], (unsigned char)i));
		assert_int_equal(pingpong_get(back[0]), (unsigned char)i);
	}
	close(there[1]);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, theirs);
	close(there[0]);
	close(back[0]);
	close(back[1]);
}

static void a_deep_bound_library_hands_over(void **state)
{
	struct plugin p = {.handle = dlopen(plugin_path(), RTLD_NOW | RTLD_DEEPBIND)};

	assert_true(find(&p));
	play_with(&p);
	lock_there_unlock_here(&p);
	play_by_descriptor(&p);
	dlclose(p.handle);
}

/* Its C library is a second copy: threads may not be made there, what lies in memory works. */
static void a_library_in_another_namespace_hands_over(void **state)
{
	struct plugin p = {.handle = dlmopen(LM_ID_NEWLM, plugin_path(), RTLD_NOW)};

	if (!p.handle) {
		helper_skipped(dlerror());
		return;
	}
	assert_true(find(&p));
	assert_int_equal(p.sizes->process, start.process);
	play_with(&p);
	lock_there_unlock_here(&p);
	dlclose(p.handle);
}

static void libplace_may_be_loaded_late(void **state)
{
	static const char source[] =
		"#include <dlfcn.h>\n#include <pthread.h>\n#include <stdio.h>\n"
		"static void *run(void *p) { return p; }\n"
		"int main(int argc, char **argv)\n{\n"
		"	pthread_t t;\n"
		"	void *h = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);\n"
		"	if (!h) puts(dlerror());\n"
		"	pthread_create(&t, 0, run, 0);\n"
		"	pthread_join(t, 0);\n"
		"	if (h) dlclose(h);\n"
		"	return h ? 0 : 1;\n}\n";
	const char *cc[] = {"cc", "-pthread", "-ldl", NULL};
	char *dir = helper_dir(), exe[128];
	const char *argv[] = {exe, helper_preload(), NULL};
	struct helper_child c = {.argv = argv, .preload = ""};

	assert_non_null(dir);
	snprintf(exe, sizeof(exe), "%s/late", dir);
	if (helper_preload() && helper_compile(dir, "late", source, cc)) {
		assert_int_equal(helper_child_run(&c), 0);
		assert_string_equal(c.err, "");
		assert_string_equal(c.out, "");
		assert_true(helper_child_exited(&c, 0));
		helper_child_free(&c);
	}
	helper_remove(dir);
}

/*
 * Libraries with storage of the initial-exec kind share a small reserve that the loader makes at
 * the start; each kind of library is tried by itself.
 */
static void the_reserve_of_thread_storage_is_left(void **state)
{
	static const char user[] =
		"#include <dlfcn.h>\n#include <stdio.h>\n"
		"int main(int argc, char **argv)\n{\n"
		"	for (int i = 1; i < argc; i++)\n"
		"		printf(\"%d\\n\", dlopen(argv[i], RTLD_NOW) ? 1 : 0);\n"
		"	return 0;\n}\n";
	static const int sizes[] = {64, 256, 512, 1024};
	const char *cc[] = {"cc", "-ldl", NULL};
	char *dir = helper_dir(), script[512], source[160], name[32];
	bool built;

	assert_non_null(dir);
	built = helper_compile(dir, "user", user, cc);
	for (size_t i = 0; built && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const char *so[] = {"cc", "-shared", "-fPIC", "-ftls-model=initial-exec", NULL};

		snprintf(source, sizeof(source),
			 "__thread char at[%d]; char *f(void) { return at; }", sizes[i]);
		snprintf(name, sizeof(name), "tls%d.so", sizes[i]);
		built = helper_compile(dir, name, source, so);
		snprintf(script, sizeof(script), "%s/user %s/%s", dir, dir, name);
		if (built)
			assert_true(helper_same_script(script, NULL));
	}
	helper_remove(dir);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, pingpong_end)
	static const struct CMUnitTest tests[] = {
		TEST(a_library_sizes_itself_by_all_cpus),
		TEST(a_deep_bound_library_hands_over),
		TEST(a_library_in_another_namespace_hands_over),
		TEST(libplace_may_be_loaded_late),
		TEST(the_reserve_of_thread_storage_is_left),
	};
	cpu_set_t set;

	if (!own_namespace()) {
		helper_skipped("no IPC namespace of its own: not root");
		return 0;
	}
	sched_getaffinity(0, sizeof(set), &set);
	start.process = start.thread = CPU_COUNT(&set);
	start.nprocs = get_nprocs();
	start.online = (int)sysconf(_SC_NPROCESSORS_ONLN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
