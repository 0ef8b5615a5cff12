// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Reads the machine in a thread of its own, since that takes 10 ms to seconds and the heartbeat
// must not wait; looks once a second at what can change, and publishes.
#include "tools/keeper/machine.h"

#include <pthread.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "machine/allowed.h"

enum {
	STEP_MS = 1000,
	PUBLISH_MS = 1000, /* readers hold a model for less */
	MAX_LOOKS = 64,	   /* files read per step; more CPUs take more steps */
};

/* Of what is read of a CPU, the values that change while it is online. */
static const enum pl_raw_key changing[] = {PL_RAW_SCALING_MAX, PL_RAW_CAPACITY};

static enum pl_capacity_mode asked_mode(const struct pl_segment *seg)
{
	uint32_t asked = pl_get(&seg->capacity_mode);

	return asked && asked <= PL_CAPACITY_OFF + 1 ? (enum pl_capacity_mode)(asked - 1)
						     : PL_CAPACITY_GROUP;
}

/* True when the list of online CPUs is another one than at the last call. */
static bool online_changed(struct machine_watch *w)
{
	struct pl_cpumask now;

	if (pl_allowed_online(&w->from.sysfs, &now) != 0 || pl_cpumask_equal(&now, &w->online))
		return false;
	w->online = now;
	return true;
}

/* Looks at the next few files that had a value; once one changed, at all of them. */
static bool values_changed(struct machine_watch *w)
{
	const uint32_t nr = PL_ARRAY_SIZE(changing) * w->model.nr_cpu_ids;
	bool changed = false;
	int looks = 0;

	for (uint32_t i = 0; i < nr && (changed || looks < MAX_LOOKS); i++) {
		uint32_t n = w->next_look++ % nr;
		enum pl_raw_key key = changing[n % PL_ARRAY_SIZE(changing)];
		int cpu = (int)(n / PL_ARRAY_SIZE(changing));

		if (!pl_machine_has(&w->model, cpu) || w->raw.v[key][cpu].state != PL_RAW_GOOD)
			continue;
		looks++;
		changed |= pl_raw_refresh(&w->from.sysfs, &w->raw, key, cpu);
	}
	return changed;
}

/* R17: once in full, then what may change. */
static void note_kernel_rules(struct machine_watch *w, bool first)
{
	struct pl_kernel_rules rules;
	struct utsname u;

	if (first && uname(&u) == 0)
		pl_rules_read(&w->from.sysfs, u.release, &w->facts);
	else
		pl_rules_refresh(&w->from.sysfs, &w->facts);
	pl_rules_decide(&w->facts, false, &rules);
	w->model.kernel_rules = pl_rules_bits(&rules);
}

static bool publish(const struct machine_watch *w, struct pl_segment *seg, uint64_t now_ns)
{
	uint32_t nr = pl_get(&seg->machine_ready);

	if (nr && (memcmp(pl_seg_machine(seg), &w->model, sizeof(w->model)) == 0 ||
		   now_ns - pl_get(&seg->machine_ns) < PUBLISH_MS * PL_NS_PER_MS))
		return false;
	nr = nr + 1 ? nr + 1 : 2; /* 0 means that there is none, and evenness goes on */
	memcpy(&seg->machine[nr & 1], &w->model, sizeof(w->model));
	pl_set(&seg->machine_ns, now_ns);
	pl_set_release(&seg->machine_ready, nr);
	return true;
}

bool machine_step(struct machine_watch *w, struct pl_segment *seg, uint64_t now_ns)
{
	enum pl_capacity_mode mode = asked_mode(seg);
	bool first = !w->known;

	/* The list comes first: what changes while we read is seen at the next step. */
	if (online_changed(w) || !w->known) {
		w->from.mode = mode;
		w->known = pl_machine_read(&w->from, &w->model, &w->raw) == 0;
		if (!w->known)
			return false; /* too much comes and goes just now: again in a second */
	} else if (values_changed(w) || mode != w->model.capacity_mode) {
		pl_capacity_fill(&w->model, &w->raw, mode);
	}
	note_kernel_rules(w, first);
	return publish(w, seg, now_ns);
}

static void nap(void)
{
	struct timespec ts = {.tv_sec = STEP_MS / 1000};

	nanosleep(&ts, NULL);
}

static void *watch_machine(void *arg)
{
	static struct machine_watch watch;
	struct pl_segment *seg = arg;
	struct pl_env env;

	pl_env_read(&env); /* empty, unless the keeper was started by hand */
	watch.from.sysfs.root = env.sysfs_root;
	/* Most keepers find a model that is still right and end within seconds: no hurry then. */
	if (pl_seg_machine_ready(seg) &&
	    pl_seg_machine(seg)->capacity_mode == (uint8_t)asked_mode(seg))
		nap();
	while (pl_get(&seg->keeper_pid) == (uint32_t)getpid()) {
		machine_step(&watch, seg, pl_now_ns());
		nap();
	}
	return NULL;
}

void machine_start(struct pl_segment *seg)
{
	pthread_t thread;

	if (pl_seg_machine_ready(seg) && !pl_machine_is_valid(pl_seg_machine(seg)))
		pl_set(&seg->machine_ready, 0);
	if (pthread_create(&thread, NULL, watch_machine, seg) == 0)
		pthread_detach(thread);
}
