/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that end a program, held back while it has something to clear away: they end it at
 * hold_release. No handler, and no way to go on after one. */
#pragma once

#include <signal.h>
#include <stdbool.h>

struct hold {
	sigset_t before;
};

void hold_signals(struct hold *h);       /* SIGINT, SIGTERM, SIGHUP; holds nest */
void hold_release(const struct hold *h); /* a signal that came meanwhile acts here */
bool hold_interrupted(void);             /* one is held and came: end soon */
