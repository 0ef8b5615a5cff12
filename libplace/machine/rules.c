// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// R17: what the kernel shows of itself, and which rules are left to it for that.
#include "machine/rules.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef PL_HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/compiler.h"

static const struct {
	const char *name;
	int major, minor; /* first release with it */
} rules[PL_RULE_NR] = {
	[PL_RULE_IDLE_ASYM] = {"R7 idle search among unequal capacities", 7, 2},
	[PL_RULE_MISFIT] = {"R9 misfit tasks to idle cores", 7, 2},
	[PL_RULE_CACHE_AWARE] = {"R11 cache-aware aggregation", 7, 2},
	[PL_RULE_BALANCER] = {"R13 balancer on an idle core", 7, 3},
};

const char *pl_rule_name(enum pl_kernel_rule rule)
{
	return rule < PL_RULE_NR ? rules[rule].name : "?";
}

const char *pl_rule_owner_name(enum pl_rule_owner owner)
{
	static const char *const names[] = {
		[PL_RULE_OURS] = "libplace",
		[PL_RULE_KERNEL_HINT] = "kernel, by its version",
		[PL_RULE_KERNEL] = "kernel, confirmed",
	};

	return owner < PL_ARRAY_SIZE(names) ? names[owner] : "?";
}

void pl_rules_decide(const struct pl_kernel_facts *f, bool force, struct pl_kernel_rules *out)
{
	*out = (struct pl_kernel_rules){.observe_only = f->sched_ext && !force};
	for (int r = 0; r < PL_RULE_NR && !force; r++)
		if (f->major > rules[r].major ||
		    (f->major == rules[r].major && f->minor >= rules[r].minor))
			out->owner[r] = PL_RULE_KERNEL_HINT;
	if (force)
		return;
	/* The one rule with a probe. Its switches are there only when it is built in. */
	if (f->sched_cache_debug == PL_PROBE_YES || f->sched_cache == PL_PROBE_YES)
		out->owner[PL_RULE_CACHE_AWARE] = PL_RULE_KERNEL;
	else if (f->sched_cache == PL_PROBE_NO)
		out->owner[PL_RULE_CACHE_AWARE] = PL_RULE_OURS;
}

#ifdef PL_HAVE_ZLIB
typedef gzFile config_file;
#define config_open(path)	     gzopen((path), "re") /* also reads what is not compressed */
#define config_line(buf, size, file) gzgets((file), (buf), (size))
#define config_close(file)	     gzclose(file)
#else
typedef FILE *config_file;
#define config_open(path)	     fopen((path), "re")
#define config_line(buf, size, file) fgets((buf), (size), (file))
#define config_close(file)	     fclose(file)
#endif

/* CONFIG_SCHED_CACHE in the configuration PATH below the root; unknown when it is none. */
static enum pl_probe probe_config(const struct pl_sysfs *s, const char *path)
{
	char full[PATH_MAX], line[256];
	enum pl_probe found = PL_PROBE_UNKNOWN;
	config_file f;

	snprintf(full, sizeof(full), "%s/%s", s->root ? s->root : "", path);
	f = config_open(full);
	if (!f)
		return PL_PROBE_UNKNOWN;
	while (config_line(line, sizeof(line), f)) {
		if (strcmp(line, "CONFIG_SCHED_CACHE=y\n") == 0) {
			found = PL_PROBE_YES;
			break;
		}
		/* Any other option shows that this is a configuration. */
		if (strncmp(line, "CONFIG_SMP=", 11) == 0)
			found = PL_PROBE_NO;
	}
	config_close(f);
	return found;
}

/* A kernel without the feature has none of these; without debugfs nothing can be said. */
static enum pl_probe probe_debugfs(const struct pl_sysfs *s)
{
	static const char *const switches[] = {"sys/kernel/debug/sched/llc_balancing/enabled",
					       "sys/kernel/debug/sched/llc_enabled"};
	char text[4096];
	int n;

	for (unsigned int i = 0; i < PL_ARRAY_SIZE(switches); i++)
		if (pl_sysfs_read(s, switches[i], text, sizeof(text)) >= 0)
			return PL_PROBE_YES;
	n = pl_sysfs_read(s, "sys/kernel/debug/sched/features", text, sizeof(text));
	if (n < 0)
		return PL_PROBE_UNKNOWN;
	return strstr(text, "SCHED_CACHE") ? PL_PROBE_YES : PL_PROBE_NO;
}

uint8_t pl_rules_bits(const struct pl_kernel_rules *r)
{
	uint8_t bits = 0;

	if (r->owner[PL_RULE_IDLE_ASYM] != PL_RULE_OURS && r->owner[PL_RULE_MISFIT] != PL_RULE_OURS)
		bits |= PL_KERNEL_HAS_ASYM;
	if (r->owner[PL_RULE_CACHE_AWARE] != PL_RULE_OURS)
		bits |= PL_KERNEL_HAS_CACHES;
	if (r->owner[PL_RULE_BALANCER] != PL_RULE_OURS)
		bits |= PL_KERNEL_HAS_BALANCER;
	if (r->observe_only)
		bits |= PL_KERNEL_HAS_OTHER;
	return bits;
}

void pl_rules_refresh(const struct pl_sysfs *s, struct pl_kernel_facts *facts)
{
	char state[32];
	int n = (int)pl_sysfs_read(s, "sys/kernel/sched_ext/state", state, sizeof(state));

	facts->sched_ext = n > 0 && strncmp(state, "enabled", 7) == 0;
}

void pl_rules_read(const struct pl_sysfs *s, const char *release, struct pl_kernel_facts *out)
{
	char path[512];
	int n;

	*out = (struct pl_kernel_facts){0};
	if (sscanf(release, "%d.%d", &out->major, &out->minor) != 2)
		out->major = out->minor = 0;
	out->sched_cache = probe_config(s, "proc/config.gz");
	n = snprintf(path, sizeof(path), "boot/config-%s", release);
	if (out->sched_cache == PL_PROBE_UNKNOWN && !strchr(release, '/') && n > 0 &&
	    (size_t)n < sizeof(path))
		out->sched_cache = probe_config(s, path);
	out->sched_cache_debug = probe_debugfs(s);
	pl_rules_refresh(s, out);
}
