// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Sums what a run's processes counted and prints it as text or JSON.
#include "tools/report.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "domain/member.h"
#include "trace/counters.h"

uint32_t report_open(struct pl_segment *seg)
{
	uint32_t me = (uint32_t)getpid();

	for (uint32_t i = 0; i < PL_NR_RUNS; i++) {
		struct pl_run *r = &seg->run[i];
		uint32_t owner = pl_get(&r->owner), count = pl_get(&r->serial);

		if (owner && (kill((pid_t)owner, 0) == 0 || errno == EPERM))
			continue;
		if (!atomic_compare_exchange_strong(&r->owner, &owner, me))
			continue;
		memset((char *)r + offsetof(struct pl_run, turns), 0,
		       sizeof(*r) - offsetof(struct pl_run, turns));
		count = (count + 1) & (UINT32_MAX >> PL_RUN_BITS);
		pl_set_release(&r->serial, count);
		return count << PL_RUN_BITS | (i + 1);
	}
	return 0;
}

/* Brings the sums of RUN up to date: the dead are freed into it, the living are added to SUM. */
static void add_rest(struct pl_segment *seg, uint32_t run, struct pl_run *sum)
{
	uint32_t high = pl_get(&seg->task_high);

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < high && i < PL_NR_TASKS; i++) {
			struct pl_task *t = &seg->task[i];

			if (!pl_get_acquire(&t->state) || pl_get(&t->run) != run)
				continue;
			if (pass)
				pl_run_add_task(sum, t);
			else if (syscall(SYS_tgkill, pl_get(&t->pid), pl_get(&t->tid), 0) != 0)
				pl_task_free(seg, t, pl_get(&t->id));
		}
		if (!pass)
			memcpy(sum, pl_seg_run(seg, run), sizeof(*sum));
	}
}

static const char *outcome(const struct pl_pair_record *r)
{
	if (!pl_get(&r->ended_ns))
		return pl_get(&r->held) ? "held to the end" : "being verified";
	return pl_reason_name(pl_get(&r->reason));
}

static double ms_between(uint64_t from, uint64_t to)
{
	return to > from ? (double)(to - from) / 1e6 : 0;
}

static void print_pairs(FILE *to, struct pl_run *run)
{
	uint32_t n = pl_get(&run->nr_log);

	for (uint32_t i = 1; i <= n && i <= PL_RUN_LOG; i++) {
		const struct pl_pair_record *r = pl_run_record(run, i);
		uint64_t end = pl_get(&r->ended_ns);

		fprintf(to, "  %7u %7u  turns/s off %9u on %9u  ", pl_get(&r->tid[0]),
			pl_get(&r->tid[1]), pl_get(&r->rate_off), pl_get(&r->rate_on));
		if (pl_get(&r->held))
			fprintf(to, "held%s after %.0f ms for %.1f s: %s\n",
				pl_get(&r->held) == 2 ? " apart" : "",
				ms_between(pl_get(&r->formed_ns), pl_get(&r->held_ns)),
				ms_between(pl_get(&r->held_ns), end ? end : pl_now_ns()) / 1e3,
				outcome(r));
		else
			fprintf(to, "not held: %s\n", outcome(r));
	}
	if (n > PL_RUN_LOG)
		fprintf(to, "  and %u more\n", n - PL_RUN_LOG);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? (double)part * 100 / (double)whole : 0;
}

static void print_text(FILE *to, struct pl_run *run)
{
	fprintf(to, "\nplace: %llu processes, %llu threads, %llu of them handed work over\n",
		(unsigned long long)run->processes, (unsigned long long)run->threads,
		(unsigned long long)run->tasks);
	fprintf(to, "  turns %llu, messages %llu, edges %llu, binds %llu\n",
		(unsigned long long)run->turns, (unsigned long long)run->published,
		(unsigned long long)run->edges, (unsigned long long)run->binds);
	fprintf(to,
		"  dropped records %llu, not understood %llu, refused calls %llu, widened by the "
		"keeper %llu\n",
		(unsigned long long)run->dropped, (unsigned long long)run->unknown,
		(unsigned long long)run->denied, (unsigned long long)run->widened);
	fprintf(to,
		"  run delay %.3f %% of run time, time slices %llu, yields %llu, threads moved by "
		"the "
		"balancer %llu\n",
		percent(run->delay_ns, run->run_ns), (unsigned long long)run->slices,
		(unsigned long long)run->yields, (unsigned long long)run->moves);
	fprintf(to, "  wake-ups beside a busy sibling %.1f %% of %llu looked at\n",
		percent(run->contended, run->wakes), (unsigned long long)run->wakes);
	fprintf(to, "  pairs tried %llu, held %llu\n", (unsigned long long)run->entered,
		(unsigned long long)run->held);
	for (uint32_t i = 1; i < PL_REASON_NR; i++)
		if (run->released[i])
			fprintf(to, "  released %llu: %s\n", (unsigned long long)run->released[i],
				pl_reason_name(i));
	for (uint32_t i = 1; i < PL_REASON_NR; i++)
		if (run->refused[i])
			fprintf(to, "  refused in %llu windows: %s\n",
				(unsigned long long)run->refused[i], pl_reason_name(i));
	print_pairs(to, run);
}

static json_t *pairs_json(struct pl_run *run)
{
	json_t *list = json_array();

	for (uint32_t i = 1; i <= pl_get(&run->nr_log) && i <= PL_RUN_LOG; i++) {
		const struct pl_pair_record *r = pl_run_record(run, i);

		json_array_append_new(
			list,
			json_pack("{s:[i,i], s:b, s:b, s:s, s:i, s:i, s:f, s:f}", "tids",
				  (int)pl_get(&r->tid[0]), (int)pl_get(&r->tid[1]), "held",
				  (int)pl_get(&r->held), "apart", pl_get(&r->held) == 2, "outcome",
				  outcome(r), "turns_per_s_off", (int)pl_get(&r->rate_off),
				  "turns_per_s_on", (int)pl_get(&r->rate_on), "held_after_ms",
				  ms_between(pl_get(&r->formed_ns), pl_get(&r->held_ns)), "held_ms",
				  pl_get(&r->held)
					  ? ms_between(pl_get(&r->held_ns),
						       pl_get(&r->ended_ns) ? pl_get(&r->ended_ns)
									    : pl_now_ns())
					  : 0.0));
	}
	return list;
}

static json_t *run_json(struct pl_run *run)
{
	json_t *released = json_object(), *refused = json_object();
	json_t *root = json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "processes",
		(json_int_t)run->processes, "threads", (json_int_t)run->threads, "handoff_threads",
		(json_int_t)run->tasks, "turns", (json_int_t)run->turns, "published",
		(json_int_t)run->published, "edges", (json_int_t)run->edges, "binds",
		(json_int_t)run->binds, "dropped", (json_int_t)run->dropped, "not_understood",
		(json_int_t)run->unknown, "refused_calls", (json_int_t)run->denied,
		"widened_by_keeper", (json_int_t)run->widened, "pairs_entered",
		(json_int_t)run->entered, "pairs_held", (json_int_t)run->held);

	json_object_update_new(root, json_pack("{s:f, s:f, s:I, s:I, s:f, s:I, s:I}", "run_s",
					       (double)run->run_ns / 1e9, "run_delay_pct",
					       percent(run->delay_ns, run->run_ns), "time_slices",
					       (json_int_t)run->slices, "yields",
					       (json_int_t)run->yields, "sibling_contention_pct",
					       percent(run->contended, run->wakes),
					       "wakeups_sampled", (json_int_t)run->wakes,
					       "balancer_moves", (json_int_t)run->moves));
	for (uint32_t i = 1; i < PL_REASON_NR; i++)
		json_object_set_new(released, pl_reason_name(i),
				    json_integer((json_int_t)run->released[i]));
	for (uint32_t i = 1; i < PL_REASON_NR; i++)
		json_object_set_new(refused, pl_reason_name(i),
				    json_integer((json_int_t)run->refused[i]));
	json_object_set_new(root, "pairs_released", released);
	json_object_set_new(root, "windows_refused", refused);
	json_object_set_new(root, "pairs", pairs_json(run));
	return root;
}

int report_write(struct pl_segment *seg, uint32_t n, const char *file)
{
	static struct pl_run sum;
	json_t *root;
	int ret;

	add_rest(seg, n, &sum);
	if (!file) {
		print_text(stderr, &sum);
		return 0;
	}
	root = run_json(&sum);
	ret = json_dump_file(root, file, JSON_INDENT(2));
	json_decref(root);
	if (ret != 0)
		fprintf(stderr, "place run: cannot write statistics to '%s': %s\n", file,
			strerror(errno));
	return ret;
}

void report_close(struct pl_segment *seg, uint32_t run)
{
	struct pl_run *r = pl_seg_run(seg, run);

	if (r)
		pl_set_release(&r->owner, 0);
}
