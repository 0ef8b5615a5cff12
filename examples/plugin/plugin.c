// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The host: loads the plug-in, uses it, and finds itself as it was. Not linked with libplace.
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static int check(const char *what, int ok)
{
	if (!ok)
		printf("the plug-in changed %s\n", what);
	return ok;
}

int main(void)
{
	char self[PATH_MAX], path[PATH_MAX + 32];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int (*filter)(int *, size_t), data[] = {1, 2, 3};
	cpu_set_t before, after;
	void *plugin;

	if (len < 0)
		return 1;
	self[len] = '\0';
	snprintf(path, sizeof(path), "%s/libfilter.so", dirname(self));
	plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!plugin) {
		puts(dlerror());
		return 1;
	}
	*(void **)&filter = dlsym(plugin, "filter_run");
	if (!filter)
		return 1;
	sched_getaffinity(0, sizeof(before), &before);
	for (int i = 0; i < 10; i++)
		if (filter(data, 3) != 0)
			return 1;
	sched_getaffinity(0, sizeof(after), &after);
	printf("%d %d %d\n", data[0], data[1], data[2]);
	if (!check("the affinity", CPU_EQUAL(&before, &after)))
		return 1;
	dlclose(plugin);
	return data[2] == 3 * 1024 ? 0 : 1;
}
