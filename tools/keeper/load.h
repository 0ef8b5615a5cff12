/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Load of each CPU, sampled by the keeper. */
#ifndef TOOLS_KEEPER_LOAD_H
#define TOOLS_KEEPER_LOAD_H

#include "domain/segment.h"

#define LOAD_PERIOD_MS 100

/* True while balancers claim cores: they want to know the load of each CPU. */
bool load_is_wanted(const struct pl_segment *seg);

/*
 * Reads /proc/stat and writes, for each CPU of SEG, how busy it was since the last call and how
 * much of that was not used by tasks that hand work over. Does nothing when the last call was less
 * than 100 ms ago. Where a claimed core became busier it rings for the balancer of the claim's
 * process, which looks once a second otherwise. Not MT-safe.
 */
void load_sample(struct pl_segment *seg, uint64_t now_ns);

#endif
