/* SPDX-License-Identifier: Apache-2.0 */
#include "trial.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/file.h"
#include "coord_threads.h"
#include "run/arm.h"
#include "run/campaign.h"
#include "slack.h"
#include "spec/op.h"
#include "spec/timing.h"
#include "spec/transport.h"

#define PATIENCE_NS (2 * LONG_NS)
#define POINTS_CSV_MAX (16u << 20)

/* What a worker's --probe would say of two GPUs that see each other. */
#define FACTS "p2p.0.1=yes\np2p.1.0=yes\nnvml_p2p.0.1=ok\nnvml_p2p.1.0=ok\n"

static const uint64_t two_sizes[] = { 8, 1024 };

void trial_init(struct trial *t, const char *worker, const char *dir)
{
	memset(t, 0, sizeof(*t));
	t->worker = worker;
	t->dir = dir;
	t->ranks = 2;
	t->hosts = 1;
	t->script = "";
	t->timeout_ms = LONG_MS;
	t->request = (struct plan_request){
		.backend = BACKEND_NCCL,
		.ops = 1ULL << OP_ALL_REDUCE,
		.transports = 1ULL << TRANSPORT_SHM,
		.timings = 1u << TIMING_STREAM,
		.sizes = two_sizes,
		.n_sizes = 2,
		.a = 0,
		.b = 1,
		.restarts = 1,
		.seed = 1,
	};
}

void trial_fini(struct trial *t)
{
	plan_fini(&t->plan);
	free(t->rows);
	t->rows = NULL;
}

/* ---- one rank ---- */

struct shared {
	struct trial *t;
	struct env env;
	struct facts facts;
	struct arm *arms;
	size_t n_arms;
	char log_dir[512];
	bool stop[TRIAL_RANKS_MAX];
};

static int prepare(struct campaign *k, struct coord *c, struct shared *s)
{
	struct trial *t = s->t;
	char why[200];
	int r;

	k->c = c;
	k->request = t->request;
	k->arms = s->arms;
	r = plan_build(&k->request, &k->plan, why, sizeof(why));
	if (r < 0)
		return r;
	k->reasons = (struct reason_context){
		.facts = &s->facts,
		.nranks = c->size,
		.n_hosts = t->hosts,
		.veto = environment_multicast_veto(s->env.vec),
	};
	k->fake_hosts = t->fake_hosts;
	k->crew = (struct crew_spec){
		.worker = t->worker,
		.log_dir = s->log_dir,
		.timeout_ns = t->timeout_ms * CLOCK_MS,
		.peer_grace_ns = t->peer_grace_ms * CLOCK_MS,
		.inherited = s->env.vec,
		.environment = { .one_host = t->hosts == 1 },
		.device = c->rank,
	};
	store_init(&k->store);
	if (c->rank == 0) {
		r = store_create(&k->store, t->dir);
		k->have_store = r == 0;
	}
	/* The others wait until the folder for their logs is there, as open_store of the program
	 * does. */
	if (c->ops->bcast(c, &r, sizeof(r), 0, clock_after_ns(PATIENCE_NS)) < 0 || r < 0)
		return r < 0 ? r : -EIO;
	return campaign_prepare(k);
}

static int one_rank(struct coord *c, void *arg)
{
	struct shared *s = arg;
	struct campaign *k = calloc(1, sizeof(*k));
	int r = k ? prepare(k, c, s) : -ENOMEM, closed;

	if (r < 0)
		goto out;
	r = campaign_run(k);
	s->stop[c->rank] = k->interrupted;
	if (c->rank == 0) {
		for (size_t i = 0; i < k->plan.n_configs && i < 8; i++) {
			s->t->teardown_us[i] = k->configs[i].teardown_us;
			s->t->teardown_beside[i] = k->configs[i].teardown_beside;
			s->t->lost[i] = k->configs[i].failures;
		}
		s->t->broken = k->broken;
		closed = store_close(&k->store);
		r = r == 0 && !k->broken ? closed : r;
	}
out:
	if (k)
		campaign_fini(k);
	free(k);
	return r;
}

/* ---- all ---- */

static bool failed(struct trial *t, const char *what, int r)
{
	snprintf(t->why, sizeof(t->why), "%s: %s", what, strerror(-r));
	return false;
}

static int set_environment(struct trial *t, struct env *e)
{
	int r = env_inherit(e, environ);

	env_drop_prefix(e, "NCCL"); /* also NCCLBENCH_: the caller's settings choose nothing here */
	if (r == 0)
		r = env_set(e, "NCCLBENCH_TEST_FAKE", t->script);
	for (const char *const *p = t->settings; p && *p && r == 0; p++) {
		char name[64];
		size_t n = strcspn(*p, "=");

		snprintf(name, sizeof(name), "%.*s", (int)n, *p);
		r = env_set(e, name, *p + n + 1);
	}
	return r;
}

static int make_arms(struct trial *t, struct shared *s)
{
	size_t n = 0;
	int r;

	while (n < 3 && t->arms[n])
		n++;
	r = n ? arms_parse(t->arms, n, &s->arms, &s->n_arms, t->why, sizeof(t->why)) : 0;
	t->request.n_arms = (int)s->n_arms;
	return r;
}

static int make_facts(struct trial *t, struct facts *f)
{
	char text[200];

	f->text = calloc((size_t)t->ranks, sizeof(*f->text));
	for (int i = 0; f->text && i < t->ranks; i++) {
		snprintf(text, sizeof(text), "device=%d\nhost=here%d\nboot=%d\n%s", i,
			 i * t->hosts / t->ranks, i * t->hosts / t->ranks, FACTS);
		f->text[f->n++] = strdup(text);
	}
	return f->text ? 0 : -ENOMEM;
}

/* Each start of a worker makes one "....rankN.startM[-K].out". */
static void count_workers(struct trial *t, const char *log_dir)
{
	DIR *d = opendir(log_dir);
	struct dirent *e;
	int rank;

	while (d && (e = readdir(d))) {
		const char *at = strstr(e->d_name, ".rank"), *end = strrchr(e->d_name, '.');

		if (at && end && strcmp(end, ".out") == 0 && sscanf(at, ".rank%d.", &rank) == 1 &&
		    rank < TRIAL_RANKS_MAX)
			t->workers[rank]++;
	}
	if (d)
		closedir(d);
}

static bool read_rows(struct trial *t)
{
	char *path = file_join(t->dir, "points.csv"), *data = NULL;
	size_t len = 0;
	int r = path ? file_read_all(path, POINTS_CSV_MAX, &data, &len) : -ENOMEM;

	if (r == 0)
		r = record_read_all(data, len, &t->rows, &t->n_rows, t->why, sizeof(t->why));
	free(path);
	free(data);
	if (r == -EBADMSG)
		return false;
	return r == 0 || failed(t, "points.csv", r);
}

bool trial_run(struct trial *t)
{
	struct coord_threads_result *result = calloc(1, sizeof(*result));
	struct shared s = { .t = t };
	int r = result ? set_environment(t, &s.env) : -ENOMEM;
	bool ok = false;

	snprintf(s.log_dir, sizeof(s.log_dir), "%s/logs", t->dir);
	t->request.nranks = t->ranks;
	if (r == 0)
		r = make_arms(t, &s);
	if (r == 0)
		r = plan_build(&t->request, &t->plan, t->why, sizeof(t->why));
	if (r == 0)
		r = make_facts(t, &s.facts);
	if (r == 0)
		r = coord_threads_run(t->ranks, clock_after_ns(PATIENCE_NS), one_rank, &s, result);
	if (r == -ETIMEDOUT)
		abort(); /* threads that are still about use what this function holds */
	if (r < 0) {
		failed(t, "cannot run the ranks", r);
		goto out;
	}
	for (int i = 0; i < t->ranks; i++) {
		t->code[i] = result->code[i];
		t->elapsed_ns[i] = result->elapsed_ns[i];
	}
	t->interrupted = s.stop[0];
	ok = true;
	for (int i = 1; i < t->ranks; i++)
		ok &= s.stop[i] == s.stop[0] ||
		      failed(t, "ranks disagree whether the sweep was stopped", 0);
	count_workers(t, s.log_dir);
	ok = ok && read_rows(t);
out:
	env_fini(&s.env);
	arms_free(s.arms, s.n_arms);
	facts_free(&s.facts);
	free(result);
	return ok;
}

/* ---- rows ---- */

static bool is_row_of(const struct trial *t, const struct record *r, size_t point)
{
	const struct plan_point *p = &t->plan.points[point];
	const char *transport = "";
	char arm[2] = "";

	for (size_t i = 0; i < t->plan.n_configs; i++) {
		const struct plan_config *c = &t->plan.configs[i];

		if (point >= c->first && point < c->first + c->n)
			transport = transport_table[c->transport].name;
		if (point >= c->first && point < c->first + c->n && t->plan.n_arms > 1)
			arm[0] = (char)('A' + c->arm);
	}
	return strcmp(r->transport, transport) == 0 && strcmp(r->arm, arm) == 0 &&
	       strcmp(r->op, op_table[p->c.op].name) == 0 &&
	       strcmp(r->timing, timing_table[p->timing].name) == 0 && r->bytes == p->c.bytes &&
	       r->ranks == p->c.nranks;
}

const struct record *trial_row(const struct trial *t, size_t point)
{
	const struct record *found = NULL;

	for (size_t i = 0; i < t->n_rows; i++) {
		if (!is_row_of(t, &t->rows[i], point))
			continue;
		if (found)
			return NULL;
		found = &t->rows[i];
	}
	return found;
}

bool trial_is_complete(struct trial *t)
{
	for (size_t i = 0; i < t->plan.n_points; i++)
		if (!trial_row(t, i)) {
			snprintf(t->why, sizeof(t->why),
				 "point %zu of %zu has no row or several (%zu rows)", i,
				 t->plan.n_points, t->n_rows);
			return false;
		}
	if (t->n_rows == t->plan.n_points)
		return true;
	snprintf(t->why, sizeof(t->why), "%zu rows for %zu points", t->n_rows, t->plan.n_points);
	return false;
}
