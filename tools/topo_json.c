// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The machine as JSON, one object per CPU, with every raw value and why one was skipped.
#include <errno.h>
#include <jansson.h>

#include "libplace/version.h"
#include "tools/topo.h"

static json_t *raw_json(const struct pl_raw *raw, int cpu)
{
	json_t *all = json_object();

	for (int key = 0; key < PL_RAW_NR; key++) {
		const struct pl_raw_value *v = &raw->v[key][cpu];
		enum pl_raw_state state = (enum pl_raw_state)v->state;
		json_t *one;

		if (state == PL_RAW_ABSENT)
			continue;
		if (state == PL_RAW_GOOD)
			one = json_integer((json_int_t)v->value);
		else if (state == PL_RAW_ABSURD || state == PL_RAW_CONTRADICTS)
			one = json_pack("{s:s, s:I}", "skipped", pl_raw_state_name(state), "value",
					(json_int_t)v->value);
		else
			one = json_pack("{s:s}", "skipped", pl_raw_state_name(state));
		json_object_set_new(all, pl_raw_key_name((enum pl_raw_key)key), one);
	}
	return all;
}

static json_t *node_json(uint16_t node)
{
	return node == PL_NO_ID ? json_null() : json_integer(node);
}

static json_t *cpu_json(const struct topo *t, int cpu)
{
	const struct pl_cpu *c = &t->machine.cpu[cpu];

	return json_pack("{s:i, s:i, s:i, s:i, s:o, s:i, s:i, s:i, s:i, s:i, s:b, s:b, s:o}", "cpu",
			 cpu, "core", c->core, "cluster", c->cluster, "llc", c->llc, "node",
			 node_json(c->node), "package", c->package, "class", c->class, "capacity",
			 c->capacity, "actual", c->actual, "priority", c->priority, "isolated",
			 (c->flags & PL_CPU_ISOLATED) != 0, "tickless",
			 (c->flags & PL_CPU_TICKLESS) != 0, "raw", raw_json(&t->raw, cpu));
}

static json_t *sources_json(const struct topo *t)
{
	static uint32_t values[PL_MAX_CPUS];
	json_t *all = json_array();

	for (int s = PL_CAPACITY_ARCH; s < PL_CAPACITY_NR_SOURCES; s++) {
		enum pl_capacity_source source = (enum pl_capacity_source)s;

		json_array_append_new(all,
				      json_pack("{s:s, s:s}", "source",
						pl_capacity_source_name(source), "verdict",
						pl_source_verdict_name(pl_capacity_values(
							&t->machine, &t->raw, source, values))));
	}
	return all;
}

static json_t *distances_json(const struct pl_machine *m)
{
	json_t *all = json_array();

	for (int i = 0; i < PL_MAX_NODES; i++)
		for (int j = 0; j < PL_MAX_NODES; j++)
			if (m->distance[i][j])
				json_array_append_new(all,
						      json_pack("{s:i, s:i, s:i}", "from", i, "to",
								j, "distance", m->distance[i][j]));
	return all;
}

static json_t *rules_json(const struct topo *t)
{
	json_t *all;

	if (!t->has_rules)
		return json_null();
	all = json_array();
	for (int r = 0; r < PL_RULE_NR; r++)
		json_array_append_new(all, json_pack("{s:s, s:s}", "rule",
						     pl_rule_name((enum pl_kernel_rule)r), "owner",
						     pl_rule_owner_name(t->rules.owner[r])));
	return json_pack("{s:s, s:b, s:o}", "release", t->release, "observe_only",
			 t->rules.observe_only, "rules", all);
}

int topo_print_json(FILE *to, const struct topo *t)
{
	const struct pl_machine *m = &t->machine;
	json_t *cpus = json_array(), *all;
	int ret;

	for (int c = 0; c < m->nr_cpu_ids; c++)
		if (pl_machine_has(m, c))
			json_array_append_new(cpus, cpu_json(t, c));
	all = json_pack(
		"{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:s, s:s, s:o, s:o, s:o, s:o}",
		"libplace", PLACE_VERSION, "online", m->nr_online, "cores", m->nr_cores, "clusters",
		m->nr_clusters, "llcs", m->nr_llcs, "packages", m->nr_packages, "nodes",
		m->nr_nodes, "classes", m->nr_classes, "smt", m->smt, "asymmetric", m->asymmetric,
		"capacity_source",
		pl_capacity_source_name((enum pl_capacity_source)m->capacity_source),
		"capacity_mode", pl_capacity_mode_name((enum pl_capacity_mode)m->capacity_mode),
		"sources", sources_json(t), "distances", distances_json(m), "kernel", rules_json(t),
		"cpus", cpus);
	if (!all)
		return -ENOMEM;
	ret = json_dumpf(all, to, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
	fputc('\n', to);
	json_decref(all);
	return ret ? -EIO : 0;
}
