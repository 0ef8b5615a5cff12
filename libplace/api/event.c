// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place_set_event_callback().
#include "observe/event.h"

#include "api/api.h"

PL_API int place_set_event_callback(place_event_fn fn, void *arg)
{
	struct pl_tls *t;
	int ret = pl_api_enter(&t);

	return ret ? ret : pl_event_set(fn, arg);
}
