// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Reads what the machine says of its CPUs' speed; says of each value whether it can be one.
#include "machine/raw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compiler.h"

enum { ABSURD = 1 << 20, KHZ_PER_MHZ = 1000 };

static const struct {
	const char *name;
	unsigned int per_unit; /* 2^20 is absurd after division by this */
} files[PL_RAW_NR] = {
	[PL_RAW_CAPACITY] = {"cpu_capacity", 1},
	[PL_RAW_MAX_FREQ] = {"cpufreq/cpuinfo_max_freq", KHZ_PER_MHZ},
	[PL_RAW_BASE_FREQ] = {"cpufreq/base_frequency", KHZ_PER_MHZ},
	[PL_RAW_SCALING_MAX] = {"cpufreq/scaling_max_freq", KHZ_PER_MHZ},
	[PL_RAW_PREFCORE] = {"cpufreq/amd_pstate_prefcore_ranking", 1},
	[PL_RAW_AMD_PERF] = {"cpufreq/amd_pstate_highest_perf", 1},
	[PL_RAW_PERF] = {"acpi_cppc/highest_perf", 1},
	[PL_RAW_NOMINAL_PERF] = {"acpi_cppc/nominal_perf", 1},
	[PL_RAW_NOMINAL_FREQ] = {"acpi_cppc/nominal_freq", 1},
	[PL_RAW_KIND] = {"kinds of hwloc", 1},
};

const char *pl_raw_key_name(enum pl_raw_key key)
{
	return key < PL_RAW_NR ? files[key].name : "?";
}

const char *pl_raw_state_name(enum pl_raw_state state)
{
	static const char *const names[PL_RAW_NR_STATES] = {
		[PL_RAW_ABSENT] = "absent",
		[PL_RAW_GOOD] = "good",
		[PL_RAW_ABSURD] = "absurd",
		[PL_RAW_GARBLED] = "not a number",
		[PL_RAW_UNREADABLE] = "unreadable",
		[PL_RAW_SLOW] = "too slow to read",
		[PL_RAW_CONTRADICTS] = "below nominal_perf",
	};

	return state < PL_RAW_NR_STATES ? names[state] : "?";
}

static struct pl_raw_value judge(enum pl_raw_key key, int err, uint64_t value)
{
	struct pl_raw_value v = {.value = value, .state = PL_RAW_GOOD};

	if (err == -ENOENT || err == -ENOTDIR) {
		v = (struct pl_raw_value){.state = PL_RAW_ABSENT};
	} else if (err == -EBADMSG) {
		v = (struct pl_raw_value){.state = PL_RAW_GARBLED};
	} else if (err) {
		v = (struct pl_raw_value){.value = (uint64_t)-err, .state = PL_RAW_UNREADABLE};
	} else if (value / files[key].per_unit == 0 || value / files[key].per_unit > ABSURD) {
		v.state = PL_RAW_ABSURD;
	}
	return v;
}

static struct pl_raw_value read_one(const struct pl_sysfs *s, enum pl_raw_key key, int cpu)
{
	char path[128];
	uint64_t value = 0;
	int ret;

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/%s", cpu, files[key].name);
	ret = pl_sysfs_number(s, path, &value);
	return judge(key, ret, value);
}

/* Once the files of one name took too long, the rest is left: firmware behind acpi_cppc may need
 * 10 ms for each, and there are hundreds. */
static void read_key(const struct pl_sysfs *s, const struct pl_machine *m, struct pl_raw *raw,
		     enum pl_raw_key key)
{
	uint64_t limit = s->slow_ns ? s->slow_ns : PL_SYSFS_SLOW_MS * PL_NS_PER_MS;
	uint64_t begin = pl_now_ns();

	for (int c = 0; c < m->nr_cpu_ids; c++) {
		if (!pl_machine_has(m, c))
			continue;
		if (pl_now_ns() - begin > limit)
			raw->v[key][c] = (struct pl_raw_value){.state = PL_RAW_SLOW};
		else
			raw->v[key][c] = read_one(s, key, c);
	}
}

static void contradict(struct pl_raw *raw, int cpu)
{
	struct pl_raw_value *perf = &raw->v[PL_RAW_PERF][cpu];
	const struct pl_raw_value *nominal = &raw->v[PL_RAW_NOMINAL_PERF][cpu];

	if (perf->state == PL_RAW_GOOD && nominal->state == PL_RAW_GOOD &&
	    perf->value < nominal->value)
		perf->state = PL_RAW_CONTRADICTS;
}

/* The kernel's counter devices of hybrid x86: one per core type, each with the list of its CPUs. */
static void read_pmus(const struct pl_sysfs *s, struct pl_raw *raw)
{
	static const char *const pmus[] = {"sys/devices/cpu_core/cpus", "sys/devices/cpu_atom/cpus",
					   "sys/devices/cpu_lowpower/cpus"};

	for (unsigned int i = 0; i < PL_ARRAY_SIZE(pmus); i++) {
		struct pl_cpumask cpus;

		if (pl_sysfs_cpulist(s, pmus[i], &cpus) != 0)
			continue;
		for (int c = 0; c < PL_MAX_CPUS; c++)
			if (pl_cpumask_has(&cpus, c))
				raw->pmu[c] = (uint8_t)(i + 1);
	}
}

static void read_midr(const struct pl_sysfs *s, struct pl_raw *raw, int cpu)
{
	char path[128], text[64], *end;
	unsigned long long v;

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/regs/identification/midr_el1",
		 cpu);
	if (pl_sysfs_read(s, path, text, sizeof(text)) <= 0)
		return;
	v = strtoull(text, &end, 16);
	if (end != text && strcmp(end, "\n") == 0)
		raw->midr[cpu] = v;
}

void pl_raw_read(const struct pl_sysfs *s, const struct pl_machine *m, struct pl_raw *raw)
{
	memset(raw->midr, 0, sizeof(raw->midr));
	memset(raw->pmu, 0, sizeof(raw->pmu));
	memset(raw->v, 0, sizeof(raw->v[0]) * PL_RAW_KIND); /* the kinds come last */
	for (int key = 0; key < PL_RAW_KIND; key++)
		read_key(s, m, raw, key);
	read_pmus(s, raw);
	for (int c = 0; c < m->nr_cpu_ids; c++) {
		if (!pl_machine_has(m, c))
			continue;
		contradict(raw, c);
		read_midr(s, raw, c);
	}
}

bool pl_raw_refresh(const struct pl_sysfs *s, struct pl_raw *raw, enum pl_raw_key key, int cpu)
{
	struct pl_raw_value old = raw->v[key][cpu], *v = &raw->v[key][cpu];

	*v = read_one(s, key, cpu);
	if (key == PL_RAW_PERF)
		contradict(raw, cpu);
	return v->state != old.state || v->value != old.value;
}

void pl_raw_put(struct pl_raw *raw, enum pl_raw_key key, int cpu, uint64_t value)
{
	raw->v[key][cpu] = judge(key, 0, value);
}
