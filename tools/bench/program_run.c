// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// From a row of the table to commands that can be run: a private directory, a free port, another
// user where root is refused, and the preparation.
#include <errno.h>
#include <ftw.h>
#include <libgen.h>
#include <limits.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "tools/bench/child.h"
#include "tools/bench/installed.h"
#include "tools/bench/metric.h"
#include "tools/bench/programs.h"
#include "tools/bench/say.h"
#include "tools/bench/template.h"
#include "tools/paths.h"

#define PREPARE_S  120
#define SECONDS	   "1"
#define QUICK_PART 10 /* of the operations */

/* A TCP port nobody listens on now; 0 when there is none. */
static int free_port(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), port = 0;
	socklen_t len = sizeof(addr);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0 &&
	    getsockname(fd, (struct sockaddr *)&addr, &len) == 0)
		port = ntohs(addr.sin_port);
	if (fd >= 0)
		close(fd);
	return port;
}

/* The user that root's servers run as here. */
static bool find_user(struct pl_bench_opts *o)
{
	const struct passwd *pw = geteuid() ? getpwuid(geteuid()) : getpwnam("nobody");

	if (!pw) {
		pl_say("%s must not run as root, and there is no user 'nobody'", o->program->name);
		return false;
	}
	snprintf(o->user, sizeof(o->user), "%s", pw->pw_name);
	o->uid = pw->pw_uid;
	o->gid = pw->pw_gid;
	return true;
}

static bool make_dir(struct pl_bench_opts *o)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(o->dir, sizeof(o->dir), "%s/place-bench-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(o->dir)) {
		pl_say("cannot make a directory %s: %s", o->dir, strerror(errno));
		o->dir[0] = '\0';
		return false;
	}
	if (!o->unprivileged || chown(o->dir, o->uid, o->gid) == 0)
		return true;
	pl_say("cannot give %s to %s: %s", o->dir, o->user, strerror(errno));
	return false;
}

/* The directory of a path; the path is cut. */
static const char *dir_of(bool known, char *path)
{
	return known ? dirname(path) : "";
}

static bool fill_in(struct pl_bench_opts *o)
{
	const struct pl_program *p = o->program;
	char first[PATH_MAX], bin[PATH_MAX], own[PATH_MAX], port[16], cpus[16], ops[32];
	struct pl_cpus all;
	double part = o->quick ? QUICK_PART : 1;
	double n = p->ops / part, kernel_n = p->kernel_ops / part;

	pl_cpus_read(&all);
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(p->needs, ","), p->needs);
	snprintf(port, sizeof(port), "%d", free_port());
	snprintf(cpus, sizeof(cpus), "%d", all.nr);
	snprintf(ops, sizeof(ops), "%.0f", n);

	const struct pl_var vars[] = {
		{"dir", o->dir},
		{"port", port},
		{"cpus", cpus},
		{"ops", ops},
		{"seconds", SECONDS},
		{"user", o->user},
		{"bin", dir_of(pl_installed_path(first, bin, sizeof(bin)), bin)},
		{"own", dir_of(pl_path_program("place-pingpong", own, sizeof(own)), own)},
		{NULL, NULL},
	};
	const char *const text[PL_NR_TEXTS] = {p->prepare, p->server, p->ready, p->cmd,
					       p->kernel_ops > 0 ? p->cmd : NULL};

	for (int i = 0; i < PL_NR_TEXTS; i++) {
		if (i == PL_TEXT_KERNEL_CMD)
			snprintf(ops, sizeof(ops), "%.0f", kernel_n);
		o->text[i] = text[i] ? pl_template(text[i], vars) : NULL;
		if (text[i] && !o->text[i]) {
			pl_say("out of memory");
			return false;
		}
	}
	o->server = o->text[PL_TEXT_SERVER];
	o->ready = o->text[PL_TEXT_READY];
	o->cmd = o->text[PL_TEXT_CMD];
	o->kernel_cmd = o->text[PL_TEXT_KERNEL_CMD];
	o->metric = p->metric;
	o->label = p->label;
	o->lower_is_better = p->lower_is_better;
	o->ops = n;
	o->kernel_ops = kernel_n;
	if (!p->ops && !p->lower_is_better)
		o->rate_s = strtod(SECONDS, NULL);
	return true;
}

static int prepare(struct pl_bench_opts *o)
{
	static char sh[] = "/bin/sh", c[] = "-c";
	char *argv[] = {sh, c, o->text[PL_TEXT_PREPARE], NULL};
	struct pl_treatment t = {.policy = NULL};
	struct pl_child child;
	char *text;
	int err, ret = 0;

	if (o->unprivileged) {
		t.uid = o->uid;
		t.gid = o->gid;
		t.home = o->dir;
	}
	err = pl_child_start(&child, argv, &t);
	if (err) {
		pl_say("cannot start the preparation of %s: %s", o->program->name, strerror(-err));
		return 1;
	}
	if (pl_child_wait(&child, pl_now_ns() + PREPARE_S * PL_NS_PER_S, NULL) != PL_WAIT_ENDED) {
		pl_child_stop(&child);
		ret = pl_child_signal() ? 128 + pl_child_signal() : 1;
	} else if (child.status) {
		ret = 1;
	}
	text = pl_child_output(&child);
	if (ret == 1)
		pl_say("the preparation of %s failed: %s", o->program->name,
		       text ? pl_metric_last_line(text) : "");
	free(text);
	pl_child_fini(&child);
	return ret;
}

int pl_program_begin(struct pl_bench_opts *o)
{
	const struct pl_program *p = o->program;

	if (!pl_program_installed(p)) {
		pl_say("%s needs %s: install the package %s", p->name, p->needs, p->package);
		return 127;
	}
	if (!find_user(o))
		return 1;
	o->unprivileged = p->unprivileged && geteuid() == 0;
	if (!make_dir(o) || !fill_in(o))
		return 1;
	return o->text[PL_TEXT_PREPARE] ? prepare(o) : 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

void pl_program_end(struct pl_bench_opts *o)
{
	if (o->dir[0] && nftw(o->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS))
		pl_say("cannot remove %s: %s", o->dir, strerror(errno));
	o->dir[0] = '\0';
	for (int i = 0; i < PL_NR_TEXTS; i++) {
		free(o->text[i]);
		o->text[i] = NULL;
	}
	o->cmd = o->kernel_cmd = o->server = o->ready = NULL;
}
