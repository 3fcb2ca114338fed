/* SPDX-License-Identifier: Apache-2.0 */
#include "run/crew.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ncclbench/protocol.h"
#include "run/arm.h"
#include "run/card.h"
#include "run/coord.h"
#include "spec/outcome.h"
#include "spec/transport.h"
#include "wire/chan.h"
#include "wire/msg.h"

#define BLOB_MAX 16384
#define ROUND_NS (900 * CLOCK_S)

void crew_init(struct crew *w, struct coord *c)
{
	memset(w, 0, sizeof(*w));
	w->c = c;
	session_init(&w->session, c);
	evidence_init(&w->evidence);
	w->context_us = w->init_us = -1;
}

void crew_fini(struct crew *w)
{
	evidence_fini(&w->evidence);
	environment_fini(&w->environment);
}

/* Every round also agrees whether to stop: Ctrl-C reaches the ranks at different times. */
int crew_agree(struct crew *w, int64_t *extra, int n_extra, struct fault *worst)
{
	int64_t v[10];
	int rank, r;

	if (n_extra > 0)
		memcpy(v, extra, (size_t)n_extra * sizeof(*v));
	v[n_extra] = w->broken || session_interrupted();
	r = fault_agree(w->c, &w->session.fault, v, n_extra + 1, worst, &rank);
	if (r < 0)
		return r;
	if (n_extra > 0)
		memcpy(extra, v, (size_t)n_extra * sizeof(*v));
	w->stop |= v[n_extra] != 0;
	if (fault_is(worst) && w->c->size > 1 && worst->outcome != OUTCOME_ABORTED) {
		char text[sizeof(worst->detail)];

		snprintf(text, sizeof(text), "rank %d: %s", rank, worst->detail);
		memcpy(worst->detail, text, sizeof(text));
	}
	return 0;
}

int crew_ask(struct crew *w, int phase, const struct msg *m, int64_t extra_ns, crew_read_fn read,
	     void *arg, int64_t *extra, int n_extra, struct fault *worst)
{
	struct words answer;

	if (!w->idle && session_ask(&w->session, phase, m, extra_ns, &answer)) {
		if (read)
			read(&answer, extra, arg);
		words_fini(&answer);
	}
	return crew_agree(w, extra, n_extra, worst);
}

/* ---- start ---- */

struct logs {
	char log[4096], quiet[4096], output[4096];
};

static void name_logs(const struct crew *w, const struct crew_spec *s, struct logs *l)
{
	const struct transport *t = &transport_table[s->transport];
	const char *arm = s->environment.arm ? s->environment.arm->tag : "";
	char stem[3072], of[24] = "";

	if (s->names_ranks)
		snprintf(of, sizeof(of), ".of%d", w->nranks);
	snprintf(stem, sizeof(stem), "%s/%s-%s%s%s%s.rank%d.start%d", s->log_dir,
		 backend_names[t->backend], s->purpose ? s->purpose : t->name, arm[0] ? "@" : "",
		 arm, of, w->c->rank, s->restart);
	if (s->attempt)
		snprintf(stem + strlen(stem), sizeof(stem) - strlen(stem), "-%d", s->attempt);
	snprintf(l->log, sizeof(l->log), "%s.log", stem);
	snprintf(l->quiet, sizeof(l->quiet), "%s.timed.log", stem);
	snprintf(l->output, sizeof(l->output), "%s.out", stem);
}

static int spawn(struct crew *w, const struct crew_spec *s)
{
	struct environment_request request = s->environment;
	struct logs *logs = malloc(sizeof(*logs));
	struct session_spec spec;
	int r;

	if (!logs)
		return -ENOMEM;
	name_logs(w, s, logs);
	request.transport = s->transport;
	request.rank = w->c->rank;
	request.nranks = w->nranks;
	r = environment_build(&w->environment, s->inherited, &request);
	if (r == 0)
		r = evidence_open(&w->evidence, logs->log, logs->quiet);
	spec = (struct session_spec){
		.worker = s->worker,
		.env = &w->environment.env,
		.place = s->place,
		.log_path = logs->log,
		.quiet_log_path = logs->quiet,
		.output_path = logs->output,
		.timeout_ns = s->timeout_ns,
	};
	if (r == 0)
		w->running = session_start(&w->session, &spec);
	free(logs);
	return r;
}

static void read_hello(const struct words *answer, int64_t *extra, void *arg)
{
	if (words_i64(answer, "version", 0, INT32_MAX, &extra[0]) != 0)
		extra[0] = -1;
}

static int hello(struct crew *w, const struct crew_spec *s, struct fault *worst)
{
	int64_t version = 0;
	struct words answer;

	if (w->running && session_ask(&w->session, PHASE_HELLO, NULL, 0, &answer)) {
		read_hello(&answer, &version, NULL);
		if (s->card)
			w->session.card_worker =
			    card_hello(s->card, &answer, w->beside ? -1 : s->device);
		words_fini(&answer);
		if (version != NB_PROTOCOL_VERSION)
			fault_set(&w->session.fault, OUTCOME_ERROR, PHASE_HELLO,
				  "worker speaks protocol %lld, this program %d; install both from "
				  "one build",
				  (long long)version, NB_PROTOCOL_VERSION);
	}
	return crew_agree(w, NULL, 0, worst);
}

struct blob {
	uint32_t len;
	uint8_t bytes[BLOB_MAX + 4]; /* exchange rounds the longest one up to a multiple of 8 with
					its length */
};

static void read_blob(const struct words *answer, int64_t *extra, void *arg)
{
	struct blob *b = arg;
	size_t n = 0;

	b->len = words_hex(answer, "blob", b->bytes, BLOB_MAX, &n) == 0 ? (uint32_t)n : 0;
	extra[0] = (int64_t)n;
	extra[1] = n == 0;
}

static int ask_blob(struct crew *w, struct blob *mine, int64_t *longest, struct fault *worst)
{
	bool all = transport_table[w->transport].backend == BACKEND_UCX;
	int64_t v[2] = { 0, 0 }; /* bytes of the longest blob; some rank's cannot be read */
	struct msg m = { 0 };
	int r;

	msg_begin(&m, "ID");
	if (all || w->c->rank == 0)
		r = crew_ask(w, PHASE_ID, &m, 0, read_blob, mine, v, 2, worst);
	else
		r = crew_agree(w, v, 2, worst);
	msg_fini(&m);
	if (r == 0 && v[1] && !fault_is(worst))
		fault_set(worst, OUTCOME_ERROR, PHASE_ID,
			  "worker's address for the other ranks cannot be read");
	*longest = v[0];
	return r;
}

static void tell_peers(struct crew *w, const uint8_t *all, size_t each)
{
	for (int i = 0; i < w->nranks && !w->idle; i++) {
		const struct blob *b = (const void *)(all + (size_t)i * each);
		struct msg m = { 0 };

		if (b->len == 0)
			continue;
		msg_begin(&m, "PEER");
		msg_add_i64(&m, "rank", i);
		msg_add_hex(&m, "blob", b->bytes, b->len);
		/* No answer is due; a worker that cannot take it says so at JOIN. */
		if (chan_send(w->session.fd, &m, clock_after_ns(w->session.timeout_ns)) != CHAN_OK)
			i = w->nranks;
		msg_fini(&m);
	}
}

static int exchange(struct crew *w, struct fault *worst)
{
	struct blob *mine = calloc(1, sizeof(*mine));
	uint8_t *all = NULL;
	int64_t longest = 0;
	size_t each;
	int r = mine ? ask_blob(w, mine, &longest, worst) : -ENOMEM;

	if (r < 0 || fault_is(worst))
		goto out;
	each = (sizeof(mine->len) + (size_t)longest + 7) & ~(size_t)7;
	all = calloc((size_t)w->c->size, each);
	r = all ? w->c->ops->allgather(w->c, mine, each, all, clock_after_ns(ROUND_NS)) : -ENOMEM;
	if (r == 0)
		tell_peers(w, all, each);
out:
	free(all);
	free(mine);
	return r;
}

static void read_joined(const struct words *answer, int64_t *extra, void *arg)
{
	struct crew *w = arg;
	const char *lanes = words_get(answer, "lanes");

	if (words_i64(answer, "context_us", 0, INT64_MAX, &extra[0]) != 0)
		extra[0] = -1;
	if (words_i64(answer, "init_us", 0, INT64_MAX, &extra[1]) != 0)
		extra[1] = -1;
	snprintf(w->lanes, sizeof(w->lanes), "%s", lanes ? lanes : "");
}

static int join(struct crew *w, int device, struct fault *worst)
{
	int64_t times[2] = { -1, -1 };
	struct msg m = { 0 };
	int r;

	msg_begin(&m, "JOIN");
	msg_add_i64(&m, "rank", w->c->rank);
	msg_add_i64(&m, "nranks", w->nranks);
	msg_add_i64(&m, "device", device);
	r = crew_ask(w, PHASE_JOIN, &m, 0, read_joined, w, times, 2, worst);
	msg_fini(&m);
	w->context_us = times[0];
	w->init_us = times[1];
	return r;
}

int crew_spawn(struct crew *w, const struct crew_spec *spec)
{
	w->spawned = true;
	w->transport = spec->transport;
	w->attempt = spec->attempt;
	w->nranks = spec->nranks ? spec->nranks : w->c->size;
	w->idle = w->c->rank >= w->nranks;
	session_init(&w->session, w->c);
	w->session.spent_ns = spec->spent_ns;
	w->session.deadline_ns = spec->deadline_ns;
	w->session.grace_ns = spec->grace_ns;
	w->session.peer_grace_ns = spec->peer_grace_ns;
	environment_fini(&w->environment);
	return w->idle ? 0 : spawn(w, spec);
}

void crew_announce(struct crew *w, const struct crew_spec *spec)
{
	struct msg m = { 0 };
	int r;

	if (!w->running)
		return;
	msg_begin(&m, "DEVICE");
	msg_add_i64(&m, "device", spec->device);
	r = chan_send(w->session.fd, &m, clock_after_ns(w->session.timeout_ns));
	(void)r; /* what is wrong with the worker or the device shows at HELLO or JOIN */
	msg_fini(&m);
}

int crew_start(struct crew *w, const struct crew_spec *spec, struct fault *worst)
{
	int r = w->spawned ? 0 : crew_spawn(w, spec);

	if (r < 0)
		return r;
	w->session.card = spec->card;
	r = hello(w, spec, worst);
	if (r == 0 && !fault_is(worst) && !spec->purpose)
		r = exchange(w, worst);
	if (r == 0 && !fault_is(worst) && !spec->purpose)
		r = join(w, spec->device, worst);
	evidence_read(&w->evidence);
	return r;
}

void crew_bye(struct crew *w, enum session_end how)
{
	session_say_bye(&w->session, how);
}

int crew_gone(struct crew *w, int64_t *teardown_us)
{
	*teardown_us = session_hear_gone(&w->session);
	w->running = false;
	(void)session_stop(&w->session, SESSION_KILL);
	return w->c->ops->max(w->c, teardown_us, 1, clock_after_ns(ROUND_NS));
}

int crew_stop(struct crew *w, enum session_end how, int64_t *teardown_us)
{
	*teardown_us = -1;
	if (how != SESSION_KILL) {
		crew_bye(w, how);
		return crew_gone(w, teardown_us);
	}
	w->running = false;
	(void)session_stop(&w->session, SESSION_KILL);
	return 0;
}
