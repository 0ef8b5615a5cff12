// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See child.h.
#include "tools/bench/child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "tools/paths.h"

#define GRACE_NS   (2 * PL_NS_PER_S)
#define MAX_OUTPUT (1 << 20)
#define LOOK_MS	   500 /* how late a signal that came just before poll() is seen */

static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
	caught = sig;
}

void pl_child_catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction sa = {.sa_handler = on_signal}; /* no SA_RESTART: poll() shall return */

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction old;

		/* What nohup has set to be ignored stays so. */
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
	}
}

int pl_child_signal(void)
{
	return caught;
}

/* In the child: LD_PRELOAD without an entry of libplace that the caller runs under. */
static void clean_environment(void)
{
	static const char *const own[] = {"LIBPLACE", "LIBPLACE_POLICY", "LIBPLACE_PAIR",
					  "LIBPLACE_RUN"};
	const char *old = getenv("LD_PRELOAD");

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		unsetenv(own[i]);
	if (old && strstr(old, "libplace-preload.so"))
		unsetenv("LD_PRELOAD");
}

static void set_preload(const struct pl_treatment *t)
{
	const char *old = getenv("LD_PRELOAD");
	char path[PATH_MAX], both[2 * PATH_MAX];

	if (!pl_path_preload(path, sizeof(path))) {
		fprintf(stderr, "place bench: %s is missing: build or install it\n", path);
		_exit(126);
	}
	snprintf(both, sizeof(both), "%s%s%s", old ? old : "", old ? ":" : "", path);
	setenv("LD_PRELOAD", both, 1);
	setenv("LIBPLACE_POLICY", t->policy, 1);
}

static void set_mask(const struct pl_treatment *t)
{
	if (sched_setaffinity(0, sizeof(t->mask), &t->mask)) {
		fprintf(stderr, "place bench: cannot bind to the CPUs chosen by hand: %s\n",
			strerror(errno));
		_exit(126);
	}
}

static void become(const struct pl_treatment *t)
{
	if (setgroups(0, NULL) || setgid(t->gid) || setuid(t->uid) || chdir(t->home)) {
		fprintf(stderr, "place bench: cannot become user %d: %s\n", (int)t->uid,
			strerror(errno));
		_exit(126);
	}
	setenv("HOME", t->home, 1);
}

static void __attribute__((noreturn))
run_child(char *const *argv, const struct pl_treatment *t, pid_t parent, int out_fd)
{
	int null_fd = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	if (t->home)
		become(t);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* behind become(), which clears it */
	if (getppid() != parent)
		_exit(126);
	dup2(null_fd, STDIN_FILENO);
	dup2(out_fd, STDOUT_FILENO);
	dup2(out_fd, STDERR_FILENO);
	if (null_fd > STDERR_FILENO)
		close(null_fd);
	clean_environment();
	if (t->policy && t->bare)
		set_preload(t);
	if (t->has_mask)
		set_mask(t);
	execvp(argv[0], argv);
	fprintf(stderr, "place bench: cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

int pl_child_start(struct pl_child *c, char *const *argv, const struct pl_treatment *t)
{
	pid_t self = getpid();
	int err;

	*c = (struct pl_child){.pidfd = -1};
	c->out_fd = memfd_create("place-bench-output", MFD_CLOEXEC);
	if (c->out_fd < 0)
		return -errno;
	fflush(NULL);
	c->start_ns = pl_now_ns();
	c->pid = fork();
	if (c->pid == 0)
		run_child(argv, t, self, c->out_fd);
	if (c->pid > 0) {
		setpgid(c->pid, c->pid); /* the child does the same: whoever comes first */
		c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
		if (c->pidfd >= 0)
			return 0;
	}
	err = errno;
	pl_child_stop(c);
	pl_child_fini(c);
	return -err;
}

/* It has ended, but is a zombie still: its group's number cannot be taken by somebody else, so what
 * it left behind can be ended by that number now and not later. */
static void collect(struct pl_child *c)
{
	struct rusage ru = {.ru_nvcsw = 0};

	c->end_ns = pl_now_ns();
	kill(-c->pid, SIGKILL);
	while (wait4(c->pid, &c->status, 0, &ru) < 0) {
		if (errno != EINTR)
			break;
	}
	c->cpu_s = (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
		   (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
	c->switches = (double)(ru.ru_nvcsw + ru.ru_nivcsw);
	c->pid = 0;
}

enum pl_wait pl_child_wait(struct pl_child *c, uint64_t deadline_ns, struct pl_sampler *s)
{
	struct pollfd fd = {.fd = c->pidfd, .events = POLLIN};

	while (!caught) {
		uint64_t now = pl_now_ns();
		uint64_t left_ms = deadline_ns > now ? (deadline_ns - now) / PL_NS_PER_MS : 0;
		int wait_ms = s ? pl_sampler_look(s, now) : LOOK_MS;

		if (left_ms < (uint64_t)wait_ms)
			wait_ms = (int)left_ms;
		if (poll(&fd, 1, wait_ms) > 0) {
			collect(c);
			return PL_WAIT_ENDED;
		}
		if (!left_ms)
			return PL_WAIT_TIMEOUT;
	}
	return PL_WAIT_INTERRUPTED;
}

void pl_child_stop(struct pl_child *c)
{
	struct pollfd fd = {.fd = c->pidfd, .events = POLLIN};
	uint64_t deadline = pl_now_ns() + GRACE_NS;

	if (c->pid <= 0)
		return;
	kill(-c->pid, SIGTERM);
	while (c->pidfd >= 0 && pl_now_ns() < deadline && poll(&fd, 1, 100) <= 0)
		;
	kill(-c->pid, SIGKILL);
	collect(c);
}

char *pl_child_output(const struct pl_child *c)
{
	struct stat st;
	off_t from;
	char *text;
	ssize_t n;

	if (fstat(c->out_fd, &st))
		return NULL;
	from = st.st_size > MAX_OUTPUT ? st.st_size - MAX_OUTPUT : 0;
	text = malloc((size_t)(st.st_size - from) + 1);
	if (!text)
		return NULL;
	n = pread(c->out_fd, text, (size_t)(st.st_size - from), from);
	if (n < 0)
		n = 0;
	for (ssize_t i = 0; i < n; i++) {
		if (!text[i])
			text[i] = ' ';
	}
	text[n] = '\0';
	return text;
}

void pl_child_fini(struct pl_child *c)
{
	if (c->pidfd >= 0)
		close(c->pidfd);
	if (c->out_fd >= 0)
		close(c->out_fd);
	c->pidfd = c->out_fd = -1;
}
