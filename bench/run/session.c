/* SPDX-License-Identifier: Apache-2.0 */
#include "run/session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/env.h"
#include "ncclbench/protocol.h"
#include "run/card.h"
#include "run/coord.h"
#include "run/place.h"
#include "spec/outcome.h"
#include "wire/chan.h"
#include "wire/msg.h"
#include "wire/verb.h"

#define GRACE_NS (500 * CLOCK_MS) /* per rung of the stop ladder */
#define SLICE_MS 10               /* how often alarms and Ctrl-C are looked at while waiting */
#define PEER_GRACE_NS \
	(300 * CLOCK_MS) /* a peer failed: time for our worker to say why it failed too */
#define ENDED_NS \
	(2 * CLOCK_S) /* from the end of its socket to the end of a worker, on a busy machine */
#define NOTES_MAX 10000
#define LEAST_NS (20 * CLOCK_MS) /* at the deadline: a worker that is well still answers */

static atomic_bool interrupted; /* tests have ranks as threads */

static void on_signal(int number)
{
	atomic_store(&interrupted, true);
}

void session_catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

bool session_interrupted(void)
{
	return atomic_load(&interrupted);
}

/* TABLE: share of --timeout that one answer may take, in percent. */
static const int phase_percent[PHASE_COUNT] = {
	[PHASE_START] = 100, [PHASE_HELLO] = 100,   [PHASE_ID] = 100,
	[PHASE_JOIN] = 200,  [PHASE_PREPARE] = 100, [PHASE_RUN] = 100,
	[PHASE_CHECK] = 100, [PHASE_BYE] = 50,      [PHASE_CEILING] = 100,
};

int64_t session_phase_timeout(int phase, int64_t timeout_ns)
{
	return timeout_ns / 100 * phase_percent[phase];
}

void session_init(struct session *s, struct coord *coord)
{
	memset(s, 0, sizeof(*s));
	s->coord = coord;
	s->fd = -1;
	child_init(&s->child);
	fault_clear(&s->fault);
}

static int open_log(struct session *s, const char *path)
{
	int fd = file_create(path);

	if (fd < 0)
		fault_set(&s->fault, OUTCOME_ERROR, PHASE_START,
			  "cannot write the worker's log %s: %s", path, strerror(-fd));
	return fd;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int spawn(struct session *s, const struct session_spec *spec, int worker_end,
		 const int log_fds[3])
{
	char *argv[] = { (char *)spec->worker, NULL };
	const struct child_fd fds[] = {
		{ worker_end, NB_CHANNEL_FD },
		{ log_fds[0], NB_LOG_FD },
		{ log_fds[1], NB_QUIET_LOG_FD },
		{ log_fds[2], 1 },
		{ log_fds[2], 2 },
	};
	struct child_spec child = {
		.path = spec->worker,
		.argv = argv,
		.envp = spec->env->vec,
		.fds = fds,
		.n_fds = N_ELEMENTS(fds),
	};

	if (spec->place && spec->place->changed) {
		child.cpu_set = &spec->place->set;
		child.cpu_set_bytes = sizeof(spec->place->set);
	}
	return child_spawn(&s->child, &child);
}

bool session_start(struct session *s, const struct session_spec *spec)
{
	const char *paths[3] = { spec->log_path, spec->quiet_log_path, spec->output_path };
	int logs[3] = { -1, -1, -1 }, pair[2] = { -1, -1 };
	int r = 0;

	s->timeout_ns = spec->timeout_ns;
	for (int i = 0; i < 3; i++) {
		logs[i] = open_log(s, paths[i]);
		if (logs[i] < 0)
			goto out;
	}
	r = chan_pair(pair);
	if (r == 0)
		r = spawn(s, spec, pair[1], logs);
	if (r < 0) {
		fault_set(&s->fault, OUTCOME_ERROR, PHASE_START, "cannot start the worker %s: %s",
			  spec->worker, strerror(-r));
		goto out;
	}
	s->fd = pair[0];
	pair[0] = -1;
out:
	for (int i = 0; i < 3; i++)
		close_fd(&logs[i]);
	close_fd(&pair[0]);
	close_fd(&pair[1]);
	return !fault_is(&s->fault);
}

/* ---- waiting ---- */

struct wait {
	struct session *s;
	int64_t peer_deadline_ns; /* set when a peer's alarm was seen */
};

static int look_around(void *arg)
{
	struct wait *w = arg;
	struct coord *c = w->s->coord;

	if (session_interrupted())
		return 1;
	if (!w->peer_deadline_ns && c->ops->alarmed(c) >= c->round)
		w->peer_deadline_ns =
		    clock_after_ns(w->s->peer_grace_ns ? w->s->peer_grace_ns : PEER_GRACE_NS);
	return w->peer_deadline_ns && clock_now_ns() > w->peer_deadline_ns;
}

static void worker_ended(struct session *s, int phase)
{
	char how[160];
	int64_t until = clock_after_ns(ENDED_NS);

	/* The socket closes before the process can be reaped: a moment, or longer where others want
	 * the processor. */
	if (s->deadline_ns && s->deadline_ns < until)
		until = clock_after_ns(s->grace_ns);
	child_wait(&s->child, until);
	child_describe(&s->child, how, sizeof(how));
	if (!child_ended(&s->child))
		fault_set(&s->fault, OUTCOME_ERROR, phase,
			  "worker closed its socket but goes on running");
	else
		fault_set(&s->fault, OUTCOME_CRASH, phase, "worker ended before it answered: %s",
			  how);
}

static void wait_broken(struct session *s, int phase, const struct wait *w)
{
	if (session_interrupted())
		fault_set(&s->fault, OUTCOME_ABORTED, phase, "interrupted");
	else if (w->peer_deadline_ns)
		fault_set(&s->fault, OUTCOME_ABORTED, phase, "another rank's worker failed");
	else
		worker_ended(s, phase);
}

struct kind {
	const char *name;
	int outcome;
};

static const struct kind kinds[] = {
	{ "unavailable", OUTCOME_UNAVAILABLE },
	{ "oom", OUTCOME_OOM },
	{ "skipped", OUTCOME_SKIPPED },
	{ "corrupt", OUTCOME_CORRUPT },
	{ "error", OUTCOME_ERROR },
};

static void worker_failed(struct session *s, int phase, const struct words *w)
{
	const char *kind = words_get(w, "kind"), *text = words_get(w, "text");
	int64_t code = 0, fatal = 0;
	int outcome = OUTCOME_ERROR;

	for (size_t i = 0; i < N_ELEMENTS(kinds); i++)
		if (strcmp(kinds[i].name, kind) == 0)
			outcome = kinds[i].outcome;
	fault_set(&s->fault, outcome, phase, "%s", text);
	if (words_i64(w, "code", INT32_MIN, INT32_MAX, &code) == 0)
		s->fault.code = (int)code;
	s->fault.fatal = words_i64(w, "fatal", 0, 1, &fatal) == 0 && fatal;
}

enum answer { ANSWER_YES, ANSWER_NO, ANSWER_AGAIN };

static enum answer take(struct session *s, int phase, const struct words *w)
{
	const char *missing = NULL;
	int verb = verb_check(w, &missing);

	if (verb < 0 && missing) {
		fault_set(&s->fault, OUTCOME_ERROR, phase,
			  "worker's message %.32s lacks the key %s", w->verb, missing);
	} else if (verb < 0) {
		fault_set(&s->fault, OUTCOME_ERROR, phase, "worker said something unknown: %.64s",
			  w->verb);
	} else if (verb == VERB_NOTE) {
		if (++s->n_notes < NOTES_MAX)
			return ANSWER_AGAIN;
		fault_set(&s->fault, OUTCOME_ERROR, phase,
			  "worker floods its supervisor with notes");
	} else if (verb == VERB_FAIL) {
		worker_failed(s, phase, w);
	} else if (verb_table[verb].from_worker && verb_table[verb].answers == phase) {
		return ANSWER_YES;
	} else {
		fault_set(&s->fault, OUTCOME_ERROR, phase,
			  "worker said %s when the answer of phase %s was due",
			  verb_table[verb].name, phase_names[phase]);
	}
	return ANSWER_NO;
}

static void receive_failed(struct session *s, int phase, int r, int64_t allowed_ns,
			   const struct wait *w)
{
	switch (r) {
	case CHAN_LATE:
		fault_set(&s->fault, OUTCOME_HANG, phase, "no answer within %.1f s",
			  (double)allowed_ns / CLOCK_S);
		break;
	case CHAN_CLOSED:
		worker_ended(s, phase);
		break;
	case CHAN_WOKEN:
		wait_broken(s, phase, w);
		break;
	case CHAN_OVERSIZE:
		fault_set(&s->fault, OUTCOME_ERROR, phase, "worker sent a message above %d bytes",
			  NB_MESSAGE_MAX);
		break;
	case CHAN_BAD:
		fault_set(&s->fault, OUTCOME_ERROR, phase, "worker sent bytes that are no message");
		break;
	default:
		fault_set(&s->fault, OUTCOME_ERROR, phase, "cannot talk to the worker: %s",
			  strerror(-r));
	}
}

static bool await(struct session *s, int phase, int64_t allowed_ns, struct words *answer)
{
	struct wait w = { .s = s };
	int64_t deadline = clock_after_ns(allowed_ns);

	for (;;) {
		enum answer a;
		int r =
		    chan_recv(s->fd, s->child.pidfd, deadline, SLICE_MS, look_around, &w, answer);

		if (r != CHAN_OK) {
			receive_failed(s, phase, r, allowed_ns, &w);
			return false;
		}
		a = take(s, phase, answer);
		if (a == ANSWER_YES)
			return true;
		words_fini(answer);
		if (a == ANSWER_NO)
			return false;
		if (clock_now_ns() > deadline) {
			receive_failed(s, phase, CHAN_LATE, allowed_ns, &w);
			return false;
		}
	}
}

static int64_t allowed_ns(const struct session *s, int phase, int64_t extra_ns)
{
	int64_t allowed = session_phase_timeout(phase, s->timeout_ns) + extra_ns, left;

	if (!s->deadline_ns)
		return allowed;
	left = s->deadline_ns - clock_now_ns();
	left = left > LEAST_NS ? left : LEAST_NS;
	return left < allowed ? left : allowed;
}

static bool ask(struct session *s, int phase, const struct msg *m, int64_t extra_ns,
		struct words *answer)
{
	int64_t allowed = allowed_ns(s, phase, extra_ns);
	int r = CHAN_OK;

	fault_clear(&s->fault);
	if (session_interrupted()) {
		fault_set(&s->fault, OUTCOME_ABORTED, phase, "interrupted");
		return false;
	}
	if (m)
		r = chan_send(s->fd, m, clock_after_ns(allowed));
	/* A worker that died may have left words behind that say why: read them before calling it
	 * closed. */
	if (r == CHAN_LATE || r < 0) {
		receive_failed(s, phase, r, allowed, &(struct wait){ .s = s });
		return false;
	}
	if (!await(s, phase, allowed, answer))
		return false;
	if (s->card)
		card_hear(s->card, s->card_worker, answer);
	return true;
}

bool session_ask(struct session *s, int phase, const struct msg *m, int64_t extra_ns,
		 struct words *answer)
{
	int64_t start = clock_now_ns();
	bool answered;

	s->phase = phase;
	answered = ask(s, phase, m, extra_ns, answer);
	if (!answered && s->together && s->fault.outcome != OUTCOME_ABORTED)
		s->fault.fatal = true;
	s->together = false;
	if (s->spent_ns)
		s->spent_ns[phase] += clock_now_ns() - start;
	return answered;
}

void session_say_bye(struct session *s, enum session_end how)
{
	struct msg bye = { 0 };
	int r;

	if (how == SESSION_KILL || s->fd < 0)
		return;
	s->said_bye = true;
	msg_begin(&bye, "BYE");
	if (how == SESSION_LEAVE)
		msg_add_i64(&bye, "destroy", 0);
	r = chan_send(s->fd, &bye, clock_after_ns(allowed_ns(s, PHASE_BYE, 0)));
	(void)r; /* what is wrong with the worker shows when it is to answer */
	msg_fini(&bye);
}

int64_t session_hear_gone(struct session *s)
{
	struct words gone;
	int64_t teardown_us = -1;

	if (!s->said_bye || s->fd < 0 || !session_ask(s, PHASE_BYE, NULL, 0, &gone))
		return -1;
	if (words_i64(&gone, "teardown_us", 0, INT64_MAX, &teardown_us) != 0)
		teardown_us = -1;
	words_fini(&gone);
	return teardown_us;
}

int64_t session_stop(struct session *s, enum session_end how)
{
	int64_t teardown_us;

	session_say_bye(s, how);
	teardown_us = how == SESSION_KILL ? -1 : session_hear_gone(s);
	close_fd(&s->fd);
	child_stop(&s->child, s->grace_ns ? s->grace_ns : GRACE_NS);
	child_fini(&s->child);
	return teardown_us;
}
