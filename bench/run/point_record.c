/* SPDX-License-Identifier: Apache-2.0 */
/* The row of point.h: what was asked, what came of it, over which way. Measures nothing. */
#include <stdio.h>
#include <string.h>

#include "data/stats.h"
#include "run/arm.h"
#include "run/campaign.h"
#include "run/coord.h"
#include "run/point.h"
#include "run/told.h"
#include "spec/dtype.h"
#include "spec/load.h"
#include "spec/outcome.h"
#include "spec/redop.h"
#include "spec/timing.h"
#include "spec/transport.h"

/* "0:gpu0 1:gpu1 2:gpu2" of all ranks -> that of the first n. */
static void first_words(const char *map, int n, char *out, size_t max)
{
	const char *end = map;

	while (n-- > 0 && *end) {
		end += *end == ' ';
		end += strcspn(end, " ");
	}
	snprintf(out, max, "%.*s", (int)(end - map), map);
}

void point_key(int transport, const struct plan_point *p, const char *map, struct record *r)
{
	const struct transport *t = &transport_table[transport];

	record_set(r->backend, sizeof(r->backend), backend_names[t->backend]);
	record_set(r->transport, sizeof(r->transport), t->name);
	record_set(r->variant, sizeof(r->variant), variant_table[p->variant].name);
	record_set(r->op, sizeof(r->op), op_table[p->c.op].name);
	record_set(r->dtype, sizeof(r->dtype), dtype_table[p->c.dtype].name);
	record_set(r->redop, sizeof(r->redop),
		   op_table[p->c.op].flags & OP_REDUCES ? redop_table[p->c.redop].name : "none");
	first_words(map, p->c.nranks, r->map, sizeof(r->map));
	record_set(r->timing, sizeof(r->timing), timing_table[p->timing].name);
	record_set(r->load, sizeof(r->load), load_table[p->load].name);
	if (op_table[p->c.op].flags & OP_PAIR)
		snprintf(r->pair, sizeof(r->pair), "%d-%d", p->c.a, p->c.b);
	r->in_place = p->c.in_place;
	r->root = p->c.root;
	r->ranks = p->c.nranks;
	/* A point that is not measured keeps the size asked for: rows stay unique. */
	r->bytes = p->impossible ? p->asked_bytes : p->c.bytes;
}

static void fill_key(const struct campaign *k, size_t config, const struct plan_point *p,
		     struct record *r)
{
	const struct arm *arm = campaign_arm(k, config);

	point_key(k->plan.configs[config].transport, p, k->map, r);
	if (!arm)
		return;
	record_set(r->arm, sizeof(r->arm), arm->label);
	record_set(r->algo_req, sizeof(r->algo_req), arm->algo_req);
	record_set(r->proto_req, sizeof(r->proto_req), arm->proto_req);
}

static void fill_algorithm(const struct point_state *s, struct record *r)
{
	const struct scan_tuning *t = &s->tuning;

	if (s->path.channels > 0)
		r->channels = s->path.channels;
	if (!t->algo[0])
		return;
	record_set(r->algo, sizeof(r->algo), t->algo);
	record_set(r->proto, sizeof(r->proto), t->proto);
	if (t->channels > 0)
		r->channels = t->channels;
}

/* The row's figures are of all restarts: one that went another way spoils the proof of the others.
 */
static void judge_path(const struct crew *w, const struct plan_point *p, const int *host,
		       struct point_state *s)
{
	static const int badness[] = { [PROOF_YES] = 0, [PROOF_UNKNOWN] = 1, [PROOF_NO] = 2 };
	struct proof now;

	evidence_judge(&w->evidence, w->transport, &p->c, host, s->tuning.algo, &now);
	if (!s->judged || badness[now.verdict] > badness[s->path.verdict])
		s->path = now;
	s->judged = true;
}

static void fill_proof(struct campaign *k, const struct crew *w, size_t config, size_t point,
		       struct record *r)
{
	struct point_state *s = &k->points[point];
	const char *why = s->told_detail;

	if (transport_table[w->transport].backend == BACKEND_UCX) {
		record_set(r->used, sizeof(r->used), s->used);
		record_set(r->proof, sizeof(r->proof),
			   s->told > 0 ? told_words[s->told - 1] : "unknown");
	} else {
		judge_path(w, &k->plan.points[point], k->configs[config].host, s);
		why = s->path.detail;
		record_set(r->used, sizeof(r->used), s->path.used);
		record_set(r->proof, sizeof(r->proof), proof_names[s->path.verdict]);
		fill_algorithm(s, r);
	}
	if (strcmp(r->proof, "no") == 0 &&
	    strcmp(r->outcome, outcome_table[OUTCOME_OK].name) == 0) {
		record_set(r->outcome, sizeof(r->outcome), outcome_table[OUTCOME_UNPROVEN].name);
		record_set(r->detail, sizeof(r->detail),
			   why[0] ? why : "another transport carried the data");
	} else if (strcmp(r->proof, "unknown") == 0) {
		record_set(r->detail, sizeof(r->detail), why);
	}
}

int point_record(struct campaign *k, const struct crew *w, size_t config, size_t point,
		 const struct fault *worst, const char *stop)
{
	struct point_state *s = &k->points[point];
	const struct plan_point *p = &k->plan.points[point];
	struct record *r = &s->record;
	int rc = 0;

	record_init(r);
	fill_key(k, config, p, r);
	record_set(r->outcome, sizeof(r->outcome), outcome_table[worst->outcome].name);
	record_set(r->phase, sizeof(r->phase), fault_is(worst) ? phase_names[worst->phase] : "");
	record_set(r->detail, sizeof(r->detail), worst->detail);
	if (worst->outcome == OUTCOME_CORRUPT)
		r->wrong = s->wrong;
	if (fault_is(worst))
		return 0;
	rc = merged_fill(&s->merged, r);
	r->wrong = 0;
	record_set(r->stop, sizeof(r->stop), stop);
	if (s->n_slow > 0)
		r->load_slowdown = stats_median(s->slow, (size_t)s->n_slow);
	if (w && k->c->rank == 0)
		fill_proof(k, w, config, point, r);
	record_derive(r);
	r->peak_pct = peak_percent(k->peaks, k->n_peaks, k->plan.configs[config].transport, r);
	return rc;
}
