/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * The picture of a result: every run as a point, with a box from quartile to quartile, for each
 * contender. gnuplot draws it, as a child that reads a script from its standard input.
 */
#ifndef PL_TOOLS_BENCH_PLOT_H
#define PL_TOOLS_BENCH_PLOT_H

#include <stddef.h>
#include <stdio.h>

#include "tools/bench/host.h"
#include "tools/bench/results.h"

#define PL_PLOT_MAX_SERIES 512

struct pl_plot_series {
	double x;	    /* middle of the box */
	unsigned int color; /* 0xRRGGBB */
	double *v;	    /* no NANs */
	size_t n;
	const char *key;  /* name in the legend, or NULL */
	const char *tick; /* name below the axis, or NULL */
};

struct pl_plot {
	char title[256], subtitle[512], label[128];
	double width; /* of a box */
	bool ratio;   /* with a line at 1 and a legend */
	bool logarithmic;
	struct pl_plot_series series[PL_PLOT_MAX_SERIES];
	size_t nr;
};

/* One comparison in its own unit, or several as ratios to the kernel's median with better upwards.
 * False when out of memory or there is nothing to draw. Free with pl_plot_fini(). */
bool pl_plot_build(struct pl_plot *p, struct pl_results *const *r, size_t nr,
		   const struct pl_host *h);
void pl_plot_fini(struct pl_plot *p);

/* Writes the script that draws P into FILE, which ends in .svg or .png. Pure but for F. */
void pl_plot_script(FILE *f, const struct pl_plot *p, const char *file);

/* Where point I of a series stands beside the middle of its box, as a part of the box's width,
 * within +-0.5; the same at each call. */
double pl_plot_jitter(size_t i);

/* 0, or an exit status with the reason said on stderr. */
int pl_plot_draw(const struct pl_plot *p, const char *file);

#endif
