// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// place-pingpong: pairs that wake each other in turn, by one of seven primitives. Each side wakes
// the other, computes (overlapped work), then waits. Prints "key value" lines.
#include <math.h>
#include <stdio.h>

#include "bench/bench.h"
#include "bench/meter.h"

/* One pair's lines in shared memory; the leader (side 0) writes it. */
struct pair {
	_Atomic uint32_t measuring;
	_Atomic uint32_t stop;
	struct meter_result result;
} __attribute__((aligned(BENCH_LINE)));

static int nr_pairs = 1;

static void lead(struct bench_team *t, int i)
{
	struct bench_chan *ch = &t->sh->chan[i];
	struct pair *pair = (struct pair *)t->area + i;
	struct bench_slot *me = &t->sh->slot[2 * i], *other = &t->sh->slot[2 * i + 1];
	uint64_t loops = (uint64_t)(t->opts->work_us * (double)t->opts->spin_loops);
	struct bench_usage base;
	enum meter_step step;
	struct meter m;

	meter_init(&m, t->opts);
	bench_ready(t);
	base = bench_usage();
	meter_start(&m);
	do {
		int cpu;

		bench_chan_post(ch, 0);
		bench_work(loops);
		bench_chan_wait(ch, 0);
		cpu = sched_getcpu();
		step = meter_turn(&m,
				  cpu != atomic_load_explicit(&other->cpu, memory_order_relaxed));
		if (step == METER_MEASURE) {
			atomic_store(&pair->measuring, 1);
			base = bench_usage();
		}
	} while (step != METER_STOP);
	bench_usage_store(me, base);
	/* The partner waits for a message now and looks at this word when it comes. */
	atomic_store(&pair->stop, 1);
	bench_chan_post(ch, 0);
	meter_fini(&m, &pair->result);
}

static void follow(struct bench_team *t, int i)
{
	struct bench_chan *ch = &t->sh->chan[i];
	struct pair *pair = (struct pair *)t->area + i;
	struct bench_slot *me = &t->sh->slot[2 * i + 1];
	uint64_t loops = (uint64_t)(t->opts->work_us * (double)t->opts->spin_loops);
	struct bench_usage base;
	bool measuring = false;

	bench_ready(t);
	base = bench_usage();
	for (;;) {
		bench_chan_wait(ch, 1);
		if (atomic_load_explicit(&pair->stop, memory_order_relaxed))
			break;
		atomic_store_explicit(&me->cpu, sched_getcpu(), memory_order_relaxed);
		if (!measuring && atomic_load_explicit(&pair->measuring, memory_order_relaxed)) {
			measuring = true;
			base = bench_usage();
		}
		bench_chan_post(ch, 1);
		bench_work(loops);
	}
	bench_usage_store(me, base);
}

static void worker(struct bench_team *t, int k)
{
	if (t->opts->processes)
		bench_chan_keep(&t->sh->chan[k / 2], k % 2);
	if (k % 2 == 0)
		lead(t, k / 2);
	else
		follow(t, k / 2);
}

static void report(const struct bench_team *t, enum bench_kind kind)
{
	const struct pair *pair = t->area;
	double rate = 0, rounds = 0, cross = 0, last = 0, elapsed = 0;
	double slowest = INFINITY;

	for (int i = 0; i < nr_pairs; i++) {
		const struct meter_result *r = &pair[i].result;

		rate += r->rate;
		slowest = fmin(slowest, r->rate);
		rounds += (double)r->rounds;
		cross += r->cross * (double)r->rounds;
		elapsed = fmax(elapsed, r->elapsed_s);
		last = fmax(last, r->stacked_after_s); /* all have settled when the last has */
	}
	printf("kind %s\n", bench_kind_name(kind));
	printf("workers %s\n", t->opts->processes ? "processes" : "threads");
	printf("pairs %d\n", nr_pairs);
	printf("work_us %g\n", t->opts->work_us);
	printf("rounds %.0f\n", rounds);
	printf("elapsed_s %.6f\n", elapsed);
	printf("rounds_per_s %.2f\n", rate);
	printf("us_per_round %.4f\n", 1e6 * nr_pairs / rate);
	for (int i = 0; i < nr_pairs; i++)
		printf("pair.%d.rounds_per_s %.2f\n", i, pair[i].result.rate);
	printf("slowest_pair_rounds_per_s %.2f\n", slowest);
	printf("cross_fraction %.4f\n", cross / rounds);
	bench_print_usage(t, "round", rounds);
	printf("stacked_after_ms %.0f\n", last * 1e3); /* "inf" when one never did */
}

static void usage(FILE *f)
{
	fputs("usage: place-pingpong [OPTIONS] pipe|futex|cond|sem|eventfd|unix|tcp\n"
	      "  --pairs N                pairs at once (default: 1)\n" BENCH_USAGE,
	      f);
}

int main(int argc, char **argv)
{
	enum { OPT_PAIRS = BENCH_OPT_OWN };
	static const struct option options[] = {
		BENCH_OPTIONS, {"pairs", required_argument, NULL, OPT_PAIRS}, {NULL, 0, NULL, 0}};
	struct bench_opts opts;
	struct bench_team team;
	enum bench_kind kind;
	int opt;

	bench_opts_init(&opts);
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (bench_option(&opts, opt, optarg))
			continue;
		if (opt == OPT_PAIRS) {
			nr_pairs = (int)bench_number("pairs", optarg, 1, BENCH_MAX_CHANNELS);
		} else {
			usage(opt == BENCH_OPT_HELP ? stdout : stderr);
			return opt == BENCH_OPT_HELP ? 0 : 2;
		}
	}
	if (optind + 1 != argc || !bench_kind_parse(argv[optind], &kind)) {
		usage(stderr);
		return 2;
	}
	bench_opts_done(&opts, false);
	bench_team_open(&team, &opts, argv, sizeof(struct pair) * BENCH_MAX_CHANNELS, worker);
	for (int i = 0; i < nr_pairs; i++) {
		bench_chan_open(&team.sh->chan[i], kind, opts.processes);
		bench_team_start(&team);
		bench_team_start(&team);
		if (opts.processes)
			bench_chan_close(&team.sh->chan[i]);
	}
	bench_team_go(&team);
	bench_team_join(&team);
	report(&team, kind);
	return 0;
}
