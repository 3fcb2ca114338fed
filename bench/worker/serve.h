/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker's side of the conversation (ncclbench/protocol.h): one message in, one action of
 * nb_backend, one message out. Knows no library and no memory.
 */
#pragma once

#include "base/attr.h"

struct msg;

enum serve_result {
	SERVE_GONE = 0,   /* BYE was answered: everything was released in order */
	SERVE_CLOSED = 1, /* the supervisor hung up: exit now */
	SERVE_FATAL = 2,  /* FAIL fatal=1 was sent: the library is in no state to be tidied up */
};

/* HELLO with all facts, ready to be sent or printed. NB_BACKEND_* or negative errno. */
int serve_hello(struct msg *hello) ATTR_MUST;
/* Talks on `fd` until the end. SERVE_* or negative errno. */
int serve(int fd) ATTR_MUST;
