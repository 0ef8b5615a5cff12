// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Runs a child program with its output captured and a time limit; waits on descriptors, never by
// sleeping. Carries failures from threads to the main thread.
#include "helper/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_TIMEOUT_MS = 30000 };

/* Our end of a standard stream that the child writes to, and what came through it. */
struct stream {
	int fd; /* -1: closed */
	char *buf;
	size_t len, size;
};

/* What this process holds of the child. */
struct ends {
	int in;
	struct stream out, err;
	int exec;  /* carries the errno of a failed exec */
	int pidfd; /* readable once the child has ended */
};

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void apply_env(const struct helper_child *c)
{
	for (const char *const *e = c->env; e && *e; e++) {
		char *name = strdup(*e), *value = name ? strchr(name, '=') : NULL;

		if (value)
			*value++ = '\0';
		if (value)
			setenv(name, value, 1);
		else if (name)
			unsetenv(name);
		free(name);
	}
	if (c->preload && *c->preload)
		setenv("LD_PRELOAD", c->preload, 1);
	else if (c->preload)
		unsetenv("LD_PRELOAD");
}

static void child_main(const struct helper_child *c, int in, int out, int err, int exec)
{
	union {
		const char *const *in;
		char *const *out;
	} argv = {.in = c->argv}; /* execvp does not write to it */

	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	apply_env(c);
	execvp(c->argv[0], argv.out);
	if (write(exec, &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

static pid_t start(const struct helper_child *c, struct ends *e)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, exec[2] = {-1, -1};
	pid_t pid = -1;

	if (pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0 &&
	    pipe2(exec, O_CLOEXEC) == 0)
		pid = fork();
	if (pid == 0)
		child_main(c, in[0], out[1], err[1], exec[1]);
	*e = (struct ends){.in = in[1], .exec = exec[0], .pidfd = -1};
	e->out.fd = out[0];
	e->err.fd = err[0];
	if (pid < 0)
		pid = -errno;
	close_end(&in[0]);
	close_end(&out[1]);
	close_end(&err[1]);
	close_end(&exec[1]);
	return pid;
}

/* Reads what is there from S; closes it at its end. */
static void drain(struct stream *s)
{
	ssize_t n;

	if (s->size - s->len < 2) {
		size_t size = s->size ? 2 * s->size : 4096;
		char *buf = realloc(s->buf, size);

		if (!buf) {
			close_end(&s->fd);
			return;
		}
		s->buf = buf;
		s->size = size;
	}
	n = read(s->fd, s->buf + s->len, s->size - s->len - 1);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0)
		close_end(&s->fd);
	else
		s->len += (size_t)n;
}

static void feed(struct ends *e, const char **input, size_t *left)
{
	ssize_t n = *left ? write(e->in, *input, *left) : 0;

	if (n < 0 && errno == EAGAIN)
		return;
	if (n > 0) {
		*input += n;
		*left -= (size_t)n;
	}
	if (n < 0 || !*left)
		close_end(&e->in);
}

/* Serves the pipes until the child has ended or DEADLINE_MS came. True when it has ended. */
static bool serve(const struct helper_child *c, struct ends *e, int64_t deadline_ms)
{
	const char *input = c->input ? c->input : "";
	size_t left = strlen(input);
	bool ended = false;

	while (!ended) {
		struct pollfd p[] = {
			{.fd = e->out.fd, .events = POLLIN},
			{.fd = e->err.fd, .events = POLLIN},
			{.fd = e->in, .events = POLLOUT},
			{.fd = e->pidfd, .events = POLLIN},
		};
		int64_t left_ms = deadline_ms - now_ms();

		if (left_ms <= 0)
			return false;
		if (poll(p, 4, (int)left_ms) < 0) {
			if (errno == EINTR)
				continue;
			return false;
		}
		if (p[2].revents)
			feed(e, &input, &left);
		if (p[0].revents)
			drain(&e->out);
		if (p[1].revents)
			drain(&e->err);
		ended = p[3].revents;
	}
	return true;
}

/*
 * What is still in the pipe of the ended child. Somebody else may hold it open, so nothing is
 * waited for. The text goes to the caller.
 */
static void take(struct stream *s, char **text, size_t *len)
{
	size_t before;

	do {
		before = s->len;
		if (s->fd >= 0)
			drain(s);
	} while (s->len > before);
	close_end(&s->fd);
	if (!s->buf)
		s->buf = calloc(1, 1);
	if (s->buf)
		s->buf[s->len] = '\0';
	*text = s->buf;
	*len = s->len;
}

int helper_child_run(struct helper_child *c)
{
	int timeout_ms = c->timeout_ms ? c->timeout_ms : DEFAULT_TIMEOUT_MS;
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
	struct ends e;
	int failed = 0, ret = 0;
	pid_t pid;

	c->timed_out = false;
	sigaction(SIGPIPE, &ignore, &old);
	pid = start(c, &e);
	if (pid > 0) {
		e.pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
		fcntl(e.in, F_SETFL, O_NONBLOCK);
		fcntl(e.out.fd, F_SETFL, O_NONBLOCK);
		fcntl(e.err.fd, F_SETFL, O_NONBLOCK);
		fcntl(e.exec, F_SETFL, O_NONBLOCK);
		if (e.pidfd < 0 || !serve(c, &e, now_ms() + timeout_ms)) {
			c->timed_out = true;
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL); /* where it had no time yet to lead its group */
		}
		waitpid(pid, &c->status, 0);
		if (read(e.exec, &failed, sizeof(failed)) == sizeof(failed))
			ret = -failed;
		else if (c->timed_out)
			ret = -ETIMEDOUT;
	} else {
		ret = pid;
	}
	take(&e.out, &c->out, &c->out_len);
	take(&e.err, &c->err, &c->err_len);
	close_end(&e.in);
	close_end(&e.exec);
	close_end(&e.pidfd);
	sigaction(SIGPIPE, &old, NULL);
	return ret;
}

void helper_child_free(struct helper_child *c)
{
	free(c->out);
	free(c->err);
	c->out = c->err = NULL;
	c->out_len = c->err_len = 0;
}

bool helper_child_exited(const struct helper_child *c, int code)
{
	return WIFEXITED(c->status) && WEXITSTATUS(c->status) == code;
}

const char *helper_preload(void)
{
	return getenv("LIBPLACE_TEST_PRELOAD");
}

const char *helper_place(void)
{
	return getenv("LIBPLACE_TEST_PLACE");
}

void helper_skipped(const char *why)
{
	printf("# skipped: %s\n", why);
	fflush(stdout);
}

bool helper_check(struct helper_failure *f, bool ok, const char *file, int line, const char *what)
{
	uint32_t none = 0;

	if (ok || !atomic_compare_exchange_strong(&f->taken, &none, 1))
		return ok;
	f->file = file;
	f->line = line;
	strncpy(f->what, what, sizeof(f->what) - 1);
	return false;
}
