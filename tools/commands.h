/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Subcommands of `place`. Each gets its own name as argv[0] and returns the exit status. */
#ifndef TOOLS_COMMANDS_H
#define TOOLS_COMMANDS_H

enum {
	PLACE_EXIT_USAGE = 2,
	PLACE_EXIT_CANNOT_RUN = 126, /* the program exists but cannot be run, as a shell says it */
	PLACE_EXIT_NOT_FOUND = 127,
};

int cmd_run(int argc, char **argv);
int cmd_off(int argc, char **argv);
int cmd_on(int argc, char **argv);
int cmd_topo(int argc, char **argv);

#endif
