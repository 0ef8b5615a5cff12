// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The plug-in: uses libplace for a thread of its own and leaves no trace in its host. It neither
// knows nor cares whether the host uses libplace as well, or was started by `place run`.
#include <pthread.h>
#include <stddef.h>

#include <libplace/place.h>

/* Doubles each of the N numbers at DATA, in a thread of its own. 0 on success. */
__attribute__((visibility("default"))) int filter_run(int *data, size_t n);

struct job {
	int *data;
	size_t n;
};

static void *run(void *arg)
{
	struct job *job = arg;

	/* Refused when libplace is kept off: then there is nothing to undo either. */
	int joined = place_start(NULL) == 0;

	for (size_t i = 0; i < job->n; i++)
		job->data[i] *= 2;
	if (joined)
		place_stop();
	return NULL;
}

int filter_run(int *data, size_t n)
{
	struct job job = {data, n};
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, &job) != 0)
		return -1;
	return pthread_join(thread, NULL) == 0 ? 0 : -1;
}
