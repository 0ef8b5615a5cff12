// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// One run of one contender: server up, program run and looked at, server down, figures read.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tools/bench/child.h"
#include "tools/bench/engine.h"
#include "tools/bench/metric.h"
#include "tools/bench/ready.h"
#include "tools/bench/say.h"

#define READY_S	 10 /* for a server to listen */
#define RETRY_NS (10 * PL_NS_PER_MS)

/* Starts the program of ROLE. 0 or an exit status. */
static int start(const struct pl_bench_opts *o, enum pl_contender c, enum pl_role role,
		 struct pl_child *child)
{
	char **argv = pl_contender_argv(o, c, role);
	struct pl_treatment t;
	int err;

	if (!argv)
		return 1;
	pl_contender_treat(o, c, role, &t);
	err = pl_child_start(child, argv, &t);
	if (err)
		pl_say("cannot start %s: %s", argv[0], strerror(-err));
	pl_contender_free_argv(argv);
	return err ? 1 : 0;
}

static int say_server_ended(const struct pl_child *server)
{
	char *text = pl_child_output(server);

	pl_say("the server ended at once: %s", text ? pl_metric_last_line(text) : "");
	free(text);
	return 1;
}

/* 0 or an exit status, with nothing left running. */
static int start_server(const struct pl_bench_opts *o, enum pl_contender c, struct pl_child *server)
{
	struct pl_ready ready;
	uint64_t deadline;
	int ret = 0;

	if (!pl_ready_resolve(o->ready, &ready))
		return 2;
	if (pl_ready_try(&ready)) {
		pl_say("something listens on %s already: stop it or take another port", o->ready);
		ret = 1;
	} else {
		ret = start(o, c, PL_SERVER, server);
	}
	deadline = pl_now_ns() + READY_S * PL_NS_PER_S;
	while (!ret && !pl_ready_try(&ready)) {
		/* A server that has gone into the background cannot be stopped by its pid. */
		bool ended = pl_child_wait(server, pl_now_ns() + RETRY_NS, NULL) == PL_WAIT_ENDED;

		if (pl_child_signal())
			ret = 128 + pl_child_signal();
		else if (ended)
			ret = say_server_ended(server);
		else if (pl_now_ns() > deadline) {
			pl_say("the server does not listen on %s after %d s", o->ready, READY_S);
			ret = 1;
		}
	}
	if (ret) {
		pl_child_stop(server);
		pl_child_fini(server);
	}
	return ret;
}

/* Why a program that has ended is no result; an exit status, 0 when all is well. */
static int check_status(const struct pl_bench_opts *o, const char *who, int status, char *text)
{
	const char *name = pl_bench_name(o);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFSIGNALED(status))
		pl_say("%s: '%s' was ended by signal %d (%s)", who, name, WTERMSIG(status),
		       strsignal(WTERMSIG(status)));
	else
		pl_say("%s: '%s' failed with status %d: %s", who, name, WEXITSTATUS(status),
		       text ? pl_metric_last_line(text) : "");
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127))
		return WEXITSTATUS(status);
	return 1;
}

/* Our own programs count for themselves. */
static bool read_workload(const struct pl_bench_opts *o, const char *text, struct pl_run *out)
{
	const struct pl_metric *metric;
	size_t n = pl_bench_metrics(o, &metric);
	char key[64];

	for (size_t i = 0; i < n; i++) {
		if (!pl_metric_key(text, metric[i].key, &out->value[i])) {
			pl_say("no line '%s' from %s: does it belong to this build?", metric[i].key,
			       o->workload->program);
			return false;
		}
	}
	snprintf(key, sizeof(key), "cpu_s_per_%s", o->workload->op);
	if (!pl_metric_key(text, "cpu_s", &out->cpu_s) ||
	    !pl_metric_key(text, key, &out->cpu_s_per_op))
		out->cpu_s = out->cpu_s_per_op = NAN;
	if (!pl_metric_key(text, "cross_fraction", &out->cross))
		out->cross = NAN;
	if (!pl_metric_key(text, "switches", &out->switches))
		out->switches = NAN;
	if (!pl_metric_key(text, "migrations", &out->migrations))
		out->migrations = NAN;
	return true;
}

static bool read_command(const struct pl_bench_opts *o, enum pl_contender c, char *text,
			 double cpu_s, struct pl_run *out)
{
	double ops;

	pl_contender_cmd(o, c, &ops);
	out->cpu_s = cpu_s;
	out->cpu_s_per_op = ops > 0 ? cpu_s / ops : NAN;
	if (strcmp(o->metric, PL_METRIC_WALL) == 0) {
		out->value[0] = out->wall_s;
		return true;
	}
	if (text && pl_metric_regex(text, o->metric, &out->value[0]) && out->value[0] > 0) {
		if (o->rate_s > 0)
			out->cpu_s_per_op = cpu_s / (out->value[0] * o->rate_s);
		return true;
	}
	pl_say("--metric '%s' found no figure above 0 in the output, which ends: %s", o->metric,
	       text ? pl_metric_last_line(text) : "");
	return false;
}

static int run_client(const struct pl_bench_opts *o, enum pl_contender c, struct pl_child *client,
		      pid_t server_pid, struct pl_run *out)
{
	const char *who = pl_contender_name(c);
	struct pl_sampler sampler;
	enum pl_wait how;
	int ret = start(o, c, PL_CLIENT, client);

	if (ret)
		return ret;
	pl_sampler_init(&sampler, client->pid, server_pid);
	how = pl_child_wait(client, client->start_ns + (uint64_t)(o->timeout_s * 1e9),
			    o->cmd ? &sampler : NULL);
	out->cross = pl_sampler_cross(&sampler);
	out->migrations = pl_sampler_migrations(&sampler);
	pl_sampler_fini(&sampler);
	if (how == PL_WAIT_INTERRUPTED)
		return 128 + pl_child_signal();
	if (how == PL_WAIT_TIMEOUT) {
		pl_say("%s: no end after %g s: it hangs, or needs a longer --timeout", who,
		       o->timeout_s);
		return 1;
	}
	out->wall_s = (double)(client->end_ns - client->start_ns) / 1e9;
	return 0;
}

int pl_engine_run_once(const struct pl_bench_opts *o, enum pl_contender c, struct pl_run *out)
{
	struct pl_child client = {.pidfd = -1, .out_fd = -1}, server = {.pidfd = -1, .out_fd = -1};
	char *text = NULL;
	int ret;

	*out = (struct pl_run){.done = false};
	if (o->server) {
		ret = start_server(o, c, &server);
		if (ret)
			return ret;
	}
	ret = run_client(o, c, &client, server.pid, out);
	if (client.pid > 0)
		pl_child_stop(&client);
	if (server.pid > 0)
		pl_child_stop(&server);
	if (!ret) {
		text = pl_child_output(&client);
		ret = check_status(o, pl_contender_name(c), client.status, text);
	}
	out->switches = client.switches + server.switches;
	if (!ret && !(o->workload ? text && read_workload(o, text, out)
				  : read_command(o, c, text, client.cpu_s + server.cpu_s, out)))
		ret = 1;
	out->done = !ret;
	free(text);
	pl_child_fini(&client);
	pl_child_fini(&server);
	return ret;
}
