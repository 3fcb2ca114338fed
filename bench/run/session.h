/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One worker's life on this rank: spawn, ask and await with a deadline, stop. Whatever goes wrong
 * is put in `fault`; nothing here talks to other ranks except to notice their alarm, so that a rank
 * does not sit out a deadline for a peer that is dead.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "proc/child.h"
#include "run/fault.h"

struct card;
struct coord;
struct env;
struct msg;
struct place;
struct words;

struct session_spec {
	const char *worker; /* executable */
	const struct env *env;
	const struct place *place;  /* NULL: inherit */
	const char *log_path;       /* library's log; created or truncated */
	const char *quiet_log_path; /* the same after PREPARE quiet=1 */
	const char *output_path;    /* worker's stdout and stderr */
	int64_t timeout_ns;         /* one answer; phases scale it (session_phase_timeout) */
};

struct session {
	struct coord *coord;
	struct child child;
	int fd;
	int64_t timeout_ns;
	struct fault fault;
	int64_t
	    *spent_ns; /* per phase: waiting for answers is added up there; NULL = nobody asks */
	int n_notes;
	struct card *card; /* hears the state of the GPU in every answer; NULL: nobody does */
	int card_worker;   /* its number there; 0: before its HELLO */
	int64_t
	    deadline_ns;  /* no answer is awaited beyond it, whatever its phase allows; 0: none */
	int64_t grace_ns; /* per rung of the stop ladder; 0: the usual */
	int64_t peer_grace_ns; /* for the worker's own last words when a peer's failed; 0: the usual
				  300 ms */
	int phase;             /* of the last question */
	/* The next answer is given by all workers together: when this one fails, the others are
	 * stuck in a collective call. Their supervisors are alarmed, and no worker is used again.
	 */
	bool together;
	bool said_bye;
};

void session_init(struct session *s, struct coord *coord);
/* Spawns. false with s->fault set when it could not. */
bool session_start(struct session *s, const struct session_spec *spec) ATTR_MUST;
/* Sends `m` (or nothing) and waits for the answer of that phase. `extra_ns` is added to the phase's
 * deadline. `answer` is filled (words_fini is the caller's) only when true is returned. */
bool session_ask(struct session *s, int phase, const struct msg *m, int64_t extra_ns,
		 struct words *answer) ATTR_MUST;
/* How a worker is asked to end. */
enum session_end {
	SESSION_KILL,    /* not at all: the ladder */
	SESSION_DESTROY, /* BYE: it destroys its communicator, and tells how long that took */
	SESSION_LEAVE,   /* BYE destroy=0: it just exits, where its library allows that */
};

/* Says BYE (not with SESSION_KILL); the answer is still to be heard. */
void session_say_bye(struct session *s, enum session_end how);
/* The answer to it. Returns teardown time in us, -1 unknown. */
int64_t session_hear_gone(struct session *s);
/* All of it, and the stop ladder. */
int64_t session_stop(struct session *s, enum session_end how);
/* How long one answer may take at that phase. */
int64_t session_phase_timeout(int phase, int64_t timeout_ns);

/* Ctrl-C and SIGTERM only set a flag, seen by every wait. */
void session_catch_signals(void);
bool session_interrupted(void);
