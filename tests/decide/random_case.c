// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See random_case.h.
#include "decide/random_case.h"

struct random_case rc;

void case_seed(uint64_t seed)
{
	memset(&rc, 0, sizeof(rc));
	rc.rng = seed * 0x9e3779b97f4a7c15ull + 1;
}

uint32_t case_random(uint32_t below)
{
	/* xorshift64* */
	rc.rng ^= rc.rng >> 12;
	rc.rng ^= rc.rng << 25;
	rc.rng ^= rc.rng >> 27;
	return (uint32_t)((rc.rng * 0x2545f4914f6cdd1dull) >> 33) % below;
}

bool case_chance(uint32_t pct)
{
	return case_random(100) < pct;
}

int case_cpu(void)
{
	return rc.machine.order[case_random(rc.machine.nr_online)];
}

void case_mask(struct pl_cpumask *m, uint32_t pct)
{
	pl_cpumask_zero(m);
	for (int c = 0; c < rc.machine.nr_cpu_ids; c++)
		if (case_chance(pct))
			pl_cpumask_add(m, c);
}

/* Siblings are neighbours, or a whole round of cores apart, as firmware has it. */
static void number_cores(struct pl_machine *m, uint32_t smt, bool apart)
{
	uint32_t cores = (m->nr_cpu_ids + smt - 1) / smt;

	for (uint32_t c = 0; c < m->nr_cpu_ids; c++)
		m->cpu[c].core = (uint16_t)(apart ? c % cores : c / smt);
}

static void make_machine(void)
{
	static const uint16_t kinds[][3] = {
		{1024, 512, 512}, {1024, 990, 990}, {1024, 768, 300}, {1024, 1024, 1000}};
	struct pl_machine *m = &rc.machine;
	uint32_t size = case_chance(70) ? 16 : case_chance(93) ? 80 : CASE_MAX_CPUS;
	uint32_t smt = 1 + case_random(4), cluster = 1 + case_random(3);
	uint32_t llc = cluster * (1 + case_random(4)), node = llc * (1 + case_random(3));
	const uint16_t *kind = kinds[case_random(4)];
	uint32_t mixed = case_random(3); /* none, by cluster, by core */
	uint16_t ids = 0, number[CASE_MAX_CPUS], less[CASE_MAX_CPUS];

	memset(m, 0, sizeof(*m));
	m->nr_cpu_ids = (uint16_t)(1 + case_random(size));
	m->asymmetric = mixed && case_chance(90);
	number_cores(m, smt, case_chance(50));
	for (int c = 0; c < m->nr_cpu_ids; c++) {
		struct pl_cpu *cpu = &m->cpu[c];
		uint32_t n = cpu->core;

		cpu->cluster = (uint16_t)(n / cluster);
		cpu->llc = (uint16_t)(n / llc);
		cpu->node = (uint16_t)(n / node);
		cpu->capacity = mixed ? kind[(mixed == 1 ? n / cluster : n) % 3] : 1024;
		cpu->actual = cpu->capacity;
		cpu->flags = (uint8_t)(case_chance(10) ? 1 + case_random(3) : 0);
		if (case_chance(10) && c)
			cpu->capacity = 0; /* offline: a hole */
	}
	/* Cores are numbered in the order of their first CPUs, without gaps. */
	memset(number, 0xff, sizeof(number));
	for (int c = 0; c < m->nr_cpu_ids; c++) {
		if (!m->cpu[c].capacity)
			continue;
		if (number[m->cpu[c].core] == UINT16_MAX)
			number[m->cpu[c].core] = ids++;
		m->cpu[c].core = number[m->cpu[c].core];
		less[m->cpu[c].core] =
			(uint16_t)(case_chance(5) ? case_random(m->cpu[c].capacity / 2) : 0);
	}
	for (int c = 0; c < m->nr_cpu_ids; c++)
		if (m->cpu[c].capacity)
			m->cpu[c].actual -= less[m->cpu[c].core];
	for (int a = 0; a < PL_MAX_NODES; a++)
		for (int b = 0; b < PL_MAX_NODES; b++)
			m->distance[a][b] = (uint8_t)(a == b ? 10 : 12 + (a + b) % 20);
	pl_machine_finish(m);
}

static void make_state(void)
{
	struct pl_snapshot *s = &rc.snapshot;
	static const uint8_t idle[] = {0, 10, 40, 60, 90, 100};

	s->machine = &rc.machine;
	s->allowed = NULL;
	s->util = NULL;
	s->capacity = NULL;
	s->idle_mode = case_chance(50) ? PL_IDLE_CORE_FIRST : PL_IDLE_AS_KERNEL;
	s->scan_budget = case_chance(30);
	case_mask(&s->idle, idle[case_random(6)]);
	if (case_chance(50)) {
		case_mask(&rc.allowed, case_chance(50) ? 80 : 30);
		s->allowed = &rc.allowed;
	}
	for (int c = 0; c < rc.machine.nr_cpu_ids; c++) {
		rc.util[c] = (uint16_t)case_random(pl_cpumask_has(&s->idle, c) ? 103 : 1025);
		rc.capacity[c] = rc.machine.cpu[c].actual;
		if (case_chance(20))
			rc.capacity[c] -= (uint16_t)case_random(rc.capacity[c] + 1u);
	}
	if (case_chance(70))
		s->util = rc.util;
	if (case_chance(50))
		s->capacity = rc.capacity;
	pl_snapshot_finish(s);
}

static int any_cpu(void)
{
	if (case_chance(10))
		return -1;
	return case_chance(10) ? (int)case_random(rc.machine.nr_cpu_ids) : case_cpu();
}

static void make_request(void)
{
	struct pl_request *r = &rc.request;

	r->target = case_chance(5) ? any_cpu() : case_cpu();
	r->prev = case_chance(20) ? r->target : any_cpu();
	r->recent = any_cpu();
	r->util = case_random(1025);
	r->umin = case_chance(70) ? 0 : case_random(1025);
	r->umax = case_chance(70) ? 1024 : case_random(1025);
	r->allowed = NULL;
	if (case_chance(40)) {
		case_mask(&rc.narrower, case_chance(50) ? 80 : 30);
		r->allowed = &rc.narrower;
	}
}

void case_next(void)
{
	if (rc.nr++ % CASES_PER_MACHINE == 0)
		make_machine();
	make_state();
	make_request();
}
