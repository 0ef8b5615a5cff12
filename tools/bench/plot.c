// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See plot.h. What is drawn, and gnuplot as a child; the script is in plot_script.c.
#include "tools/bench/plot.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tools/bench/contender.h"
#include "tools/bench/installed.h"
#include "tools/bench/say.h"

#define WIDE 8
#define LINE 96 /* characters of the line below the picture */

/* Breaks TEXT at a comma where a line gets too long. */
static void wrap(char *text)
{
	char *begin = text, *comma = NULL;

	for (char *s = text; *s; s++) {
		if (s - begin > LINE && comma) {
			*comma = '\n';
			begin = comma + 1;
			comma = NULL;
		}
		if (s[0] == ',' && s[1] == ' ')
			comma = s + 1;
	}
}

static unsigned int color_of(enum pl_contender c)
{
	switch (c) {
	case PL_KERNEL:
		return 0x7f7f7f;
	case PL_CONTROL:
		return 0xb0a070;
	case PL_LIBPLACE:
		return 0x1f5fbf;
	default:
		return c < PL_FIRST_PEER ? 0x2f8f4f : 0xd07020;
	}
}

/* The runs of C, without those that failed; divided by KERNEL when that is no NAN. */
static double *column(const struct pl_results *r, enum pl_contender c, double kernel, size_t *ret_n)
{
	bool lower = pl_bench_lower_is_better(r->opts);
	double all[PL_MAX_ROUNDS], *v = calloc(PL_MAX_ROUNDS, sizeof(*v));
	size_t n = 0;

	pl_results_values(r, c, r->opts->judged, all);
	for (int i = 0; v && i < r->rounds; i++) {
		if (!isfinite(all[i]))
			continue;
		if (isnan(kernel))
			v[n++] = all[i];
		else if (all[i] > 0)
			v[n++] = lower ? kernel / all[i] : all[i] / kernel;
	}
	*ret_n = n;
	return v;
}

static double median(const struct pl_results *r, enum pl_contender c)
{
	double v[PL_MAX_ROUNDS];

	pl_results_values(r, c, r->opts->judged, v);
	return pl_judge_median(v, (size_t)r->rounds);
}

static bool add(struct pl_plot *p, const struct pl_results *r, enum pl_contender c, double kernel,
		double x, const char *key, const char *tick)
{
	struct pl_plot_series *s = &p->series[p->nr];

	if (p->nr == PL_PLOT_MAX_SERIES)
		return true;
	*s = (struct pl_plot_series){.x = x, .color = color_of(c), .key = key, .tick = tick};
	s->v = column(r, c, kernel, &s->n);
	if (!s->v)
		return false;
	if (s->n)
		p->nr++;
	else
		free(s->v);
	return true;
}

/* Far apart: on an axis from 0 the small ones could not be told from each other. */
static bool is_wide(const struct pl_plot *p)
{
	double min = INFINITY, max = 0;

	for (size_t i = 0; i < p->nr; i++) {
		min = fmin(min, pl_judge_min(p->series[i].v, p->series[i].n));
		max = fmax(max, pl_judge_max(p->series[i].v, p->series[i].n));
	}
	return min > 0 && max > WIDE * min;
}

static bool build_one(struct pl_plot *p, const struct pl_results *r)
{
	const struct pl_metric *judged = pl_bench_judged(r->opts);
	bool ok = true;
	int x = 0;

	snprintf(p->title, sizeof(p->title), "%s: %s, %s is better", r->name, judged->label,
		 judged->lower_is_better ? "less" : "more");
	snprintf(p->label, sizeof(p->label), "%s", judged->label);
	p->width = 0.5;
	for (int c = 0; c < PL_NR_CONTENDERS && ok; c++) {
		if (r->opts->contender[c])
			ok = add(p, r, (enum pl_contender)c, NAN, x++, NULL,
				 pl_contender_name((enum pl_contender)c));
	}
	p->logarithmic = is_wide(p);
	return ok;
}

/* For each load three boxes beside each other: kernel, libplace, the best by hand. */
static bool build_many(struct pl_plot *p, struct pl_results *const *r, size_t nr)
{
	bool keyed = false, ok = true; /* the legend names each kind of box once */
	bool first = true;

	snprintf(p->title, sizeof(p->title),
		 "Each run against the median of the kernel's runs, more is better");
	snprintf(p->label, sizeof(p->label), "times as good as the kernel's median");
	p->ratio = p->logarithmic = true;
	p->width = 0.22;
	for (size_t i = 0; i < nr && ok; i++) {
		double kernel = median(r[i], PL_KERNEL);
		enum pl_contender hand;
		bool has_hand = pl_results_best_hand(r[i], &hand);

		if (isnan(kernel) || kernel <= 0)
			continue;
		ok = add(p, r[i], PL_KERNEL, kernel, (double)i - 0.27, first ? "kernel" : NULL,
			 NULL) &&
		     add(p, r[i], PL_LIBPLACE, kernel, (double)i, first ? "libplace" : NULL,
			 r[i]->name) &&
		     (!has_hand || add(p, r[i], hand, kernel, (double)i + 0.27,
				       keyed ? NULL : "best by hand", NULL));
		keyed = keyed || has_hand;
		first = false;
	}
	return ok;
}

bool pl_plot_build(struct pl_plot *p, struct pl_results *const *r, size_t nr,
		   const struct pl_host *h)
{
	bool ok;

	memset(p, 0, sizeof(*p));
	pl_host_describe(h, p->subtitle, sizeof(p->subtitle));
	wrap(p->subtitle);
	ok = nr == 1 ? build_one(p, r[0]) : build_many(p, r, nr);
	if (ok && p->nr)
		return true;
	pl_plot_fini(p);
	return false;
}

void pl_plot_fini(struct pl_plot *p)
{
	for (size_t i = 0; i < p->nr; i++)
		free(p->series[i].v);
	p->nr = 0;
}

int pl_plot_draw(const struct pl_plot *p, const char *file)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
	int status = -1;
	FILE *f;

	if (!pl_installed("gnuplot")) {
		pl_say("--plot needs gnuplot: install the package gnuplot-nox");
		return 127;
	}
	/* A gnuplot that has ended early is told by its status. */
	sigaction(SIGPIPE, &ignore, &old);
	f = popen("exec gnuplot -", "we");
	if (f) {
		pl_plot_script(f, p, file);
		status = pclose(f);
	}
	sigaction(SIGPIPE, &old, NULL);
	if (!f)
		pl_say("cannot start gnuplot: %s", strerror(errno));
	else if (status)
		pl_say("gnuplot failed with status %d: nothing drawn into %s",
		       WIFEXITED(status) ? WEXITSTATUS(status) : -1, file);
	return status ? 1 : 0;
}
