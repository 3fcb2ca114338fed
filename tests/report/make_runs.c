/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run directories of made-up machines, as many and as large as one likes: make_runs DIR MACHINES
 * POINTS [RANKS] writes DIR/m0, DIR/m1, ... The figures follow a formula, so a test knows them: a
 * message of n bytes takes start + n / speed, both of the transport; machine k is (1 + k / 20)
 * times as fast. No randomness.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/num.h"
#include "data/record.h"

static const struct {
	const char *name, *used;
	double start_us, gbps; /* gbps 0: refused */
} transports[] = {
	{ "auto", "P2P/CUMEM", 5, 300 },
	{ "p2p", "P2P/CUMEM", 5, 300 },
	{ "shm", "SHM/direct", 9, 30 },
	{ "socket", "NET/Socket", 30, 4 },
	{ "ib", "", 0, 0 },
};
static const char *const ops[] = { "all_reduce", "sendrecv", "broadcast", "pingpong" };
static const char *const timings[] = { "graph", "stream" };

#define N_T N_ELEMENTS(transports)
#define N_O N_ELEMENTS(ops)

/* Point i: transport fastest, then operation, timing; sizes 8, 16, ... 2^30, then between them. */
static uint64_t bytes_of(size_t step)
{
	size_t power = step % 28, part = step / 28;

	return (8ull << power) + 8ull * part;
}

static void fill(struct record *r, size_t i, int machine, int ranks)
{
	size_t t = i % N_T, o = i / N_T % N_O, timing = i / (N_T * N_O) % 2,
	       step = i / (N_T * N_O * 2);

	record_init(r);
	record_set(r->backend, sizeof(r->backend), "nccl");
	record_set(r->transport, sizeof(r->transport), transports[t].name);
	record_set(r->variant, sizeof(r->variant), "plain");
	record_set(r->op, sizeof(r->op), ops[o]);
	record_set(r->dtype, sizeof(r->dtype), "float");
	record_set(r->redop, sizeof(r->redop), o == 0 ? "sum" : "none");
	record_set(r->timing, sizeof(r->timing), timings[timing]);
	r->ranks = ranks;
	r->root = 0;
	r->bytes = bytes_of(step);
	if (transports[t].gbps == 0) {
		record_set(r->outcome, sizeof(r->outcome), "unavailable");
		record_set(r->phase, sizeof(r->phase), "none");
		record_set(r->detail, sizeof(r->detail), "no InfiniBand device");
		return;
	}
	record_set(r->outcome, sizeof(r->outcome), "ok");
	record_set(r->used, sizeof(r->used), transports[t].used);
	record_set(r->proof, sizeof(r->proof), "yes");
	record_set(r->stop, sizeof(r->stop), "precision");
	r->time_us = (transports[t].start_us + (double)r->bytes / transports[t].gbps / 1e3) /
		     (1 + machine / 20.0);
	r->ci_lo_us = r->min_us = r->time_us * 0.99;
	r->ci_hi_us = r->max_us = r->time_us * 1.01;
	r->samples = 6;
	r->restarts = 1;
}

static void meta(struct buf *b, int machine, int ranks)
{
	buf_printf(b,
		   "{\"schema\": 1, \"started\": \"2026-11-30T12:00:%02dZ\", \"complete\": true, "
		   "\"backend\": \"nccl\",\n"
		   "\"machine\": \"%d x GPU model %d\", \"versions\": \"NCCL 2.28.3\", \"hosts\": "
		   "1, \"nranks\": %d,\n"
		   "\"profile\": \"quick\", \"restarts\": 1, \"seed\": 42, \"plan\": "
		   "\"0123456789abcdef\",\n"
		   "\"peaks\": [{\"name\": \"NVLink 18 x 25 GB/s (spec)\", \"of\": \"p2p\", "
		   "\"gbps\": 450, \"kind\": \"spec\", "
		   "\"how\": \"links times rate\"}],\n\"transports\": [\n",
		   machine, ranks, machine, ranks);
	for (size_t t = 0; t < N_T; t++)
		buf_printf(b,
			   "%s{\"backend\": \"nccl\", \"transport\": \"%s\", \"context_us\": "
			   "200000, \"init_us\": %d, "
			   "\"first_operation_us\": 100000, \"teardown_us\": 50000}",
			   t ? ",\n" : "", transports[t].name, 300000 + 1000 * machine);
	buf_puts(b, "],\n\"ranks\": [\n");
	for (int r = 0; r < ranks; r++)
		buf_printf(b,
			   "%s{\"rank\": \"%d\", \"host\": "
			   "\"node-with-a-rather-long-name-%d.cluster.example\"}",
			   r ? ",\n" : "", r, machine);
	buf_puts(b, "]}\n");
}

static int write_in(const char *dir, const char *name, struct buf *b)
{
	char *path = file_join(dir, name);
	int rc = path && !b->failed ? file_replace(path, buf_text(b), b->len) : -ENOMEM;

	free(path);
	buf_fini(b);
	return rc;
}

static int machine(const char *where, int k, size_t points, int ranks)
{
	struct buf csv = { 0 }, json = { 0 };
	char name[32], *dir;
	int rc;

	snprintf(name, sizeof(name), "m%d", k);
	dir = file_join(where, name);
	rc = dir ? file_make_dirs(dir) : -ENOMEM;
	record_header(&csv, 0);
	for (size_t i = 0; i < points; i++) {
		struct record r;

		fill(&r, i, k, ranks);
		record_write(&csv, &r);
	}
	meta(&json, k, ranks);
	if (rc == 0)
		rc = write_in(dir, "points.csv", &csv);
	if (rc == 0)
		rc = write_in(dir, "run.json", &json);
	buf_fini(&csv);
	buf_fini(&json);
	free(dir);
	return rc;
}

int main(int argc, char **argv)
{
	int64_t machines, points, ranks = 2;
	int rc = 0;

	if (argc < 4 || num_parse_i64(argv[2], 1, 1000, &machines) ||
	    num_parse_i64(argv[3], 0, 1000000, &points) ||
	    (argc > 4 && num_parse_i64(argv[4], 1, 100000, &ranks))) {
		fprintf(stderr, "usage: make_runs DIR MACHINES POINTS [RANKS]\n");
		return 2;
	}
	for (int k = 0; k < machines && rc == 0; k++)
		rc = machine(argv[1], k, (size_t)points, (int)ranks);
	if (rc < 0)
		fprintf(stderr, "make_runs: %s\n", strerror(-rc));
	return rc < 0;
}
