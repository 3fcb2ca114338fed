/* SPDX-License-Identifier: Apache-2.0 */
/* See tune.h. */
#include "run/tune.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "ncclbench/exitcode.h"
#include "report/table.h"
#include "run/campaign.h"
#include "run/coord.h"
#include "run/finish.h"
#include "run/launch.h"
#include "run/options.h"
#include "run/place.h"
#include "run/progress.h"
#include "run/reason.h"
#include "run/tune_page.h"
#include "run/tune_trial.h"
#include "search/tunable.h"
#include "spec/op.h"
#include "spec/outcome.h"
#include "spec/profile.h"
#include "spec/timing.h"
#include "spec/transport.h"

#define ROUND_NS (900 * CLOCK_S)
#define JOURNAL "trials.jsonl"
#define JOURNAL_MAX (64u << 20)
/* A setting that takes longer than the dearest good trial by such a factor hangs, or is of no use;
 * a busy machine may be slow. */
#define PATIENCE 10
#define PATIENCE_LEAST_S 10.0

int tune_request(const struct options *o, struct plan_request *q, uint64_t **sizes, char *why,
		 size_t why_max)
{
	q->restarts = 1;
	if (!q->timings)
		q->timings = 1u << (q->backend == BACKEND_UCX ? TIMING_HOST : TIMING_GRAPH);
	if (q->timings & (q->timings - 1)) {
		snprintf(why, why_max, "--timing: a tune compares one timing; name one");
		return -EINVAL;
	}
	/* auto is one of the others, under another name. */
	if (!q->transports && q->backend == BACKEND_NCCL)
		q->transports = 1ULL << TRANSPORT_P2P | 1ULL << TRANSPORT_SHM |
				1ULL << TRANSPORT_SOCKET | (q->have_ib ? 1ULL << TRANSPORT_IB : 0);
	return tune_objective_request(o->objective, q, sizes, why, why_max);
}

int tune_check(const struct options *o, const struct plan *plan, char *why, size_t why_max)
{
	int r = 0;

	for (size_t i = 0; i < plan->n_configs && r >= 0; i++) {
		struct tune_classes c = { 0 };

		r = tune_classes_build(plan, i, o->objective, &c, why, why_max);
		tune_classes_fini(&c);
	}
	return r < 0 ? r : 0;
}

/* ---- parts ---- */

static const char *inherited(void *arg, const char *name)
{
	const struct finish *f = arg;
	size_t n = strlen(name);

	for (char *const *e = f->inherited; e && *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

static unsigned ops_of(const struct campaign *k, size_t config)
{
	const struct plan_config *pc = &k->plan.configs[config];
	unsigned ops = 0;

	for (size_t i = pc->first; i < pc->first + pc->n; i++)
		ops |=
		    op_table[k->plan.points[i].c.op].nccl_name ? TUNE_COLLECTIVE : TUNE_SEND_RECV;
	return ops;
}

static int open_part(struct tune *t, size_t config, struct tune_part *p)
{
	const struct campaign *k = t->k;
	char version[64] = "";
	struct space_request q = { .transport = k->plan.configs[config].transport,
				   .ops = ops_of(k, config),
				   .inherited = inherited,
				   .arg = (void *)t->finish,
				   .only = t->finish->options->only };
	int r;

	p->config = config;
	p->transport = q.transport;
	facts_get(&t->finish->launch->facts, 0, "lib_version", version, sizeof(version));
	q.version = tunable_version(version);
	r = tune_classes_build(&k->plan, config, t->finish->options->objective, &p->classes, p->why,
			       sizeof(p->why));
	if (r > 0)
		return 0; /* p->why says it */
	if (r == 0)
		r = space_build(&q, &p->space);
	if (r == 0 && k->c && k->c->rank == 0 && !p->why[0])
		reason_before(p->transport, &k->reasons, p->why, sizeof(p->why));
	return r;
}

static int open_parts(struct tune *t)
{
	int r = 0;

	t->parts = calloc(t->k->plan.n_configs + 1, sizeof(*t->parts));
	if (!t->parts)
		return -ENOMEM;
	for (size_t i = 0; i < t->k->plan.n_configs && r == 0; i++)
		r = open_part(t, i, &t->parts[t->n_parts++]);
	return r;
}

/* Transports have equal classes, or none where nothing can be measured. */
static const struct tune_classes *classes_of_all(const struct tune *t)
{
	size_t i = 0;

	while (i + 1 < t->n_parts && t->parts[i].classes.n == 0)
		i++;
	return &t->parts[i].classes;
}

/* ---- journal ---- */

/* Options that change what a trial measures, and are in neither the plan nor the versions. */
static void identity_options(const struct tune *t, struct buf *out)
{
	const struct options *o = t->finish->options;

	buf_printf(out, "; profile %s; bind %s; map %s%s%s",
		   profile_table[t->k->request.profile].name,
		   o->bind < 0 ? "default" : place_names[o->bind],
		   t->k->map[0] ? t->k->map : "default", o->share_gpu ? "; share-gpu" : "",
		   o->nccl_lib ? "; nccl-lib " : "");
	buf_puts(out, o->nccl_lib ? o->nccl_lib : "");
}

/* What must be equal for old trials to count. */
static void identity(const struct tune *t, struct buf *out)
{
	const struct campaign *k = t->k;
	uint64_t hash = 14695981039346656037ULL; /* FNV-1a */
	char machine[160], versions[160];
	const struct tune_classes *c = classes_of_all(t);

	launch_titles(t->finish->launch, k->request.nranks, machine, sizeof(machine), versions,
		      sizeof(versions));
	for (char *const *e = t->finish->inherited; e && *e; e++) {
		char name[128];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(*e, "="), *e);
		if (environment_recordable(name) && strncmp(name, "OMPI_", 5) != 0)
			for (const char *b = *e; *b; b++)
				hash = (hash ^ (unsigned char)*b) * 1099511628211ULL;
	}
	buf_printf(out, "%s; %s; %d ranks; plan %016llx; environment %016llx", machine, versions,
		   k->request.nranks, (unsigned long long)k->plan.fingerprint,
		   (unsigned long long)hash);
	identity_options(t, out);
	buf_puts(out, "; classes");
	for (size_t i = 0; i < c->n; i++)
		buf_printf(out, "%s%s%s", i ? ", " : " ", c->v[i].name,
			   c->v[i].target ? "" : " (watched)");
}

static int append(struct tune *t, const struct buf *line)
{
	int r = line->failed ? -ENOMEM : file_write_all(t->journal_fd, buf_text(line), line->len);

	return r < 0 ? r : fdatasync(t->journal_fd) < 0 && errno != EINVAL ? -errno : 0;
}

/* 0; positive: an exit code + 1 after a line; negative. */
static int read_journal(struct tune *t, const char *path, const char *now)
{
	char why[300] = "", *text = NULL;
	size_t len = 0, n_classes = classes_of_all(t)->n;
	int r = file_read_all(path, JOURNAL_MAX, &text, &len);

	if (r == 0)
		r = journal_parse(text, len, n_classes, &t->before, why, sizeof(why));
	free(text);
	if (r < 0 && r != -ENOMEM) {
		log_error("--resume: cannot use %s: %s; start a new tune with another --out", path,
			  why[0] ? why : strerror(-r));
		return NB_EXIT_USAGE + 1;
	}
	if (r == 0 && t->before.identity[0] && strcmp(t->before.identity, now) != 0) {
		log_error("--resume: %s was measured otherwise; give the options and environment "
			  "of then, or start a new tune; then: %s; now: %s",
			  path, t->before.identity, now);
		return NB_EXIT_USAGE + 1;
	}
	return r;
}

/* Whoever goes on with a folder holds it: two searches would write into each other's trials. Not
 * every file system has locks. 0; positive: an exit code + 1 after a line; negative. */
static int lock_journal(struct tune *t, const char *path)
{
	bool resume = t->finish->options->resume != NULL;

	t->journal_fd =
	    open(path, O_WRONLY | (resume ? 0 : O_CREAT) | O_CLOEXEC | O_APPEND | O_NONBLOCK, 0666);
	if (t->journal_fd < 0 && !resume)
		return -errno;
	if (t->journal_fd < 0 && errno == ENOENT)
		log_error("--resume: %s holds no " JOURNAL
			  ", so no tune can go on there; start a new "
			  "one with --out",
			  t->k->store.dir);
	else if (t->journal_fd < 0)
		log_error("--resume: cannot use %s: %s; start a new tune with another --out", path,
			  strerror(errno));
	else if (flock(t->journal_fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		log_error(
		    "--resume: another tune is writing %s; wait for its end, or start a new one "
		    "with another --out",
		    path);
	else
		return 0;
	return NB_EXIT_USAGE + 1;
}

static int open_journal(struct tune *t)
{
	char *path = file_join(t->k->store.dir, JOURNAL);
	struct buf who = { 0 }, head = { 0 };
	int r = path ? lock_journal(t, path) : -ENOMEM;

	identity(t, &who);
	if (r == 0 && t->finish->options->resume)
		r = read_journal(t, path, buf_text(&who));
	/* A line that was cut off goes. */
	if (r == 0 && ftruncate(t->journal_fd, (off_t)t->before.good_bytes) < 0)
		r = -errno;
	if (r == 0 && t->before.good_bytes == 0) {
		r = journal_head(&head, buf_text(&who));
		r = r < 0 ? r : append(t, &head);
	}
	if (r < 0)
		log_error("cannot write %s: %s; choose another place with --out",
			  path ? path : JOURNAL, strerror(-r));
	buf_fini(&head);
	buf_fini(&who);
	free(path);
	return r < 0 ? NB_EXIT_BROKEN + 1 : r;
}

/* ---- rank 0: the search asks ---- */

static void show(struct tune *t, const struct setting *s)
{
	struct buf what = { 0 };

	buf_printf(&what, "%s: ", transport_table[t->now->transport].name);
	if (s->n == 0)
		buf_puts(&what, "default");
	setting_text(s, &what);
	progress_show(t->k->progress, buf_text(&what), (size_t)t->spent_s, (size_t)t->budget_s);
	buf_fini(&what);
}

static int record(struct tune *t, const struct setting *s, int restart, const struct trial *out)
{
	struct journal_row row = { .s = *s, .restart = restart, .t = *out };
	struct buf line = { 0 };
	int r;

	snprintf(row.transport, sizeof(row.transport), "%s",
		 transport_table[t->now->transport].name);
	r = journal_line(&line, &row, t->now->classes.n);
	r = r < 0 ? r : append(t, &line);
	buf_fini(&line);
	if (r == 0)
		return 0;
	progress_clear(t->k->progress);
	log_error("cannot write %s/%s: %s; what was measured before it is kept, the tune ends "
		  "here: make room, then go on with --resume",
		  t->k->store.dir, JOURNAL, strerror(-r));
	t->broken = true;
	return -EINTR;
}

/* What patience is measured by; a trial of before the interruption counts, too. */
static void note_cost(struct tune *t, const struct trial *out)
{
	t->spent_s += out->cost_s;
	if (out->outcome == OUTCOME_OK && out->cost_s > t->dearest_s)
		t->dearest_s = out->cost_s;
}

static int measure(void *arg, const struct setting *s, int restart, double limit_s,
		   struct trial *out)
{
	struct tune *t = arg;
	const struct trial *known =
	    journal_find(&t->before, transport_table[t->now->transport].name, s, restart);
	double patience = fmax(PATIENCE_LEAST_S, PATIENCE * t->dearest_s);
	struct tune_order o = {
		.what = TUNE_MEASURE, .config = t->now->config, .s = *s, .attempt = t->attempts++
	};
	int r;

	if (known) {
		*out = *known;
		t->n_known++;
		note_cost(t, out);
		return 0;
	}
	show(t, s);
	o.limit_s = s->n && t->dearest_s > 0 && patience < limit_s ? patience : limit_s;
	r = t->k->c->ops->bcast(t->k->c, &o, sizeof(o), 0, clock_after_ns(ROUND_NS));
	if (r == 0)
		r = tune_trial(t->k, &t->now->classes, &o, out, t->now->used, sizeof(t->now->used));
	if (r < 0)
		return r;
	note_cost(t, out);
	if (out->outcome == OUTCOME_HANG && o.limit_s >= limit_s && out->cost_s >= limit_s) {
		out->outcome = OUTCOME_SKIPPED; /* the budget's end, not the setting's fault */
		return 0;
	}
	return record(t, s, restart, out);
}

static size_t comparisons(const struct tune *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_parts; i++)
		for (size_t k = 0; k < t->parts[i].classes.n && !t->parts[i].why[0]; k++)
			n += t->parts[i].classes.v[k].target;
	return n;
}

static int search_part(struct tune *t, struct tune_part *p, size_t parts_left)
{
	struct search_problem q = {
		.space = &p->space,
		.classes = p->classes.v,
		.n_classes = p->classes.n,
		.comparisons = comparisons(t),
		.budget_s = (t->budget_s - t->spent_s) / (double)parts_left,
		.measure = measure,
		.arg = t,
	};
	int r;

	t->now = p;
	t->dearest_s = 0;
	r = search_run(&q, &p->result);
	p->searched = true;
	p->interrupted = r == -EINTR;
	return r;
}

static int search_all(struct tune *t)
{
	size_t left = 0;
	int r = 0;

	for (size_t i = 0; i < t->n_parts; i++)
		left += !t->parts[i].why[0];
	for (size_t i = 0; i < t->n_parts && r == 0; i++)
		if (!t->parts[i].why[0])
			r = search_part(t, &t->parts[i], left--);
	return r;
}

/* Only once the folder is known to be this tune's: a refused --resume changes nothing there. */
static int write_meta(struct tune *t)
{
	int r = finish_meta(t->k, t->finish, false, 0);

	if (r == 0)
		return 0;
	log_error("cannot write %s/run.json: %s", t->k->store.dir, strerror(-r));
	t->broken = true;
	return -EINTR;
}

static int lead(struct tune *t)
{
	struct tune_order end = { .what = TUNE_END };
	int r = open_journal(t), code = r > 0 ? r : 0;

	if (r == 0)
		r = write_meta(t);
	if (r == 0)
		r = search_all(t);
	/* After an interruption the others have left the loop by themselves. */
	if (r == 0 || code || t->broken)
		r = t->k->c->ops->bcast(t->k->c, &end, sizeof(end), 0, clock_after_ns(ROUND_NS));
	progress_clear(t->k->progress);
	return r < 0 ? r : code;
}

static int follow(struct tune *t)
{
	struct tune_order o;
	struct trial out;
	char used[64];
	int r;

	for (;;) {
		r = t->k->c->ops->bcast(t->k->c, &o, sizeof(o), 0, clock_after_ns(ROUND_NS));
		if (r < 0 || o.what != TUNE_MEASURE || o.config >= t->n_parts)
			return r;
		out = (struct trial){ .outcome = OUTCOME_OK };
		r = tune_trial(t->k, &t->parts[o.config].classes, &o, &out, used, sizeof(used));
		if (r < 0)
			return r;
	}
}

/* ---- all ---- */

static int exit_code(const struct tune *t, bool interrupted)
{
	int code = NB_EXIT_OK;

	if (t->broken)
		return NB_EXIT_BROKEN;
	if (interrupted)
		return NB_EXIT_INTERRUPTED;
	for (size_t i = 0; i < t->n_parts; i++) {
		int outcome =
		    t->parts[i].searched ? t->parts[i].result.race.control_outcome : OUTCOME_OK;

		/* Settings that fail are a result; the default that fails is not. */
		if (outcome_table[outcome].exit_code > code)
			code = outcome_table[outcome].exit_code;
	}
	return code;
}

static int finish(struct tune *t, int r, int *code)
{
	*code = r > 0 ? r - 1 : exit_code(t, r == -EINTR);
	if (r > 0)
		return 0;
	if (tune_page_write(t, *code) < 0) {
		log_error("cannot write the result to %s; the trials are in " JOURNAL,
			  t->k->store.dir);
		*code = NB_EXIT_BROKEN;
	}
	return tune_page_print(t, *code) < 0 ? *code = NB_EXIT_BROKEN, 0 : 0;
}

int tune_run(struct tune *t, struct campaign *k, const struct finish *f, int *code)
{
	int r;

	*t = (struct tune){ .k = k,
			    .finish = f,
			    .journal_fd = -1,
			    .budget_s = (double)f->options->budget_ns / CLOCK_S };
	if (k->progress)
		k->progress->unit = "s";
	r = open_parts(t);
	if (r < 0)
		return r;
	r = k->c->rank == 0 ? lead(t) : follow(t);
	if (r < 0 && r != -EINTR)
		return r;
	return k->c->rank == 0 ? finish(t, r, code) : 0;
}

void tune_fini(struct tune *t)
{
	for (size_t i = 0; t->parts && i < t->n_parts; i++) {
		tune_classes_fini(&t->parts[i].classes);
		space_fini(&t->parts[i].space);
		search_fini(&t->parts[i].result);
	}
	free(t->parts);
	journal_fini(&t->before);
	if (t->journal_fd > 0)
		close(t->journal_fd);
	*t = (struct tune){ .journal_fd = -1 };
}

void tune_print_space(struct campaign *k, const struct options *o, const struct launch *l,
		      char *const *environment)
{
	struct finish f = { .options = o, .launch = l, .inherited = environment };
	struct tune t = { .k = k, .finish = &f, .journal_fd = -1 };

	if (open_parts(&t) < 0)
		log_error("out of memory");
	for (size_t i = 0; i < t.n_parts; i++) {
		const struct space *s = &t.parts[i].space;

		printf("%s: %zu variables, first to be tried:\n",
		       transport_table[t.parts[i].transport].name, s->n_axes);
		for (size_t j = 0; j < s->n_first; j++) {
			struct buf text = { 0 };

			setting_text(&s->first[j], &text);
			printf("  %s\n", buf_text(&text));
			buf_fini(&text);
		}
	}
	tune_fini(&t);
}
