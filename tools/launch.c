// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// What `place run` and `place bench` do before they start a program.
#include "tools/launch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "apply/keeper_start.h"
#include "base/clock.h"
#include "base/env.h"
#include "base/exec_env.h"
#include "domain/segment.h"
#include "tools/commands.h"
#include "tools/paths.h"

int launch_add_preload(const char *who)
{
	const char *old = getenv("LD_PRELOAD");
	char path[PATH_MAX], *joined;

	if (old && strstr(old, "libplace-preload.so"))
		return 0;
	if (!pl_path_preload(path, sizeof(path))) {
		fprintf(stderr, "%s: libplace-preload.so is not there: build or install libplace\n",
			who);
		return -1;
	}
	if (strpbrk(path, ": ")) {
		fprintf(stderr,
			"%s: '%s' has a blank or colon, which LD_PRELOAD cannot hold: move it\n",
			who, path);
		return -1;
	}
	if (!old || !*old)
		return setenv("LD_PRELOAD", path, 1);
	if (asprintf(&joined, "%s:%s", old, path) < 0)
		return -1;
	setenv("LD_PRELOAD", joined, 1);
	free(joined);
	return 0;
}

/* The file that execvp would run, into OUT. */
static bool find_program(const char *program, char *out, size_t size)
{
	char *path, *dir, *rest;
	bool found = false;

	if (strchr(program, '/'))
		return snprintf(out, size, "%s", program) < (int)size;
	path = strdup(getenv("PATH") ? getenv("PATH") : "/bin:/usr/bin");
	rest = path;
	while (!found && rest && (dir = strsep(&rest, ":")) != NULL)
		found = snprintf(out, size, "%s/%s", *dir ? dir : ".", program) < (int)size &&
			access(out, X_OK) == 0;
	free(path);
	return found;
}

/* An ELF program without an interpreter loads no preload object. */
static bool is_static(const char *file)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr h;
	} head;
	Elf64_Phdr ph;
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	bool elf, interp = false;

	if (fd < 0)
		return false;
	elf = read(fd, &head, sizeof(head)) == (ssize_t)sizeof(head) &&
	      memcmp(head.ident, ELFMAG, SELFMAG) == 0 && head.ident[EI_CLASS] == ELFCLASS64 &&
	      head.h.e_phentsize == sizeof(ph);
	for (int i = 0; elf && i < head.h.e_phnum; i++)
		if (pread(fd, &ph, sizeof(ph), (off_t)(head.h.e_phoff + (size_t)i * sizeof(ph))) ==
		    (ssize_t)sizeof(ph))
			interp |= ph.p_type == PT_INTERP;
	close(fd);
	return elf && !interp;
}

const char *launch_blind_spot(const char *program)
{
	static char any[] = "LD_PRELOAD=libplace-preload.so";
	char *const any_preload[] = {any, NULL};
	struct pl_exec_env plan;
	char file[PATH_MAX];
	struct stat st;

	if (!find_program(program, file, sizeof(file)) || stat(file, &st) != 0)
		return NULL;
	if ((st.st_mode & S_ISUID && st.st_uid != getuid()) ||
	    (st.st_mode & S_ISGID && st.st_gid != getgid()))
		return "runs set-uid or set-gid";
	if (getuid() != 0 && getxattr(file, "security.capability", NULL, 0) > 0)
		return "has file capabilities";
	if (is_static(file))
		return "is statically linked";
	pl_exec_env_plan(AT_FDCWD, file, false, any_preload, &plan);
	return plan.nr_variables ? "has another word size or C library, or AddressSanitizer" : NULL;
}

bool launch_keeper(void)
{
	struct pl_segment *seg;
	int id = pl_segment_join(&seg);
	uint64_t now = pl_now_ns();
	struct pl_env env;
	bool there = true;

	if (id < 0 || id == PL_SEGMENT_PRIVATE)
		return false;
	/* The program will ask for the same; here it is in time for the keeper's first model. */
	pl_env_read(&env);
	if (env.capacity_mode >= 0)
		pl_set(&seg->capacity_mode, (uint32_t)env.capacity_mode + 1);
	if (!pl_keeper_is_there(seg, now))
		there = pl_keeper_start() == 0;
	pl_segment_leave(seg, id);
	return there;
}

int launch_exec(const char *who, char **argv)
{
	struct pl_exec_env plan;
	char **env = environ, *text = NULL;
	int err;

	pl_exec_env_plan(AT_FDCWD, argv[0], true, environ, &plan);
	if (plan.nr_variables) {
		env = malloc((plan.nr_variables + 1) * sizeof(*env));
		text = malloc(plan.text_size);
		if (env && text)
			pl_exec_env_make(&plan, environ, env, text);
		else
			env = environ;
	}
	execvpe(argv[0], argv, env);
	err = errno;
	free(text);
	if (env != environ)
		free(env);
	fprintf(stderr, "%s: cannot run '%s': %s\n", who, argv[0], strerror(err));
	return err == ENOENT ? PLACE_EXIT_NOT_FOUND : PLACE_EXIT_CANNOT_RUN;
}
