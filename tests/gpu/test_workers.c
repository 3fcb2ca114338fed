/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real NCCL workers, one per GPU (at most 4), led through the conversation: every operation, in and
 * out of place, by graph and by stream, small and large, must give right data. Then the element
 * types and reductions. No transport is forced and no time judged. usage: test_workers WORKER
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "ncclbench/exitcode.h"
#include "ncclbench/protocol.h"
#include "proc/child.h"
#include "spec/dtype.h"
#include "spec/op.h"
#include "spec/redop.h"
#include "wire/chan.h"
#include "wire/msg.h"

#define RANKS_MAX 4
#define PATIENCE_NS (60 * CLOCK_S)
#define FAILED (-1)
#define REFUSED 1 /* unavailable or skipped: said so, and not a failure */

static struct worker {
	struct child child;
	int fd;
	struct words w;
} workers[RANKS_MAX];

static int nranks, done, refused, failures;

static int start(struct worker *me, char *path)
{
	char *argv[] = { path, NULL };
	struct env env = { 0 };
	struct child_fd map;
	struct child_spec s = { .path = path, .argv = argv, .fds = &map, .n_fds = 1 };
	int pair[2], r;

	child_init(&me->child);
	r = env_inherit(&env, environ);
	if (!r)
		r = chan_pair(pair);
	if (r)
		return r;
	s.envp = env.vec;
	map = (struct child_fd){ .from = pair[1], .to = NB_CHANNEL_FD };
	r = child_spawn(&me->child, &s);
	close(pair[1]);
	env_fini(&env);
	me->fd = pair[0];
	return r;
}

static int say(int rank, const char *verb, const char *pairs)
{
	struct buf text = { 0 };
	struct msg m = { 0 };
	int r;

	buf_printf(&text, "%s%s%s", verb, *pairs ? " " : "", pairs);
	m.text = text;
	r = chan_send(workers[rank].fd, &m, clock_after_ns(PATIENCE_NS));
	msg_fini(&m);
	return r;
}

/* 0, REFUSED or FAILED; a failure is printed with the worker's own words. */
static int hear(int rank, const char *verb)
{
	struct words *w = &workers[rank].w;
	const char *kind, *text;
	int r;

	words_fini(w);
	r = chan_recv(workers[rank].fd, -1, clock_after_ns(PATIENCE_NS), 1000, NULL, NULL, w);
	if (r != CHAN_OK) {
		fprintf(stderr, "rank %d: no %s (%d)\n", rank, verb, r);
		return FAILED;
	}
	if (strcmp(w->verb, verb) == 0)
		return 0;
	kind = words_get(w, "kind");
	text = words_get(w, "text");
	fprintf(stderr, "rank %d: %s instead of %s: %s: %s\n", rank, w->verb, verb,
		kind ? kind : "", text ? text : "");
	return kind && (strcmp(kind, "unavailable") == 0 || strcmp(kind, "skipped") == 0) ? REFUSED
											  : FAILED;
}

static int ask_all(const char *verb, const char *pairs, const char *answer)
{
	int i, r, worst = 0;

	for (i = 0; i < nranks; i++)
		if (say(i, verb, pairs) != CHAN_OK)
			return FAILED;
	for (i = 0; i < nranks; i++) {
		r = hear(i, answer);
		if (r && worst != FAILED)
			worst = r;
	}
	return worst;
}

static int check_all(const char *what)
{
	int i, bad = 0;

	if (ask_all("CHECK", "", "CHECKED"))
		return FAILED;
	for (i = 0; i < nranks; i++) {
		const struct words *w = &workers[i].w;

		if (strcmp(words_get(w, "wrong"), "0") == 0)
			continue;
		fprintf(stderr, "%s: rank %d: %s of %s wrong, first %s: got %s, want %s\n", what, i,
			words_get(w, "wrong"), words_get(w, "checked"), words_get(w, "first"),
			words_get(w, "got"), words_get(w, "want"));
		bad = FAILED;
	}
	return bad;
}

/* Single, check, measure, check: as a sweep does. */
static int point(const struct op_case *c, const char *timing)
{
	char pairs[256];
	int r;

	(void)snprintf(
	    pairs, sizeof(pairs),
	    "op=%s dtype=%s redop=%s inplace=%d root=%d a=0 b=1 bytes=%llu timing=%s variant=plain",
	    op_table[c->op].name, dtype_table[c->dtype].name, redop_table[c->redop].name,
	    c->in_place, c->root, (unsigned long long)c->bytes, timing);
	r = ask_all("PREPARE", pairs, "READY");
	if (!r)
		r = ask_all("RUN", "mode=single batches=1 ops=1 replays=1 warmup=0", "DONE");
	if (!r)
		r = check_all(pairs);
	if (!r)
		r = ask_all("RUN", "mode=measure batches=3 ops=10 replays=2 warmup=1", "DONE");
	if (!r && c->bytes == 1U << 20)
		printf("%-60.60s ns=%s\n", pairs, words_get(&workers[0].w, "ns"));
	if (!r)
		r = check_all(pairs);
	done += r == 0;
	refused += r == REFUSED;
	if (r == FAILED)
		fprintf(stderr, "failed: %s\n", pairs);
	failures += r == FAILED;
	return r;
}

static int all_operations(void)
{
	static const uint64_t sizes[] = { 8, 4104, 1U << 20, 64U << 20 };
	static const char *const timings[] = { "graph", "stream", "blocking" };
	struct op_case c = { .dtype = DTYPE_FLOAT, .nranks = nranks, .root = nranks - 1, .b = 1 };
	size_t s, t;

	for (c.op = 0; c.op < OP_COUNT; c.op++) {
		if ((op_table[c.op].flags & OP_PAIR) && nranks < 2)
			continue;
		for (s = 0; s < N_ELEMENTS(sizes); s++)
			for (t = 0; t < N_ELEMENTS(timings) * 2; t++) {
				c.bytes = op_round_bytes(c.op, c.dtype, nranks, sizes[s]);
				c.in_place = t & 1;
				if (c.bytes == 0 ||
				    (c.in_place && !(op_table[c.op].flags & OP_IN_PLACE)))
					continue;
				if (point(&c, timings[t / 2]) == FAILED)
					return FAILED;
			}
	}
	return 0;
}

static int all_types(void)
{
	struct op_case c = { .op = OP_ALL_REDUCE, .nranks = nranks };

	for (c.dtype = 0; c.dtype < DTYPE_COUNT; c.dtype++)
		for (c.redop = 0; c.redop < REDOP_COUNT; c.redop++) {
			/* A single rank averages in a kernel of its own, which NCCL 2.28 lacks for
			 * 8-bit floats. */
			if (nranks == 1 && c.redop == REDOP_AVG && dtype_table[c.dtype].bytes == 1)
				continue;
			c.bytes = op_round_bytes(c.op, c.dtype, nranks, 100000);
			if (point(&c, "graph") == FAILED)
				return FAILED;
		}
	return 0;
}

static int join(void)
{
	struct buf pairs = { 0 };
	int i, r;

	if (say(0, "ID", "") != CHAN_OK || hear(0, "IDENT"))
		return FAILED;
	for (i = 0; i < nranks; i++) {
		buf_clear(&pairs);
		buf_printf(&pairs, "rank=0 blob=%s", words_get(&workers[0].w, "blob"));
		if (say(i, "PEER", buf_text(&pairs)) != CHAN_OK)
			return FAILED;
	}
	for (i = 0; i < nranks; i++) {
		buf_clear(&pairs);
		buf_printf(&pairs, "rank=%d nranks=%d device=%d", i, nranks, i);
		if (say(i, "JOIN", buf_text(&pairs)) != CHAN_OK)
			return FAILED;
	}
	buf_fini(&pairs);
	for (i = 0, r = 0; i < nranks && !r; i++)
		r = hear(i, "JOINED");
	return r;
}

static int lead(void)
{
	int i, r;

	r = join();
	if (!r)
		r = all_operations();
	if (!r)
		r = all_types();
	if (!r)
		r = ask_all("BYE", "", "GONE");
	for (i = 0; i < nranks && !r; i++)
		if (!child_wait(&workers[i].child, clock_after_ns(PATIENCE_NS)) ||
		    workers[i].child.wait_status != 0)
			r = FAILED;
	return r;
}

static int find_devices(char *path)
{
	const char *devices;
	int r;

	r = start(&workers[0], path);
	if (r || hear(0, "HELLO")) {
		fprintf(stderr, "cannot start %s (%d)\n", path, r);
		return FAILED;
	}
	devices = words_get(&workers[0].w, "devices");
	nranks = devices ? atoi(devices) : 0;
	nranks = nranks < RANKS_MAX ? nranks : RANKS_MAX;
	if (nranks == 0)
		printf("no GPU: %s\n", words_get(&workers[0].w, "reason"));
	return 0;
}

int main(int argc, char **argv)
{
	int i, r;

	if (argc < 2)
		return NB_EXIT_USAGE;
	r = find_devices(argv[1]);
	for (i = 1; i < nranks && !r; i++) {
		r = start(&workers[i], argv[1]);
		if (!r)
			r = hear(i, "HELLO");
	}
	if (!r && nranks > 0)
		r = lead();
	for (i = 0; i < (nranks ? nranks : 1); i++) {
		words_fini(&workers[i].w);
		if (workers[i].child.state == CHILD_NONE)
			continue;
		close(workers[i].fd);
		child_stop(&workers[i].child, CLOCK_S);
		child_fini(&workers[i].child);
	}
	if (!r && nranks == 0)
		return NB_EXIT_SKIP;
	printf("%d ranks: %d points right, %d refused, %d failed\n", nranks, done, refused,
	       failures);
	return r ? NB_EXIT_BROKEN : NB_EXIT_OK;
}
