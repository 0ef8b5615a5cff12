// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// `place topo`: the machine as libplace sees it, read here and now (no keeper needed).
#include "tools/topo.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "tools/commands.h"
#include "tools/handoff.h"

static const char who[] = "place topo";

enum { EXIT_UNREADABLE = 1 };

struct topo_options {
	struct pl_machine_from from;
	bool verbose, json, handoff;
};

static void usage(FILE *to)
{
	fprintf(to, "usage: place topo [-v] [--json] [--xml FILE] "
		    "[--capacity=auto|group|exact|packing|off] [--handoff]\n"
		    "  -v, --verbose  also what each source says of capacities, and what the "
		    "kernel does\n"
		    "  --json         everything as one JSON object\n"
		    "  --xml FILE     the machine in an hwloc XML file instead of this one\n"
		    "  --capacity=M   what counts as a difference (auto, the default, is group)\n"
		    "  --handoff      measures what a handoff costs, and leaves it for programs\n");
}

/* 0, a usage status, or -1 when help was asked for. */
static int parse(int argc, char **argv, struct topo_options *o)
{
	static const struct option longs[] = {
		{"verbose", no_argument, NULL, 'v'},
		{"json", no_argument, NULL, 'j'},
		{"xml", required_argument, NULL, 'x'},
		{"capacity", required_argument, NULL, 'c'},
		{"handoff", no_argument, NULL, 'o'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "vh", longs, NULL)) != -1) {
		switch (c) {
		case 'v':
			o->verbose = true;
			break;
		case 'j':
			o->json = true;
			break;
		case 'x':
			o->from.xml = optarg;
			break;
		case 'c':
			if (!pl_capacity_mode_parse(optarg, &o->from.mode)) {
				fprintf(stderr,
					"%s: no capacity mode '%s': it is auto, group, exact, "
					"packing or off\n",
					who, optarg);
				return PLACE_EXIT_USAGE;
			}
			break;
		case 'o':
			o->handoff = true;
			break;
		case 'h':
			usage(stdout);
			return -1;
		default:
			usage(stderr);
			return PLACE_EXIT_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "%s: what is '%s'? It takes options only\n", who, argv[optind]);
		usage(stderr);
		return PLACE_EXIT_USAGE;
	}
	if (o->handoff && (o->json || o->from.xml)) {
		fprintf(stderr, "%s: --handoff measures this machine: without --json and --xml\n",
			who);
		return PLACE_EXIT_USAGE;
	}
	return 0;
}

static void read_rules(struct topo *t, const struct pl_sysfs *s)
{
	if (pl_sysfs_read(s, "proc/sys/kernel/osrelease", t->release, sizeof(t->release)) <= 0)
		t->release[0] = '\0';
	t->release[strcspn(t->release, "\n")] = '\0';
	t->has_rules = true;
	pl_rules_read(s, t->release, &t->facts);
	pl_rules_decide(&t->facts, false, &t->rules);
}

static void say_unreadable(const struct pl_machine_from *from, int err)
{
	const char *root = from->sysfs.root ? from->sysfs.root : "/";

	if (from->xml && access(from->xml, R_OK) != 0)
		fprintf(stderr, "%s: cannot read '%s': %s\n", who, from->xml, strerror(errno));
	else if (err == -E2BIG)
		fprintf(stderr, "%s: all CPU numbers are above %d\n", who, PL_MAX_CPUS - 1);
	else if (err == -EAGAIN)
		fprintf(stderr, "%s: CPUs come and go just now: try again\n", who);
	else if (err == -ENOMEM)
		fprintf(stderr, "%s: out of memory\n", who);
	else if (from->xml)
		fprintf(stderr, "%s: '%s' is no hwloc XML file\n", who, from->xml);
	else
		fprintf(stderr, "%s: hwloc cannot read the machine below '%s'\n", who, root);
}

int cmd_topo(int argc, char **argv)
{
	struct topo_options o = {0};
	struct pl_env env;
	struct topo *t;
	int ret;

	pl_env_read(&env);
	if (env.capacity_mode >= 0)
		o.from.mode = (enum pl_capacity_mode)env.capacity_mode;
	o.from.sysfs.root = env.sysfs_root;
	ret = parse(argc, argv, &o);
	if (ret)
		return ret < 0 ? 0 : ret;
	t = calloc(1, sizeof(*t));
	ret = t ? pl_machine_read(&o.from, &t->machine, &t->raw) : -ENOMEM;
	if (ret != 0) {
		say_unreadable(&o.from, ret);
		free(t);
		return EXIT_UNREADABLE;
	}
	if (!o.from.xml)
		read_rules(t, &o.from.sysfs);
	if (o.handoff)
		ret = handoff_measure(&t->machine, stdout);
	else if (o.json)
		ret = topo_print_json(stdout, t);
	else
		topo_print(stdout, t, o.verbose);
	free(t);
	if (ret != 0 || fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "%s: cannot write the report: %s\n", who,
			strerror(ret ? -ret : errno));
		return EXIT_UNREADABLE;
	}
	return 0;
}
