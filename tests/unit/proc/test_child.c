/* SPDX-License-Identifier: Apache-2.0 */
/* Children that behave and children that do not. This program is its own child: main looks at
 * argv[1]. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "proc/child.h"
#include "slack.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

#define GRACE_NS (60 * CLOCK_MS)

/* What the child does. */

static void do_hang(void)
{
	for (;;)
		pause();
}

static void do_exit(void)
{
	_exit(7);
}

static void do_crash(void)
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
}

static void do_ignore_term(void)
{
	signal(SIGTERM, SIG_IGN);
	if (write(1, "r", 1) == 1)
		do_hang();
}

static void do_stop(void)
{
	raise(SIGSTOP);
	do_hang();
}

static void do_brief(void)
{
	clock_sleep_ns(20 * CLOCK_MS);
	_exit(0);
}

/* A grandchild in the group, deaf to SIGTERM, that keeps descriptor 1 open; the child goes on. */
static void start_grandchild(void)
{
	if (fork() == 0)
		do_ignore_term();
}

static void do_grandchild(void)
{
	start_grandchild();
	do_hang();
}

static void do_orphan(void)
{
	char ready;

	start_grandchild();
	if (read(3, &ready, 1) < 0) /* until the test has seen the grandchild */
		_exit(1);
	_exit(0);
}

/* "0 1 2 5 ": every open descriptor. */
static void do_list_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	bool open_at[256] = { false };

	while ((entry = readdir(dir)))
		if (atoi(entry->d_name) != dirfd(dir))
			open_at[atoi(entry->d_name) & 255] |= entry->d_name[0] != '.';
	closedir(dir);
	for (int i = 0; i < 256; i++)
		if (open_at[i])
			dprintf(1, "%d ", i);
}

static void do_read_fds(void)
{
	char a = '?', b = '?';

	if (read(3, &a, 1) == 1 && read(4, &b, 1) == 1)
		dprintf(1, "%c%c", a, b);
}

static void do_signals(void)
{
	struct sigaction sa;
	sigset_t mask;
	int blocked = 0, not_default = 0;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int sig = 1; sig < 32; sig++) {
		sigaction(sig, NULL, &sa);
		blocked += sigismember(&mask, sig) == 1;
		not_default += sa.sa_handler == SIG_IGN;
	}
	dprintf(1, "%d %d %d", blocked, not_default, getpgrp() == getpid());
}

static void do_cpus(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set))
			dprintf(1, "%d ", i);
}

static void do_env(void)
{
	const char *value = getenv("CHILD_TEST");

	dprintf(1, "%s", value ? value : "(none)");
}

static void do_stdin(void)
{
	char path[64] = "";

	if (readlink("/proc/self/fd/0", path, sizeof(path) - 1) > 0)
		dprintf(1, "%s", path);
}

static const struct {
	const char *name;
	void (*act)(void);
} modes[] = {
	{ "hang", do_hang },         { "exit", do_exit },       { "crash", do_crash },
	{ "deaf", do_ignore_term },  { "stop", do_stop },       { "brief", do_brief },
	{ "family", do_grandchild }, { "orphan", do_orphan },   { "fds", do_list_fds },
	{ "read", do_read_fds },     { "signals", do_signals }, { "cpus", do_cpus },
	{ "env", do_env },           { "stdin", do_stdin },
};

static int be_child(const char *name)
{
	for (size_t i = 0; i < N_ELEMENTS(modes); i++) {
		if (strcmp(modes[i].name, name) != 0)
			continue;
		modes[i].act();
		return 0;
	}
	return 98;
}

/* What the test needs around it. */

struct nest {
	struct child child;
	int out; /* what the child writes to descriptor 1 */
};

static int start_with(struct nest *n, const char *mode, const struct child_spec *with)
{
	static char self[] = "/proc/self/exe";
	char *argv[] = { self, (char *)mode, NULL };
	struct child_spec s = *with;
	struct child_fd fds[8];
	int pipe_fds[2];
	int rc;

	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	for (size_t i = 0; i < s.n_fds; i++)
		fds[i] = s.fds[i];
	fds[s.n_fds++] = (struct child_fd){ .from = pipe_fds[1], .to = 1 };
	s.path = self;
	s.argv = argv;
	s.fds = fds;
	child_init(&n->child);
	rc = child_spawn(&n->child, &s);
	close(pipe_fds[1]);
	n->out = pipe_fds[0];
	return rc;
}

static void start(struct nest *n, const char *mode)
{
	static const struct child_spec plain;

	assert_int_equal(start_with(n, mode, &plain), 0);
	assert_int_equal(n->child.state, CHILD_RUNNING);
}

static void finish(struct nest *n)
{
	child_fini(&n->child);
	close(n->out);
}

/* All it writes until every holder of the pipe is gone. */
static const char *output(struct nest *n)
{
	static char text[512];
	size_t len = 0;
	ssize_t got;

	while ((got = read(n->out, text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)got;
	text[len] = '\0';
	return text;
}

static void assert_child_said(const char *mode, const struct child_spec *with, const char *want)
{
	struct nest n;

	assert_int_equal(start_with(&n, mode, with), 0);
	assert_string_equal(output(&n), want);
	assert_true(child_wait(&n.child, clock_after_ns(SLACK_NS)));
	finish(&n);
}

static void wait_for_letter(struct nest *n)
{
	char letter;

	assert_int_equal(read(n->out, &letter, 1), 1);
}

static void wait_until_stopped(pid_t pid)
{
	siginfo_t info;

	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT), 0);
}

static void assert_described(const struct child *c, const char *want)
{
	char text[80];

	child_describe(c, text, sizeof(text));
	assert_string_equal(text, want);
}

/* Tests. */

static void exit_status_is_kept(void **state)
{
	struct nest n;

	start(&n, "exit");
	assert_true(child_wait(&n.child, clock_after_ns(SLACK_NS)));
	assert_int_equal(n.child.state, CHILD_REAPED);
	assert_int_equal(WEXITSTATUS(n.child.wait_status), 7);
	assert_described(&n.child, "exit status 7");
	assert_true(child_ended(&n.child)); /* stays true, reaps once */
	child_stop(&n.child, CLOCK_S);      /* nothing left to stop: no waiting */
	assert_false(n.child.killed_by_us);
	finish(&n);
	assert_int_equal(n.child.state, CHILD_NONE);
	assert_described(&n.child, "not started");
}

static void signal_is_kept(void **state)
{
	struct nest n;

	start(&n, "crash");
	assert_true(child_wait(&n.child, clock_after_ns(SLACK_NS)));
	assert_described(&n.child, "killed by signal 11 (Segmentation fault)");
	assert_false(n.child.killed_by_us);
	finish(&n);
}

static void running_is_not_ended(void **state)
{
	int64_t start_ns = clock_now_ns();
	struct nest n;

	start(&n, "hang");
	assert_false(child_ended(&n.child));
	assert_described(&n.child, "still running");
	assert_false(child_wait(&n.child, clock_after_ns(30 * CLOCK_MS)));
	assert_in_range(clock_now_ns() - start_ns, 30 * CLOCK_MS, 30 * CLOCK_MS + SLACK_NS);
	finish(&n); /* kills */
}

static void missing_program_is_an_error_and_leaves_nothing(void **state)
{
	char *argv[] = { (char *)"x", NULL };
	struct child_fd fds[] = { { .from = 1, .to = 1 } };
	struct child_spec s = {
		.path = "/proc/nonexistent/x", .argv = argv, .fds = fds, .n_fds = 1
	};
	struct child c;

	assert_int_equal(child_spawn(&c, &s), -ENOENT);
	assert_int_equal(c.state, CHILD_NONE);
	s.path = "/dev/null";
	assert_int_equal(child_spawn(&c, &s), -EACCES);
	child_stop(&c, CLOCK_S);
	assert_false(child_ended(&c));
	assert_false(child_wait(&c, CLOCK_NEVER)); /* nothing to wait for: no waiting */
	child_fini(&c);
}

static void maps_that_cannot_be_are_refused(void **state)
{
	char *argv[] = { (char *)"true", NULL };
	struct child_fd twice[] = { { .from = 1, .to = 3 }, { .from = 2, .to = 3 } };
	struct child_fd high[] = { { .from = 1, .to = CHILD_FD_MAX } };
	struct child_fd low[] = { { .from = 1, .to = -1 } };
	struct child_fd closed[] = { { .from = 900, .to = 3 } };
	struct child_fd many[17];
	struct child_spec s = { .path = "/bin/true", .argv = argv };
	struct child c;

	for (int i = 0; i < 17; i++)
		many[i] = (struct child_fd){ .from = 1, .to = 3 + i };
	s.n_fds = 17, s.fds = many;
	assert_int_equal(child_spawn(&c, &s), -EINVAL);
	s.n_fds = 2, s.fds = twice;
	assert_int_equal(child_spawn(&c, &s), -EINVAL);
	s.n_fds = 1, s.fds = high;
	assert_int_equal(child_spawn(&c, &s), -EINVAL);
	s.fds = low;
	assert_int_equal(child_spawn(&c, &s), -EINVAL);
	s.fds = closed;
	assert_int_equal(child_spawn(&c, &s), -EBADF);
}

static void only_mapped_descriptors_arrive(void **state)
{
	int leak_low = open("/dev/null", O_RDONLY), leak_high = fcntl(leak_low, F_DUPFD, 200);
	struct child_fd fds[] = { { .from = leak_low, .to = 7 }, { .from = leak_high, .to = 40 } };
	struct child_spec s = { .fds = fds, .n_fds = 2 };
	int before = fcntl(1, F_DUPFD_CLOEXEC, 0), after;

	close(before);
	assert_child_said("fds", &s, "0 1 2 7 40 ");
	s.n_fds = 0;
	assert_child_said("fds", &s, "0 1 2 ");
	after = fcntl(1, F_DUPFD_CLOEXEC, 0);
	assert_int_equal(before, after); /* and none of ours is left open */
	close(after);
	close(leak_low);
	close(leak_high);
}

/* A pipe with one letter in it; the reading end, close-on-exec, at exactly `at`. */
static void letter_at(int at, char letter)
{
	int pipe_fds[2];

	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	assert_int_equal(write(pipe_fds[1], &letter, 1), 1);
	close(pipe_fds[1]);
	if (pipe_fds[0] == at)
		return;
	assert_int_equal(dup3(pipe_fds[0], at, O_CLOEXEC), at);
	close(pipe_fds[0]);
}

/* Our own 3 and 4 may be in use (by the test runner): kept aside meanwhile. */
static void maps_may_swap_and_stay(void **state)
{
	static const struct {
		struct child_fd fds[2];
		const char *want;
	} rows[] = {
		{ { { 3, 3 }, { 4, 4 } }, "ab" }, /* close-on-exec must go although nothing moves */
		{ { { 3, 4 }, { 4, 3 } }, "ba" },  { { { 4, 3 }, { 3, 4 } }, "ba" },
		{ { { 3, 4 }, { 30, 3 } }, "ca" }, { { { 30, 3 }, { 3, 4 } }, "ca" },
	};
	int kept[2] = { fcntl(3, F_DUPFD_CLOEXEC, 100), fcntl(4, F_DUPFD_CLOEXEC, 100) };
	struct child_spec s = { .n_fds = 2 };

	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		close(3);
		close(4);
		letter_at(30, 'c');
		letter_at(3, 'a');
		letter_at(4, 'b');
		s.fds = rows[i].fds;
		assert_child_said("read", &s, rows[i].want);
	}
	close(30);
	for (int i = 0; i < 2; i++) {
		close(3 + i);
		if (kept[i] >= 0) {
			dup3(kept[i], 3 + i, O_CLOEXEC);
			close(kept[i]);
		}
	}
}

static void stdin_is_dev_null_unless_mapped(void **state)
{
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	struct child_fd fds[] = { { .from = zero, .to = 0 } };
	struct child_spec s = { .n_fds = 0 };

	assert_child_said("stdin", &s, "/dev/null");
	s.fds = fds;
	s.n_fds = 1;
	assert_child_said("stdin", &s, "/dev/zero");
	close(zero);
}

static void signals_are_as_new_and_group_is_its_own(void **state)
{
	const struct child_spec plain = { .n_fds = 0 };
	sigset_t block, old;

	sigfillset(&block);
	sigprocmask(SIG_SETMASK, &block, &old);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	assert_child_said("signals", &plain, "0 0 1");
	signal(SIGPIPE, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void cpu_set_is_the_childs_only(void **state)
{
	cpu_set_t ours, one, now;
	struct child_spec s = { .cpu_set = &one, .cpu_set_bytes = sizeof(one) };
	char want[16];
	int last = -1;

	assert_int_equal(sched_getaffinity(0, sizeof(ours), &ours), 0);
	for (int i = 0; i < CPU_SETSIZE; i++)
		last = CPU_ISSET(i, &ours) ? i : last;
	CPU_ZERO(&one);
	CPU_SET(last, &one);
	snprintf(want, sizeof(want), "%d ", last);
	assert_child_said("cpus", &s, want);
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&ours, &now));
}

static void impossible_cpu_set_is_an_error(void **state)
{
	struct nest n;
	cpu_set_t none;
	struct child_spec s = { .cpu_set = &none, .cpu_set_bytes = sizeof(none) };

	CPU_ZERO(&none);
	assert_int_equal(start_with(&n, "exit", &s), -EINVAL);
	finish(&n);
}

static void environment_is_the_given_one_or_ours(void **state)
{
	char *given[] = { (char *)"CHILD_TEST=given", NULL };
	char *empty[] = { NULL };
	struct child_spec s = { .n_fds = 0 };

	setenv("CHILD_TEST", "ours", 1);
	assert_child_said("env", &s, "ours");
	s.envp = given;
	assert_child_said("env", &s, "given");
	s.envp = empty;
	assert_child_said("env", &s, "(none)");
	unsetenv("CHILD_TEST");
}

struct rung { /* of the ladder: how far the child must be chased */
	const char *mode;
	int min_graces, max_graces;
	bool killed;
	const char *described;
};

/* False: it ended by another rung than it must, perhaps only because it was too slow for this one.
 */
static bool climb_once(const struct rung *r, bool speaks, bool stops, int64_t grace_ns)
{
	struct nest n;
	int64_t start_ns, took_ns;
	char text[80];

	start(&n, r->mode);
	if (speaks)
		wait_for_letter(&n);
	if (stops)
		wait_until_stopped(n.child.pid);
	start_ns = clock_now_ns();
	child_stop(&n.child, grace_ns);
	took_ns = clock_now_ns() - start_ns;
	child_describe(&n.child, text, sizeof(text));
	if (strcmp(text, r->described) != 0) {
		print_message("grace of %d ms: %s\n", (int)(grace_ns / CLOCK_MS), text);
		finish(&n);
		return false;
	}
	assert_in_range(took_ns, r->min_graces * grace_ns, r->max_graces * grace_ns + SLACK_NS);
	assert_int_equal(n.child.state, CHILD_REAPED);
	assert_int_equal(n.child.killed_by_us, r->killed);
	assert_string_equal(output(&n), ""); /* returns only when nobody of the group holds it */
	finish(&n);
	return true;
}

static void climb(const struct rung *r, bool speaks, bool stops)
{
	int64_t grace_ns = GRACE_NS;

	while (!climb_once(r, speaks, stops, grace_ns)) {
		grace_ns *= PATIENCE_GROWS;
		assert_true(grace_ns < SLACK_NS);
	}
}

static void ladder_waits_first(void **state)
{
	climb(&(struct rung){ "brief", 0, 1, false, "exit status 0" }, false, false);
}

static void ladder_terms(void **state)
{
	climb(&(struct rung){ "hang", 1, 1, false, "killed by signal 15 (Terminated)" }, false,
	      false);
}

static void ladder_kills_the_deaf(void **state)
{
	climb(&(struct rung){ "deaf", 2, 2, true, "killed by signal 9 (Killed)" }, true, false);
}

static void ladder_ends_the_stopped(void **state)
{
	climb(&(struct rung){ "stop", 1, 1, false, "killed by signal 15 (Terminated)" }, false,
	      true);
}

static void ladder_takes_grandchildren_along(void **state)
{
	climb(&(struct rung){ "family", 1, 1, false, "killed by signal 15 (Terminated)" }, true,
	      false);
}

/* The child ended by itself and left a grandchild behind. */
static void orphans_go_with_the_reap(void **state)
{
	int pipe_fds[2];
	struct child_fd fds[1];
	struct child_spec s = { .fds = fds, .n_fds = 1 };
	struct nest n;

	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	fds[0] = (struct child_fd){ .from = pipe_fds[0], .to = 3 };
	assert_int_equal(start_with(&n, "orphan", &s), 0);
	wait_for_letter(&n);
	close(pipe_fds[1]);
	close(pipe_fds[0]);
	assert_true(child_wait(&n.child, clock_after_ns(SLACK_NS)));
	assert_described(&n.child, "exit status 0");
	assert_string_equal(output(&n), "");
	finish(&n);
}

static void fini_kills_what_runs(void **state)
{
	int64_t start_ns;
	struct nest n;
	pid_t pid;

	start(&n, "deaf");
	wait_for_letter(&n);
	pid = n.child.pid;
	start_ns = clock_now_ns();
	child_fini(&n.child);
	assert_true(clock_now_ns() - start_ns < SLACK_NS);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	finish(&n); /* twice is fine */
}

static void status_that_somebody_else_took(void **state)
{
	struct nest n;

	start(&n, "exit");
	assert_int_equal(waitpid(n.child.pid, NULL, 0), n.child.pid);
	assert_true(child_ended(&n.child));
	assert_int_equal(n.child.wait_status, CHILD_STATUS_LOST);
	assert_described(&n.child, "ended, status unknown");
	finish(&n);
}

static void ignored_sigchld_does_not_cost_the_status(void **state)
{
	struct nest n;

	signal(SIGCHLD, SIG_IGN); /* as a launcher may leave it */
	start(&n, "exit");
	assert_true(child_wait(&n.child, clock_after_ns(SLACK_NS)));
	assert_described(&n.child, "exit status 7");
	finish(&n);
	signal(SIGCHLD, SIG_DFL);
}

static void abandoned_is_described(void **state)
{
	const struct child c = { .pid = 1, .pidfd = -1, .state = CHILD_ABANDONED };

	assert_described(&c, "does not end after signal 9 (Killed)");
}

/* As on a kernel before 5.3: seccomp lets pidfd_open fail. In a fork, since it cannot be undone. */
static bool forbid_pidfd(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = N_ELEMENTS(code), .filter = code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* The number of the first thing that was wrong; cmocka cannot speak from a fork. */
static int without_pidfd(void)
{
	char *argv[] = { (char *)"/proc/self/exe", (char *)"hang", NULL };
	struct child_spec s = { .path = argv[0], .argv = argv };
	int64_t start_ns = clock_now_ns();
	struct child c;

	if (!forbid_pidfd())
		return 77;
	if (child_spawn(&c, &s) || c.pidfd != -1)
		return 1;
	if (child_wait(&c, clock_after_ns(30 * CLOCK_MS)) || clock_now_ns() - start_ns > SLACK_NS)
		return 2;
	start_ns = clock_now_ns();
	child_stop(&c, GRACE_NS);
	if (clock_now_ns() - start_ns > GRACE_NS + SLACK_NS)
		return 3;
	if (!child_wait(
		&c, clock_after_ns(SLACK_NS))) /* where the last rung was too short for its end */
		return 6;
	child_fini(&c);
	argv[1] = (char *)"exit";
	if (child_spawn(&c, &s) || !child_wait(&c, clock_after_ns(SLACK_NS)))
		return 4;
	return WEXITSTATUS(c.wait_status) == 7 ? 0 : 5;
}

static void works_without_pidfd(void **state)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(without_pidfd());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

/* `ulimit -n 32`: copies of descriptors need not lie above all that a child could have. */
static void few_descriptors(void **state)
{
	struct rlimit was, few;
	struct child c;
	int ends[2], rc;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	few = was;
	few.rlim_cur = 32;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	char *argv[] = { (char *)"true", NULL };
	struct child_fd fds[] = { { ends[1], 1 }, { ends[1], 5 } };
	struct child_spec spec = { .path = "true", .argv = argv, .fds = fds, .n_fds = 2 };

	rc = child_spawn(&c, &spec);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	assert_int_equal(rc, 0);
	assert_true(child_wait(&c, clock_after_ns(SLACK_NS)));
	assert_int_equal(c.wait_status, 0);
	child_fini(&c);
	close(ends[0]);
	close(ends[1]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_status_is_kept),
		cmocka_unit_test(signal_is_kept),
		cmocka_unit_test(running_is_not_ended),
		cmocka_unit_test(missing_program_is_an_error_and_leaves_nothing),
		cmocka_unit_test(maps_that_cannot_be_are_refused),
		cmocka_unit_test(only_mapped_descriptors_arrive),
		cmocka_unit_test(maps_may_swap_and_stay),
		cmocka_unit_test(stdin_is_dev_null_unless_mapped),
		cmocka_unit_test(signals_are_as_new_and_group_is_its_own),
		cmocka_unit_test(cpu_set_is_the_childs_only),
		cmocka_unit_test(impossible_cpu_set_is_an_error),
		cmocka_unit_test(environment_is_the_given_one_or_ours),
		cmocka_unit_test(ladder_waits_first),
		cmocka_unit_test(ladder_terms),
		cmocka_unit_test(ladder_kills_the_deaf),
		cmocka_unit_test(ladder_ends_the_stopped),
		cmocka_unit_test(ladder_takes_grandchildren_along),
		cmocka_unit_test(orphans_go_with_the_reap),
		cmocka_unit_test(fini_kills_what_runs),
		cmocka_unit_test(status_that_somebody_else_took),
		cmocka_unit_test(ignored_sigchld_does_not_cost_the_status),
		cmocka_unit_test(abandoned_is_described),
		cmocka_unit_test(few_descriptors),
		cmocka_unit_test(works_without_pidfd),
	};

	if (argc > 1)
		return be_child(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
