/* SPDX-License-Identifier: Apache-2.0 */
/* A helper program run to its end with its output kept. Not for workers: those have a channel and a
 * log. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <limits.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "proc/child.h"
#include "proc/hold.h"

#define LOOK_MS 100 /* for a signal that is held */

struct capture {
	char *out;
	size_t max, len;
	int fd; /* read end, non-blocking; -1 after its end */
};

/* Takes what is there; output beyond max is read and dropped, so that the helper does not block.
 * The count bounds a helper that writes faster than we read. */
static void capture_some(struct capture *cap)
{
	char chunk[4096];
	size_t keep;
	ssize_t n = 0;

	for (int i = 0; i < 64 && cap->fd >= 0; i++) {
		n = read(cap->fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			close(cap->fd);
			cap->fd = -1;
			return;
		}
		keep = cap->max - 1 - cap->len;
		keep = (size_t)n < keep ? (size_t)n : keep;
		memcpy(cap->out + cap->len, chunk, keep);
		cap->len += keep;
	}
}

/* Does not wait for the end of the pipe: a grandchild in a session of its own may hold it for ever.
 */
static bool capture_until_end(struct child *c, struct capture *cap, int64_t deadline_ns)
{
	struct pollfd p[2];
	int wait_ms;

	while (!child_ended(c)) {
		wait_ms = clock_poll_ms(deadline_ns, c->pidfd < 0 ? CHILD_POLL_STEP_MS : LOOK_MS);
		if (wait_ms == 0 || hold_interrupted())
			return false;
		p[0] = (struct pollfd){ .fd = cap->fd, .events = POLLIN };
		p[1] = (struct pollfd){ .fd = c->pidfd, .events = POLLIN };
		(void)poll(p, 2, wait_ms);
		capture_some(cap);
	}
	capture_some(cap);
	return true;
}

static int exit_code_of(const struct child *c)
{
	if (c->wait_status == CHILD_STATUS_LOST)
		return -ECHILD;
	if (WIFSIGNALED(c->wait_status))
		return 128 + WTERMSIG(c->wait_status);
	return WEXITSTATUS(c->wait_status);
}

int child_run(const char *path, char *const *argv, char *const *envp, int64_t timeout_ns, char *out,
	      size_t max)
{
	struct capture cap = { .out = out, .max = max, .fd = -1 };
	struct child_fd fds[2] = { { .to = 1 }, { .to = 2 } };
	struct child_spec spec = {
		.path = path, .argv = argv, .envp = envp, .fds = fds, .n_fds = 2
	};
	int64_t deadline_ns = clock_after_ns(timeout_ns);
	struct child c;
	int pipe_fds[2];
	int rc;

	if (max == 0)
		return -EINVAL;
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return -errno;
	child_init(&c);
	cap.fd = pipe_fds[0];
	fds[0].from = fds[1].from = pipe_fds[1];
	(void)fcntl(cap.fd, F_SETFL,
		    O_NONBLOCK); /* the read end only: the helper's end blocks as usual */
	rc = child_spawn(&c, &spec);
	close(pipe_fds[1]);
	if (rc == 0 && capture_until_end(&c, &cap, deadline_ns))
		rc = exit_code_of(&c);
	else if (rc == 0)
		rc = hold_interrupted() ? -EINTR : -ETIMEDOUT;
	child_fini(&c);
	if (cap.fd >= 0)
		close(cap.fd);
	out[cap.len] = '\0';
	return rc;
}
