// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R2: the first source that tells CPUs apart becomes capacities, in classes; ranks become priority.
#include "machine/capacity.h"

#include <string.h>

#include "base/compiler.h"
#include "decide/fits.h"
#include "machine/core_type.h"

enum { FULL = 1024, MAX_CLASSES = 256 };

const char *pl_capacity_source_name(enum pl_capacity_source source)
{
	static const char *const names[PL_CAPACITY_NR_SOURCES] = {
		[PL_CAPACITY_EQUAL] = "none",
		[PL_CAPACITY_ARCH] = "cpu_capacity",
		[PL_CAPACITY_PERF] = "acpi_cppc/highest_perf by core type",
		[PL_CAPACITY_NOMINAL] = "acpi_cppc/nominal_freq",
		[PL_CAPACITY_KIND] = "kinds of hwloc",
		[PL_CAPACITY_FREQ] = "cpufreq",
	};

	return source < PL_CAPACITY_NR_SOURCES ? names[source] : "?";
}

const char *pl_source_verdict_name(enum pl_source_verdict verdict)
{
	static const char *const names[] = {
		[PL_SOURCE_ABSENT] = "absent",
		[PL_SOURCE_PARTIAL] = "not for every core",
		[PL_SOURCE_EQUAL] = "equal",
		[PL_SOURCE_DIFFERS] = "differs",
	};

	return verdict < PL_ARRAY_SIZE(names) ? names[verdict] : "?";
}

/* Good values of KEY, the smallest of each core, into OUT; 0 where the core has none. */
static void by_core(const struct pl_machine *m, const struct pl_raw *raw, enum pl_raw_key key,
		    uint32_t out[PL_MAX_CPUS])
{
	for (int core = 0; core < m->nr_cores; core++) {
		const uint16_t *cpu = &m->order[m->core[core].first];
		uint32_t least = 0;

		for (int i = 0; i < m->core[core].nr; i++) {
			const struct pl_raw_value *v = &raw->v[key][cpu[i]];

			if (v->state == PL_RAW_GOOD && (!least || v->value < least))
				least = (uint32_t)v->value;
		}
		for (int i = 0; i < m->core[core].nr; i++)
			out[cpu[i]] = least;
	}
}

static enum pl_source_verdict verdict_of(const struct pl_machine *m, const uint32_t v[PL_MAX_CPUS])
{
	uint32_t first = m->nr_online ? v[m->order[0]] : 0;
	bool any = false, all = true, equal = true;

	for (int i = 0; i < m->nr_online; i++) {
		uint32_t mine = v[m->order[i]];

		any |= mine != 0;
		all &= mine != 0;
		equal &= mine == first;
	}
	if (!any)
		return PL_SOURCE_ABSENT;
	if (!all)
		return PL_SOURCE_PARTIAL;
	return equal ? PL_SOURCE_EQUAL : PL_SOURCE_DIFFERS;
}

enum pl_source_verdict pl_capacity_values(const struct pl_machine *m, const struct pl_raw *raw,
					  enum pl_capacity_source source, uint32_t out[PL_MAX_CPUS])
{
	static const enum pl_raw_key keys[PL_CAPACITY_NR_SOURCES] = {
		[PL_CAPACITY_ARCH] = PL_RAW_CAPACITY,
		[PL_CAPACITY_NOMINAL] = PL_RAW_NOMINAL_FREQ,
		[PL_CAPACITY_KIND] = PL_RAW_KIND,
		[PL_CAPACITY_FREQ] = PL_RAW_MAX_FREQ,
	};
	enum pl_source_verdict verdict;

	memset(out, 0, PL_MAX_CPUS * sizeof(*out));
	if (source == PL_CAPACITY_EQUAL || source >= PL_CAPACITY_NR_SOURCES) {
		for (int i = 0; i < m->nr_online; i++)
			out[m->order[i]] = FULL;
		return PL_SOURCE_EQUAL;
	}
	if (source == PL_CAPACITY_PERF) {
		struct pl_core_types types;

		pl_core_types_find(m, raw, &types);
		for (int i = 0; i < m->nr_online; i++)
			out[m->order[i]] = types.perf[types.of[m->order[i]]];
		return verdict_of(m, out);
	}
	by_core(m, raw, keys[source], out);
	verdict = verdict_of(m, out);
	if (source == PL_CAPACITY_FREQ && verdict != PL_SOURCE_DIFFERS) {
		uint32_t base[PL_MAX_CPUS] = {0};

		by_core(m, raw, PL_RAW_BASE_FREQ, base);
		if (verdict_of(m, base) == PL_SOURCE_DIFFERS) {
			memcpy(out, base, sizeof(base));
			verdict = PL_SOURCE_DIFFERS;
		}
	}
	return verdict;
}

int pl_capacity_group(const uint16_t value[], int nr, enum pl_capacity_mode mode, uint8_t class[],
		      uint16_t capacity[])
{
	bool used[FULL + 1] = {false};
	uint16_t class_of[FULL + 1], top_of[FULL + 1];
	uint16_t top = 0;
	int nr_classes = 0;

	for (int i = 0; i < nr; i++)
		if (value[i])
			used[value[i] < FULL ? value[i] : FULL] = true;
	for (uint16_t v = FULL; v > 0; v--) {
		if (!used[v])
			continue;
		if (!nr_classes ||
		    ((mode == PL_CAPACITY_EXACT
			      ? v < top
			      : mode != PL_CAPACITY_OFF && pl_capacity_greater(top, v)) &&
		     nr_classes < MAX_CLASSES)) {
			nr_classes++;
			top = mode == PL_CAPACITY_OFF ? FULL : v;
		}
		class_of[v] = (uint16_t)(nr_classes - 1);
		top_of[v] = top;
	}
	for (int i = 0; i < nr; i++) {
		uint16_t v = value[i] < FULL ? value[i] : FULL;

		class[i] = v ? (uint8_t)class_of[v] : 0;
		capacity[i] = v ? top_of[v] : 0;
	}
	return nr_classes;
}

/* 1024 at the largest, at least 1. */
static void scale(const struct pl_machine *m, const uint32_t v[PL_MAX_CPUS],
		  uint16_t out[PL_MAX_CPUS])
{
	uint64_t largest = 1;

	memset(out, 0, PL_MAX_CPUS * sizeof(*out));
	for (int i = 0; i < m->nr_online; i++)
		if (v[m->order[i]] > largest)
			largest = v[m->order[i]];
	for (int i = 0; i < m->nr_online; i++) {
		uint64_t scaled = v[m->order[i]] * (uint64_t)FULL / largest;

		out[m->order[i]] = scaled ? (uint16_t)scaled : 1;
	}
}

/* A policy maximum below what the CPU can reach: a thermal limit, or an administrator's. */
static uint16_t actual_of(const struct pl_raw *raw, int cpu, uint16_t capacity)
{
	const struct pl_raw_value *now = &raw->v[PL_RAW_SCALING_MAX][cpu];
	const struct pl_raw_value *max = &raw->v[PL_RAW_MAX_FREQ][cpu];
	uint64_t actual;

	if (now->state != PL_RAW_GOOD || max->state != PL_RAW_GOOD || now->value >= max->value)
		return capacity;
	actual = capacity * now->value / max->value;
	return actual ? (uint16_t)actual : 1;
}

/* True when V differs between two CPUs of one type. */
static bool differs_in_a_type(const struct pl_machine *m, const struct pl_core_types *types,
			      const uint32_t v[PL_MAX_CPUS])
{
	uint32_t first[PL_MAX_CORE_TYPES] = {0};

	for (int i = 0; i < m->nr_online; i++) {
		int cpu = m->order[i];
		uint32_t *f = &first[types->of[cpu]];

		if (*f && *f != v[cpu])
			return true;
		*f = v[cpu];
	}
	return false;
}

static void fill_priority(struct pl_machine *m, const struct pl_raw *raw,
			  const uint16_t scaled[PL_MAX_CPUS])
{
	static const enum pl_raw_key ranks[] = {PL_RAW_PREFCORE, PL_RAW_AMD_PERF, PL_RAW_PERF};
	struct pl_core_types types;
	uint32_t v[PL_MAX_CPUS] = {0};
	bool found = false;

	pl_core_types_find(m, raw, &types);
	for (unsigned int i = 0; i < PL_ARRAY_SIZE(ranks) && !found; i++) {
		by_core(m, raw, ranks[i], v);
		found = verdict_of(m, v) == PL_SOURCE_DIFFERS && differs_in_a_type(m, &types, v);
	}
	if (!found && m->capacity_mode == PL_CAPACITY_PACKING) {
		/* What one class hides is still an order for those who only pack. */
		for (int c = 0; c < PL_MAX_CPUS; c++)
			v[c] = scaled[c];
		found = verdict_of(m, v) == PL_SOURCE_DIFFERS;
	}
	for (int c = 0; c < m->nr_cpu_ids; c++)
		m->cpu[c].priority = found ? (uint16_t)(v[c] < UINT16_MAX ? v[c] : UINT16_MAX) : 0;
}

void pl_capacity_fill(struct pl_machine *m, const struct pl_raw *raw, enum pl_capacity_mode mode)
{
	uint32_t values[PL_MAX_CPUS];
	uint16_t scaled[PL_MAX_CPUS], capacity[PL_MAX_CPUS];
	uint8_t class[PL_MAX_CPUS];
	enum pl_capacity_source source = PL_CAPACITY_ARCH;

	while (source < PL_CAPACITY_NR_SOURCES &&
	       pl_capacity_values(m, raw, source, values) != PL_SOURCE_DIFFERS)
		source++;
	if (source == PL_CAPACITY_NR_SOURCES) {
		source = PL_CAPACITY_EQUAL;
		pl_capacity_values(m, raw, source, values);
	}
	scale(m, values, scaled);
	pl_capacity_group(scaled, PL_MAX_CPUS, mode, class, capacity);
	m->capacity_source = (uint8_t)source;
	m->capacity_mode = (uint8_t)mode;
	for (int c = 0; c < m->nr_cpu_ids; c++) {
		if (!pl_machine_has(m, c))
			continue;
		m->cpu[c].class = class[c];
		m->cpu[c].capacity = capacity[c];
		m->cpu[c].actual = actual_of(raw, c, capacity[c]);
	}
	fill_priority(m, raw, scaled);
	pl_machine_finish(m);
	m->asymmetric = m->nr_classes > 1;
}
