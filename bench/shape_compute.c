// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Shape "compute": every task multiplies its block of single-precision matrices, yields, and meets
// the others at a barrier; then the next step. As in a BLAS call the slowest task sets the pace, so
// two tasks on one CPU, or beside a foreign hog, halve the rate of all.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/shapes.h"

#define LANES	  8 /* floats of a vector; the compiler splits it where registers are shorter */
#define MAX_BLOCK 256
#define NO_STEP	  UINT64_MAX

typedef float vec __attribute__((vector_size(LANES * sizeof(float)), aligned(4)));

/* Task 0 writes a step's number before its barrier, all read after theirs: whoever is late still
 * sees a number that is not his own step's. */
struct compute_area {
	pthread_barrier_t barrier;
	_Atomic uint64_t measure_from; /* the first measured step */
	_Atomic uint64_t last_step;
	uint64_t begin_ns, end_ns;
	struct compute_line {
		uint64_t waited_ns; /* at the barrier */
		float sum;
	} __attribute__((aligned(BENCH_LINE))) line[BENCH_MAX_WORKERS];
};

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("default", "arch=haswell")))
#else
#define CLONES
#endif

/* C += A * B, all N x N, N a multiple of LANES. */
static CLONES void multiply(float *c, const float *a, const float *b, int n)
{
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < n; k++) {
			float f = a[i * n + k];

			for (int j = 0; j < n; j += LANES) {
				vec vb, vc;

				memcpy(&vb, &b[k * n + j], sizeof(vb));
				memcpy(&vc, &c[i * n + j], sizeof(vc));
				vc += f * vb;
				memcpy(&c[i * n + j], &vc, sizeof(vc));
			}
		}
	}
}

/* Values for which C neither overflows nor becomes denormal in any number of steps. */
static void fill(float *a, float *b, float *c, int n)
{
	for (int i = 0; i < n * n; i++) {
		a[i] = (float)(i % 7 - 3) / 64;
		b[i] = (float)(i % 5 - 2) / 64;
		c[i] = 0;
	}
}

/* Before the barrier of STEP, by task 0. */
static void keep_time(struct bench_team *t, uint64_t step, const struct bench_window *w)
{
	struct compute_area *a = t->area;
	uint64_t now = pl_now_ns();

	if (now >= w->from_ns && !a->begin_ns) {
		a->begin_ns = now;
		atomic_store(&a->measure_from, step + 1);
	} else if (now >= w->to_ns && atomic_load(&a->last_step) == NO_STEP) {
		a->end_ns = now;
		atomic_store(&a->last_step, step);
	}
}

static void compute_worker(struct bench_team *t, int k)
{
	static __thread float m[3][MAX_BLOCK * MAX_BLOCK];
	struct compute_area *a = t->area;
	struct compute_line *me = &a->line[k];
	struct bench_window w;
	struct bench_usage base;
	int n = shape_opts.block;

	fill(m[0], m[1], m[2], n);
	bench_ready(t);
	w = bench_window(t);
	base = bench_usage();
	for (uint64_t step = 0;; step++) {
		uint64_t before;

		multiply(m[2], m[0], m[1], n);
		sched_yield();
		if (k == 0)
			keep_time(t, step, &w);
		before = pl_now_ns();
		pthread_barrier_wait(&a->barrier);
		me->waited_ns += pl_now_ns() - before;
		if (step >= atomic_load(&a->last_step))
			break;
		if (step + 1 == atomic_load(&a->measure_from)) {
			base = bench_usage();
			me->waited_ns = 0;
		}
	}
	bench_usage_store(&t->sh->slot[k], base);
	me->sum = m[2][0]; /* keeps the multiplication alive */
}

static void compute_prepare(struct bench_team *t)
{
	struct compute_area *a = t->area;
	pthread_barrierattr_t attr;
	int err;

	atomic_store(&a->measure_from, NO_STEP);
	atomic_store(&a->last_step, NO_STEP);
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, t->opts->processes ? PTHREAD_PROCESS_SHARED
								 : PTHREAD_PROCESS_PRIVATE);
	err = pthread_barrier_init(&a->barrier, &attr, (unsigned int)shape_opts.tasks);
	pthread_barrierattr_destroy(&attr);
	if (err)
		bench_die("cannot make a barrier: %s", strerror(err));
}

static void compute_report(const struct bench_team *t)
{
	const struct compute_area *a = t->area;
	double elapsed = (double)(a->end_ns - a->begin_ns) / 1e9, waited = 0, n = shape_opts.block;
	/* The steps from the first measured one to the last, both included. */
	double steps = (double)(a->last_step - a->measure_from + 1);

	for (int k = 0; k < t->nr; k++)
		waited += (double)a->line[k].waited_ns / 1e9 / t->nr;
	printf("steps %.0f\n", steps);
	printf("elapsed_s %.6f\n", elapsed);
	printf("steps_per_s %.2f\n", steps / elapsed);
	printf("gflops %.4f\n", 2 * n * n * n * steps * t->nr / elapsed / 1e9);
	printf("barrier_share %.4f\n", waited / elapsed);
	bench_print_usage(t, "step", steps);
}

static int compute_tasks(void)
{
	return shape_opts.tasks;
}

const struct shape shape_compute = {
	.name = "compute",
	.default_tasks = SHAPE_TASK_A_CPU,
	.area = sizeof(struct compute_area),
	.nr_tasks = compute_tasks,
	.prepare = compute_prepare,
	.worker = compute_worker,
	.report = compute_report,
};
