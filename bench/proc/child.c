/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children: started, watched, stopped within a bound. What they say is not known here
 * (wire/chan.h), what they print neither (capture.c).
 *
 * The group is killed while its leader is still a zombie, that is before waitpid gives the number
 * back: afterwards -pid could already be someone else's group.
 */
#include "proc/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434 /* Linux 5.3; the same number on every architecture */
#endif

#if defined(__GLIBC_PREREQ) && !defined(CHILD_NO_CLOSEFROM)
#if __GLIBC_PREREQ(2, 34)
#define CHILD_CLOSEFROM 1
#endif
#endif

#define FD_MAPS_MAX 16
/* From SIGKILL to the end, on a busy machine; what takes longer is stuck in a driver. */
#define KILLED_NS (10 * CLOCK_S)

struct affinity {
	unsigned long
	    mask[128]; /* 8192 processors: the kernel refuses a buffer smaller than its own */
	bool changed;
};

void child_init(struct child *c)
{
	*c = (struct child){ .pid = -1, .pidfd = -1, .state = CHILD_NONE };
}

struct fd_plan {
	int copy[FD_MAPS_MAX]; /* close-on-exec copies of every `from`, above every `to` */
	size_t n;
	int above; /* every `to`, and 2 */
	bool taken[CHILD_FD_MAX];
};

static void plan_close(struct fd_plan *p)
{
	while (p->n > 0)
		close(p->copy[--p->n]);
}

/* Copying first makes the order of maps irrelevant and lets from == to work: dup2 of a descriptor
 * to itself would keep its close-on-exec flag. */
static int plan_open(struct fd_plan *p, const struct child_spec *s)
{
	int to, copy;

	if (s->n_fds > FD_MAPS_MAX)
		return -EINVAL;
	for (size_t i = 0; i < s->n_fds; i++)
		p->above = s->fds[i].to >= p->above ? s->fds[i].to + 1 : p->above;
	for (size_t i = 0; i < s->n_fds; i++) {
		to = s->fds[i].to;
		if (to < 0 || to >= CHILD_FD_MAX || p->taken[to])
			return -EINVAL;
		copy = fcntl(s->fds[i].from, F_DUPFD_CLOEXEC, p->above);
		if (copy < 0)
			return -errno;
		p->copy[p->n++] = copy;
		p->taken[to] = true;
	}
	return 0;
}

#ifdef CHILD_CLOSEFROM
static int close_others(posix_spawn_file_actions_t *fa, const struct fd_plan *p)
{
	int err = 0;

	/* No farther than needed: both refuse numbers at or above RLIMIT_NOFILE. */
	for (int fd = 3; fd < p->above && !err; fd++)
		if (!p->taken[fd])
			err = posix_spawn_file_actions_addclose(fa, fd);
	return err ? err : posix_spawn_file_actions_addclosefrom_np(fa, p->above);
}
#else
#include <dirent.h>

/* Old glibc: mark all of ours close-on-exec instead. MPI's sockets lose nothing by that: no program
 * that we start may have them. dup2 in the child takes the mark off the wanted ones. */
static int close_others(posix_spawn_file_actions_t *fa, const struct fd_plan *p)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int fd, flags;

	(void)fa;
	(void)p;
	if (!dir)
		return errno;
	while ((entry = readdir(dir))) {
		fd = atoi(entry->d_name);
		flags = fd >= 3 ? fcntl(fd, F_GETFD) : -1;
		if (flags >= 0)
			(void)fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
	}
	closedir(dir);
	return 0;
}
#endif

static int build_actions(posix_spawn_file_actions_t *fa, const struct fd_plan *p,
			 const struct child_spec *s)
{
	int err = 0;

	if (!p->taken[0])
		err = posix_spawn_file_actions_addopen(fa, 0, "/dev/null", O_RDONLY, 0);
	for (size_t i = 0; i < p->n && !err; i++)
		err = posix_spawn_file_actions_adddup2(fa, p->copy[i], s->fds[i].to);
	return err ? err : close_others(fa, p);
}

static int build_attributes(posix_spawnattr_t *attr)
{
	sigset_t none, all;
	int err;

	sigemptyset(&none);
	sigfillset(&all);
	err = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						 POSIX_SPAWN_SETSIGDEF);
	err = err ? err : posix_spawnattr_setpgroup(attr, 0);
	err = err ? err : posix_spawnattr_setsigmask(attr, &none);
	return err ? err : posix_spawnattr_setsigdefault(attr, &all);
}

static int affinity_enter(struct affinity *a, const struct child_spec *s)
{
	if (!s->cpu_set)
		return 0;
	if (sched_getaffinity(0, sizeof(a->mask), (cpu_set_t *)a->mask) < 0)
		return -errno;
	if (sched_setaffinity(0, s->cpu_set_bytes, s->cpu_set) < 0)
		return -errno;
	a->changed = true;
	return 0;
}

static void affinity_leave(const struct affinity *a)
{
	if (a->changed && sched_setaffinity(0, sizeof(a->mask), (const cpu_set_t *)a->mask) < 0)
		log_error("cannot restore this thread's CPU set: %s", strerror(errno));
}

/* An ignored SIGCHLD survives exec (some launchers and init replacements leave it so) and makes the
 * kernel throw exit statuses away. Ours is the only use of SIGCHLD in this process. */
static void want_statuses(void)
{
	struct sigaction sa;

	if (sigaction(SIGCHLD, NULL, &sa) < 0)
		return;
	if (sa.sa_handler != SIG_IGN && !(sa.sa_flags & SA_NOCLDWAIT))
		return;
	if (sa.sa_handler == SIG_IGN)
		sa.sa_handler = SIG_DFL;
	sa.sa_flags &= ~SA_NOCLDWAIT;
	(void)sigaction(SIGCHLD, &sa, NULL);
}

static int spawn_prepared(pid_t *pid, const struct child_spec *s, const struct fd_plan *p)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	struct affinity affinity = { .changed = false };
	int err;

	err = posix_spawn_file_actions_init(&fa);
	if (err)
		return -err;
	err = posix_spawnattr_init(&attr);
	if (err)
		goto out_actions;
	err = build_actions(&fa, p, s);
	err = err ? err : build_attributes(&attr);
	err = err ? err : -affinity_enter(&affinity, s);
	if (!err)
		err = posix_spawnp(pid, s->path, &fa, &attr, s->argv, s->envp ? s->envp : environ);
	affinity_leave(&affinity);
	posix_spawnattr_destroy(&attr);
out_actions:
	posix_spawn_file_actions_destroy(&fa);
	return -err;
}

int child_spawn(struct child *c, const struct child_spec *s)
{
	struct fd_plan plan = { .above = 3 };
	pid_t pid = -1;
	int err;

	child_init(c);
	want_statuses();
	err = plan_open(&plan, s);
	if (!err)
		err = spawn_prepared(&pid, s, &plan);
	plan_close(&plan);
	if (err)
		return err;
	c->pid = pid;
	c->pidfd =
	    (int)syscall(SYS_pidfd_open, pid, 0); /* close-on-exec by definition; -1 is fine */
	c->state = CHILD_RUNNING;
	return 0;
}

static void signal_group(const struct child *c, int sig)
{
	if (kill(-c->pid, sig) < 0)
		(void)kill(c->pid, sig); /* it left its group */
}

bool child_ended(struct child *c)
{
	siginfo_t info = { .si_pid = 0 };
	int rc;

	if (c->state != CHILD_RUNNING && c->state != CHILD_ABANDONED)
		return c->state == CHILD_REAPED;
	do
		rc = waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT);
	while (rc < 0 && errno == EINTR);
	if (rc == 0 && info.si_pid == 0)
		return false;
	c->wait_status = CHILD_STATUS_LOST;
	if (rc == 0) {
		(void)kill(-c->pid, SIGKILL); /* what it left behind */
		while (waitpid(c->pid, &c->wait_status, 0) < 0 && errno == EINTR)
			;
	}
	c->state = CHILD_REAPED;
	return true;
}

bool child_wait(struct child *c, int64_t deadline_ns)
{
	struct pollfd p = { .fd = c->pidfd, .events = POLLIN };
	int wait_ms;

	while (!child_ended(c)) {
		if (c->state == CHILD_NONE)
			return false;
		wait_ms = clock_poll_ms(deadline_ns, c->pidfd < 0 ? CHILD_POLL_STEP_MS : INT_MAX);
		if (wait_ms == 0)
			return false;
		(void)poll(&p, 1, wait_ms);
	}
	return true;
}

static void kill_bounded(struct child *c, int64_t wait_ns)
{
	signal_group(c, SIGKILL);
	c->killed_by_us = true;
	if (child_wait(c, clock_after_ns(wait_ns)))
		return;
	c->state = CHILD_ABANDONED;
	log_error("process %d does not end after SIGKILL (stuck in a driver?): left behind",
		  (int)c->pid);
}

void child_stop(struct child *c, int64_t grace_ns)
{
	if (c->state != CHILD_RUNNING || child_wait(c, clock_after_ns(grace_ns)))
		return;
	signal_group(c, SIGTERM);
	signal_group(c, SIGCONT); /* a stopped process takes no SIGTERM before it goes on */
	if (!child_wait(c, clock_after_ns(grace_ns)))
		kill_bounded(c, grace_ns);
}

void child_fini(struct child *c)
{
	if (!child_ended(c) && c->state == CHILD_RUNNING)
		kill_bounded(c, KILLED_NS);
	if (c->pidfd >= 0)
		close(c->pidfd);
	child_init(c);
}

void child_describe(const struct child *c, char *out, size_t max)
{
	int status = c->wait_status;

	if (c->state == CHILD_NONE)
		snprintf(out, max, "not started");
	else if (c->state == CHILD_RUNNING)
		snprintf(out, max, "still running");
	else if (c->state == CHILD_ABANDONED)
		snprintf(out, max, "does not end after signal 9 (Killed)");
	else if (status == CHILD_STATUS_LOST)
		snprintf(out, max, "ended, status unknown");
	else if (WIFSIGNALED(status))
		snprintf(out, max, "killed by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(out, max, "exit status %d", WEXITSTATUS(status));
}
