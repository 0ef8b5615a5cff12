// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See host.h. What cannot be read is left empty: a result is printed anyway.
#include "tools/bench/host.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "libplace/version.h"
#include "tools/bench/cpus.h"

static void trim(char *s)
{
	size_t len = strlen(s);

	while (len && strchr(" \t\n", s[len - 1]))
		s[--len] = '\0';
}

/* The text after "NAME :" of a line of /proc/cpuinfo, or NULL. */
static char *field(char *line, const char *name)
{
	char *colon = strchr(line, ':');

	if (!colon || strncmp(line, name, strlen(name)) != 0)
		return NULL;
	trim(colon + 1);
	return colon + 1 + strspn(colon + 1, " ");
}

/* FLAGS is a list of words. */
static bool has_flag(char *flags, const char *flag)
{
	char *save = NULL;

	for (char *s = strtok_r(flags, " ", &save); s; s = strtok_r(NULL, " ", &save)) {
		if (strcmp(s, flag) == 0)
			return true;
	}
	return false;
}

static void read_cpuinfo(struct pl_host *out)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char *line = NULL, *value;
	size_t size = 0;

	/* Up to the blank line behind the first CPU. */
	while (f && getline(&line, &size, f) > 1) {
		if ((value = field(line, "model name"))) {
			snprintf(out->cpu_model, sizeof(out->cpu_model), "%s", value);
		} else if ((value = field(line, "flags"))) {
			char *copy = strdup(value);

			out->is_virtual = has_flag(value, "hypervisor");
			out->has_pti = copy && has_flag(copy, "pti");
			free(copy);
		}
	}
	free(line);
	if (f)
		fclose(f);
}

static int count_nodes(const struct pl_cpus *cpus)
{
	int nr = 0;

	for (int i = 0; i < cpus->nr; i++) {
		int k = 0;

		while (cpus->node[k] != cpus->node[i])
			k++;
		nr += k == i;
	}
	return nr;
}

void pl_host_read(struct pl_host *out)
{
	struct pl_cpus cpus;
	struct utsname u;
	cpu_set_t set;

	*out = (struct pl_host){.nr_online = (int)sysconf(_SC_NPROCESSORS_ONLN)};
	out->nr_allowed = sched_getaffinity(0, sizeof(set), &set) ? 0 : CPU_COUNT(&set);
	pl_cpus_read(&cpus);
	out->nr_cores = cpus.nr_cores;
	out->nr_llcs = cpus.nr_llcs;
	out->nr_nodes = count_nodes(&cpus);
	if (uname(&u) == 0) {
		snprintf(out->kernel, sizeof(out->kernel), "%s", u.release);
		snprintf(out->arch, sizeof(out->arch), "%s", u.machine);
	}
	read_cpuinfo(out);
	if (!out->cpu_model[0])
		snprintf(out->cpu_model, sizeof(out->cpu_model), "%s CPU", out->arch);
	/* Where the processor has no flag for it, firmware tables tell. */
	if (access("/proc/device-tree/hypervisor", F_OK) == 0 ||
	    access("/sys/hypervisor/type", F_OK) == 0)
		out->is_virtual = true;
}

void pl_host_describe(const struct pl_host *h, char *out, size_t n)
{
	snprintf(out, n,
		 "%s, %d CPUs (%d allowed, on %d cores, %d last-level caches, %d nodes), %skernel "
		 "%s %s%s, libplace %s",
		 h->cpu_model, h->nr_online, h->nr_allowed, h->nr_cores, h->nr_llcs, h->nr_nodes,
		 h->is_virtual ? "virtual machine, " : "", h->kernel, h->arch,
		 h->has_pti ? " (page-table isolation on)" : "", PLACE_VERSION);
}
