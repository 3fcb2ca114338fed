/* SPDX-License-Identifier: Apache-2.0 */
/* See inproc.h. */
#include "inproc.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "coord_threads.h"
#include "ncclbench/protocol.h"
#include "run/session.h"
#include "spec/outcome.h"
#include "wire/msg.h"

#define BATCHES_MAX 256
#define ALARM_NS (120 * CLOCK_S) /* only catches an alarm that never comes */

static struct worker {
	int turns[PHASE_COUNT];
	char log[512];
	bool shm, connected;
} workers[COORD_THREADS_MAX];

static const struct inproc_deed *script;
static int n_script;

void inproc_script(const struct inproc_deed *deeds, int n)
{
	memset(workers, 0, sizeof(workers));
	script = deeds;
	n_script = n;
}

int64_t inproc_op_ns(int rank)
{
	return 2000 + 10 * (int64_t)rank;
}

void session_init(struct session *s, struct coord *coord)
{
	memset(s, 0, sizeof(*s));
	s->coord = coord;
	s->fd = -1;
	fault_clear(&s->fault);
}

static void write_log(const struct worker *me, const char *mode, const char *text)
{
	FILE *f = fopen(me->log, mode);

	if (!f || fputs(text, f) == EOF || fclose(f) != 0)
		abort();
}

bool session_start(struct session *s, const struct session_spec *spec)
{
	struct worker *me = &workers[s->coord->rank];

	snprintf(me->log, sizeof(me->log), "%s", spec->log_path);
	write_log(me, "w", "");
	me->connected = false;
	s->timeout_ns = spec->timeout_ns;
	return true;
}

/* A ring, as NCCL 2.28 logs it on both ends. */
static void log_ring(const struct worker *me, int rank, int n)
{
	const int pairs[2][2] = { { rank, (rank + 1) % n }, { (rank + n - 1) % n, rank } };
	char text[1024];
	size_t len = 0;

	for (int i = 0; i < (me->shm ? 1 : 2); i++)
		for (int c = 0; c < 2; c++)
			len += (size_t)snprintf(
			    text + len, sizeof(text) - len,
			    me->shm ? "h:1:1 [%d] NCCL INFO Channel %02d : %d[%d] -> %d[%d]%s via "
				      "SHM/direct/direct\n"
				    : "h:1:1 [%d] NCCL INFO Channel %02d/0 : %d[%d] -> %d[%d] [%s] "
				      "via NET/Socket/0\n",
			    rank, c, pairs[i][0], pairs[i][0], pairs[i][1], pairs[i][1],
			    me->shm ? ""
			    : i     ? "receive"
				    : "send");
	write_log(me, "a", text);
}

static int64_t number(const struct words *w, const char *key)
{
	int64_t v;

	if (words_i64(w, key, INT64_MIN, INT64_MAX, &v) != 0)
		abort();
	return v;
}

static void answer_run(struct session *s, struct msg *m, const struct words *asked)
{
	int rank = s->coord->rank;
	int64_t ns[BATCHES_MAX],
	    each = inproc_op_ns(rank) * number(asked, "ops") * number(asked, "replays");
	size_t n = (size_t)number(asked, "batches");

	if (n > BATCHES_MAX)
		abort();
	for (size_t i = 0; i < n; i++)
		ns[i] = each;
	msg_begin(m, "DONE");
	msg_add_list(m, "ns", ns, n);
	msg_add_i64(m, "first_us", 1);
	if (!workers[rank].connected)
		log_ring(&workers[rank], rank, s->coord->size);
	workers[rank].connected = true;
}

static void compose(struct session *s, int phase, struct msg *m, const struct words *asked,
		    int64_t wrong)
{
	switch (phase) {
	case PHASE_HELLO:
		msg_begin(m, "HELLO");
		msg_add_i64(m, "version", NB_PROTOCOL_VERSION);
		break;
	case PHASE_ID:
		msg_begin(m, "IDENT");
		msg_add(m, "blob", "00ff");
		break;
	case PHASE_JOIN:
		msg_begin(m, "JOINED");
		msg_add_i64(m, "context_us", 1000 + s->coord->rank);
		msg_add_i64(m, "init_us", 2000 + s->coord->rank);
		break;
	case PHASE_PREPARE:
		msg_begin(m, "READY");
		break;
	case PHASE_RUN:
		answer_run(s, m, asked);
		break;
	case PHASE_CHECK:
		msg_begin(m, "CHECKED");
		msg_add_i64(m, "wrong", wrong);
		msg_add_i64(m, "first", 5);
		msg_add(m, "got", "7");
		msg_add(m, "want", "3");
		break;
	case PHASE_BYE:
		msg_begin(m, "GONE");
		msg_add_i64(m, "teardown_us", 10);
		break;
	default:
		abort();
	}
}

static bool wait_for_alarm(struct session *s, int phase)
{
	int64_t end = clock_after_ns(ALARM_NS);

	while (s->coord->ops->alarmed(s->coord) < s->coord->round)
		if (clock_now_ns() > end) {
			fault_set(&s->fault, OUTCOME_HANG, phase, "no alarm came");
			return false;
		} else {
			clock_sleep_ns(CLOCK_MS);
		}
	fault_set(&s->fault, OUTCOME_ABORTED, phase, "another rank's worker failed");
	return false;
}

/* What the script has for this turn; false: there is no answer. */
static bool act(struct session *s, int phase, int64_t *wrong)
{
	struct worker *me = &workers[s->coord->rank];
	int turn = ++me->turns[phase];

	for (int i = 0; i < n_script; i++) {
		const struct inproc_deed *d = &script[i];

		if (d->phase != phase || d->nth != turn)
			continue;
		if (d->rank != s->coord->rank) {
			if (d->others_wait)
				return wait_for_alarm(s, phase);
			continue;
		}
		switch (d->kind) {
		case INPROC_CRASH:
			fault_set(&s->fault, OUTCOME_CRASH, phase,
				  "worker ended before it answered");
			return false;
		case INPROC_OOM:
			fault_set(&s->fault, OUTCOME_OOM, phase, "out of memory");
			return false;
		case INPROC_WRONG:
			*wrong = d->value;
			break;
		case INPROC_VIA:
			me->shm = true;
			break;
		default:
			abort();
		}
	}
	return true;
}

bool session_ask(struct session *s, int phase, const struct msg *m, int64_t extra_ns,
		 struct words *answer)
{
	struct msg said = { 0 };
	struct words asked = { 0 };
	int64_t wrong = 0;
	bool ok;

	s->phase = phase;
	fault_clear(&s->fault);
	if (m && words_parse(&asked, buf_text(&m->text), m->text.len) != 0)
		abort();
	ok = act(s, phase, &wrong);
	if (ok) {
		compose(s, phase, &said, &asked, wrong);
		if (words_parse(answer, buf_text(&said.text), said.text.len) != 0)
			abort();
	}
	msg_fini(&said);
	words_fini(&asked);
	return ok;
}

void session_say_bye(struct session *s, enum session_end how)
{
	s->said_bye = how == SESSION_DESTROY;
}

int64_t session_hear_gone(struct session *s)
{
	return s->said_bye ? 10 : -1;
}

int64_t session_stop(struct session *s, enum session_end how)
{
	return how == SESSION_DESTROY ? 10 : -1;
}

int64_t session_phase_timeout(int phase, int64_t timeout_ns)
{
	return timeout_ns;
}

void session_catch_signals(void)
{
}

bool session_interrupted(void)
{
	return false;
}
