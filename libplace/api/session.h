/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* Between the process's half of the interface and the thread's. */
#ifndef PL_API_SESSION_H
#define PL_API_SESSION_H

#include "domain/member.h"

/* Has the calling thread unregistered when it ends; false when that cannot be. After
 * place_start(). May allocate. */
bool pl_session_watch_end(struct pl_tls *t);

/* What place_thread_register() does, once its arguments are checked. */
int pl_thread_make_known(struct pl_tls *t, unsigned int flags);

#endif
