// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Reads a machine until it stands still: no model may have the cores of one moment and the CPUs of
// another.
#include "machine/read.h"

#include <errno.h>
#include <stdlib.h>

#include "machine/allowed.h"
#include "machine/topology.h"

enum { MAX_READS = 5 };

struct readings {
	struct pl_machine before, after;
	struct pl_raw raw;
};

static int read_still(const struct pl_machine_from *from, struct readings *r, struct pl_raw *raw)
{
	const char *root = from->sysfs.root;
	int ret = pl_topology_read(&r->after, raw, from->xml, root);

	if (ret == 0 && from->xml && !root) {
		r->before = r->after; /* a file, and no machine whose files could be asked */
		return 0;
	}
	for (int i = 1; ret == 0 && i < MAX_READS; i++) {
		r->before = r->after;
		pl_raw_read(&from->sysfs, &r->before, raw);
		pl_allowed_flags(&from->sysfs, &r->before);
		ret = pl_topology_read(&r->after, raw, from->xml, root);
		if (ret == 0) {
			pl_allowed_flags(&from->sysfs, &r->after);
			if (memcmp(&r->before, &r->after, sizeof(r->after)) == 0)
				return 0;
		}
	}
	return ret ? ret : -EAGAIN;
}

int pl_machine_read(const struct pl_machine_from *from, struct pl_machine *out, struct pl_raw *raw)
{
	struct readings *r = calloc(1, sizeof(*r));
	struct pl_raw *mine = raw ? raw : (r ? &r->raw : NULL);
	int ret;

	if (!r)
		return -ENOMEM;
	memset(mine, 0, sizeof(*mine));
	ret = read_still(from, r, mine);
	if (ret == 0) {
		pl_capacity_fill(&r->before, mine, from->mode);
		*out = r->before;
	}
	free(r);
	return ret;
}
