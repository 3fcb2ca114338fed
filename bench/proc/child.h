/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child process: posix_spawn (never fork: MPI is up), own process group, watched by pidfd,
 * stopped by a ladder. Parent-death is the child's own duty (worker/main.c: PR_SET_PDEATHSIG, then
 * getppid).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attr.h"

enum {
	/* where pidfd_open does not exist: before Linux 5.3, or under seccomp */
	CHILD_POLL_STEP_MS = 5,
	CHILD_STATUS_LOST = -1, /* wait_status when somebody else reaped it */
	CHILD_FD_MAX = 64,      /* `to` of a child_fd lies below */
};

struct child_fd { /* descriptor `from` of ours becomes `to` in the child; all others >= 3 are closed
		     there */
	int from, to;
};

struct child_spec {
	const char *path;          /* executable; looked up in PATH when it has no slash */
	char *const *argv;
	char *const *envp;         /* NULL = ours */
	const struct child_fd *fds; /* also 0, 1, 2 when wanted; 0 is /dev/null unless mapped */
	size_t n_fds;
	const void *cpu_set;        /* cpu_set_t for the child, or NULL = inherit */
	size_t cpu_set_bytes;
};

enum child_state { CHILD_NONE, CHILD_RUNNING, CHILD_REAPED, CHILD_ABANDONED };

struct child {
	pid_t pid;
	int pidfd;             /* readable once it has ended; -1 where the kernel has none */
	enum child_state state;
	int wait_status;       /* valid when CHILD_REAPED */
	bool killed_by_us;     /* the ladder reached SIGKILL */
};

void child_init(struct child *c);
int child_spawn(struct child *c, const struct child_spec *s) ATTR_MUST; /* 0 or -errno */
/* Non-blocking reap. true when it has ended. What is left of its group (grandchildren) is killed in
 * the same moment: only before the reap is its number certainly still its own. */
bool child_ended(struct child *c);
/* Wait up to the deadline for it to end. true when it has. */
bool child_wait(struct child *c, int64_t deadline_ns);
/* The ladder after the caller closed the socket: wait grace, SIGTERM the group, grace, SIGKILL the
 * group, wait grace, give up (CHILD_ABANDONED, said once). Grandchildren of the group go with it.
 * At most 3 x grace. */
void child_stop(struct child *c, int64_t grace_ns);
/* Still running: SIGKILL to the group and at most 10 s of waiting. */
void child_fini(struct child *c);
/* "exit status 3", "killed by signal 11 (Segmentation fault)", "still running". */
void child_describe(const struct child *c, char *out, size_t max);

/* Run a helper to its end with output captured (stdout and stderr together, cut at max): exit
 * status, or -ETIMEDOUT, -EINTR (see hold.h), -errno. Signals give 128+n. */
int child_run(const char *path, char *const *argv, char *const *envp, int64_t timeout_ns, char *out,
	      size_t max) ATTR_MUST;
