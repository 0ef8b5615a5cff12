// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Texts of the reasons.
#include "decide/reason.h"

/* Arrays, not pointers: the table needs no relocation, so it is a constant in shared objects too.
 */
static const struct {
	char text[56];
	char rule[4];
} whys[PL_WHY_NR] = {
	[PL_WHY_NONE] = {"none", ""},
	[PL_WHY_TARGET_IDLE] = {"the target is idle", "R6"},
	[PL_WHY_PREV_IDLE] = {"the CPU it ran on last is idle", "R6"},
	[PL_WHY_RECENT_IDLE] = {"the CPU it ran on before the last is idle", "R6"},
	[PL_WHY_IDLE_CORE] = {"an idle core of the LLC", "R6"},
	[PL_WHY_IDLE_SIBLING] = {"an idle sibling of the CPU it ran on last", "R6"},
	[PL_WHY_IDLE_CPU] = {"an idle CPU of the LLC", "R6"},
	[PL_WHY_TARGET] = {"nothing idle was found, so the target", "R6"},
	[PL_WHY_FITS_PREFERRED] = {"idle core, large enough", "R7"},
	[PL_WHY_UMIN_PREFERRED] = {"idle core, below the least asked for", "R7"},
	[PL_WHY_SMALL_PREFERRED] = {"idle core, too small", "R7"},
	[PL_WHY_FITS_SHARED] = {"partly busy core, large enough", "R7"},
	[PL_WHY_UMIN_SHARED] = {"partly busy core, below the least asked for", "R7"},
	[PL_WHY_SMALL_SHARED] = {"partly busy core, too small", "R7"},
	[PL_WHY_MISFIT] = {"its core was too small, this one is larger", "R9"},
	[PL_WHY_NEW_PREFERRED] = {"new thread, in the preferred LLC", "R10"},
	[PL_WHY_NEW_IDLEST] = {"new thread, in the idlest LLC", "R10"},
	[PL_WHY_AGGREGATE] = {"into the preferred LLC", "R11"},
	[PL_WHY_ENERGY] = {"costs least energy", "R12"},
	[PL_WHY_CORE_SHARED] = {"its core was shared, this one is idle", "R8"},
	[PL_WHY_GIVE_BACK] = {"its core is shared and none is idle: not bound", "R8"},
	[PL_WHY_NOT_ALLOWED] = {"not allowed", ""},
	[PL_WHY_BUSY] = {"busy", ""},
	[PL_WHY_CORE_BUSY] = {"its core is partly busy", "R6"},
	[PL_WHY_OTHER_LLC] = {"another LLC", "R6"},
	[PL_WHY_TOO_SMALL] = {"not large enough", ""},
	[PL_WHY_WORSE_RANK] = {"ranks below another", "R7"},
	[PL_WHY_LESS_CAPACITY] = {"ranks the same, not larger", "R7"},
	[PL_WHY_NO_BUDGET] = {"the scan budget is used up", "R14"},
	[PL_WHY_NO_IDLE] = {"nothing idle", ""},
	[PL_WHY_OVERUTILIZED] = {"a CPU is above 80 %", "R12"},
	[PL_WHY_MORE_ENERGY] = {"costs more energy", "R12"},
	[PL_WHY_NOT_MISFIT] = {"large enough where it is", "R9"},
	[PL_WHY_AGGREGATE_REFUSED] = {"the LLC is too full, or the preferred one is not", "R11"},
};

const char *pl_why_text(uint32_t why)
{
	return whys[why < PL_WHY_NR ? why : PL_WHY_NONE].text;
}

const char *pl_why_rule(uint32_t why)
{
	return whys[why < PL_WHY_NR ? why : PL_WHY_NONE].rule;
}
