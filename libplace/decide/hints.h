/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/*
 * What a program says of a thread, in one word of the segment, and what follows from it. A word of
 * zero says nothing. Pure.
 */
#ifndef PL_DECIDE_HINTS_H
#define PL_DECIDE_HINTS_H

#include <stdbool.h>
#include <stdint.h>

/* What a thread is for; decides who gets an idle core when there are not enough. */
enum pl_thread_class {
	PL_CLASS_THROUGHPUT = 0,
	PL_CLASS_LATENCY,    /* leaves a shared core before all others */
	PL_CLASS_BACKGROUND, /* after all others, and is content with a small core */
};

struct pl_hints {
	uint32_t umin, umax; /* R1, 0..1024 */
	enum pl_thread_class class;
	bool trust; /* the pair that it named needs no verification */
};

/* H as a word; values out of range are cut. */
uint32_t pl_hints_pack(const struct pl_hints *h);

/* What WORD says. Every value is in range, whoever wrote the word. */
struct pl_hints pl_hints_unpack(uint32_t word);

/* The utilization that decisions see of a task that uses UTIL: the minimum raises it, the maximum
 * caps it and the minimum, too. */
uint32_t pl_hints_util(uint32_t word, uint32_t util);

/* Order in which threads leave shared cores: the larger number first. 0..2 */
uint32_t pl_class_rank(enum pl_thread_class class);

#endif
