// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The keeper: one small detached process per segment that does what no thread of a program should.
// It reads the machine, samples load, watches held pairs, and reclaims what the dead left.
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "apply/watch.h"
#include "base/clock.h"
#include "domain/segment.h"
#include "tools/keeper/load.h"
#include "tools/keeper/machine.h"

enum {
	IDLE_MS = 500,	 /* between looks while there is no pair */
	ALERT_MS = 1000, /* after a member rang, looks are as close as with a pair */
	RECLAIM_MS = 1000,
	LINGER_MS = 2000,   /* after the last member */
	LEASE_STALE_MS = 50 /* an older heartbeat is nobody's */
};

static bool is_alive(uint32_t pid)
{
	return pid > 1 && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

/* One keeper per segment: the word is taken from nobody, or from one that died or hangs. */
static bool take_lease(struct pl_segment *seg)
{
	uint32_t owner = pl_get(&seg->keeper_pid), me = (uint32_t)getpid();
	uint64_t age = pl_now_ns() - pl_get(&seg->heartbeat_ns);

	if (owner && owner != me && is_alive(owner) && age < LEASE_STALE_MS * 10 * PL_NS_PER_MS)
		return false;
	return atomic_compare_exchange_strong(&seg->keeper_pid, &owner, me);
}

static void wait_for_work(struct pl_segment *seg, uint32_t bell, uint64_t ns)
{
	struct timespec ts = {.tv_sec = (time_t)(ns / PL_NS_PER_S),
			      .tv_nsec = (long)(ns % PL_NS_PER_S)};

	syscall(SYS_futex, &seg->doorbell, FUTEX_WAIT, bell, &ts, NULL, 0);
}

/* Pairs want a look every 10 ms; balancers want the load of each 100 ms. */
static uint64_t time_to_look(struct pl_segment *seg, bool pairs)
{
	if (pairs)
		return PL_LOOK_NS;
	return load_is_wanted(seg) ? LOAD_PERIOD_MS * PL_NS_PER_MS : IDLE_MS * PL_NS_PER_MS;
}

static void loop(struct pl_segment *seg, int seg_id)
{
	uint64_t last_member = pl_now_ns(), next_full = 0, alert_until = pl_now_ns();
	uint32_t heard = pl_get(&seg->doorbell) - 1; /* whoever started us wants us awake */

	for (;;) {
		uint32_t bell = pl_get(&seg->doorbell);
		uint64_t now = pl_now_ns();
		bool full = now >= next_full;
		unsigned int pairs;

		if (bell != heard)
			alert_until = now + ALERT_MS * PL_NS_PER_MS;
		heard = bell;
		if (pl_get(&seg->keeper_pid) != (uint32_t)getpid())
			return; /* somebody thought us dead */
		pairs = pl_watch_look(seg, now, full);
		load_sample(seg, now);
		if (full) {
			next_full = now + RECLAIM_MS * PL_NS_PER_MS;
			if (pl_watch_reclaim(seg))
				last_member = now;
			pl_watch_claims(seg);
			if (now - last_member > LINGER_MS * PL_NS_PER_MS ||
			    (pl_segment_is_gone(seg_id) && !pairs))
				return;
		}
		wait_for_work(seg, bell, time_to_look(seg, pairs || now < alert_until));
	}
}

static void detach_from_caller(void)
{
	struct sigaction dfl = {.sa_handler = SIG_DFL};

	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &dfl, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	setsid();
	if (chdir("/") != 0)
		return;
	prctl(PR_SET_NAME, "place-keeper");
}

int main(int argc, char **argv)
{
	struct pl_segment *seg;
	int id;

	if (argc > 1) {
		fprintf(stderr,
			"place-keeper: started by libplace, takes no arguments (not '%s')\n",
			argv[1]);
		return 2;
	}
	detach_from_caller();
	id = pl_segment_join(&seg);
	if (id < 0 || id == PL_SEGMENT_PRIVATE || !take_lease(seg))
		return 1;
	pl_set(&seg->heartbeat_ns, pl_now_ns());
	machine_start(seg);
	loop(seg, id);
	/* Only if the lease is still ours. What programs asked for ends with the last of them. */
	if (pl_get(&seg->keeper_pid) == (uint32_t)getpid()) {
		pl_set(&seg->capacity_mode, 0);
		pl_set(&seg->keeper_pid, 0);
	}
	return 0;
}
