/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Compiler attributes and the few relaxed-atomic shorthands used everywhere. */
#ifndef PL_BASE_COMPILER_H
#define PL_BASE_COMPILER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define pl_likely(x)   __builtin_expect(!!(x), 1)
#define pl_unlikely(x) __builtin_expect(!!(x), 0)

/*
 * Common-path functions of one object lie together. Where page tables are isolated and the TLB has
 * no tags, each system call empties it, and every page touched after that is a page walk.
 */
#define PL_HOT	__attribute__((hot))
#define PL_COLD __attribute__((cold, noinline))
/*
 * What runs in every program that starts lies together, code by code and data by data: a page that
 * is touched for the first time costs 1-20 us, a process that ends at once has nothing else to pay.
 */
#define PL_START      __attribute__((section(".text.startup.place"), noinline))
#define PL_START_DATA __attribute__((section(".data.place")))
#define PL_HIDDEN     __attribute__((visibility("hidden")))
#define PL_EXPORT     __attribute__((visibility("default")))
#define PL_LINE	      64 /* bytes of a cache line, also where the machine's is longer */
#define PL_ALIGNED    __attribute__((aligned(PL_LINE)))

#define PL_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Fields with one writer: a relaxed load and store is all that a reader in another process needs.
 */
#define pl_get(p)	     atomic_load_explicit((p), memory_order_relaxed)
#define pl_set(p, v)	     atomic_store_explicit((p), (v), memory_order_relaxed)
#define pl_get_acquire(p)    atomic_load_explicit((p), memory_order_acquire)
#define pl_set_release(p, v) atomic_store_explicit((p), (v), memory_order_release)
/* Increment of a counter with one writer: no locked instruction. */
#define pl_inc(p) pl_set((p), pl_get(p) + 1)

#endif
