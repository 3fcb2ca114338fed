/* SPDX-License-Identifier: Apache-2.0 */
#include "run/ras.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/env.h"
#include "base/num.h"

#define PORT 28028
#define ANSWER_MAX 16384

int ras_port(const struct env *e)
{
	const char *on = env_get(e, "NCCL_RAS_ENABLE"), *at = env_get(e, "NCCL_RAS_ADDR"), *colon;
	int64_t port;

	if (on && on[0] && strtoll(on, NULL, 0) == 0)
		return 0;
	if (!at || !at[0])
		return PORT;
	colon = strrchr(at, ':');
	if (!colon || num_parse_i64(colon + 1, 1, 65535, &port) != 0)
		return 0;
	if (strncmp(at, "localhost:", 10) != 0 && strncmp(at, "127.0.0.1:", 10) != 0)
		return 0;
	return (int)port;
}

static int wait_for(int fd, short events, int64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, clock_poll_ms(deadline_ns, -1)) == 1 ? 0 : -ETIMEDOUT;
}

static int open_port(int port, int64_t deadline_ns)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), error = 0;
	socklen_t len = sizeof(error);

	if (fd < 0)
		return -1;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0 &&
	    (errno != EINPROGRESS || wait_for(fd, POLLOUT, deadline_ns) != 0 ||
	     getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0 || error)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Reads to the end of a line (`line`) or of the connection. */
static int hear(int fd, bool line, int64_t deadline_ns, struct buf *out)
{
	while (out->len < ANSWER_MAX) {
		char c[512];
		ssize_t n = wait_for(fd, POLLIN, deadline_ns) == 0
				? recv(fd, c, line ? 1 : sizeof(c), 0)
				: -1;

		if (n <= 0)
			return n == 0 ? 0 : -1;
		for (ssize_t i = 0; i < n; i++)
			buf_putc(out, c[i] == '\n' || (c[i] >= ' ' && c[i] < 127) ? c[i] : ' ');
		if (line && c[0] == '\n')
			return 0;
	}
	return 0;
}

static int say(int fd, const char *words)
{
	return send(fd, words, strlen(words), MSG_NOSIGNAL) == (ssize_t)strlen(words) ? 0 : -1;
}

/* What stands under the headings of trouble, which come in any case; a job that RAS finds well
 * tells nobody who is behind. */
static void add_troubles(const char *text, struct buf *out)
{
	static const char *const headings[] = { "Errors", "Warnings" };
	bool inside = false;

	while (*text) {
		size_t n = strcspn(text, "\n");
		bool heading = false;

		for (size_t i = 0; i < N_ELEMENTS(headings); i++)
			heading |= n == strlen(headings[i]) && strncmp(text, headings[i], n) == 0;
		inside |= heading;
		if (inside && !heading && n > 0 && strspn(text, "=") != n) {
			buf_add(out, text, n);
			buf_putc(out, '\n');
		}
		text += n + (text[n] == '\n');
	}
}

void ras_ask(int port, int64_t deadline_ns, struct buf *out)
{
	struct buf heard = { 0 }, hello = { 0 };
	int fd = port > 0 ? open_port(port, deadline_ns) : -1;

	if (fd < 0)
		return;
	/* Each side names its protocol; whatever number comes back, STATUS has been there from the
	 * first on. */
	if (say(fd, "CLIENT PROTOCOL 2\n") == 0 && hear(fd, true, deadline_ns, &hello) == 0 &&
	    strncmp(buf_text(&hello), "SERVER PROTOCOL", 15) == 0 && say(fd, "STATUS\n") == 0)
		(void)hear(fd, false, deadline_ns, &heard);
	add_troubles(buf_text(&heard), out);
	buf_fini(&hello);
	buf_fini(&heard);
	close(fd);
}
