// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place_wake(), place_wait_begin(), place_wait_end(): handoffs by means of the program's own.
#include <errno.h>

#include "api/api.h"
#include "libplace/place.h"
#include "observe/hook.h"

PL_API int place_wake(const volatile void *object)
{
	struct pl_tls *t;
	int ret = pl_api_task(&t);

	if (!object)
		return -EINVAL;
	if (!ret)
		pl_hook_wake_addr(object);
	return ret;
}

PL_API int place_wait_begin(const volatile void *object)
{
	struct pl_tls *t;
	int ret = pl_api_task(&t);

	if (!object)
		return -EINVAL;
	if (ret)
		return ret;
	if (t->wait_object)
		return -EBUSY;
	t->wait_object = object;
	t->wait_queue = pl_hook_wait_addr_begin(object);
	return 0;
}

PL_API int place_wait_end(const volatile void *object, int consumed)
{
	struct pl_tls *t;
	int ret = pl_api_task(&t);

	if (!object)
		return -EINVAL;
	if (ret)
		return ret;
	if (!t->wait_object)
		return -EALREADY;
	if (t->wait_object != object)
		return -EINVAL;
	t->wait_object = NULL;
	pl_hook_wait_addr_end(object, t->wait_queue, consumed != 0);
	return 0;
}
