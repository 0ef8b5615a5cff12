// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * The shapes that many wrappers share: hook, next, hook. Each CALL is the call of the next
 * definition. The hooks keep errno, so errno after these is what CALL left.
 */
#ifndef PL_INTERCEPT_AROUND_H
#define PL_INTERCEPT_AROUND_H

#include "intercept/next.h"

#include "observe/hook.h"

#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define PL_HAS_SINGLE_THREADED 1
#endif
#endif

/* The process has one thread, so none of its locks is contended; false when not known. */
static inline bool pl_single_threaded(void)
{
#ifdef PL_HAS_SINGLE_THREADED
	return __libc_single_threaded;
#else
	return false;
#endif
}

/* Read from FD that may wait. TAKEN: the call takes what it reads away (no MSG_PEEK). */
#define PL_READ(fd, taken, call)                                                                   \
	({                                                                                         \
		struct pl_queue *q_ = pl_hook_fd_reads(fd);                                        \
		ssize_t r_;                                                                        \
                                                                                                   \
		if (pl_likely(!q_)) {                                                              \
			r_ = (call);                                                               \
		} else {                                                                           \
			pl_hook_wait_begin(q_);                                                    \
			r_ = (call);                                                               \
			if (r_ > 0 && (taken))                                                     \
				pl_hook_note_fd(fd);                                               \
			pl_hook_wait_end(q_, r_ > 0 && (taken));                                   \
		}                                                                                  \
		r_;                                                                                \
	})

/* Before a write to FD. */
static inline void pl_write_begin(int fd)
{
	struct pl_queue *q = pl_hook_fd_writes(fd);

	if (pl_unlikely(q))
		pl_hook_publish(q);
}

#define PL_CLOSE_RANGE_UNSHARE 2u /* older headers have no name for it */

/* CALL while no thread of ours is there: it would keep what the program gives up. */
#define PL_ALONE(call)                                                                             \
	({                                                                                         \
		pl_hook_identity_change();                                                         \
		__auto_type r_ = (call);                                                           \
		pl_hook_identity_changed(false);                                                   \
		r_;                                                                                \
	})

/* Wait of which the hooks know only that it is one. */
#define PL_WAIT(call)                                                                              \
	({                                                                                         \
		pl_hook_wait_begin(NULL);                                                          \
		__auto_type r_ = (call);                                                           \
		pl_hook_wait_end(NULL, false);                                                     \
		r_;                                                                                \
	})

/* A wait that succeeded, also when it found that the lock's owner had died. thrd_success is 0. */
static inline bool pl_got(int ret)
{
	return !ret || ret == EOWNERDEAD;
}

/* Wait for the object at ADDR that is no cancellation point. */
#define PL_WAIT_ADDR(addr, call)                                                                   \
	({                                                                                         \
		struct pl_queue *q_ = pl_hook_wait_addr_begin(addr);                               \
		int r_ = (call);                                                                   \
                                                                                                   \
		pl_hook_wait_addr_end(addr, q_, pl_got(r_));                                       \
		r_;                                                                                \
	})

struct pl_addr_wait {
	const volatile void *addr;
	struct pl_queue *q;
};

static inline void pl_addr_wait_cancelled(void *arg)
{
	struct pl_addr_wait *w = arg;

	pl_hook_wait_addr_end(w->addr, w->q, false);
}

/*
 * The same for a cancellation point: begin and end are paired also when the thread is cancelled.
 * By pthread_cleanup_push() and not by the cleanup attribute, whose personality routine would make
 * every program load libgcc_s.
 */
#define PL_WAIT_ADDR_CANCEL(obj, call)                                                             \
	({                                                                                         \
		struct pl_addr_wait w_;                                                            \
		int r_;                                                                            \
                                                                                                   \
		w_.addr = (obj);                                                                   \
		w_.q = pl_hook_wait_addr_begin(w_.addr);                                           \
		pthread_cleanup_push(pl_addr_wait_cancelled, &w_);                                 \
		r_ = (call);                                                                       \
		pthread_cleanup_pop(0);                                                            \
		pl_hook_wait_addr_end(w_.addr, w_.q, pl_got(r_));                                  \
		r_;                                                                                \
	})

#if PL_HAS_OLD_ABI
/*
 * Exports FN as VERSIONED ("name@node", or "name@@node" for the version that new programs get)
 * through the alias ALIAS, which the map makes local. By attribute where there is one: the
 * directive is lost in link-time optimisation.
 */
#if defined(__has_attribute) && __has_attribute(symver)
#define PL_EXPORT_AS(fn, alias_, versioned)                                                        \
	extern __typeof__(fn) alias_                                                               \
		__attribute__((alias(#fn), visibility("default"), symver(versioned)))
#else
#define PL_EXPORT_AS(fn, alias_, versioned)                                                        \
	extern __typeof__(fn) alias_ __attribute__((alias(#fn), visibility("default"), used));     \
	__asm__(".symver " #alias_ "," versioned)
#endif
#define PL_EXPORT_OLD(fn, name, node)	  PL_EXPORT_AS(fn, pl_old_##name, #name "@" node)
#define PL_EXPORT_MIDDLE(fn, name, node)  PL_EXPORT_AS(fn, pl_middle_##name, #name "@" node)
#define PL_EXPORT_DEFAULT(fn, name, node) PL_EXPORT_AS(fn, pl_default_##name, #name "@@" node)
#else
#define PL_EXPORT_MIDDLE(fn, name, node) _Static_assert(1, "")
#define PL_EXPORT_DEFAULT(fn, name, node)                                                          \
	extern __typeof__(fn) name __attribute__((alias(#fn), visibility("default")))
#endif

#endif
