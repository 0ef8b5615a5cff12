// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place-dgemm: multiplies matrices with the OpenBLAS that is installed, for some seconds.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"

#define N	  768
#define ROW_MAJOR 101 /* as cblas.h numbers them */
#define NO_TRANS  111

typedef void dgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
		      const double *a, int lda, const double *b, int ldb, double beta, double *c,
		      int ldc);

static double *matrix(double value)
{
	double *m = malloc(sizeof(*m) * N * N);

	for (int i = 0; m && i < N * N; i++)
		m[i] = value + i % 3;
	if (!m)
		bench_die("out of memory");
	return m;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {BENCH_OPTIONS, {NULL, 0, NULL, 0}};
	double *a, *b, *c, elapsed;
	uint64_t begin, rounds = 0;
	struct bench_opts opts;
	dgemm_fn *dgemm;
	void *lib;
	int opt;

	bench_opts_init(&opts);
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (!bench_option(&opts, opt, optarg)) {
			fputs("usage: place-dgemm [--seconds S]\n", stderr);
			return 2;
		}
	}
	lib = dlopen("libopenblas.so.0", RTLD_NOW);
	*(void **)&dgemm = lib ? dlsym(lib, "cblas_dgemm") : NULL;
	if (!dgemm)
		bench_die("no OpenBLAS: %s", dlerror());
	a = matrix(1);
	b = matrix(2);
	c = matrix(0);
	/* The first call starts the library's threads. */
	dgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, N, N, N, 1, a, N, b, N, 0, c, N);
	begin = pl_now_ns();
	do {
		dgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, N, N, N, 1, a, N, b, N, 0, c, N);
		rounds++;
		elapsed = (double)(pl_now_ns() - begin) / 1e9;
	} while (elapsed < opts.seconds);
	printf("rounds %llu\n", (unsigned long long)rounds);
	printf("gflops %.3f\n", 2.0 * N * N * N * (double)rounds / elapsed / 1e9);
	free(a);
	free(b);
	free(c);
	return 0;
}
