// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Fading average of a task's CPU use, in integers.
#include "observe/utilization.h"

enum { STEPS = 32 }; /* of a half-life */

/* 65536 * 2^(-i / STEPS) */
static const uint32_t fade[STEPS] = {
	65536, 64132, 62757, 61413, 60097, 58809, 57549, 56316, 55109, 53928, 52773,
	51642, 50535, 49452, 48393, 47356, 46341, 45348, 44376, 43425, 42495, 41584,
	40693, 39821, 38968, 38133, 37316, 36516, 35734, 34968, 34219, 33486,
};

/* What is left of 65536 after NS. */
static uint32_t left_after(uint64_t ns)
{
	uint64_t halves = ns / PL_UTIL_HALF_LIFE_NS;
	uint64_t step = ns % PL_UTIL_HALF_LIFE_NS * STEPS / PL_UTIL_HALF_LIFE_NS;

	return halves > 16 ? 0 : fade[step] >> halves;
}

void pl_util_add(struct pl_util *u, uint64_t wall_ns, uint64_t cpu_ns)
{
	uint64_t share = 1024, left = left_after(wall_ns);

	if (!wall_ns)
		return;
	if (cpu_ns < wall_ns)
		share = cpu_ns * 1024 / wall_ns;
	u->avg = (uint32_t)((u->avg * left + share * (65536 - left) + 32768) / 65536);
	u->high_ns = u->avg >= PL_CPU_BOUND_UTIL ? u->high_ns + wall_ns : 0;
	u->est_ns += wall_ns;
	if (u->avg >= u->est) {
		u->est = u->avg;
		u->est_ns = 0;
	} else if (u->est_ns >= 1000000000ull) {
		u->est -= (u->est - u->avg + 3) / 4;
		u->est_ns = 0;
	}
}
