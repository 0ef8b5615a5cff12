/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * What the machine says of the speed and rank of its CPUs, unjudged: every value that was read, and
 * why one was not. Keeper and tools only; machine/capacity.h makes capacities of it.
 */
#ifndef PL_MACHINE_RAW_H
#define PL_MACHINE_RAW_H

#include <stdbool.h>
#include <stdint.h>
#include "machine/model.h"
#include "machine/sysfs.h"

enum pl_raw_key {
	PL_RAW_CAPACITY = 0, /* cpu_capacity */
	PL_RAW_MAX_FREQ,     /* cpufreq/cpuinfo_max_freq, kHz */
	PL_RAW_BASE_FREQ,    /* cpufreq/base_frequency, kHz */
	PL_RAW_SCALING_MAX,  /* cpufreq/scaling_max_freq, kHz */
	PL_RAW_PREFCORE,     /* cpufreq/amd_pstate_prefcore_ranking */
	PL_RAW_AMD_PERF,     /* cpufreq/amd_pstate_highest_perf */
	PL_RAW_PERF,	     /* acpi_cppc/highest_perf */
	PL_RAW_NOMINAL_PERF, /* acpi_cppc/nominal_perf */
	PL_RAW_NOMINAL_FREQ, /* acpi_cppc/nominal_freq, MHz */
	PL_RAW_KIND,	     /* kinds of hwloc: MHz, or a step of rank (kind_is_rank) */
	PL_RAW_NR,
};

enum pl_raw_state {
	PL_RAW_ABSENT = 0,  /* there is no such file */
	PL_RAW_GOOD,	    /* value */
	PL_RAW_ABSURD,	    /* value is 0 or above 2^20 */
	PL_RAW_GARBLED,	    /* not one number with its newline */
	PL_RAW_UNREADABLE,  /* the file is there; value is the errno that reading gave */
	PL_RAW_SLOW,	    /* not read: the files of this name took too long */
	PL_RAW_CONTRADICTS, /* value of highest_perf, below nominal_perf */
	PL_RAW_NR_STATES,
};

struct pl_raw_value {
	uint64_t value;
	uint8_t state; /* enum pl_raw_state */
};

struct pl_raw {
	struct pl_raw_value v[PL_RAW_NR][PL_MAX_CPUS];
	/* Signs of core types, by CPU; 0 everywhere when the machine does not say. */
	uint64_t midr[PL_MAX_CPUS]; /* arm64: which design the core is */
	uint8_t pmu[PL_MAX_CPUS];   /* x86: 1, 2, 3 in the lists of cpu_core, cpu_atom, ... */
	uint8_t kind[PL_MAX_CPUS];  /* hwloc kind + 1 */
	uint8_t kind_is_rank;	    /* kinds have an order but no frequency */
	uint8_t kind_is_core_type;  /* kinds carry a CoreType */
	uint8_t kind_is_capacity;   /* kinds are one per cpu_capacity: no sign of types */
};

/*
 * Reads every file below S for the online CPUs of M into RAW, whose kinds stay as they are; with
 * files that are slow this takes a few times the time that S allows for one name. Never fails: what
 * could not be read has a state that says so. MT-safe on different RAW.
 */
void pl_raw_read(const struct pl_sysfs *s, const struct pl_machine *m, struct pl_raw *raw);

/* Reads one value again; true when it or its state changed. Not for PL_RAW_KIND. */
bool pl_raw_refresh(const struct pl_sysfs *s, struct pl_raw *raw, enum pl_raw_key key, int cpu);

/* Puts a value that did not come from a file in, and judges it like one. */
void pl_raw_put(struct pl_raw *raw, enum pl_raw_key key, int cpu, uint64_t value);

/* The file's name below cpuN/ ("kinds of hwloc" for PL_RAW_KIND); a state in words. */
const char *pl_raw_key_name(enum pl_raw_key key);
const char *pl_raw_state_name(enum pl_raw_state state);

#endif
