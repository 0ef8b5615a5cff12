// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The gnuplot script of a picture. The data are in it, so there is no second file.
#include <math.h>
#include <string.h>

#include "tools/bench/plot.h"

/* A text in double quotes, as gnuplot reads it. */
static void quote(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', f);
		if (*text == '\n')
			fputs("\\n", f);
		else
			fputc(*text, f);
	}
	fputc('"', f);
}

double pl_plot_jitter(size_t i)
{
	double x = (double)(i + 1) * 0.6180339887498949; /* spreads any number of points evenly */

	return x - floor(x) - 0.5;
}

static double right_end(const struct pl_plot *p)
{
	double x = 0;

	for (size_t i = 0; i < p->nr; i++)
		x = fmax(x, p->series[i].x);
	return x;
}

static void print_head(FILE *f, const struct pl_plot *p, const char *file)
{
	const char *dot = strrchr(file, '.');
	int width = (int)fmin(fmax(720, 90 * (right_end(p) + 2)), 2400);

	if (dot && strcmp(dot, ".png") == 0)
		fprintf(f, "set terminal pngcairo noenhanced size %d,520 background rgb 'white'\n",
			width);
	else
		fprintf(f,
			"set terminal svg noenhanced size %d,520 dynamic background rgb 'white'\n",
			width);
	fputs("set output ", f);
	quote(f, file);
	fputs("\nset title ", f);
	quote(f, p->title);
	fputs("\nset label 1 ", f);
	quote(f, p->subtitle);
	fputs(" at screen 0.01,0.06 font ',8' textcolor rgb '#606060'\nset ylabel ", f);
	quote(f, p->label);
	fputs("\nset bmargin 7\nset grid ytics lc rgb '#d0d0d0'\nset xtics rotate by -30\n", f);
	fprintf(f, "set xrange [-0.6:%g]\n", right_end(p) + 0.6);
	fputs(p->ratio ? "set key outside top\n" : "set key off\n", f);
	if (p->logarithmic)
		fprintf(f, "set logscale y %d\n", p->ratio ? 2 : 10);
	else
		fputs("set yrange [0:*]\n", f);
	fputs("set xtics (", f);
	for (size_t i = 0, n = 0; i < p->nr; i++) {
		if (!p->series[i].tick)
			continue;
		fputs(n++ ? ", " : "", f);
		quote(f, p->series[i].tick);
		fprintf(f, " %g", p->series[i].x);
	}
	fputs(")\n", f);
}

void pl_plot_script(FILE *f, const struct pl_plot *p, const char *file)
{
	for (size_t i = 0; i < p->nr; i++) {
		const struct pl_plot_series *s = &p->series[i];

		fprintf(f, "$s%zu << END\n", i);
		for (size_t k = 0; k < s->n; k++)
			fprintf(f, "%.6g %.9g\n", s->x + pl_plot_jitter(k) * p->width * 0.6,
				s->v[k]);
		fputs("END\n", f);
	}
	print_head(f, p, file);
	/* All runs are points, so the box needs no outliers of its own. */
	fputs("set style boxplot nooutliers\nset style fill transparent solid 0.25\nplot", f);
	if (p->ratio)
		fputs(" 1 with lines lc rgb '#404040' notitle,", f);
	for (size_t i = 0; i < p->nr; i++) {
		const struct pl_plot_series *s = &p->series[i];

		fprintf(f,
			"%s $s%zu using (%g):2:(%g) with boxplot lc rgb '#%06x' notitle, $s%zu "
			"using 1:2 with points pt 7 ps 0.5 lc rgb '#%06x' ",
			i ? "," : "", i, s->x, p->width, s->color, i, s->color);
		fputs(s->key ? "title " : "notitle", f);
		if (s->key)
			quote(f, s->key);
	}
	fputs("\n", f);
}
