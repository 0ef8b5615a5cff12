// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * A library whose constructor does all that a program may do, before the constructors of objects
 * that come later: locks, signals, threads, descriptors, children, affinity. Also built as a
 * preload object, to stand before and behind others.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int ready;
	int there[2], back[2];
} early = {.mutex = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER};

static void *partner(void *unused)
{
	char c;

	pthread_mutex_lock(&early.mutex);
	early.ready = 1;
	pthread_cond_signal(&early.cond);
	pthread_mutex_unlock(&early.mutex);
	while (read(early.there[0], &c, 1) == 1)
		if (write(early.back[1], &c, 1) != 1)
			break;
	return unused;
}

static void must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "early: %s\n", what);
	abort();
}

static void threads(void)
{
	pthread_t thread;

	must(pipe(early.there) == 0 && pipe(early.back) == 0, "pipe");
	pthread_mutex_lock(&early.mutex);
	must(pthread_create(&thread, NULL, partner, NULL) == 0, "pthread_create");
	while (!early.ready)
		pthread_cond_wait(&early.cond, &early.mutex);
	pthread_mutex_unlock(&early.mutex);
	for (int i = 0; i < 40; i++) {
		struct pollfd p = {.fd = early.back[0], .events = POLLIN};
		char c = (char)i;

		must(write(early.there[1], &c, 1) == 1, "write");
		must(poll(&p, 1, 10000) == 1, "poll");
		must(read(early.back[0], &c, 1) == 1 && c == (char)i, "read");
	}
	close(early.there[1]);
	must(pthread_join(thread, NULL) == 0, "pthread_join");
	close(early.there[0]);
	close(early.back[0]);
	close(early.back[1]);
}

static void children(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(3);
	must(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3, "fork");
	must(system("exit 4") == 4 << 8, "system");
}

__attribute__((constructor)) static void construct(void)
{
	cpu_set_t set;
	sem_t sem;

	/* Its own children are not to do the same again. */
	if (getenv("EARLY_USER"))
		return;
	setenv("EARLY_USER", "1", 1);
	must(sem_init(&sem, 0, 0) == 0 && sem_post(&sem) == 0 && sem_wait(&sem) == 0, "sem");
	threads();
	children();
	must(sched_getaffinity(0, sizeof(set), &set) == 0, "sched_getaffinity");
	must(sched_setaffinity(0, sizeof(set), &set) == 0, "sched_setaffinity");
	unsetenv("EARLY_USER");
}
