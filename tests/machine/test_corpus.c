// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Recorded machines from LIBPLACE_CORPUS (DIR/*/NAME.xml, and NAME.sysfs.tar.* beside it) against
// the dumps in golden/, which were looked at by eye. After a change that is meant, write them anew
// with LIBPLACE_TEST_GOLDEN_WRITE=1 and look at the difference.
#include <errno.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "helper/helper.h"
#include "machine/dump.h"
#include "machine/tree.h"

static struct pl_machine m;
static struct pl_raw raw;

/* A line that begins a machine in a golden file. */
#define HEAD "== "

static char *read_whole(const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = fopen(path, "re");

	if (f && getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

static char *golden_path(const char *folder)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s.txt", getenv("LIBPLACE_TEST_GOLDEN"), folder) > 0);
	return path;
}

/* The lines of NAME in TEXT, to be freed; NULL when it is not there. */
static char *section_of(const char *text, const char *name)
{
	char *head, *begin, *end, *section;

	assert_true(asprintf(&head, HEAD "%s\n", name) > 0);
	begin = text ? strstr(text, head) : NULL;
	if (!begin) {
		free(head);
		return NULL;
	}
	begin += strlen(head);
	end = strstr(begin, "\n" HEAD);
	section = strndup(begin, end ? (size_t)(end + 1 - begin) : strlen(begin));
	free(head);
	return section;
}

/* Prints the first line in which the two differ. */
static void say_difference(const char *name, const char *expected, const char *got)
{
	size_t same = 0, line;

	while (expected[same] && expected[same] == got[same])
		same++;
	for (line = same; line > 0 && expected[line - 1] != '\n'; line--)
		;
	print_error("%s\n  expected: %.*s\n  got:      %.*s\n", name,
		    (int)strcspn(expected + line, "\n"), expected + line,
		    (int)strcspn(got + line, "\n"), got + line);
}

static struct {
	int nr_same, nr_new, nr_wrong;
} sum;

/* Reads the machine and compares it, or writes its dump to OUT. */
static void check(const struct pl_machine_from *from, const char *name, const char *golden,
		  FILE *out)
{
	char *got, *expected;
	int ret = pl_machine_read(from, &m, &raw);

	if (ret != 0) {
		print_error("%s: cannot be read: %s\n", name, strerror(-ret));
		sum.nr_wrong++;
		return;
	}
	if (!pl_machine_is_valid(&m)) {
		print_error("%s: the model contradicts itself\n", name);
		sum.nr_wrong++;
		return;
	}
	got = dump_machine(&m, &raw);
	if (out) {
		fprintf(out, HEAD "%s\n%s", name, got);
		free(got);
		return;
	}
	expected = section_of(golden, name);
	if (!expected) {
		sum.nr_new++;
	} else if (strcmp(expected, got) != 0) {
		say_difference(name, expected, got);
		sum.nr_wrong++;
	} else {
		sum.nr_same++;
	}
	free(expected);
	free(got);
}

/* The tree beside the XML file, unpacked; false when there is none or nothing to unpack it with. */
static bool unpack(const char *xml, struct tree *t)
{
	static const char *const ends[] = {".sysfs.tar.gz", ".sysfs.tar.xz"};
	bool ok = false;

	for (int i = 0; i < 2 && !ok; i++) {
		char archive[4096];
		const char *argv[] = {"tar", "-xf", archive, "-C", t->root, NULL};
		struct helper_child c = {.argv = argv, .preload = ""};

		snprintf(archive, sizeof(archive), "%.*s%s", (int)(strlen(xml) - 4), xml, ends[i]);
		if (access(archive, R_OK) != 0)
			continue;
		tree_new(t);
		ok = helper_child_run(&c) == 0 && helper_child_exited(&c, 0);
		if (!ok) {
			helper_skipped(archive);
			tree_remove(t);
		}
		helper_child_free(&c);
	}
	return ok;
}

static void check_folder(const char *dir, const char *folder)
{
	char pattern[4096], *path = golden_path(folder), *golden = read_whole(path);
	bool writing = getenv("LIBPLACE_TEST_GOLDEN_WRITE") != NULL;
	FILE *out = writing ? fopen(path, "we") : NULL;
	glob_t found = {0};

	assert_true(!writing || out);
	snprintf(pattern, sizeof(pattern), "%s/%s/*.xml", dir, folder);
	glob(pattern, 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *xml = found.gl_pathv[i];
		struct pl_machine_from from = {.xml = xml};
		struct tree t = {""};
		char name[256];

		snprintf(name, sizeof(name), "%s", strrchr(xml, '/') + 1);
		check(&from, name, golden, out);
		if (unpack(xml, &t)) {
			from = (struct pl_machine_from){.sysfs.root = t.root};
			strcpy(name + strlen(name) - 4, ".sysfs");
			check(&from, name, golden, out);
			tree_remove(&t);
		}
	}
	globfree(&found);
	if (out)
		fclose(out);
	free(golden);
	free(path);
}

static void test_recorded_machines(void **state)
{
	const char *dir = getenv("LIBPLACE_CORPUS");
	char pattern[4096];
	glob_t folders = {0};

	if (!dir || !*dir) {
		helper_skipped("LIBPLACE_CORPUS names no directory of recorded machines");
		return;
	}
	assert_non_null(getenv("LIBPLACE_TEST_GOLDEN"));
	snprintf(pattern, sizeof(pattern), "%s/*", dir);
	glob(pattern, GLOB_ONLYDIR, NULL, &folders);
	for (size_t i = 0; i < folders.gl_pathc; i++) {
		char xmls[4096];
		glob_t any = {0};

		snprintf(xmls, sizeof(xmls), "%s/*.xml", folders.gl_pathv[i]);
		if (glob(xmls, 0, NULL, &any) == 0)
			check_folder(dir, strrchr(folders.gl_pathv[i], '/') + 1);
		globfree(&any);
	}
	globfree(&folders);
	printf("# %d as their golden dumps say, %d without one\n", sum.nr_same, sum.nr_new);
	assert_int_equal(sum.nr_wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_recorded_machines)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
