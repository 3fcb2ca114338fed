/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker program: proves that it was started by a supervisor, arranges to die with it, serves.
 * The same source makes every worker; which one is decided by the backend linked in.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/num.h"
#include "ncclbench/backend.h"
#include "ncclbench/exitcode.h"
#include "ncclbench/protocol.h"
#include "wire/msg.h"
#include "worker/serve.h"

#ifndef NCCLBENCH_VERSION
#define NCCLBENCH_VERSION "unknown"
#endif

/* A value may hold any byte; the reader of --probe wants one line per key. */
static void print_fact(const char *key, const char *value)
{
	const char *p;

	printf("%s=", key);
	for (p = value; *p; p++)
		putchar((unsigned char)*p < 0x20 || *p == 0x7f ? '?' : *p);
	putchar('\n');
}

static int probe(void)
{
	static struct words w; /* 16 KiB of pairs */
	struct msg hello = { 0 };
	size_t i;
	int r, code = 0;

	r = serve_hello(&hello);
	if (r > 0) {
		printf("backend=%s\ndevices=0\n", nb_backend.name);
		print_fact("reason", nb_backend.error(&code));
		r = 0;
	} else if (r == 0) {
		r = hello.text.failed ? -ENOMEM
				      : words_parse(&w, buf_text(&hello.text), hello.text.len);
		for (i = 0; r == 0 && i < w.n; i++)
			print_fact(w.pair[i].key, w.pair[i].value);
		words_fini(&w);
	}
	msg_fini(&hello);
	if (r < 0)
		log_error("cannot gather facts: %s", strerror(-r));
	if (fflush(stdout) || ferror(stdout))
		return NB_EXIT_BROKEN;
	return r ? NB_EXIT_BROKEN : NB_EXIT_OK;
}

static int option(int argc, char **argv)
{
	const char *word = argv[0];

	if (strcmp(word, "--probe") == 0)
		return probe();
	if (strcmp(word, "--p2p-check") == 0 && nb_backend.p2p_check)
		return nb_backend.p2p_check(argc - 1, argv + 1);
	if (strcmp(word, "--version") == 0) {
		printf("ncclbench-worker-%s %s (protocol %d)\n", nb_backend.name, NCCLBENCH_VERSION,
		       NB_PROTOCOL_VERSION);
		return fflush(stdout) ? NB_EXIT_BROKEN : NB_EXIT_OK;
	}
	log_error("unknown option '%s'; this program takes --probe, --version and (with GPUs) "
		  "--p2p-check, and is otherwise started by ncclbench-run",
		  word);
	return NB_EXIT_USAGE;
}

static bool have_channel(void)
{
	socklen_t len = sizeof(int);
	int type = 0;

	return getsockopt(NB_CHANNEL_FD, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
	       type == SOCK_SEQPACKET;
}

/* Dies with the supervisor. It may have died before the request took effect: then getppid() is not
 * the process that started us any more. */
static int die_with_parent(void)
{
	const char *text = getenv("NCCLBENCH_PPID");
	int64_t ppid;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	if (!text)
		return 0;
	if (num_parse_i64(text, 1, INT32_MAX, &ppid))
		return -EINVAL;
	return getppid() == (pid_t)ppid ? 0 : -ESRCH;
}

int main(int argc, char **argv)
{
	int r;

	log_setup(program_invocation_short_name, 0, true);
	if (argc > 1)
		return option(argc - 1, argv + 1);
	if (!have_channel()) {
		log_error("descriptor %d is no supervisor's socket: this program is started by "
			  "ncclbench-run; try 'ncclbench sweep'",
			  NB_CHANNEL_FD);
		return NB_EXIT_USAGE;
	}
	(void)fcntl(NB_CHANNEL_FD, F_SETFD, FD_CLOEXEC);
	r = die_with_parent();
	if (r) {
		log_error("the supervisor is gone: %s", strerror(-r));
		return NB_EXIT_USAGE;
	}
	r = serve(NB_CHANNEL_FD);
	if (r < 0)
		log_error("cannot talk to the supervisor: %s", strerror(-r));
	if (r == SERVE_GONE && !nb_backend.exits_at_once)
		return NB_EXIT_OK;
	/* Not exit(): threads of a failed library may still run while its destructors do. */
	(void)fflush(NULL);
	_exit(r == SERVE_CLOSED || r == SERVE_GONE ? NB_EXIT_OK : NB_EXIT_BROKEN);
}
