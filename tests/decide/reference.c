// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See reference.h.
#include "decide/reference.h"

#include "decide/random_case.h"

void ref_read(struct ref *f)
{
	const struct pl_machine *m = &rc.machine;
	const struct pl_snapshot *s = &rc.snapshot;
	const struct pl_request *r = &rc.request;

	f->n = m->nr_cpu_ids;
	f->smt = false;
	f->asymmetric = m->asymmetric;
	for (int c = 0; c < f->n; c++) {
		f->online[c] = m->cpu[c].capacity > 0;
		f->idle[c] = f->online[c] && pl_cpumask_has(&s->idle, c);
		f->program[c] = f->online[c] && (!s->allowed || pl_cpumask_has(s->allowed, c));
		f->allowed[c] = f->program[c] && (!r->allowed || pl_cpumask_has(r->allowed, c));
		f->isolated[c] = m->cpu[c].flags;
		f->core[c] = m->cpu[c].core;
		f->cluster[c] = m->cpu[c].cluster;
		f->llc[c] = m->cpu[c].llc;
		f->node[c] = m->cpu[c].node;
		f->arch[c] = m->cpu[c].capacity;
		f->actual[c] = m->cpu[c].actual;
		f->capacity[c] = s->capacity ? s->capacity[c] : m->cpu[c].actual;
		if (f->capacity[c] < 1)
			f->capacity[c] = 1;
		f->util[c] = s->util ? s->util[c] : 0;
	}
	for (int a = 0; a < f->n; a++)
		for (int b = 0; b < a; b++)
			if (f->online[a] && f->online[b] && f->core[a] == f->core[b])
				f->smt = true;
	f->target = r->target;
	f->prev = r->prev;
	f->recent = r->recent;
	f->u = (int)r->util;
	f->umin = (int)r->umin;
	f->umax = (int)r->umax;
	f->core_first = f->smt && s->idle_mode == PL_IDLE_CORE_FIRST;
	for (int l = 0; l < f->n; l++) {
		int cpus = 0, sum = 0;

		f->hint[l] = false;
		f->budget[l] = -1;
		for (int c = 0; c < f->n; c++) {
			if (!f->online[c] || f->llc[c] != l)
				continue;
			cpus++;
			sum += f->util[c];
			f->hint[l] = f->hint[l] || ref_core_idle(f, c);
		}
		if (s->scan_budget && cpus) {
			int64_t u = sum / cpus, x = u * u * 117 * 117 / (10000 * 1024);

			f->budget[l] = (int)(cpus * (1024 - (x > 1024 ? 1024 : x)) / 1024);
		}
	}
	f->asym_hint = false;
	for (int c = 0; c < f->n; c++)
		f->asym_hint = f->asym_hint || (f->online[c] && ref_core_idle(f, c));
	for (int a = 0; a < 64; a++)
		for (int b = 0; b < 64; b++)
			f->distance[a][b] = m->distance[a][b];
}

/* R1 */
static bool fits_capacity(int u, int cap)
{
	return u * 1280 < cap * 1024;
}

static bool greater(int a, int b)
{
	return a * 1024 > b * 1078;
}

int ref_fits(int u, int umin, int umax, int arch, int actual, int capacity)
{
	int least = umin < umax ? umin : umax;
	bool fits = false;

	if (fits_capacity(u, capacity))
		fits = true;
	if (umax <= arch && (umax != 1024 || arch != 1024))
		fits = true;
	if (!fits)
		return 0;
	if (u < least && least > actual)
		return -1;
	return 1;
}

static int fits_on(const struct ref *f, int c)
{
	return ref_fits(f->u, f->umin, f->umax, f->arch[c], f->actual[c], f->capacity[c]);
}

static bool known(const struct ref *f, int c)
{
	return c >= 0 && c < f->n && f->online[c];
}

bool ref_core_idle(const struct ref *f, int cpu)
{
	for (int c = 0; c < f->n; c++)
		if (f->online[c] && f->core[c] == f->core[cpu] && !f->idle[c])
			return false;
	return true;
}

/* R8 */
int ref_representative(const struct ref *f, int cpu)
{
	for (int c = 0; c < f->n; c++)
		if (f->allowed[c] && f->core[c] == f->core[cpu])
			return c;
	return -1;
}

static int resolve(const struct ref *f, int cpu)
{
	return ref_core_idle(f, cpu) ? ref_representative(f, cpu) : cpu;
}

static bool usable(const struct ref *f, int c)
{
	return known(f, c) && f->allowed[c] && f->idle[c] && f->llc[c] == f->llc[f->target];
}

int ref_r6(const struct ref *f)
{
	int first[3] = {f->target, f->prev, f->recent}, looked = 0, llc;

	if (!known(f, f->target))
		return -1;
	llc = f->llc[f->target];
	/* 1, 2, 3 */
	for (int i = 0; i < 3; i++)
		if (usable(f, first[i]) && (!f->core_first || ref_core_idle(f, first[i])))
			return resolve(f, first[i]);
	/* 4 */
	if (f->hint[llc] && f->budget[llc] != 0)
		for (int i = 1; i <= f->n; i++) {
			int c = (f->target + i) % f->n;

			if (usable(f, c) && ref_core_idle(f, c))
				return resolve(f, c);
		}
	/* 5 */
	if (!f->hint[llc] && !f->core_first && known(f, f->prev) && f->llc[f->prev] == llc)
		for (int c = 0; c < f->n; c++)
			if (usable(f, c) && f->core[c] == f->core[f->prev])
				return resolve(f, c);
	/* 6 */
	for (int i = 1; i <= f->n; i++) {
		int c = (f->target + i) % f->n;

		if (!f->allowed[c] || f->llc[c] != llc)
			continue;
		if (f->budget[llc] >= 0 && looked++ >= f->budget[llc])
			break;
		if (f->idle[c])
			return resolve(f, c);
	}
	/* 7 */
	return f->allowed[f->target] ? f->target : -1;
}

int ref_r7_table(const struct ref *f, int llc, bool idle_core, bool *stale)
{
	int best = 99, at = -1, from = known(f, f->target) ? f->target : 0;

	*stale = false;
	if (f->target >= 0 && f->target < f->n)
		from = f->target;
	for (int i = 0; i < f->n; i++) {
		int c = (from + i) % f->n;

		if (f->allowed[c] && f->idle[c] && (llc < 0 || f->llc[c] == llc) &&
		    fits_on(f, c) > 0 && (!f->smt || !idle_core || ref_core_idle(f, c)))
			return resolve(f, c);
	}
	for (int i = 0; i < f->n; i++) {
		int c = (from + i) % f->n, fit, rank, size, best_size;
		bool preferred;

		if (!f->allowed[c] || !f->idle[c] || (llc >= 0 && f->llc[c] != llc))
			continue;
		preferred = !f->smt || !idle_core || ref_core_idle(f, c);
		fit = fits_on(f, c);
		if (preferred)
			rank = fit < 0 ? -4 : -3;
		else
			rank = fit > 0 ? -2 : fit < 0 ? -1 : 0;
		size = fit < 0 ? f->actual[c] : f->capacity[c];
		best_size = at < 0 ? 0 : fit < 0 ? f->actual[at] : f->capacity[at];
		if (rank < best || (rank == best && size > best_size)) {
			best = rank;
			at = c;
		}
	}
	*stale = idle_core && best > -3;
	return at < 0 ? -1 : resolve(f, at);
}

int ref_r7(const struct ref *f, bool *stale)
{
	int first[3] = {f->target, f->prev, f->recent}, cpu;

	*stale = false;
	if (!known(f, f->target))
		return -1;
	for (int i = 0; i < 3; i++)
		if (usable(f, first[i]) && (!f->smt || ref_core_idle(f, first[i])) &&
		    fits_on(f, first[i]) > 0)
			return resolve(f, first[i]);
	cpu = ref_r7_table(f, -1, f->asym_hint, stale);
	return cpu >= 0 ? cpu : f->allowed[f->target] ? f->target : -1;
}

bool ref_misfit(const struct ref *f)
{
	int nr = 0, largest = 0;

	if (!f->asymmetric || !known(f, f->prev))
		return false;
	for (int c = 0; c < f->n; c++)
		if (f->allowed[c]) {
			nr++;
			if (f->arch[c] > largest)
				largest = f->arch[c];
		}
	return nr > 1 && f->arch[f->prev] < largest && fits_on(f, f->prev) <= 0;
}

int ref_r9(const struct ref *f)
{
	int best = -1;

	if (!ref_misfit(f))
		return -1;
	for (int i = 1; i <= f->n; i++) {
		int c = (f->prev + i) % f->n;

		if (!f->allowed[c] || !ref_core_idle(f, c) || ref_representative(f, c) != c ||
		    !greater(f->capacity[c], f->capacity[f->prev]))
			continue;
		if (best < 0 || f->capacity[c] > f->capacity[best])
			best = c;
	}
	return best;
}

static int idle_cores_of(const struct ref *f, int llc)
{
	int nr = 0;

	for (int c = 0; c < f->n; c++)
		nr += f->allowed[c] && f->llc[c] == llc && ref_core_idle(f, c) &&
		      ref_representative(f, c) == c;
	return nr;
}

static int spare_of(const struct ref *f, int llc)
{
	int sum = 0;

	for (int c = 0; c < f->n; c++)
		if (f->allowed[c] && f->llc[c] == llc && f->util[c] < f->capacity[c])
			sum += f->capacity[c] - f->util[c];
	return sum;
}

static int far_from_target(const struct ref *f, int llc)
{
	for (int c = 0; c < f->n; c++)
		if (f->allowed[c] && f->llc[c] == llc) {
			if (!known(f, f->target) || f->node[c] == f->node[f->target])
				return 0;
			if (f->node[c] >= 64 || f->node[f->target] >= 64)
				return 256;
			return f->distance[f->node[f->target]][f->node[c]];
		}
	return -1; /* nothing may be used there */
}

int ref_r10(const struct ref *f, int preferred)
{
	int best = -1, best_cores = 0, best_spare = 0, best_far = 0;
	bool stale;

	if (preferred >= 0 && preferred < f->n && idle_cores_of(f, preferred) > 0)
		return ref_r7_table(f, preferred, true, &stale);
	for (int l = 0; l < f->n; l++) {
		int far = far_from_target(f, l), cores, spare;

		if (far < 0)
			continue;
		cores = idle_cores_of(f, l);
		spare = spare_of(f, l);
		if (best < 0 || cores > best_cores || (cores == best_cores && spare > best_spare) ||
		    (cores == best_cores && spare == best_spare && far < best_far)) {
			best = l;
			best_cores = cores;
			best_spare = spare;
			best_far = far;
		}
	}
	return best < 0 ? -1 : ref_r7_table(f, best, best_cores > 0, &stale);
}

/* Whether C is a candidate of R12, and how good: idle cores, then whole fits, then room. */
static int64_t merit(const struct ref *f, int c)
{
	int u = f->util[c] + f->u, fit;
	bool idle = ref_core_idle(f, c);

	if (!f->allowed[c] || (idle && ref_representative(f, c) != c))
		return -1;
	fit = ref_fits(u, f->umin, f->umax, f->arch[c], f->actual[c], f->capacity[c]);
	if (!fit)
		return -1;
	return (idle ? 1 << 20 : 0) + (fit > 0 ? 1 << 19 : 0) +
	       (u < f->capacity[c] ? f->capacity[c] - u : 0);
}

/* Of the whole machine with the task on CPU AT; the rule's proxy. */
static int64_t energy(const struct ref *f, int at)
{
	int64_t sum = 0;

	for (int d = 0; d < f->n; d++) {
		int64_t top = 0, cap = 0;

		for (int c = 0; c < f->n; c++) {
			int u = f->util[c] + (c == at ? f->u : 0);

			if (!f->online[c] || f->cluster[c] != d)
				continue;
			if (u > top)
				top = u;
			if (f->arch[c] > cap)
				cap = f->arch[c];
		}
		sum += top * cap * cap;
	}
	return sum;
}

int ref_r12(const struct ref *f)
{
	int64_t least = 0;
	int best = -1, prev = -1;

	for (int c = 0; c < f->n; c++)
		if (f->online[c] && f->util[c] * 100 > f->capacity[c] * 80)
			return -1;
	for (int d = 0; d < f->n; d++) {
		int at = -1;

		/* Among equals the first by core, then by number: cores keep their order. */
		for (int core = 0; core < f->n; core++)
			for (int c = 0; c < f->n; c++)
				if (f->online[c] && f->cluster[c] == d && f->core[c] == core &&
				    merit(f, c) >= 0 && (at < 0 || merit(f, c) > merit(f, at)))
					at = c;
		if (at < 0)
			continue;
		if (best < 0 || energy(f, at) < least) {
			least = energy(f, at);
			best = at;
		}
	}
	if (known(f, f->prev) && f->allowed[f->prev])
		prev = resolve(f, f->prev);
	if (prev >= 0 && merit(f, prev) >= 0 && (best < 0 || energy(f, prev) <= least))
		best = prev;
	return best;
}

int ref_r13(const struct ref *f, bool *out)
{
	int level;

	for (level = 0; level < 3; level++) {
		bool any = false;

		for (int c = 0; c < f->n; c++) {
			out[c] = f->program[c];
			if (level < 2)
				out[c] = out[c] && !f->isolated[c] && f->idle[c];
			if (level == 0)
				out[c] = out[c] && ref_core_idle(f, c);
			any = any || out[c];
		}
		if (any)
			break;
	}
	return level < 3 ? level : 2;
}

int ref_r16(const struct ref *f, int cpu, int least, bool *out)
{
	int all = 0;

	for (int c = 0; c < f->n; c++)
		all += f->allowed[c];
	for (int set = least; set <= 3; set++) {
		int nr = 0;

		for (int c = 0; c < f->n; c++) {
			out[c] = f->allowed[c] && (set == 1   ? f->core[c] == f->core[cpu]
						   : set == 2 ? f->llc[c] == f->llc[cpu]
							      : f->node[c] == f->node[cpu]);
			nr += out[c];
		}
		if (nr == all)
			break;
		if (nr > 1)
			return set;
	}
	for (int c = 0; c < f->n; c++)
		out[c] = f->allowed[c];
	return 0;
}
