/* SPDX-License-Identifier: Apache-2.0 */
/* One end of the SOCK_SEQPACKET pair. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct msg;
struct words;

enum chan_result {
	CHAN_OK = 0,
	CHAN_LATE = 1,
	CHAN_CLOSED = 2,
	CHAN_BAD = 3,
	CHAN_OVERSIZE = 4,
	CHAN_WOKEN = 5
};

int chan_pair(int fds[2]) ATTR_MUST; /* both close-on-exec; 0 or -errno */
/* Never blocks past the deadline; SIGPIPE is not raised. CHAN_* or -errno (-ENOMEM: the message is
 * incomplete). */
int chan_send(int fd, const struct msg *m, int64_t deadline_ns) ATTR_MUST;
/* Waits for one packet and parses it. `wake_fd` (or -1): return CHAN_WOKEN when it becomes readable
 * or ends (a pidfd). Data that is already there (or the end of the channel) is preferred over the
 * wake, and looked for even past the deadline. `slice_ms` (<= 0: none) bounds one poll so that the
 * caller's `idle` (may be NULL) runs before each; a non-zero return of it ends the wait with
 * CHAN_WOKEN. */
int chan_recv(int fd, int wake_fd, int64_t deadline_ns, int slice_ms, int (*idle)(void *),
	      void *arg, struct words *out) ATTR_MUST;
