// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The table of other people's programs. A new one is one more entry; nothing else knows them.
#include "tools/bench/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/installed.h"

#define PG_DIR "/usr/lib/postgresql/*/bin"

#define REDIS(id, load, n, ...)                                                                    \
	{                                                                                          \
		.name = id, .package = "redis", .needs = "redis-server,redis-benchmark",           \
		.server = "redis-server --port {port} --bind 127.0.0.1 --dir {dir} --save ''",     \
		.ready = "127.0.0.1:{port}",                                                       \
		.cmd = "redis-benchmark -h 127.0.0.1 -p {port} -n {ops} " load,                    \
		.metric = "([0-9.]+) requests per second", .label = "requests/s", .ops = n,        \
		__VA_ARGS__                                                                        \
	}

#define MEMCACHED(id, clients, n, ...)                                                             \
	{                                                                                          \
		.name = id, .package = "memcached", .needs = "memcached",                          \
		.server = "memcached -l 127.0.0.1 -p {port} -U 0 -u {user} -m 64",                 \
		.ready = "127.0.0.1:{port}",                                                       \
		.cmd = "{own}/place-kvload --port {port} --clients " clients " --requests {ops}",  \
		.metric = "^requests_per_s ([0-9.]+)", .label = "requests/s", .ops = n,            \
		.unprivileged = true, __VA_ARGS__                                                  \
	}

/* The preparation makes a cluster and fills it; it has no durable data to lose. */
#define PGBENCH(id, host, clients, ...)                                                            \
	{                                                                                          \
		.name = id, .package = "postgresql postgresql-contrib",                            \
		.needs = PG_DIR "/postgres," PG_DIR "/initdb," PG_DIR "/pgbench",                  \
		.prepare = "set -e; {bin}/initdb -D {dir}/data -A trust -U place -N >/dev/null; "  \
			   "{bin}/pg_ctl -D {dir}/data -l {dir}/log -w -o "                        \
			   "'-p {port} -k {dir} -h 127.0.0.1' start >/dev/null; "                  \
			   "{bin}/pgbench -i -q -s 2 -h {dir} -p {port} -U place postgres; "       \
			   "{bin}/pg_ctl -D {dir}/data -m fast -w stop >/dev/null",                \
		.server = "{bin}/postgres -D {dir}/data -p {port} -k {dir} -h 127.0.0.1",          \
		.ready = "127.0.0.1:{port}", /* it accepts connections before it serves them */    \
			.cmd = "sh -c 'until {bin}/pg_isready -q -h {dir} -p {port}; do :; done; " \
			       "exec "                                                             \
			       "{bin}/pgbench -n -S -h " host " -p {port} -U place -c " clients    \
			       " -j " clients " -T {seconds} postgres'",                           \
		.metric = "tps = ([0-9.]+) .(without|excluding)", .label = "transactions/s",       \
		.unprivileged = true, .run_s = 1.3, .prepare_s = 3, __VA_ARGS__                    \
	}

#define NGINX(id, connections, ...)                                                                \
	{                                                                                          \
		.name = id, .package = "nginx-light wrk", .needs = "nginx,wrk",                    \
		.prepare = "printf 'pid {dir}/pid; error_log stderr; worker_processes auto; "      \
			   "daemon off; events {} http { access_log off; "                         \
			   "client_body_temp_path {dir}/t1; proxy_temp_path {dir}/t2; "            \
			   "fastcgi_temp_path {dir}/t3; uwsgi_temp_path {dir}/t4; "                \
			   "scgi_temp_path {dir}/t5; server { listen 127.0.0.1:{port}; "           \
			   "location / { return 200 \"hello\"; } } }' >{dir}/nginx.conf",          \
		.server = "nginx -p {dir} -c {dir}/nginx.conf", .ready = "127.0.0.1:{port}",       \
		.cmd = "wrk -t1 -c" connections " -d{seconds}s http://127.0.0.1:{port}/",          \
		.metric = "Requests/sec: +([0-9.]+)", .label = "requests/s", .run_s = 1.2,         \
		.unprivileged = true, __VA_ARGS__                                                  \
	}

#define HACKBENCH(id, how)                                                                         \
	{                                                                                          \
		.name = id, .package = "rt-tests", .needs = "hackbench",                           \
		.cmd = "hackbench -g 4 -l {ops} " how, .metric = "Time: ([0-9.]+)", .label = "s",  \
		.lower_is_better = true, .ops = 150, .run_s = 0.9                                  \
	}

#define SYSBENCH(id, test, regex, unit)                                                            \
	{                                                                                          \
		.name = id, .package = "sysbench", .needs = "sysbench",                            \
		.cmd = "sysbench --threads={cpus} --time={seconds} " test " run", .metric = regex, \
		.label = unit, .run_s = 1.1                                                        \
	}

/* About 32 MiB of text that packs as well as a log does. */
#define COMPRESS(id, pack, tool, command)                                                          \
	{                                                                                          \
		.name = id, .package = pack, .needs = tool, .prepare = "seq {ops} >{dir}/data",    \
		.cmd = command " -c {dir}/data >/dev/null", .metric = PL_METRIC_WALL,              \
		.label = "s", .lower_is_better = true, .ops = 4000000, .run_s = 0.6                \
	}

static const struct pl_program programs[] = {
	{
		.name = "perf-pipe",
		.package = "linux-perf",
		.needs = "perf",
		.cmd = "perf bench sched pipe -l {ops}",
		.metric = "([0-9.]+) usecs/op",
		.label = "us/op",
		.lower_is_better = true,
		.ops = 200000,
		.kernel_ops = 40000,
		.handoff = true,
		.run_s = 1.3,
	},
	{
		.name = "perf-pipe-threads",
		.package = "linux-perf",
		.needs = "perf",
		.cmd = "perf bench sched pipe -T -l {ops}",
		.metric = "([0-9.]+) usecs/op",
		.label = "us/op",
		.lower_is_better = true,
		.ops = 200000,
		.kernel_ops = 40000,
		.handoff = true,
		.run_s = 1,
	},
	{
		.name = "perf-messaging",
		.package = "linux-perf",
		.needs = "perf",
		.cmd = "perf bench sched messaging -g 4 -l {ops}",
		.metric = "Total time: ([0-9.]+)",
		.label = "s",
		.lower_is_better = true,
		.ops = 60,
		.run_s = 1,
	},
	{
		.name = "perf-futex-hash",
		.package = "linux-perf",
		.needs = "perf",
		.cmd = "perf bench futex hash -r {seconds}",
		.metric = "Averaged ([0-9]+) operations/sec",
		.label = "operations/s",
		.run_s = 1.1,
	},
	{
		.name = "perf-futex-wake",
		.package = "linux-perf",
		.needs = "perf",
		.cmd = "perf bench futex wake -t 64",
		.metric = "threads in ([0-9.]+) ms",
		.label = "ms to wake 64 threads",
		.lower_is_better = true,
		.run_s = 1.3,
	},
	HACKBENCH("hackbench-threads", "-T"),
	HACKBENCH("hackbench-processes", "-P"),
	HACKBENCH("hackbench-pipes", "-p"),
	SYSBENCH("sysbench-cpu", "cpu", "events per second: +([0-9.]+)", "events/s"),
	SYSBENCH("sysbench-threads", "threads", "total number of events: +([0-9]+)", "events"),
	SYSBENCH("sysbench-memory", "memory --memory-total-size=1T", "\\(([0-9.]+) MiB/sec\\)",
		 "MiB/s"),
	{
		.name = "sysbench-mutex",
		.package = "sysbench",
		.needs = "sysbench",
		.cmd = "sysbench --threads=8 mutex --mutex-loops={ops} run",
		.metric = "total time: +([0-9.]+)s",
		.label = "s",
		.lower_is_better = true,
		.ops = 5000,
		.run_s = 0.6,
	},
	REDIS("redis-c1", "-c 1 -t get", 40000, .kernel_ops = 15000, .handoff = true, .run_s = 1),
	REDIS("redis-c50", "-c 50 -t get", 30000, .run_s = 1.2),
	REDIS("redis-pipeline", "-c 1 -P 16 -t get", 300000, .run_s = 1),
	{
		.name = "redis-persistent",
		.package = "redis",
		.needs = "redis-server,redis-benchmark",
		/* Each run begins with an empty log, else the server is still busy reading it. */
		.server = "sh -c 'rm -rf {dir}/append*; exec redis-server --port {port} --bind "
			  "127.0.0.1 --dir {dir} --save \"\" --appendonly yes'",
		.ready = "127.0.0.1:{port}",
		.cmd = "redis-benchmark -h 127.0.0.1 -p {port} -n {ops} -c 1 -t set",
		.metric = "([0-9.]+) requests per second",
		.label = "requests/s",
		.ops = 15000,
		.run_s = 0.8,
	},
	MEMCACHED("memcached-c1", "1", 40000, .kernel_ops = 15000, .handoff = true, .run_s = 0.9),
	MEMCACHED("memcached-c16", "16", 50000, .run_s = 1),
	PGBENCH("pgbench-unix-c1", "{dir}", "1", .handoff = true),
	PGBENCH("pgbench-unix-c8", "{dir}", "8"),
	PGBENCH("pgbench-tcp-c1", "127.0.0.1", "1", .handoff = true),
	PGBENCH("pgbench-tcp-c8", "127.0.0.1", "8"),
	NGINX("nginx-c1", "1", .handoff = true),
	NGINX("nginx-c64", "64"),
	{
		.name = "sqlite",
		.package = "sqlite3",
		.needs = "sqlite3",
		.prepare = "{ echo 'PRAGMA synchronous=OFF; CREATE TABLE t(a INTEGER PRIMARY KEY, "
			   "b TEXT); BEGIN;'; seq {ops} | sed \"s/.*/INSERT INTO t "
			   "VALUES(&,'row & of many');/\"; echo 'COMMIT; CREATE INDEX i ON t(b);'; "
			   "seq 1 10 {ops} | sed \"s/.*/SELECT a FROM t WHERE b='row & of "
			   "many';/\"; } >{dir}/sql",
		.cmd = "sh -c 'rm -f {dir}/db; exec sqlite3 {dir}/db <{dir}/sql >/dev/null'",
		.metric = PL_METRIC_WALL,
		.label = "s",
		.lower_is_better = true,
		.ops = 200000,
		.run_s = 1.2,
		.prepare_s = 1,
	},
	COMPRESS("zstd", "zstd", "zstd", "zstd -q -9 -T0"),
	COMPRESS("xz", "xz-utils", "xz", "xz -1 -T0"),
	COMPRESS("pigz", "pigz", "pigz", "pigz"),
	{
		.name = "x264",
		.package = "x264",
		.needs = "x264",
		/* 640x360 frames of 345,600 bytes */
		.prepare = "seq 100000000 | head -c $((345600 * {ops})) >{dir}/in.yuv",
		.cmd = "x264 --quiet --preset fast --input-res 640x360 --fps 30 --demuxer raw "
		       "-o /dev/null {dir}/in.yuv",
		.metric = PL_METRIC_WALL,
		.label = "s",
		.lower_is_better = true,
		.ops = 160,
		.run_s = 1.2,
		.prepare_s = 0.5,
	},
	{
		.name = "openblas",
		.package = "libopenblas0-pthread",
		.needs = "/usr/lib/*/libopenblas.so.0",
		.cmd = "{own}/place-dgemm --seconds {seconds}",
		.metric = "^gflops ([0-9.]+)",
		.label = "GFLOP/s",
		.run_s = 1.1,
	},
	{
		.name = "make",
		.package = "make gcc",
		.needs = "make,gcc",
		.prepare =
			"cd {dir} && for i in $(seq {ops}); do { echo '#include <stdio.h>'; for j "
			"in $(seq 100); do echo \"int f${i}_$j(int x) { for (int i = 0; i < x; "
			"i++) if (i % 7 == $j) printf(\\\"%d\\\", x); return x * $j; }\"; done; } "
			">f$i.c; done; printf 'SRC := $(wildcard *.c)\\nall: $(SRC:.c=.o)\\n"
			"%%.o: %%.c\\n\\tgcc -O2 -c $< -o $@\\n' >Makefile",
		.cmd = "make -s -B -j{cpus} -C {dir}",
		.metric = PL_METRIC_WALL,
		.label = "s",
		.lower_is_better = true,
		.ops = 12,
		.run_s = 1.7,
	},
	{
		.name = "python-queue",
		.package = "python3",
		.needs = "python3",
		.cmd = "python3 {own}/mpqueue.py {ops}",
		.metric = "^rounds_per_s ([0-9.]+)",
		.label = "rounds/s",
		.ops = 10000,
		.run_s = 1.9,
	},
	{
		.name = "go-channel",
		.package = "golang-go",
		.needs = "go",
		.prepare = "HOME={dir} GOCACHE={dir}/cache go build -o {dir}/pingpong "
			   "{own}/pingpong.go",
		.cmd = "{dir}/pingpong {ops}",
		.metric = "^rounds_per_s ([0-9.]+)",
		.label = "rounds/s",
		.ops = 20000,
		.run_s = 0.9,
		.prepare_s = 2,
	},
	{
		.name = "java-queue",
		.package = "default-jdk-headless",
		.needs = "java,javac",
		.prepare = "javac -d {dir} {own}/PingPong.java",
		.cmd = "java -cp {dir} PingPong {ops}",
		.metric = "^rounds_per_s ([0-9.]+)",
		.label = "rounds/s",
		.ops = 60000,
		.run_s = 1.5,
		.prepare_s = 1.5,
	},
	{
		.name = "node-worker",
		.package = "nodejs",
		.needs = "node",
		.cmd = "node {own}/pingpong.js {ops}",
		.metric = "^rounds_per_s ([0-9.]+)",
		.label = "rounds/s",
		.ops = 30000,
		.run_s = 1.2,
	},
};

const struct pl_program *pl_program_nth(size_t n)
{
	return n < sizeof(programs) / sizeof(programs[0]) ? &programs[n] : NULL;
}

const struct pl_program *pl_program_find(const char *name)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (strcmp(programs[i].name, name) == 0)
			return &programs[i];
	}
	return NULL;
}

bool pl_program_installed(const struct pl_program *p)
{
	char *copy = strdup(p->needs), *save = NULL;
	bool all = copy;

	for (char *s = copy ? strtok_r(copy, ",", &save) : NULL; s && all;
	     s = strtok_r(NULL, ",", &save))
		all = pl_installed(s);
	free(copy);
	return all;
}
