/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workers of all ranks for one configuration, in lock-step: start (HELLO, ID, JOIN), ask one
 * thing of all, stop. Every function is collective: ranks outside of a smaller communicator start
 * no worker and are asked nothing, but agree on everything with the others. 0, or negative when the
 * run itself cannot go on; what went wrong with workers is in `worst`, equal on all ranks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "run/environment.h"
#include "run/evidence.h"
#include "run/fault.h"
#include "run/place.h"
#include "run/session.h"

struct card;
struct coord;
struct msg;
struct words;

struct crew_spec {
	int transport;
	const char *worker, *log_dir;
	int64_t timeout_ns;
	char *const *inherited;
	struct environment_request environment; /* transport and rank are filled in by crew_start */
	const struct place *place;
	int device;
	int nranks;           /* of the communicator: the first ones; 0: all */
	bool names_ranks;     /* log files are told apart by it */
	int restart, attempt; /* name the log files */
	int64_t *spent_ns;    /* see session.h */
	const char *purpose;  /* names them instead of the transport, and nobody joins a
				 communicator; NULL */
	struct card *card;    /* this rank's GPU; NULL: its state is not kept */
	int64_t deadline_ns, grace_ns, peer_grace_ns; /* see session.h; 0 */
};

struct crew {
	struct coord *c;
	struct session session;
	struct environment environment;
	struct evidence evidence;
	int transport, nranks;
	bool idle; /* this rank is not of the communicator */
	bool spawned; /* by crew_spawn; crew_start takes it from there */
	bool beside;  /* another worker of ours was still on the GPU (set by the caller): who uses
			 it is not asked then */
	bool running;
	int attempt;                 /* of crew_spec: which start of this configuration */
	bool warm;                   /* measured something already: the card's clocks are up */
	int64_t context_us, init_us; /* the slowest rank's; -1 unknown */
	char lanes[256]; /* "" on an idle rank; this rank's worker's: "tcp/eth0", or by peer
			    "0:tcp/eth0 2:tcp/lo"; "" not told (NCCL) */
	bool stop;       /* some rank was interrupted or cannot store: end after this round */
	bool broken;     /* this rank wants that (set by the caller) */
};

void crew_init(struct crew *w, struct coord *c);
/* Not collective: this rank's process alone, so that it can come up while another worker ends.
 * Nothing on the GPU yet. What fails is told by crew_start. Negative: out of memory or descriptors.
 */
int crew_spawn(struct crew *w, const struct crew_spec *spec) ATTR_MUST;
/* Not collective, between the two: it makes its context on the device now. */
void crew_announce(struct crew *w, const struct crew_spec *spec);
int crew_start(struct crew *w, const struct crew_spec *spec, struct fault *worst) ATTR_MUST;
/* One round: this rank's worker is asked; `extra` (at most 9) is filled by `read` from the answer
 * and becomes the maximum over ranks. */
typedef void (*crew_read_fn)(const struct words *answer, int64_t *extra, void *arg);
int crew_ask(struct crew *w, int phase, const struct msg *m, int64_t extra_ns, crew_read_fn read,
	     void *arg, int64_t *extra, int n_extra, struct fault *worst) ATTR_MUST;
/* The same without asking: session.fault, as the caller may have set it, is told to all. */
int crew_agree(struct crew *w, int64_t *extra, int n_extra, struct fault *worst) ATTR_MUST;
/* Returns the slowest teardown in us (-1 unknown) in *teardown_us. */
int crew_stop(struct crew *w, enum session_end how, int64_t *teardown_us) ATTR_MUST;
/* Its two halves: between them the workers end, and other things can be done. */
void crew_bye(struct crew *w, enum session_end how); /* not collective */
int crew_gone(struct crew *w, int64_t *teardown_us) ATTR_MUST;
void crew_fini(struct crew *w);
