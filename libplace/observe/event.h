/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The program's callback for events; what tells it is pl_hook_events() of observe/hook.h. */
#ifndef PL_OBSERVE_EVENT_H
#define PL_OBSERVE_EVENT_H

#include "libplace/place.h"

/*
 * Sets the process's callback, or takes it away (FN NULL), after which no thread is inside it. 0;
 * -EBUSY: there is one; -EALREADY: there is none; -EDEADLK: called from it; -EAGAIN: another thread
 * sets one just now. MT-safe; waits for calls going on.
 */
int pl_event_set(place_event_fn fn, void *arg);

#endif
