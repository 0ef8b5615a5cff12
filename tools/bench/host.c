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

void pl_host_read(struct pl_host *out)
{
	struct utsname u;
	cpu_set_t set;

	*out = (struct pl_host){.nr_online = (int)sysconf(_SC_NPROCESSORS_ONLN)};
	out->nr_allowed = sched_getaffinity(0, sizeof(set), &set) ? 0 : CPU_COUNT(&set);
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
