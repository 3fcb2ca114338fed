/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plays the supervisors of n ranks on this host against real workers, one socket each: a test's
 * short way to say "everyone PREPARE" and to collect the answers. Every wait has a deadline.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "wire/msg.h"

#define RANKS_MOST 8

struct ranks {
	int n;
	int fd[RANKS_MOST];
	pid_t pid[RANKS_MOST];
	struct words answer[RANKS_MOST]; /* the last one of each rank */
};

/* Starts n workers with `settings` ("UCX_TLS=posix", ..., NULL) added to this environment, and
 * hears their HELLO. 0 or -1; ranks_stop is needed either way. */
int ranks_launch(struct ranks *r, const char *worker, int n, const char *const *settings);
/* The same, and on until all are JOINED. */
int ranks_start(struct ranks *r, const char *worker, int n, const char *const *settings);
/* One message to every rank; every rank answers. 0, or -1: some answer is missing or is not `verb`.
 */
int ranks_ask(struct ranks *r, const char *text, const char *verb);
/* Sends without waiting, and collects what one rank answers: a chan_result. */
int ranks_tell(struct ranks *r, const char *text);
int ranks_hear(struct ranks *r, int rank, int64_t timeout_ns);
/* Largest of the numbers of DONE ns= over ranks, for batch i; -1 when there is none. */
int64_t ranks_ns(const struct ranks *r, int batch);
const char *ranks_get(const struct ranks *r, int rank, const char *key); /* "" when absent */
/* Closes, waits, kills what is left. Number of workers that did not end by themselves with 0. */
int ranks_stop(struct ranks *r);
