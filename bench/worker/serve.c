/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of verbs a supervisor may say and what is done about each. An action answers itself when it
 * succeeds; every alternative and fault becomes one FAIL in one place. Nothing is measured here.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "ncclbench/backend.h"
#include "ncclbench/protocol.h"
#include "spec/ceiling.h"
#include "spec/dtype.h"
#include "spec/load.h"
#include "spec/op.h"
#include "spec/redop.h"
#include "spec/timing.h"
#include "wire/chan.h"
#include "wire/msg.h"
#include "wire/verb.h"
#include "worker/serve.h"

#define ANSWER_NS (30 * CLOCK_S) /* a supervisor that reads nothing for so long is gone */
#define LISTEN_SLICE_MS 60000
#define BATCHES_MAX 4096 /* DONE must fit NB_MESSAGE_MAX: 20 bytes a number */
#define OPS_MAX 10000
#define REPLAYS_MAX 100000000
#define BLOB_MAX 16384
#define COPY_BYTES_MAX (1LL << 40)
#define RANKS_MAX 65536
#define COVER_US_MAX 10000000

/* Positive results of actions beyond nb_backend_status. */
enum { ACT_REFUSED = 100, ACT_GONE = 101, ACT_HUNG_UP = 102 };

enum stage { STAGE_NEW = 1, STAGE_JOINED = 2, STAGE_PREPARED = 4 };

struct server {
	int fd;
	enum stage stage;
	int nranks;
	bool quiet;
	const char *refusal; /* static text of ACT_REFUSED */
	uint8_t blob[BLOB_MAX];
	int64_t ns[BATCHES_MAX];
};

struct action {
	int verb;
	unsigned stages; /* in which it may be said */
	int (*act)(struct server *s, const struct words *w);
};

static const char *const fail_kinds[] = {
	[NB_BACKEND_UNAVAILABLE] = "unavailable",
	[NB_BACKEND_OOM] = "oom",
	[NB_BACKEND_SKIPPED] = "skipped",
	[NB_BACKEND_ERROR] = "error",
};

static int refuse(struct server *s, const char *why)
{
	s->refusal = why;
	return ACT_REFUSED;
}

/* Sends and releases the message. A supervisor that does not take it is treated as gone. */
static int answer(struct server *s, struct msg *m)
{
	int r;

	r = chan_send(s->fd, m, clock_after_ns(ANSWER_NS));
	msg_fini(m);
	if (r < 0)
		return r;
	return r == CHAN_OK ? 0 : ACT_HUNG_UP;
}

static int send_fail(struct server *s, const char *kind, int code, const char *text, bool fatal)
{
	struct msg m = { 0 };

	msg_begin(&m, "FAIL");
	msg_add(&m, "kind", kind);
	msg_add_i64(&m, "code", code);
	msg_add(&m, "text", text);
	if (fatal)
		msg_add(&m, "fatal", "1");
	return answer(s, &m);
}

static void add_state(struct msg *m, bool whole)
{
	if (nb_backend.state)
		nb_backend.state(m, whole);
}

static int act_id(struct server *s, const struct words *w)
{
	struct msg m = { 0 };
	size_t len = 0;
	int r;

	r = nb_backend.blob(s->blob, sizeof(s->blob), &len);
	if (r)
		return r;
	msg_begin(&m, "IDENT");
	msg_add_hex(&m, "blob", s->blob, len);
	return answer(s, &m);
}

static int act_peer(struct server *s, const struct words *w)
{
	int64_t rank;
	size_t len;

	if (words_i64(w, "rank", 0, RANKS_MAX - 1, &rank))
		return refuse(s, "PEER has no valid rank");
	if (words_hex(w, "blob", s->blob, sizeof(s->blob), &len))
		return refuse(s, "PEER has no valid blob");
	return nb_backend.peer((int)rank, s->blob, len);
}

/* No answer: a device that cannot be had is told at JOIN, which tries it again. */
static int act_device(struct server *s, const struct words *w)
{
	int64_t device;

	if (words_i64(w, "device", -1, RANKS_MAX, &device))
		return refuse(s, "DEVICE has no valid device");
	if (nb_backend.device)
		nb_backend.device((int)device);
	return 0;
}

static int act_join(struct server *s, const struct words *w)
{
	int64_t rank, nranks, device;
	struct msg m = { 0 };
	int r;

	if (words_i64(w, "nranks", 1, RANKS_MAX, &nranks) ||
	    words_i64(w, "rank", 0, nranks - 1, &rank) ||
	    words_i64(w, "device", -1, RANKS_MAX, &device))
		return refuse(s, "JOIN has no valid rank, nranks or device");
	msg_begin(&m, "JOINED");
	r = nb_backend.join((int)rank, (int)nranks, (int)device, &m);
	if (r) {
		msg_fini(&m);
		return r;
	}
	add_state(&m, true);
	s->nranks = (int)nranks;
	s->stage = STAGE_JOINED;
	return answer(s, &m);
}

/* The row a word names: every table's finder gives -1 for what it does not know. */
static int named(const struct words *w, const char *key, int (*find)(const char *), int *out)
{
	const char *word = words_get(w, key);
	int id = word ? find(word) : -1;

	if (id < 0)
		return -EINVAL;
	*out = id;
	return 0;
}

static int parse_case(const struct server *s, const struct words *w, struct op_case *c)
{
	int64_t root, a, b, in_place;

	if (named(w, "op", op_find, &c->op) || named(w, "dtype", dtype_find, &c->dtype) ||
	    named(w, "redop", redop_find, &c->redop))
		return -EINVAL;
	if (words_i64(w, "inplace", 0, 1, &in_place) ||
	    words_i64(w, "root", 0, s->nranks - 1, &root) || words_i64(w, "a", 0, RANKS_MAX, &a) ||
	    words_i64(w, "b", 0, RANKS_MAX, &b) || words_u64(w, "bytes", &c->bytes))
		return -EINVAL;
	c->in_place = in_place;
	c->nranks = s->nranks;
	c->root = (int)root;
	c->a = (int)a;
	c->b = (int)b;
	return 0;
}

static const char *case_impossible(const struct op_case *c)
{
	unsigned flags = op_table[c->op].flags;

	if (c->bytes == 0)
		return "0 elements";
	if (c->in_place && !(flags & OP_IN_PLACE))
		return "no in-place form";
	if ((flags & OP_PAIR) && (c->a >= c->nranks || c->b >= c->nranks || c->a == c->b))
		return "the pair names a rank that is not there";
	return NULL;
}

/* Log lines per operation are for the pass that proves the transport, not for the timed one. */
static void hush(struct server *s, const struct words *w)
{
	const char *quiet = words_get(w, "quiet");

	if (s->quiet || !nb_backend.quiet || !quiet || strcmp(quiet, "1") != 0)
		return;
	s->quiet = true;
	nb_backend.quiet();
}

/* PREPARE without the word ends a load. */
static int set_load(struct server *s, const struct words *w)
{
	const char *name = words_get(w, "load");
	int id = name ? load_find(name) : LOAD_NONE;

	if (id < 0)
		return refuse(s, "PREPARE has a load this worker does not know");
	if (nb_backend.load)
		return nb_backend.load(id);
	return id == LOAD_NONE ? 0 : refuse(s, "this worker has no GPU to keep busy");
}

static int act_prepare(struct server *s, const struct words *w)
{
	struct op_case c = { 0 };
	int timing, variant, r;
	uint64_t device_bytes = 0;
	struct msg m = { 0 };
	const char *why;

	if (parse_case(s, w, &c) || named(w, "timing", timing_find, &timing) ||
	    named(w, "variant", variant_find, &variant))
		return refuse(s, "PREPARE has a word this worker does not know");
	s->stage = STAGE_JOINED;
	hush(s, w);
	why = case_impossible(&c);
	if (why)
		return send_fail(s, fail_kinds[NB_BACKEND_SKIPPED], 0, why, false);
	if (op_round_bytes(c.op, c.dtype, c.nranks, c.bytes) != c.bytes)
		return refuse(s, "PREPARE has a size that is no multiple of the elements");
	r = set_load(s, w);
	if (!r)
		r = nb_backend.prepare(&c, timing, variant, &device_bytes);
	if (r)
		return r;
	s->stage = STAGE_PREPARED;
	msg_begin(&m, "READY");
	msg_add_u64(&m, "device_bytes", device_bytes);
	return answer(s, &m);
}

static int parse_run(const struct words *w, struct nb_run *run)
{
	const char *mode = words_get(w, "mode"), *once = words_get(w, "once");
	int64_t batches, ops, replays, warmup;

	if (!mode || (strcmp(mode, "single") != 0 && strcmp(mode, "measure") != 0))
		return -EINVAL;
	if (words_i64(w, "batches", 1, BATCHES_MAX, &batches) ||
	    words_i64(w, "ops", 1, OPS_MAX, &ops) ||
	    words_i64(w, "replays", 1, REPLAYS_MAX, &replays) ||
	    words_i64(w, "warmup", 0, BATCHES_MAX, &warmup))
		return -EINVAL;
	run->mode = strcmp(mode, "single") == 0 ? NB_RUN_SINGLE : NB_RUN_MEASURE;
	run->batches = run->mode == NB_RUN_SINGLE ? 1 : (int)batches;
	run->ops = (int)ops;
	run->replays = (int)replays;
	run->warmup = (int)warmup;
	if (words_get(w, "cover_us") && words_i64(w, "cover_us", 0, COVER_US_MAX, &run->cover_us))
		return -EINVAL;
	run->once = once && strcmp(once, "1") == 0;
	return 0;
}

static int act_run(struct server *s, const struct words *w)
{
	struct nb_run run = { 0 };
	int64_t first_us = 0;
	struct msg m = { 0 };
	int r;

	if (parse_run(w, &run))
		return refuse(s, "RUN has a number this worker does not take");
	r = nb_backend.run(&run, s->ns, &first_us);
	if (r)
		return r;
	msg_begin(&m, "DONE");
	msg_add_list(&m, "ns", s->ns, (size_t)run.batches);
	msg_add_i64(&m, "first_us", first_us);
	if (run.mode == NB_RUN_MEASURE)
		add_state(&m, false);
	if (run.cover_us && nb_backend.loaded)
		nb_backend.loaded(&m);
	if (nb_backend.proof) {
		r = nb_backend.proof(&m);
		if (r) {
			msg_fini(&m);
			return r;
		}
	}
	return answer(s, &m);
}

static int act_check(struct server *s, const struct words *w)
{
	struct nb_check check = { 0 };
	struct msg m = { 0 };
	int r;

	r = nb_backend.check(&check);
	if (r)
		return r;
	msg_begin(&m, "CHECKED");
	msg_add_u64(&m, "wrong", check.wrong);
	msg_add_u64(&m, "checked", check.checked);
	msg_add_u64(&m, "first", check.first);
	msg_add(&m, "got", check.got);
	msg_add(&m, "want", check.want);
	msg_add(&m, "poisoned", check.poisoned ? "1" : "0");
	return answer(s, &m);
}

static int parse_ceiling(const struct words *w, struct nb_ceiling *c)
{
	int64_t device, peer, bytes, copies, samples;

	if (named(w, "name", ceiling_find, &c->id))
		return -EINVAL;
	if (words_i64(w, "device", -1, RANKS_MAX, &device) ||
	    words_i64(w, "peer", -1, RANKS_MAX, &peer) ||
	    words_i64(w, "bytes", 1, COPY_BYTES_MAX, &bytes) ||
	    words_i64(w, "copies", 1, OPS_MAX, &copies) ||
	    words_i64(w, "samples", 1, BATCHES_MAX, &samples))
		return -EINVAL;
	c->device = (int)device;
	c->peer = (int)peer;
	c->bytes = (uint64_t)bytes;
	c->copies = (int)copies;
	c->samples = (int)samples;
	return 0;
}

static int act_ceiling(struct server *s, const struct words *w)
{
	struct nb_ceiling c = { 0 };
	struct msg m = { 0 };
	int r;

	if (parse_ceiling(w, &c))
		return refuse(s, "CEILING has a word or number this worker does not take");
	if (!nb_backend.ceiling)
		return send_fail(s, fail_kinds[NB_BACKEND_UNAVAILABLE], 0,
				 "this worker measures no ceilings", false);
	r = nb_backend.ceiling(&c, s->ns);
	if (r)
		return r;
	msg_begin(&m, "CEILED");
	msg_add_list(&m, "ns", s->ns, (size_t)c.samples);
	return answer(s, &m);
}

static int act_bye(struct server *s, const struct words *w)
{
	const char *destroy = words_get(w, "destroy");
	bool just_exit = nb_backend.exits_at_once && destroy && strcmp(destroy, "0") == 0;
	int64_t teardown_us = -1;
	struct msg m = { 0 };
	int r;

	msg_begin(&m, "GONE");
	add_state(&m, true);
	r = just_exit ? 0 : nb_backend.leave(&teardown_us);
	if (r) {
		msg_fini(&m);
		return r;
	}
	msg_add_i64(&m, "teardown_us", teardown_us);
	r = answer(s, &m);
	return r ? r : ACT_GONE;
}

static const struct action actions[] = {
	{ VERB_ID, STAGE_NEW, act_id },
	{ VERB_PEER, STAGE_NEW, act_peer },
	{ VERB_DEVICE, STAGE_NEW, act_device },
	{ VERB_JOIN, STAGE_NEW, act_join },
	{ VERB_PREPARE, STAGE_JOINED | STAGE_PREPARED, act_prepare },
	{ VERB_RUN, STAGE_PREPARED, act_run },
	{ VERB_CHECK, STAGE_PREPARED, act_check },
	{ VERB_CEILING, STAGE_NEW | STAGE_JOINED | STAGE_PREPARED, act_ceiling },
	{ VERB_BYE, STAGE_NEW | STAGE_JOINED | STAGE_PREPARED, act_bye },
};

static int act(struct server *s, const struct words *w)
{
	const char *missing = NULL;
	int verb;
	size_t i;

	verb = verb_check(w, &missing);
	for (i = 0; i < N_ELEMENTS(actions); i++) {
		if (actions[i].verb != verb)
			continue;
		if (!(actions[i].stages & s->stage))
			return refuse(s, "said out of order");
		return actions[i].act(s, w);
	}
	return refuse(s, missing ? "a required key is missing" : "no such verb for a worker");
}

/* What an action's result means: SERVE_* or negative errno ends the talk, -EAGAIN goes on. */
static int settle(struct server *s, const char *verb, int result)
{
	struct buf why = { 0 };
	const char *text;
	int code = 0;

	if (result == 0)
		return -EAGAIN;
	if (result == ACT_GONE)
		return SERVE_GONE;
	if (result == ACT_HUNG_UP)
		return SERVE_CLOSED;
	if (result == ACT_REFUSED) {
		buf_printf(&why, "%s: %s", verb, s->refusal);
		(void)send_fail(s, "error", 0, buf_text(&why), true);
		buf_fini(&why);
		return SERVE_FATAL;
	}
	if (result < 0) {
		(void)send_fail(s, "error", -result, strerror(-result), true);
		return SERVE_FATAL;
	}
	text = nb_backend.error(&code);
	result = result < (int)N_ELEMENTS(fail_kinds) ? result : NB_BACKEND_ERROR;
	if (send_fail(s, fail_kinds[result], code, text, result == NB_BACKEND_ERROR))
		return SERVE_CLOSED;
	return result == NB_BACKEND_ERROR ? SERVE_FATAL : -EAGAIN;
}

static int receive(struct server *s)
{
	struct words w = { 0 };
	int r;

	do {
		r = chan_recv(s->fd, -1, clock_after_ns(LISTEN_SLICE_MS * CLOCK_MS),
			      LISTEN_SLICE_MS, NULL, NULL, &w);
	} while (r == CHAN_LATE); /* the parent's death or its closing the socket ends this */
	if (r < 0 || r == CHAN_CLOSED)
		return r < 0 ? r : SERVE_CLOSED;
	if (r == CHAN_OK)
		r = settle(s, w.verb, act(s, &w));
	else
		r = settle(s, "message", refuse(s, "not of the protocol's form"));
	words_fini(&w);
	return r;
}

int serve_hello(struct msg *hello)
{
	msg_begin(hello, "HELLO");
	msg_add_i64(hello, "version", NB_PROTOCOL_VERSION);
	msg_add(hello, "backend", nb_backend.name);
	msg_add_i64(hello, "pid", getpid());
	msg_add(hello, "blob_from_all", nb_backend.blob_from_all ? "1" : "0");
	return nb_backend.facts(hello);
}

int serve(int fd)
{
	static struct server s; /* 48 KiB: not on the stack */
	struct msg hello = { 0 };
	int r;

	s = (struct server){ .fd = fd, .stage = STAGE_NEW, .nranks = 1 };
	r = serve_hello(&hello);
	if (r) {
		msg_fini(&hello);
		r = settle(&s, "HELLO", r);
		return r == -EAGAIN ? SERVE_FATAL
				    : r; /* without facts there is no use in going on */
	}
	r = answer(&s, &hello);
	if (r)
		return r < 0 ? r : SERVE_CLOSED;
	do {
		r = receive(&s);
	} while (r == -EAGAIN);
	return r;
}
