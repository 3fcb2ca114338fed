/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets with deadlines over an AF_UNIX SOCK_SEQPACKET pair. Every system call here is
 * non-blocking; the only place that sleeps is poll(2). What a packet means is not known here.
 */
#include "wire/chan.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "ncclbench/protocol.h"
#include "wire/msg.h"

#define CHAN_AGAIN (-EAGAIN) /* nothing there yet; stays inside this file */

int chan_pair(int fds[2])
{
	/* A packet must fit into the sender's buffer as a whole, else EMSGSIZE. The kernel caps
	 * this at wmem_max without complaint and counts its own overhead against it, hence the
	 * generous wish. */
	const int wanted = 4 * NB_MESSAGE_MAX;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	for (int i = 0; i < 2; i++) {
		(void)setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &wanted, sizeof(wanted));
		fds[i] = pair[i];
	}
	return 0;
}

static int try_send(int fd, const struct buf *text)
{
	for (;;) {
		if (send(fd, text->data, text->len, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
			return CHAN_OK;
		switch (errno) {
		case EINTR:
			continue;
		case EAGAIN:
			return CHAN_AGAIN;
		case EPIPE:
		case ECONNRESET:
		case ENOTCONN:
			return CHAN_CLOSED;
		case EMSGSIZE:
			return CHAN_OVERSIZE;
		default:
			return -errno;
		}
	}
}

int chan_send(int fd, const struct msg *m, int64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int wait_ms, rc;

	if (m->text.failed)
		return -ENOMEM;
	if (m->text.len > NB_MESSAGE_MAX)
		return CHAN_OVERSIZE;
	for (;;) {
		rc = try_send(fd, &m->text);
		if (rc != CHAN_AGAIN)
			return rc;
		wait_ms = clock_poll_ms(deadline_ns, INT_MAX);
		if (wait_ms == 0)
			return CHAN_LATE;
		if (poll(&p, 1, wait_ms) < 0 && errno != EINTR)
			return -errno;
	}
}

/* One packet of at most NB_MESSAGE_MAX bytes into data: CHAN_OK with *len, or why not. */
static int try_packet(int fd, char *data, size_t *len)
{
	bool was_reset = false;
	ssize_t n;

	for (;;) {
		/* MSG_TRUNC: the length the packet really had, though only the room we gave is
		 * written. */
		n = recv(fd, data, NB_MESSAGE_MAX, MSG_DONTWAIT | MSG_TRUNC);
		if (n > NB_MESSAGE_MAX)
			return CHAN_OVERSIZE;
		if (n >= 0) {
			*len = (size_t)n;
			return n ? CHAN_OK : CHAN_CLOSED;
		}
		switch (errno) {
		case EINTR:
			continue;
		case EAGAIN:
			return CHAN_AGAIN;
		case ECONNRESET:
			/* The peer closed with our last request unread. Linux reports that once,
			 * before the packets it had still sent: its last words (FAIL) are behind
			 * this error. */
			if (was_reset)
				return CHAN_CLOSED;
			was_reset = true;
			continue;
		case ENOTCONN:
			return CHAN_CLOSED;
		default:
			return -errno;
		}
	}
}

static int try_recv(int fd, char *data, struct words *out)
{
	size_t len = 0;
	int rc = try_packet(fd, data, &len);

	if (rc != CHAN_OK)
		return rc;
	rc = words_parse(out, data, len);
	return rc == -EBADMSG ? CHAN_BAD : rc;
}

/* 1: the wake descriptor spoke, 0: not, -errno. */
static int wait_slice(int fd, int wake_fd, int wait_ms)
{
	struct pollfd p[2] = { { .fd = fd, .events = POLLIN },
			       { .fd = wake_fd, .events = POLLIN } };

	if (poll(p, 2, wait_ms) < 0) /* poll ignores a negative descriptor */
		return errno == EINTR ? 0 : -errno;
	return p[1].revents != 0;
}

int chan_recv(int fd, int wake_fd, int64_t deadline_ns, int slice_ms, int (*idle)(void *),
	      void *arg, struct words *out)
{
	char *data = malloc(NB_MESSAGE_MAX);
	int woken = 0;
	int wait_ms, rc;

	*out = (struct words){ .verb = "" };
	if (!data)
		return -ENOMEM;
	for (;;) {
		/* First look, then ask the clock and the wake: what has arrived counts. A child's
		 * last packet is in the queue before its pidfd can speak. */
		rc = try_recv(fd, data, out);
		if (rc != CHAN_AGAIN)
			break;
		rc = CHAN_WOKEN;
		if (woken || (idle && idle(arg)))
			break;
		rc = CHAN_LATE;
		wait_ms = clock_poll_ms(deadline_ns, slice_ms > 0 ? slice_ms : INT_MAX);
		if (wait_ms == 0)
			break;
		woken = wait_slice(fd, wake_fd, wait_ms);
		if (woken < 0) {
			rc = woken;
			break;
		}
	}
	free(data);
	return rc;
}
