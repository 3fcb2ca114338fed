/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "ncclbench/protocol.h"
#include "slack.h"
#include "ucx_ranks.h"
#include "wire/chan.h"

#define ANSWER_NS LONG_NS
#define END_NS SLACK_NS

extern char **environ;

static int spawn(const char *worker, char *const *envp, int fd, pid_t *pid)
{
	char *argv[] = { (char *)worker, NULL };
	posix_spawn_file_actions_t actions;
	int r;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd, NB_CHANNEL_FD + 100);
	posix_spawn_file_actions_adddup2(&actions, NB_CHANNEL_FD + 100, NB_CHANNEL_FD);
	posix_spawn_file_actions_addclose(&actions, NB_CHANNEL_FD + 100);
	r = posix_spawn(pid, worker, &actions, NULL, argv, envp);
	posix_spawn_file_actions_destroy(&actions);
	return r;
}

static int environment(struct env *e, const char *const *settings)
{
	char number[32], name[64];
	size_t i;

	if (env_inherit(e, environ))
		return -1;
	snprintf(number, sizeof(number), "%d", (int)getpid());
	if (env_set(e, "NCCLBENCH_PPID", number))
		return -1;
	for (i = 0; settings[i]; i++) {
		size_t len = strcspn(settings[i], "=");

		snprintf(name, sizeof(name), "%.*s", (int)len, settings[i]);
		if (env_set(e, name, settings[i] + len + 1))
			return -1;
	}
	return 0;
}

static int start_all(struct ranks *r, const char *worker, const char *const *settings)
{
	struct env e = { 0 };
	int fds[2], i, failed = environment(&e, settings);

	for (i = 0; i < r->n && !failed; i++) {
		if (chan_pair(fds)) {
			failed = 1;
			break;
		}
		failed = spawn(worker, e.vec, fds[1], &r->pid[i]);
		r->fd[i] = fds[0];
		close(fds[1]);
	}
	env_fini(&e);
	return failed;
}

static int tell_one(struct ranks *r, int rank, const char *text)
{
	struct msg m = { 0 };
	int result;

	buf_puts(&m.text, text);
	result = chan_send(r->fd[rank], &m, clock_after_ns(ANSWER_NS));
	msg_fini(&m);
	return result;
}

int ranks_tell(struct ranks *r, const char *text)
{
	int i, failed = 0;

	for (i = 0; i < r->n; i++)
		failed |= tell_one(r, i, text);
	return failed;
}

int ranks_hear(struct ranks *r, int rank, int64_t timeout_ns)
{
	int result;

	do {
		words_fini(&r->answer[rank]);
		r->answer[rank] = (struct words){ 0 };
		result = chan_recv(r->fd[rank], -1, clock_after_ns(timeout_ns), 1000, NULL, NULL,
				   &r->answer[rank]);
	} while (result == CHAN_OK && strcmp(r->answer[rank].verb, "NOTE") == 0);
	return result;
}

int ranks_ask(struct ranks *r, const char *text, const char *verb)
{
	int i, failed = text ? ranks_tell(r, text) : 0;

	for (i = 0; i < r->n; i++) {
		int result = ranks_hear(r, i, ANSWER_NS);

		if (result != CHAN_OK) {
			fprintf(stderr, "rank %d: no %s (%d)\n", i, verb, result);
			failed = -1;
		} else if (strcmp(r->answer[i].verb, verb) != 0) {
			fprintf(stderr, "rank %d: %s %s instead of %s\n", i, r->answer[i].verb,
				ranks_get(r, i, "text"), verb);
			failed = -1;
		}
	}
	return failed ? -1 : 0;
}

/* ID, every address to everyone, JOIN. */
static int introduce(struct ranks *r)
{
	char *text;
	int i;

	if (ranks_ask(r, "ID", "IDENT"))
		return -1;
	for (i = 0; i < r->n; i++) {
		if (asprintf(&text, "PEER rank=%d blob=%s", i, ranks_get(r, i, "blob")) < 0)
			return -1;
		if (ranks_tell(r, text)) {
			free(text);
			return -1;
		}
		free(text);
	}
	for (i = 0; i < r->n; i++) {
		char join[64];

		snprintf(join, sizeof(join), "JOIN rank=%d nranks=%d device=0", i, r->n);
		if (tell_one(r, i, join))
			return -1;
	}
	return ranks_ask(r, NULL, "JOINED");
}

int ranks_launch(struct ranks *r, const char *worker, int n, const char *const *settings)
{
	int i;

	*r = (struct ranks){ .n = n };
	for (i = 0; i < RANKS_MOST; i++)
		r->fd[i] = -1;
	if (start_all(r, worker, settings))
		return -1;
	return ranks_ask(r, NULL, "HELLO");
}

int ranks_start(struct ranks *r, const char *worker, int n, const char *const *settings)
{
	return ranks_launch(r, worker, n, settings) ? -1 : introduce(r);
}

int64_t ranks_ns(const struct ranks *r, int batch)
{
	int64_t most = -1;
	int i;

	for (i = 0; i < r->n; i++) {
		int64_t ns[4096];
		size_t n = 4096;

		if (words_list(&r->answer[i], "ns", ns, &n) == 0 && (size_t)batch < n &&
		    ns[batch] > most)
			most = ns[batch];
	}
	return most;
}

const char *ranks_get(const struct ranks *r, int rank, const char *key)
{
	const char *value = words_get(&r->answer[rank], key);

	return value ? value : "";
}

static int ended_well(pid_t pid)
{
	int64_t deadline = clock_after_ns(END_NS);
	int status = 0;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (clock_now_ns() > deadline) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0); /* bounded: the signal cannot be refused */
			return 0;
		}
		clock_sleep_ns(CLOCK_MS);
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int ranks_stop(struct ranks *r)
{
	int i, bad = 0;

	for (i = 0; i < r->n; i++) {
		if (r->fd[i] >= 0)
			close(r->fd[i]);
		if (r->pid[i] > 0)
			bad += !ended_well(r->pid[i]);
		words_fini(&r->answer[i]);
	}
	*r = (struct ranks){ 0 };
	return bad;
}
