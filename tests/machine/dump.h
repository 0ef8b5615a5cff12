/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* A model as a short text, to be compared with one that was looked at. */
#ifndef PL_TESTS_MACHINE_DUMP_H
#define PL_TESTS_MACHINE_DUMP_H

#include "machine/read.h"

/* In memory to be freed. RAW is asked for the classes of the other modes. */
char *dump_machine(const struct pl_machine *m, const struct pl_raw *raw);

#endif
