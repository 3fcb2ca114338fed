/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker that measures nothing: it holds the conversation of ncclbench/protocol.h on descriptor
 * 3, writes a log as NCCL 2.28 would to descriptor 4 (5 once a PREPARE said quiet=1), and
 * misbehaves as scripted. With --probe it prints its facts and ends, as the real workers do. It
 * deliberately uses none of the project's libraries, so that a mistake in wire/ cannot hide in
 * both ends of the conversation.
 *
 * Environment:
 *   NCCLBENCH_TEST_FAKE          the script, below; absent = a healthy worker
 *   NCCLBENCH_TEST_RANK          the rank before JOIN says it: #rank at probe, hello and id;
 *                                default: NCCLBENCH_RANK, which supervisors set
 *   NCCLBENCH_TEST_ENV_DUMP      a file to which this process adds, in one write, a line
 *                                "worker rank=R pid=P" (or "probe ...") and its NCCL_* variables
 *   NCCLBENCH_TEST_FAKE_DEVICES  devices= of the facts; default 2
 *   NCCLBENCH_TEST_FAKE_FACTS    words KEY=VALUE added to the facts of the probe
 *   NCCLBENCH_TEST_FAKE_BACKEND  backend= of the facts; default "fake". With "ucx" there is no
 *                                log, and DONE tells the transport (used=, proof=)
 *   NCCLBENCH_TEST_FAKE_VIA      what carried the data, any text; "none" = an empty log. Default
 *                                from the environment found, the first that fits:
 *       NCCL_NET=Socket                              NET/Socket/0
 *       NCCL_P2P_DISABLE=1 and NCCL_SHM_DISABLE=1    NET/Socket/0
 *       NCCL_NET=IB                                  NET/IB/0
 *       NCCL_P2P_DISABLE=1                           SHM/direct/direct
 *       NCCL_CUMEM_ENABLE=0                          P2P/IPC
 *       NCCL_P2P_USE_CUDA_MEMCPY=1                   P2P/CUMEM/CE
 *       otherwise                                    P2P/CUMEM
 *       backend ucx: UCX_TLS=cma...                  cma
 *                    UCX_TLS=tcp                     tcp
 *                    otherwise                       posix
 *
 *   FAKE_WORKER_SLOW             PCT or PCT:BYTES: operations (of at least so many bytes) take so
 *                                many per cent longer. Not of our own prefix, so that an arm of a
 *                                comparison may set it
 *   NCCLBENCH_TEST_FAKE_SPEED    how settings change the invented times: words NAME=VALUE:P or
 *                                NAME=VALUE:P:S, P percent of the time above 64 KiB and S (else
 *                                100) below, each that the environment holds; they multiply
 *   NCCLBENCH_TEST_FAKE_PAIRS    how pairs change them: words A-B:P, P percent of the time from
 *                                rank A to B; company:P for every pair that is measured at once
 *                                with others; they multiply
 *   NCCLBENCH_TEST_FAKE_HOSTS    N: with NCCL_HOSTID=ncclbench-hostK, K the block of this rank
 *                                among N, ranks of another block are reached by NET/Socket/0;
 *                                with any other NCCL_HOSTID all are on one host
 *   NCCLBENCH_TEST_FAKE_DECLINES a value of NCCL_ALGO or NCCL_PROTO: the log then says that RING or
 *                                SIMPLE was taken, as where NCCL ignores what was asked
 *   NCCLBENCH_TEST_FAKE_EXCLUSIVE a folder: a GPU serves one process at a time (a lock there), and
 *                                GONE takes a second
 *   NCCLBENCH_TEST_FAKE_CONNECTS BYTES: a single operation of that size (once=1) takes 60 ms the
 *                                first time, as where NCCL connects another algorithm
 *   NCCLBENCH_TEST_FAKE_MUTE     a rank that cannot tell how much longer a load took
 *   NCCLBENCH_TEST_FAKE_STATE    state of the GPU added to JOINED as it stands: "sm_mhz=1980
 * throttle=1" NCCLBENCH_TEST_FAKE_STATE_RUN  the same for DONE of mode=measure
 *
 * Script: words separated by spaces, each  word[:argument]@phase[:n][#rank][/ranks][?NAME=VALUE]
 *   phase  probe hello id join prepare run check bye ceiling (PEER has no answer and no phase)
 *   n      only the n-th time this worker is at that phase, from 1; default: each time
 *   rank   only this rank; default: all
 *   ranks  only in a communicator of so many, from join on; default: any
 *   NAME=VALUE  only where the environment holds it
 *
 * Before the answer, and instead of it where they never come back:
 *   hang            waits for ever, deaf to its socket; SIGTERM ends it
 *   ignore-term     the same, deaf to SIGTERM too
 *   stop            raises SIGSTOP; answers if it is continued
 *   crash:SIG       dies by that signal: a number, or SEGV ABRT BUS FPE ILL KILL TERM;
 *                   default SEGV
 *   exit:N          exits with status N; default 1
 *   close           closes the socket and stays alive, as hang
 *   flood           NOTEs without end
 *   slow:MS         waits, then answers
 *   grandchild      starts a child that holds the log and standard error open for 600 s, then
 *                   answers
 *   orphan          takes back PR_SET_PDEATHSIG, then answers (no other word does)
 *
 * The answer itself:
 *   garbage         bytes that are no message
 *   oversize        a packet one byte larger than NB_MESSAGE_MAX
 *   unknown-case    a well-formed answer whose verb nobody knows
 *   twice           the answer, twice
 *   nan             every number (and blob) of the answer reads "nan"
 *   missing         the answer without its last key=value
 *   version:N       HELLO with another version
 *   no-p2p          facts (probe, hello) that say no for every pair of devices
 *   fail:KIND       FAIL kind=KIND, and it stays alive
 *   fatal:KIND      FAIL kind=KIND fatal=1, then exit status 1
 *   wrong:N         CHECKED wrong=N
 *   poisoned:N      CHECKED poisoned=N
 *   proof:WORD      DONE proof=WORD, of backend ucx; default yes
 *   detour          from now on the log says NET/Socket/0, whatever was asked for
 *
 * Two words without phase:
 *   after=PATH      the script is ignored until PATH exists; whoever is asked to join makes it:
 *                   the first workers are healthy, the later ones are not
 *   once=PATH       if PATH exists the script is ignored, else PATH is made when the first word
 *                   fires: the worker that replaces a broken one is healthy
 *
 * A script that cannot be read is a mistake in the test: exit status 99 before HELLO.
 *
 * Times are invented but fixed: an operation takes  base + bytes / rate  ns, with (base, rate)
 * P2P 5000, 200; SHM 6000, 25; NET 28000, 2; else 4000, 10. A batch takes ops * replays times
 * that, and the i-th batch of a RUN i % 4 per mille more. Nothing sleeps for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "ncclbench/protocol.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define WORDS_MAX 32

enum phase { PROBE, HELLO, ID, JOIN, PREPARE, RUN, CHECK, BYE, CEILING, PHASES };

static const char *const phase_names[PHASES] = { "probe", "hello", "id",  "join",   "prepare",
						 "run",   "check", "bye", "ceiling" };

struct action;

struct word {
	const struct action *action;
	char arg[32]; /* "" when none */
	enum phase phase;
	int nth, rank, nranks; /* 0, -1 and 0: any */
};

struct turn {         /* how the answer of this turn is bent */
	bool instead; /* something else was sent already */
	bool twice, nan, missing, no_p2p;
	long long version, wrong, poisoned;
	const char *proof;
};

struct op_kind {
	const char *name, *nccl_name; /* nccl_name NULL: send and receive, which use connection 1 */
};

static const struct op_kind op_kinds[] = {
	{ "all_reduce", "AllReduce" }, { "broadcast", "Broadcast" },
	{ "all_gather", "AllGather" }, { "reduce_scatter", "ReduceScatter" },
	{ "reduce", "Reduce" },
};

struct via_kind {
	const char *prefix;
	long long base_ns, bytes_per_ns;
	int channels;
	bool two_ended;  /* both ends log the connection, marked [send] and [receive] */
	bool connection; /* the log gives the connection: "00/1" */
};

static const struct via_kind via_kinds[] = {
	{ "P2P", 5000, 200, 24, false, true },
	{ "SHM", 6000, 25, 4, false, false },
	{ "NET", 28000, 2, 2, true, true },
	{ "", 4000, 10, 1, false, true },
};

struct fake {
	struct word words[WORDS_MAX];
	size_t n_words;
	char *script; /* owned; once and after point into it */
	const char *once, *after;
	int times[PHASES];
	int rank, nranks, device; /* rank -1: not known yet */
	bool connected;
	int gpu_fd; /* lock of has_gpu, -1 */
	const char *backend, *via;
	bool ucx;
	int log_fd;
	const struct via_kind *kind;
	const char *func; /* of the prepared case; NULL: send and receive */
	long long bytes;
	bool tuning_due, logged[2]; /* connections of either kind are logged once */
	struct turn turn;
	double speed[2]; /* factors of the time, up to 64 KiB and above */
	double pair;     /* of the prepared case */
};

struct text {
	char data[NB_MESSAGE_MAX + 2];
	size_t len;
};

static struct text answer;

__attribute__((format(printf, 1, 2))) static void add(const char *fmt, ...)
{
	size_t room = sizeof(answer.data) - answer.len;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(answer.data + answer.len, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		answer.len += (size_t)n < room ? (size_t)n : room - 1;
}

static void add_number(const struct fake *f, const char *key, long long value)
{
	if (f->turn.nan)
		add(" %s=nan", key);
	else
		add(" %s=%lld", key, value);
}

/* The supervisor's closing of the socket means: exit now. */
static void send_raw(const void *data, size_t len)
{
	if (send(NB_CHANNEL_FD, data, len, MSG_NOSIGNAL) < 0 && errno != EMSGSIZE)
		exit(0);
}

static void begin(const char *verb)
{
	answer.len = 0;
	add("%s", verb);
}

static void finish(const struct fake *f)
{
	size_t len = answer.len;

	if (f->turn.instead)
		return;
	while (f->turn.missing && len > 0 && answer.data[--len] != ' ')
		;
	send_raw(answer.data, len);
	if (f->turn.twice)
		send_raw(answer.data, len);
}

/* Actions: what the words of the script do. */

__attribute__((noreturn)) static void wait_for_ever(void)
{
	for (;;)
		pause();
}

static void act_hang(struct fake *f, const char *arg)
{
	wait_for_ever();
}

static void act_ignore_term(struct fake *f, const char *arg)
{
	signal(SIGTERM, SIG_IGN);
	wait_for_ever();
}

static void act_stop(struct fake *f, const char *arg)
{
	raise(SIGSTOP);
}

static int signal_number(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} known[] = {
		{ "SEGV", SIGSEGV }, { "ABRT", SIGABRT }, { "BUS", SIGBUS },   { "FPE", SIGFPE },
		{ "ILL", SIGILL },   { "KILL", SIGKILL }, { "TERM", SIGTERM },
	};

	for (size_t i = 0; i < COUNT(known); i++)
		if (strcmp(name, known[i].name) == 0)
			return known[i].number;
	return *name ? atoi(name) : SIGSEGV;
}

static void act_crash(struct fake *f, const char *arg)
{
	const struct rlimit none = { 0, 0 };
	int sig = signal_number(arg);

	setrlimit(RLIMIT_CORE, &none);
	signal(sig, SIG_DFL); /* a sanitizer would turn SEGV into an exit status */
	raise(sig);
	exit(99);
}

static void act_exit(struct fake *f, const char *arg)
{
	exit(*arg ? atoi(arg) : 1);
}

static void act_close(struct fake *f, const char *arg)
{
	close(NB_CHANNEL_FD);
	wait_for_ever();
}

static void act_flood(struct fake *f, const char *arg)
{
	static const char note[] = "NOTE about=flood";

	for (;;)
		send_raw(note, sizeof(note) - 1);
}

static void act_slow(struct fake *f, const char *arg)
{
	long ms = atol(arg);
	struct timespec left = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

static void act_grandchild(struct fake *f, const char *arg)
{
	if (fork() != 0)
		return;
	close(NB_CHANNEL_FD);
	sleep(600);
	_exit(0);
}

static void act_orphan(struct fake *f, const char *arg)
{
	prctl(PR_SET_PDEATHSIG, 0);
}

static void act_garbage(struct fake *f, const char *arg)
{
	static const char bytes[] = "\x01\xff not=a message\n";

	send_raw(bytes, sizeof(bytes) - 1);
	f->turn.instead = true;
}

static void act_oversize(struct fake *f, const char *arg)
{
	memset(answer.data, 'A', NB_MESSAGE_MAX + 1);
	send_raw(answer.data, NB_MESSAGE_MAX + 1);
	f->turn.instead = true;
}

static void act_unknown_case(struct fake *f, const char *arg)
{
	static const char verb[] = "SURPRISE version=1";

	send_raw(verb, sizeof(verb) - 1);
	f->turn.instead = true;
}

static void act_twice(struct fake *f, const char *arg)
{
	f->turn.twice = true;
}

static void act_nan(struct fake *f, const char *arg)
{
	f->turn.nan = true;
}

static void act_missing(struct fake *f, const char *arg)
{
	f->turn.missing = true;
}

static void act_version(struct fake *f, const char *arg)
{
	f->turn.version = atoll(arg);
}

static void act_no_p2p(struct fake *f, const char *arg)
{
	f->turn.no_p2p = true;
}

static void say_fail(const char *kind, const char *more)
{
	begin("FAIL");
	add(" kind=%s code=1 text=the%%20script%%20says%%20so%s", *kind ? kind : "error", more);
	send_raw(answer.data, answer.len);
}

static void act_fail(struct fake *f, const char *arg)
{
	say_fail(arg, "");
	f->turn.instead = true;
}

static void act_fatal(struct fake *f, const char *arg)
{
	say_fail(arg, " fatal=1");
	exit(1);
}

static void act_wrong(struct fake *f, const char *arg)
{
	f->turn.wrong = *arg ? atoll(arg) : 1;
}

static void act_poisoned(struct fake *f, const char *arg)
{
	f->turn.poisoned = *arg ? atoll(arg) : 1;
}

static void act_proof(struct fake *f, const char *arg)
{
	f->turn.proof = arg;
}

static void act_detour(struct fake *f, const char *arg)
{
	f->via = "NET/Socket/0";
	for (f->kind = via_kinds; strcmp(f->kind->prefix, "NET") != 0;)
		f->kind++;
}

struct action {
	const char *name;
	void (*act)(struct fake *f, const char *arg);
};

static const struct action actions[] = {
	{ "hang", act_hang },
	{ "ignore-term", act_ignore_term },
	{ "stop", act_stop },
	{ "crash", act_crash },
	{ "exit", act_exit },
	{ "close", act_close },
	{ "flood", act_flood },
	{ "slow", act_slow },
	{ "grandchild", act_grandchild },
	{ "orphan", act_orphan },
	{ "garbage", act_garbage },
	{ "oversize", act_oversize },
	{ "unknown-case", act_unknown_case },
	{ "twice", act_twice },
	{ "nan", act_nan },
	{ "missing", act_missing },
	{ "version", act_version },
	{ "no-p2p", act_no_p2p },
	{ "fail", act_fail },
	{ "fatal", act_fatal },
	{ "wrong", act_wrong },
	{ "poisoned", act_poisoned },
	{ "proof", act_proof },
	{ "detour", act_detour },
};

/* The script. */

__attribute__((noreturn)) static void bad_script(const char *word)
{
	fprintf(stderr, "fake_worker: cannot read \"%s\" in NCCLBENCH_TEST_FAKE\n", word);
	exit(99);
}

static const struct action *find_action(const char *name, size_t len)
{
	for (size_t i = 0; i < COUNT(actions); i++)
		if (strlen(actions[i].name) == len && memcmp(actions[i].name, name, len) == 0)
			return &actions[i];
	return NULL;
}

static int find_phase(const char *name, size_t len)
{
	for (int i = 0; i < PHASES; i++)
		if (strlen(phase_names[i]) == len && memcmp(phase_names[i], name, len) == 0)
			return i;
	return -1;
}

static int whole_number(const char *text, char **end, const char *word)
{
	long value = strtol(text, end, 10);

	if (*end == text || value < 0 || value > 1000000)
		bad_script(word);
	return (int)value;
}

/* "NAME=VALUE" with an end: does the environment hold it? */
static bool environment_holds(const char *pair, size_t len)
{
	const char *eq = memchr(pair, '=', len), *value;
	char name[64];

	if (!eq || (size_t)(eq - pair) >= sizeof(name))
		bad_script(pair);
	snprintf(name, sizeof(name), "%.*s", (int)(eq - pair), pair);
	value = getenv(name);
	return value && strlen(value) == len - (size_t)(eq + 1 - pair) &&
	       memcmp(value, eq + 1, strlen(value)) == 0;
}

/* word[:argument]@phase[:n][#rank][/ranks][?NAME=VALUE] */
static void parse_word(struct fake *f, const char *text)
{
	const char *at = strchr(text, '@');
	const char *colon = at ? memchr(text, ':', (size_t)(at - text)) : NULL;
	struct word *w = &f->words[f->n_words];
	char *end;
	int phase;

	if (!at || f->n_words == WORDS_MAX)
		bad_script(text);
	*w = (struct word){ .action = find_action(text, (size_t)((colon ? colon : at) - text)),
			    .rank = -1 };
	if (colon)
		snprintf(w->arg, sizeof(w->arg), "%.*s", (int)(at - colon - 1), colon + 1);
	phase = find_phase(at + 1, strcspn(at + 1, ":#/?"));
	if (!w->action || phase < 0)
		bad_script(text);
	w->phase = (enum phase)phase;
	end = (char *)at + 1 + strlen(phase_names[phase]);
	if (*end == ':')
		w->nth = whole_number(end + 1, &end, text);
	if (*end == '#')
		w->rank = whole_number(end + 1, &end, text);
	if (*end == '/')
		w->nranks = whole_number(end + 1, &end, text);
	if (*end && *end != '?')
		bad_script(text);
	if (*end == '\0' || environment_holds(end + 1, strlen(end + 1)))
		f->n_words++;
}

static void parse_script(struct fake *f)
{
	const char *env = getenv("NCCLBENCH_TEST_FAKE");
	char *save = NULL;

	f->script = strdup(env ? env : "");
	for (char *w = strtok_r(f->script, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		if (strncmp(w, "once=", 5) == 0)
			f->once = w + 5;
		else if (strncmp(w, "after=", 6) == 0)
			f->after = w + 6;
		else
			parse_word(f, w);
	}
	if (f->once && access(f->once, F_OK) == 0)
		f->n_words = 0;
	if (f->after && access(f->after, F_OK) != 0)
		f->n_words = 0;
}

static void read_speed(struct fake *f)
{
	const char *text = getenv("NCCLBENCH_TEST_FAKE_SPEED");

	f->speed[0] = f->speed[1] = 1;
	for (const char *w = text ? text : ""; *w; w += strcspn(w, " "), w += *w == ' ') {
		size_t pair = strcspn(w, ":");
		char *end;
		double large, small = 100;

		if (w[pair] != ':')
			bad_script(w);
		large = strtod(w + pair + 1, &end);
		if (*end == ':')
			small = strtod(end + 1, &end);
		if (!environment_holds(w, pair))
			continue;
		f->speed[0] *= small / 100;
		f->speed[1] *= large / 100;
	}
}

static void fire(struct fake *f, const struct word *w)
{
	if (f->once)
		close(open(f->once, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	w->action->act(f, w->arg);
}

static void enter(struct fake *f, enum phase phase)
{
	const struct word *w;

	f->turn = (struct turn){ .version = NB_PROTOCOL_VERSION, .proof = "yes" };
	f->times[phase]++;
	for (size_t i = 0; i < f->n_words; i++) {
		w = &f->words[i];
		if (w->phase != phase || (w->nth && w->nth != f->times[phase]) ||
		    (w->rank >= 0 && w->rank != f->rank) || (w->nranks && w->nranks != f->nranks))
			continue;
		fire(f, w);
	}
}

/* The log. */

static bool env_is(const char *name, const char *value)
{
	const char *found = getenv(name);

	return found && strcmp(found, value) == 0;
}

static const char *default_ucx_via(void)
{
	const char *tls = getenv("UCX_TLS");

	if (tls && strncmp(tls, "cma", 3) == 0)
		return "cma";
	return tls && strcmp(tls, "tcp") == 0 ? "tcp" : "posix";
}

static const char *default_nccl_via(void)
{
	bool no_p2p = env_is("NCCL_P2P_DISABLE", "1"), no_shm = env_is("NCCL_SHM_DISABLE", "1");

	if (env_is("NCCL_NET", "Socket") || (no_p2p && no_shm))
		return "NET/Socket/0";
	if (env_is("NCCL_NET", "IB"))
		return "NET/IB/0";
	if (no_p2p)
		return "SHM/direct/direct";
	if (env_is("NCCL_CUMEM_ENABLE", "0"))
		return "P2P/IPC";
	return env_is("NCCL_P2P_USE_CUDA_MEMCPY", "1") ? "P2P/CUMEM/CE" : "P2P/CUMEM";
}

static void choose_via(struct fake *f)
{
	const char *told = getenv("NCCLBENCH_TEST_FAKE_VIA");
	const char *backend = getenv("NCCLBENCH_TEST_FAKE_BACKEND");

	f->backend = backend ? backend : "fake";
	f->ucx = strcmp(f->backend, "ucx") == 0;
	f->via = told ? told : f->ucx ? default_ucx_via() : default_nccl_via();
	f->kind = via_kinds;
	while (strncmp(f->via, f->kind->prefix, strlen(f->kind->prefix)) != 0)
		f->kind++;
}

__attribute__((format(printf, 2, 3))) static void log_line(const struct fake *f, const char *fmt,
							   ...)
{
	char line[512];
	va_list ap;
	int n;

	if (f->ucx || strcmp(f->via, "none") == 0)
		return;
	n = snprintf(line, sizeof(line), "fakehost:%d:%d [%d] NCCL INFO ", (int)getpid(),
		     (int)getpid(), f->device);
	va_start(ap, fmt);
	n += vsnprintf(line + n, sizeof(line) - (size_t)n - 1, fmt, ap);
	va_end(ap);
	if (n > (int)sizeof(line) - 2)
		n = (int)sizeof(line) - 2;
	line[n++] = '\n';
	if (write(f->log_fd, line, (size_t)n) < 0)
		return; /* a test without a log */
}

static void log_connection(const struct fake *f, int from, int to, int connection)
{
	const char *end = !f->kind->two_ended ? "" : from == f->rank ? " [send]" : " [receive]";
	const char *shared = f->kind->two_ended && connection ? "/Shared" : "";
	char number[16] = "";

	if (f->kind->connection)
		snprintf(number, sizeof(number), "/%d", connection);
	for (int c = 0; c < f->kind->channels; c++)
		log_line(f, "Channel %02d%s : %d[%d] -> %d[%d]%s via %s%s", c, number, from, from,
			 to, to, end, f->via, shared);
}

static int block_of(const struct fake *f, int rank, int hosts)
{
	return rank * hosts / f->nranks;
}

/* 0: NCCL sees one host. */
static int fake_hosts(const struct fake *f)
{
	const char *told = getenv("NCCLBENCH_TEST_FAKE_HOSTS");
	int hosts = told ? atoi(told) : 0;
	char id[48];

	snprintf(id, sizeof(id), "ncclbench-host%d", hosts ? block_of(f, f->rank, hosts) : 0);
	return hosts && env_is("NCCL_HOSTID", id) ? hosts : 0;
}

/* As f would say it of that way. */
static void log_between(const struct fake *f, int hosts, int from, int to, int connection)
{
	struct fake other = *f;

	if (block_of(f, from, hosts) != block_of(f, to, hosts)) {
		other.via = "NET/Socket/0";
		other.kind = &via_kinds[2];
	} else {
		other.via = env_is("NCCL_P2P_DISABLE", "1") ? "SHM/direct/direct" : "P2P/CUMEM";
		other.kind = &via_kinds[env_is("NCCL_P2P_DISABLE", "1") ? 1 : 0];
	}
	if (from == f->rank || other.kind->two_ended)
		log_connection(&other, from, to, connection);
}

static void log_pair(const struct fake *f, int peer, int connection)
{
	log_connection(f, f->rank, peer, connection);
	if (f->kind->two_ended)
		log_connection(f, peer, f->rank, connection);
}

/* A ring, or every pair both ways. */
static void log_ways_between_hosts(const struct fake *f, int connection)
{
	int hosts = fake_hosts(f);

	for (int peer = 0; peer < f->nranks; peer++) {
		if (connection ? peer != f->rank : peer == (f->rank + 1) % f->nranks)
			log_between(f, hosts, f->rank, peer, connection);
		if (connection ? peer != f->rank : f->rank == (peer + 1) % f->nranks)
			log_between(f, hosts, peer, f->rank, connection);
	}
}

/* What the environment asks for in NCCL's capitals, unless it is declined. */
static const char *choice(const char *name, const char *otherwise)
{
	const char *asked = getenv(name), *declined = getenv("NCCLBENCH_TEST_FAKE_DECLINES");
	static char text[2][16];
	char *out = text[strcmp(name, "NCCL_ALGO") == 0];

	if (!asked || (declined && strcmp(asked, declined) == 0))
		return otherwise;
	for (size_t i = 0; i < sizeof(text[0]) - 1 && (i == 0 || out[i - 1]); i++)
		out[i] = (char)(asked[i] >= 'a' && asked[i] <= 'z' ? asked[i] - 32 : asked[i]);
	return out;
}

/* Collectives: a ring. Send and receive: everybody with everybody, at once (NCCL would connect the
 * pairs as they are first used). */
static void log_run(struct fake *f)
{
	int connection = f->func ? 0 : 1;

	if (!f->logged[connection] && f->nranks > 1 && fake_hosts(f)) {
		log_ways_between_hosts(f, connection);
		f->logged[connection] = true;
	} else if (!f->logged[connection] && f->nranks > 1) {
		for (int peer = 0; peer < f->nranks; peer++)
			if (connection ? peer != f->rank : peer == (f->rank + 1) % f->nranks)
				log_pair(f, peer, connection);
		f->logged[connection] = true;
	}
	if (f->tuning_due && f->func && f->rank == 0 && f->log_fd == NB_LOG_FD)
		log_line(f, "%s: %lld Bytes -> Algo %s proto %s channel{Lo..Hi}={0..%d}", f->func,
			 f->bytes, choice("NCCL_ALGO", "RING"), choice("NCCL_PROTO", "SIMPLE"),
			 f->kind->channels - 1);
	f->tuning_due = false;
}

/* The conversation. */

static const char *field(const char *request, const char *key)
{
	size_t len = strlen(key);

	for (const char *at = strchr(request, ' '); at; at = strchr(at + 1, ' '))
		if (strncmp(at + 1, key, len) == 0 && at[1 + len] == '=')
			return at + 2 + len;
	return "";
}

static long long number(const char *request, const char *key)
{
	return atoll(field(request, key));
}

static void add_facts(struct fake *f)
{
	const char *asked = getenv("NCCLBENCH_TEST_FAKE_DEVICES");
	const char *p2p = f->turn.no_p2p ? "no" : "yes";
	const char *nvml = f->turn.no_p2p ? "not%20supported" : "ok";
	int devices = asked ? atoi(asked) : 2;

	add(" backend=%s blob_from_all=%d", f->backend, f->ucx);
	add_number(f, "devices", devices);
	add(" lib_version=2.28.3 lib_path=/fake/libnccl.so.2");
	add(" driver_version=13000 runtime_version=13000");
	for (int i = 0; i < devices; i++) {
		add(" gpu%d.name=Fake%%20GPU gpu%d.uuid=GPU-fake-%d", i, i, i);
		add(" gpu%d.bus=0000:%02x:00.0 gpu%d.cc=9.0", i, 0x10 + i, i);
		add(" gpu%d.mem_total=150000000000 gpu%d.mem_free=149000000000", i, i);
		add(" gpu%d.pci_gen=5 gpu%d.pci_width=16 gpu%d.nvlinks=18", i, i, i);
		for (int j = 0; j < devices; j++)
			if (j != i)
				add(" p2p.%d.%d=%s nvml_p2p.%d.%d=%s", i, j, p2p, i, j, nvml);
	}
}

static void say_hello(struct fake *f)
{
	enter(f, HELLO);
	begin("HELLO");
	add_number(f, "version", f->turn.version);
	add_facts(f);
	add_number(f, "pid", getpid());
	finish(f);
}

/* One key=value a line, unescaped; %20 is the only escape that the facts have. */
static int probe(struct fake *f)
{
	const char *more = getenv("NCCLBENCH_TEST_FAKE_FACTS");
	bool space;

	enter(f, PROBE);
	begin("");
	add_facts(f);
	if (more)
		add(" %s", more);
	for (const char *c = answer.data + 1; *c; c++) {
		space = strncmp(c, "%20", 3) == 0;
		putchar(space ? ' ' : *c == ' ' ? '\n' : *c);
		c += space ? 2 : 0;
	}
	putchar('\n');
	return 0;
}

static void on_id(struct fake *f, const char *request)
{
	enter(f, ID);
	begin("IDENT");
	add(" blob=%s", f->turn.nan ? "nan" : "00112233445566778899aabbccddeeff");
	finish(f);
}

static void on_peer(struct fake *f, const char *request)
{
}

/* NCCLBENCH_TEST_FAKE_EXCLUSIVE: a folder with a lock per GPU, held until this process ends. */
static bool has_gpu(struct fake *f)
{
	const char *dir = getenv("NCCLBENCH_TEST_FAKE_EXCLUSIVE");
	char path[4096];

	if (!dir || f->gpu_fd >= 0)
		return true;
	snprintf(path, sizeof(path), "%s/gpu%d", dir, f->device);
	f->gpu_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (f->gpu_fd >= 0 && flock(f->gpu_fd, LOCK_EX | LOCK_NB) == 0)
		return true;
	close(f->gpu_fd);
	f->gpu_fd = -1;
	return false;
}

static void on_device(struct fake *f, const char *request)
{
	f->device = (int)number(request, "device");
	(void)has_gpu(f);
}

static void add_state(const char *variable)
{
	const char *state = getenv(variable);

	if (state)
		add(" %s", state);
}

static void on_join(struct fake *f, const char *request)
{
	f->rank = (int)number(request, "rank");
	f->nranks = (int)number(request, "nranks");
	f->device = (int)number(request, "device");
	if (f->after)
		close(open(f->after, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	enter(f, JOIN);
	if (!has_gpu(f)) {
		begin("FAIL");
		add(" kind=error code=46 text=all%%20devices%%20are%%20busy fatal=1");
		finish(f);
		exit(3);
	}
	log_line(f, "NCCL version 2.28.3+cuda13.0");
	log_line(
	    f, "comm 0x55d0c0de0000 rank %d nRanks %d nNodes 1 localRanks %d localRank %d MNNVL 0",
	    f->rank, f->nranks, f->nranks, f->rank);
	begin("JOINED");
	add_number(f, "context_us", 200000);
	add_number(f, "init_us", 300000);
	add_state("NCCLBENCH_TEST_FAKE_STATE");
	finish(f);
}

/* The factor of the pair that PREPARE named. */
static double pair_factor(long long a, long long b, bool company)
{
	const char *text = getenv("NCCLBENCH_TEST_FAKE_PAIRS");
	double factor = 1;

	for (const char *w = text ? text : ""; *w; w += strcspn(w, " "), w += *w == ' ') {
		long long percent, from, to;

		if (sscanf(w, "company:%lld", &percent) == 1)
			factor *= company ? (double)percent / 100 : 1;
		else if (sscanf(w, "%lld-%lld:%lld", &from, &to, &percent) == 3)
			factor *= from == a && to == b ? (double)percent / 100 : 1;
		else
			bad_script(w);
	}
	return factor;
}

static void on_prepare(struct fake *f, const char *request)
{
	const char *op = field(request, "op");
	size_t len = strcspn(op, " ");

	f->func = NULL;
	for (size_t i = 0; i < COUNT(op_kinds); i++)
		if (strlen(op_kinds[i].name) == len && memcmp(op_kinds[i].name, op, len) == 0)
			f->func = op_kinds[i].nccl_name;
	f->bytes = number(request, "bytes");
	f->pair =
	    pair_factor(number(request, "a"), number(request, "b"), number(request, "pairs") > 1);
	f->tuning_due = true;
	if (number(request, "quiet") == 1)
		f->log_fd = NB_QUIET_LOG_FD;
	enter(f, PREPARE);
	begin("READY");
	add_number(f, "device_bytes", 2 * f->bytes);
	finish(f);
}

static long long slowed(const struct fake *f, long long ns)
{
	const char *told = getenv("FAKE_WORKER_SLOW");
	long long percent = 0, from = 0;

	if (!told || sscanf(told, "%lld:%lld", &percent, &from) < 1 || f->bytes < from)
		return ns;
	return ns + ns * percent / 100;
}

/* NCCLBENCH_TEST_FAKE_CONNECTS=BYTES: the first single operation of that size takes 60 ms, since it
 * connects. */
static long long connecting(struct fake *f, const char *request, long long ns)
{
	const char *at = getenv("NCCLBENCH_TEST_FAKE_CONNECTS");

	if (!at || atoll(at) != f->bytes || f->connected ||
	    strncmp(field(request, "mode"), "single", 6) != 0)
		return ns;
	f->connected = true;
	return strstr(request, " once=1") ? 60000000 : ns;
}

/* NCCLBENCH_TEST_FAKE_MUTE=RANK: its batches are too short to tell what became of the load. */
static int mute_rank(void)
{
	const char *rank = getenv("NCCLBENCH_TEST_FAKE_MUTE");

	return rank ? atoi(rank) : -1;
}

static void on_run(struct fake *f, const char *request)
{
	long long batches = number(request, "batches");
	double op_ns = (double)(f->kind->base_ns + f->bytes / f->kind->bytes_per_ns) *
		       f->speed[f->bytes > 65536] * f->pair;
	long long batch_ns =
	    slowed(f, number(request, "ops") * number(request, "replays") * (long long)op_ns);

	long long cover_us = strstr(request, " cover_us=") ? number(request, "cover_us") : 0;

	batch_ns = connecting(f, request, batch_ns);
	/* Beside a load all takes half as long again, and a load must last five times that. */
	if (cover_us)
		batch_ns = batch_ns * 3 / 2;
	enter(f, RUN);
	log_run(f);
	begin("DONE");
	add(" ns=");
	for (long long i = 0; i < batches && i < 4096; i++) {
		if (f->turn.nan)
			add("%snan", i ? "," : "");
		else
			add("%s%lld", i ? "," : "", batch_ns + batch_ns / 1000 * (i % 4));
	}
	if (f->ucx)
		add(" used=%s proof=%s proof_detail=%s channels=1 peers=%d", f->via, f->turn.proof,
		    strcmp(f->turn.proof, "yes") == 0 ? "" : "the%20lanes%20say%20so",
		    f->nranks - 1);
	add_number(f, "first_us", 1 + batch_ns / 1000);
	if (cover_us) {
		add_number(f, "uncovered", cover_us * 1000 < 5 * batch_ns ? batches : 0);
		if (f->rank != mute_rank())
			add_number(f, "load_slow", 1250);
	}
	if (strncmp(field(request, "mode"), "measure", 7) == 0)
		add_state("NCCLBENCH_TEST_FAKE_STATE_RUN");
	finish(f);
}

static void on_check(struct fake *f, const char *request)
{
	enter(f, CHECK);
	begin("CHECKED");
	add_number(f, "wrong", f->turn.wrong);
	add_number(f, "checked", f->bytes);
	add_number(f, "first", 0);
	add(f->turn.wrong ? " got=7 want=3" : " got= want=");
	add_number(f, "poisoned", f->turn.poisoned);
	finish(f);
}

/* 1 ns per byte and sample, whatever is copied. */
static void on_ceiling(struct fake *f, const char *request)
{
	long long samples = number(request, "samples"), bytes = number(request, "bytes");

	enter(f, CEILING);
	begin("CEILED");
	add(" ns=");
	for (long long i = 0; i < samples && i < 4096; i++)
		if (f->turn.nan)
			add("%snan", i ? "," : "");
		else
			add("%s%lld", i ? "," : "", bytes * number(request, "copies"));
	finish(f);
}

static void on_bye(struct fake *f, const char *request)
{
	enter(f, BYE);
	if (getenv("NCCLBENCH_TEST_FAKE_EXCLUSIVE")) /* the GPU is let go long after the answer to
							DEVICE */
		nanosleep(&(struct timespec){ 1, 0 }, NULL);
	begin("GONE");
	add_number(f, "teardown_us", 1000);
	finish(f);
	exit(0);
}

static const struct {
	const char *verb;
	void (*on)(struct fake *f, const char *request);
} requests[] = {
	{ "ID", on_id },       { "PEER", on_peer },       { "DEVICE", on_device },
	{ "JOIN", on_join },   { "PREPARE", on_prepare }, { "RUN", on_run },
	{ "CHECK", on_check }, { "BYE", on_bye },         { "CEILING", on_ceiling },
};

static void serve(struct fake *f, const char *request)
{
	size_t len = strcspn(request, " ");

	for (size_t i = 0; i < COUNT(requests); i++) {
		if (strlen(requests[i].verb) != len || memcmp(requests[i].verb, request, len) != 0)
			continue;
		requests[i].on(f, request);
		return;
	}
	begin("FAIL kind=error code=22 text=unknown%20verb");
	f->turn = (struct turn){ .instead = false };
	finish(f);
}

/* NCCL_* only: what decides how the library behaves. */
static void dump_environment(const struct fake *f, const char *what)
{
	const char *path = getenv("NCCLBENCH_TEST_ENV_DUMP");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

	if (fd < 0)
		return;
	begin(what);
	add(" rank=%d pid=%d\n", f->rank, (int)getpid());
	for (char **e = environ; *e; e++)
		if (strncmp(*e, "NCCL_", 5) == 0)
			add("%s\n", *e);
	if (write(fd, answer.data, answer.len) < 0)
		exit(99);
	close(fd);
}

int main(int argc, char **argv)
{
	static char request[NB_MESSAGE_MAX + 1];
	static struct fake f = { .rank = -1, .nranks = 1, .log_fd = NB_LOG_FD, .gpu_fd = -1 };
	const char *told = getenv("NCCLBENCH_TEST_RANK"),
		   *rank = told ? told : getenv("NCCLBENCH_RANK");
	pid_t parent = getppid();
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		return 1; /* it had died already: the signal will not come */
	if (rank)
		f.rank = atoi(rank);
	parse_script(&f);
	read_speed(&f);
	choose_via(&f);
	dump_environment(&f, argc > 1 ? "probe" : "worker");
	if (argc > 1)
		return strcmp(argv[1], "--probe") == 0 ? probe(&f) : 2;
	say_hello(&f);
	while ((n = recv(NB_CHANNEL_FD, request, NB_MESSAGE_MAX, 0)) > 0) {
		request[n] = '\0';
		serve(&f, request);
	}
	return 0;
}
