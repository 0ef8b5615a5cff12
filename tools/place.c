// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The `place` command: picks the subcommand, nothing else.
#include "tools/commands.h"

#include <stdio.h>
#include <string.h>

#include "libplace/version.h"
#include "tools/bench/bench_cmd.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{"run", cmd_run, "run a program with placement"},
	{"off", cmd_off, "let a running program go: place off PID|--all"},
	{"on", cmd_on, "place it again: place on PID|--all"},
	{"topo", cmd_topo, "show the machine as libplace sees it"},
	{"bench", cmd_bench, "compare with kernel placement and masks by hand"},
};

static void usage(FILE *to)
{
	fprintf(to, "usage: place COMMAND [ARGS]\n\n");
	for (unsigned int i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(to, "  %-7s %s\n", commands[i].name, commands[i].help);
	fprintf(to, "\nplace COMMAND --help says more; place --version names the version.\n");
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		printf("place %s\n", PLACE_VERSION);
		return 0;
	}
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		usage(stdout);
		return 0;
	}
	if (argc < 2) {
		usage(stderr);
		return PLACE_EXIT_USAGE;
	}
	for (unsigned int i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	fprintf(stderr, "place: there is no command '%s': 'place --help' lists them\n", argv[1]);
	return PLACE_EXIT_USAGE;
}
