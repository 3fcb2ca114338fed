/* SPDX-License-Identifier: Apache-2.0 */
#include "run/health.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "ncclbench/exitcode.h"
#include "run/coord.h"
#include "run/diagnose.h"
#include "run/finish.h"
#include "run/health_page.h"
#include "run/launch.h"
#include "run/meta.h"
#include "run/options.h"
#include "run/ras.h"
#include "spec/timing.h"
#include "spec/transport.h"

#define ROUND_NS (300 * CLOCK_S) /* the alarm of health_arm comes before it */
#define RAS_NS (400 * CLOCK_MS)
#define LOGS_MAX (16u << 20) /* of all ranks together, read for explain */
#define LOG_LEAST (64u << 10)
#define TAIL 4096

static const uint64_t sizes_nccl[] = { 8, 64 << 20 }, sizes_ucx[] = { 8, 4 << 20 };

void health_request(const struct options *o, const struct launch *l, int n_hosts,
		    unsigned long long required, struct plan_request *q)
{
	bool ucx = l->backend == BACKEND_UCX;

	q->ops = 1ULL << OP_ALL_REDUCE | 1ULL << OP_SENDRECV;
	q->sizes = ucx ? sizes_ucx : sizes_nccl;
	q->n_sizes = 2;
	q->timings = 1u << (ucx ? TIMING_HOST : TIMING_STREAM);
	q->restarts = 1;
	/* UCX chooses per message; what NCCL would use on one host without P2P is its shared
	 * memory. */
	if (ucx)
		q->transports =
		    required ? required
			     : 1ULL << (n_hosts == 1 ? TRANSPORT_UCX_SHM : TRANSPORT_UCX_TCP);
	else
		q->transports = 1ULL << (l->shared_gpu ? TRANSPORT_SOCKET : TRANSPORT_AUTO);
}

/* ---- the last resort ---- */

static void out_of_time(int number)
{
	static const char words[] = "ncclbench: NOT healthy: the ranks themselves did not come to "
				    "an end (a rank that never "
				    "started, or MPI hangs); look at the launcher\n";

	if (write(STDERR_FILENO, words, sizeof(words) - 1) < 0)
		_exit(NB_EXIT_BROKEN);
	_exit(NB_EXIT_BROKEN);
}

void health_arm(int64_t end_ns)
{
	struct sigaction action = { .sa_handler = out_of_time };
	int64_t left = end_ns - clock_now_ns();
	struct itimerval when = { .it_value = { .tv_sec = left / CLOCK_S,
						.tv_usec = left % CLOCK_S / 1000 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &when, NULL);
}

/* ---- logs ---- */

static int make_folder(struct health *h, const struct options *o)
{
	const char *tmp = getenv("TMPDIR");
	int r = 0;

	if (o->keep) {
		snprintf(h->dir, sizeof(h->dir), "%s", o->keep);
		r = file_make_dirs(h->dir);
	} else {
		snprintf(h->dir, sizeof(h->dir), "%s/ncclbench-health-XXXXXX",
			 tmp && tmp[0] == '/' ? tmp : "/tmp");
		r = mkdtemp(h->dir) ? 0 : -errno;
	}
	if (r == 0 && access(h->dir, W_OK | X_OK) != 0)
		r = -errno;
	if (r == 0) {
		char *path = realpath(h->dir, NULL);

		r = path ? 0 : -errno;
		snprintf(h->dir, sizeof(h->dir), "%s", path ? path : "");
		free(path);
	}
	if (r == 0)
		return 0;
	log_error("cannot use %s for the workers' logs: %s; choose another place with --keep",
		  o->keep ? o->keep : h->dir, strerror(-r));
	return NB_EXIT_USAGE + 1;
}

/* Ranks that do not see rank 0's folder get one of the same name: nobody can know it before. */
static int64_t have_folder(const struct health *h)
{
	if (access(h->dir, W_OK | X_OK) == 0)
		return 0;
	if (h->keep ? file_make_dirs(h->dir) == 0 : mkdir(h->dir, 0700) == 0 || errno == EEXIST)
		return access(h->dir, W_OK | X_OK) != 0;
	return 1;
}

int health_open(struct health *h, struct coord *c, const struct options *o)
{
	int64_t v;
	int r;

	h->keep = o->keep != NULL;
	h->mine.outcome = OUTCOME_OK;
	v = c->rank == 0 ? make_folder(h, o) : 0;
	r = c->ops->max(c, &v, 1, clock_after_ns(ROUND_NS));
	if (r < 0 || v)
		return r < 0 ? r : (int)v;
	r = c->ops->bcast(c, h->dir, sizeof(h->dir), 0, clock_after_ns(ROUND_NS));
	if (r < 0)
		return r;
	v = have_folder(h);
	if (v)
		log_error("cannot use %s for the logs of this rank", h->dir);
	r = c->ops->max(c, &v, 1, clock_after_ns(ROUND_NS));
	return r < 0 ? r : v ? NB_EXIT_USAGE + 1 : 0;
}

static void remove_logs(const struct health *h, int rank)
{
	char mark[32];
	DIR *d = opendir(h->dir);
	struct dirent *e;

	snprintf(mark, sizeof(mark), ".rank%d.", rank);
	while (d && (e = readdir(d)))
		if (strstr(e->d_name, mark))
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

/* ---- what became of this rank ---- */

/* The last thing the library said, without what stands before "NCCL": where a worker that hangs has
 * got to. */
static void last_line(const char *path, char *out, size_t max)
{
	char tail[TAIL + 1];
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
	ssize_t n = size > 0 ? pread(fd, tail, TAIL, size > TAIL ? size - TAIL : 0) : 0;
	char *line, *word;

	out[0] = '\0';
	if (fd >= 0)
		close(fd);
	while (n > 0 && (tail[n - 1] == '\n' || tail[n - 1] == '\0'))
		n--;
	if (n <= 0)
		return;
	tail[n] = '\0';
	line = memrchr(tail, '\n', (size_t)n);
	line = line ? line + 1 : tail;
	word = strstr(line, "NCCL INFO ");
	word = word ? word + strlen("NCCL INFO ") : line;
	record_set(out, max, word);
}

static void keep_fault(struct health *h, const struct crew *w, const struct fault *f)
{
	struct buf text = { 0 };
	char last[160];

	buf_puts(&text, f->detail);
	if (w->evidence.scan.first_warn[0] && !strstr(f->detail, w->evidence.scan.first_warn))
		buf_printf(&text, "; NCCL warned: %s", w->evidence.scan.first_warn);
	last_line(w->evidence.path[0], last, sizeof(last));
	if (f->outcome == OUTCOME_HANG && last[0])
		buf_printf(&text, "; the last in its log: %s", last);
	h->mine.phase = f->phase;
	h->mine.outcome = f->outcome;
	record_set(h->mine.detail, sizeof(h->mine.detail), buf_text(&text));
	buf_fini(&text);
}

void health_watch(void *arg, const struct crew *w, const struct fault *worst,
		  enum campaign_moment when)
{
	struct health *h = arg;
	bool nccl = transport_table[w->transport].backend == BACKEND_NCCL;

	if (when == CAMPAIGN_AFTER_STOP) {
		/* Only a worker that was asked to end politely can fail at it. */
		if (h->mine.outcome == OUTCOME_OK && w->session.fault.phase == PHASE_BYE &&
		    fault_is(&w->session.fault))
			keep_fault(h, w, &w->session.fault);
		return;
	}
	h->worst = *worst;
	h->mine.phase = w->session.phase;
	if (fault_is(&w->session.fault))
		keep_fault(h, w, &w->session.fault);
	if (nccl && w->c->rank == 0 && worst->outcome == OUTCOME_HANG)
		ras_ask(ras_port(&w->environment.env), clock_after_ns(RAS_NS), &h->ras);
}

/* ---- together ---- */

static void add_log(const char *path, size_t max, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char chunk[8192];
	ssize_t n;

	while (fd >= 0 && out->len < max && (n = read(fd, chunk, sizeof(chunk))) > 0)
		for (ssize_t i = 0; i < n; i++)
			buf_putc(out, chunk[i] ? chunk[i] : ' ');
	if (fd >= 0)
		close(fd);
}

/* This rank's log and what its worker printed, one after the other: name, newline, bytes. */
static int gather_logs(const struct health *h, struct campaign *k, const char *end, char ***all)
{
	size_t max = LOGS_MAX / (size_t)k->c->size;
	struct buf mine = { 0 }, path = { 0 };
	int r;

	buf_printf(&path, "%s/nccl-%s.rank%d.start0%s", h->dir,
		   transport_table[k->plan.configs[0].transport].name, k->c->rank, end);
	buf_printf(&mine, "%s\n", buf_text(&path));
	add_log(buf_text(&path), max > LOG_LEAST ? max : LOG_LEAST, &mine);
	r = mine.failed || path.failed ? -ENOMEM : 0;
	/* Collective, so a rank without memory still takes part. */
	if (r == 0)
		r = coord_gather_text(k->c, buf_text(&mine), all, clock_after_ns(ROUND_NS));
	buf_fini(&mine);
	buf_fini(&path);
	return r;
}

static int explain(struct health *h, struct campaign *k)
{
	char **logs = NULL, **output = NULL, **both = NULL;
	int n = k->c->size, r;

	if (transport_table[k->plan.configs[0].transport].backend != BACKEND_NCCL)
		return 0;
	r = gather_logs(h, k, ".log", &logs);
	if (r == 0)
		r = gather_logs(h, k, ".out", &output);
	if (r == 0 && k->c->rank == 0) {
		both = calloc((size_t)n * 2, sizeof(*both));
		for (int i = 0; both && i < n; i++) {
			both[i] = logs[i];
			both[n + i] =
			    output[i][0] && strchr(output[i], '\n')[1] ? output[i] : (char *)"";
		}
		h->findings = both ? diagnose_logs(both, n * 2) : NULL;
	}
	free(both);
	if (logs)
		coord_free_texts(logs, n);
	if (output)
		coord_free_texts(output, n);
	return r;
}

static int gather(struct health *h, struct campaign *k)
{
	int r;

	h->ranks = calloc((size_t)k->c->size, sizeof(*h->ranks));
	if (!h->ranks)
		return -ENOMEM;
	r = k->c->ops->allgather(k->c, &h->mine, sizeof(h->mine), h->ranks,
				 clock_after_ns(ROUND_NS));
	return r < 0 ? r : explain(h, k);
}

/* ---- words ---- */

static int print(const struct health *h, const struct campaign *k, const struct finish *f,
		 const struct health_verdict *v)
{
	bool json = f->options->json;
	struct buf page = { 0 };
	char *object = NULL;
	int r;

	health_page_text(h, k, f, v, &page);
	r = page.failed
		? -ENOMEM
		: file_write_all(json ? STDERR_FILENO : STDOUT_FILENO, buf_text(&page), page.len);
	if (r < 0)
		log_error("cannot print the page: %s", strerror(-r));
	if (json && r == 0) {
		object = health_page_json(h, k, f, v);
		r = object && printf("%s\n", object) >= 0 && fflush(stdout) == 0 ? 0 : -EIO;
	}
	free(object);
	buf_fini(&page);
	return r;
}

int health_finish(struct health *h, struct campaign *k, const struct finish *f, int *code)
{
	struct health_verdict v = { 0 };
	int64_t bad;
	int r = gather(h, k);

	h->seconds = f->seconds;
	if (r == 0 && k->c->rank == 0) {
		health_judge(h, k, f, &v);
		h->keep |= v.exit_code != NB_EXIT_OK;
		if (print(h, k, f, &v) < 0)
			v.exit_code = NB_EXIT_BROKEN;
	}
	*code = v.exit_code;
	bad = h->keep;
	if (r == 0)
		r = k->c->ops->max(k->c, &bad, 1, clock_after_ns(ROUND_NS));
	if (r == 0 && !bad)
		remove_logs(h, k->c->rank);
	if (r == 0)
		r = k->c->ops->max(k->c, &bad, 1, clock_after_ns(ROUND_NS));
	if (r == 0 && !bad)
		(void)rmdir(h->dir); /* the first of a host does it */
	buf_fini(&v.text);
	buf_fini(&v.behind);
	return r;
}

int health_refused(const struct launch *l, const struct options *o, double seconds)
{
	json_t *object;
	char *text;

	fprintf(o->json ? stderr : stdout, "NOT healthy: %s\n", l->refusal);
	if (!o->json)
		return NB_EXIT_BROKEN;
	object = json_pack("{s:i,s:s,s:s,s:i,s:f,s:s,s:s,s:o,s:[],s:[],s:[]}", "schema", 1,
			   "command", "health", "verdict", "not healthy", "exit_code",
			   NB_EXIT_BROKEN, "seconds", seconds, "used", "", "proof", "", "cause",
			   meta_text(l->refusal), "rows", "ranks", "findings");
	text = object ? json_dumps(object, JSON_COMPACT) : NULL;
	if (text)
		puts(text);
	free(text);
	json_decref(object);
	return NB_EXIT_BROKEN;
}

void health_fini(struct health *h)
{
	free(h->ranks);
	buf_fini(&h->ras);
	json_decref(h->findings);
	memset(h, 0, sizeof(*h));
}
