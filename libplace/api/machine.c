// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Questions about the machine, answered from the model that the keeper wrote.
#include <errno.h>

#include "api/api.h"
#include "decide/snapshot.h"
#include "libplace/place.h"

static int model(const struct pl_machine **m, uint32_t *generation)
{
	struct pl_segment *seg;
	struct pl_tls *t;
	int ret = pl_api_enter(&t);

	return ret ? ret : pl_api_machine(&seg, m, generation);
}

PL_API int place_machine_get(struct place_machine *machine)
{
	const struct pl_machine *m;
	struct place_machine out;
	uint32_t generation;
	int ret;

	if (!machine || machine->size < sizeof(out))
		return -EINVAL;
	ret = model(&m, &generation);
	if (ret)
		return ret;
	out = (struct place_machine){
		.generation = generation,
		.nr_cpu_ids = m->nr_cpu_ids,
		.nr_online = m->nr_online,
		.nr_cores = m->nr_cores,
		.nr_clusters = m->nr_clusters,
		.nr_llcs = m->nr_llcs,
		.nr_packages = m->nr_packages,
		.nr_nodes = m->nr_nodes,
		.nr_siblings = m->smt,
		.asymmetric = m->asymmetric != 0,
	};
	return pl_api_copy_out(machine, sizeof(out), &out, sizeof(out));
}

PL_API int place_cpu_get(int cpu, struct place_cpu *cpu_out)
{
	const struct pl_machine *m;
	const struct pl_cpu *c;
	struct place_cpu out;
	uint32_t generation;
	int ret;

	if (!cpu_out || cpu_out->size < sizeof(out))
		return -EINVAL;
	ret = model(&m, &generation);
	if (ret)
		return ret;
	if (!pl_machine_has(m, cpu))
		return -ENODEV;
	c = &m->cpu[cpu];
	out = (struct place_cpu){
		.core = c->core,
		.cluster = c->cluster,
		.llc = c->llc,
		.package = c->package,
		.node = c->node,
		.capacity = c->capacity,
		.capacity_now = c->actual,
		.priority = c->priority,
		.isolated = (c->flags & PL_CPU_ISOLATED) != 0,
	};
	return pl_api_copy_out(cpu_out, sizeof(out), &out, sizeof(out));
}

PL_API int place_cpu_distance(int from, int to)
{
	const struct pl_machine *m;
	uint32_t generation;
	int ret = model(&m, &generation);

	if (ret)
		return ret;
	if (!pl_machine_has(m, from) || !pl_machine_has(m, to))
		return -ENODEV;
	return (int)pl_node_distance(m, from, to);
}
