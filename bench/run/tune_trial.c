/* SPDX-License-Identifier: Apache-2.0 */
/* See tune_trial.h. */
#include "run/tune_trial.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/arm.h"
#include "run/campaign.h"
#include "run/coord.h"
#include "run/fault.h"
#include "run/point.h"
#include "run/reason.h"
#include "run/tune_class.h"
#include "spec/outcome.h"

static void forget_points(struct campaign *k, size_t config)
{
	const struct plan_config *pc = &k->plan.configs[config];

	for (size_t i = pc->first; i < pc->first + pc->n; i++) {
		merged_fini(&k->points[i].merged);
		memset(&k->points[i], 0, sizeof(k->points[i]));
		k->points[i].est_us = k->points[i].wrong = NAN;
	}
}

/* The names and values stay the tables'. */
static void make_arm(const struct tune_order *o, struct env_pair *pairs, struct arm *a)
{
	*a = (struct arm){ .set = pairs, .n = o->s.n, .beats_base = true };
	for (size_t i = 0; i < o->s.n; i++)
		pairs[i] = (struct env_pair){ setting_name(&o->s, i), setting_value(&o->s, i) };
	snprintf(a->tag, sizeof(a->tag), "%d", o->attempt);
}

/* Each point twice: a single checked operation, which connects and proves, and the measurement. */
static int measure_points(struct campaign *k, struct crew *w, size_t config, double *us,
			  struct fault *worst)
{
	const struct plan_config *pc = &k->plan.configs[config];
	const char *stop = "";
	int r = 0;

	for (size_t i = 0; i < pc->n && r == 0 && !fault_is(worst) && !w->stop; i++)
		if (!k->plan.points[pc->first + i].impossible)
			r = point_probe(k, w, config, pc->first + i, false, worst);
	for (size_t i = 0; i < pc->n && r == 0 && !fault_is(worst) && !w->stop; i++) {
		if (k->plan.points[pc->first + i].impossible)
			continue;
		r = point_measure(k, w, config, pc->first + i, 0, &stop, worst);
		if (r == 0 && !fault_is(worst)) {
			us[i] = merged_last_median_us(&k->points[pc->first + i].merged);
			r = point_record(k, w, config, pc->first + i, worst, stop);
		}
	}
	return r;
}

static void set_fault(const struct fault *f, struct trial *out)
{
	out->outcome = f->outcome;
	snprintf(out->detail, sizeof(out->detail), "%s%s%s", phase_names[f->phase],
		 f->detail[0] ? ": " : "", f->detail);
}

/* A setting that sends the data another way did not make this transport faster. */
static void judge_records(const struct campaign *k, size_t config, struct trial *out, char *used,
			  size_t used_max)
{
	const struct plan_config *pc = &k->plan.configs[config];

	for (size_t i = pc->first; i < pc->first + pc->n && out->outcome == OUTCOME_OK; i++) {
		const struct record *r = &k->points[i].record;
		int outcome = outcome_find(r->outcome);

		if (k->plan.points[i].impossible)
			continue;
		snprintf(used, used_max, "%s", r->used);
		if (outcome == OUTCOME_OK)
			continue;
		out->outcome = outcome < 0 ? OUTCOME_ERROR : outcome;
		snprintf(out->detail, sizeof(out->detail), "%s", r->detail);
	}
}

/* Hundreds of workers that did well need no logs; one that did not keeps them. */
static void drop_logs(const struct crew *w)
{
	size_t n = w->evidence.path[0] ? strlen(w->evidence.path[0]) : 0;
	char output[4096];

	for (int i = 0; i < 2; i++)
		if (w->evidence.path[i])
			unlink(w->evidence.path[i]);
	if (n < 4 || n >= sizeof(output))
		return;
	snprintf(output, sizeof(output), "%.*s.out", (int)(n - 4), w->evidence.path[0]);
	unlink(output);
}

static int use_crew(struct campaign *k, struct crew *w, const struct tune_order *o,
		    const struct crew_spec *spec, double *us, struct trial *out)
{
	struct fault worst;
	int64_t teardown_us;
	int r;

	fault_clear(&worst);
	r = crew_start(w, spec, &worst);
	if (r == 0 && !fault_is(&worst) && !w->stop)
		r = measure_points(k, w, o->config, us, &worst);
	if (r < 0) {
		(void)session_stop(&w->session, SESSION_KILL);
		return r;
	}
	if (fault_is(&worst))
		reason_after(spec->transport, &w->evidence.scan, &worst);
	set_fault(&worst, out);
	if (!fault_is(&worst))
		out->detail[0] = '\0';
	r = crew_stop(w, fault_is(&worst) || w->stop ? SESSION_KILL : SESSION_LEAVE, &teardown_us);
	return r < 0 ? r : w->stop ? -EINTR : 0;
}

int tune_trial(struct campaign *k, const struct tune_classes *c, const struct tune_order *o,
	       struct trial *out, char *used, size_t used_max)
{
	struct env_pair pairs[SETTING_MAX];
	int64_t start = clock_now_ns();
	struct crew_spec spec = k->crew;
	struct arm arm;
	struct crew w;
	double *us = calloc(c->n_points + 1, sizeof(*us));
	int r = us ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	make_arm(o, pairs, &arm);
	forget_points(k, o->config);
	spec.transport = k->plan.configs[o->config].transport;
	spec.environment.arm = &arm;
	spec.deadline_ns = start + (int64_t)(o->limit_s * CLOCK_S);
	crew_init(&w, k->c);
	w.broken = k->broken;
	r = use_crew(k, &w, o, &spec, us, out);
	if (r == 0 && k->c->rank == 0)
		judge_records(k, o->config, out, used, used_max);
	if (r == 0 && k->c->rank == 0 && out->outcome == OUTCOME_OK)
		tune_classes_fold(c, us, out->us);
	if (r == 0 && out->outcome == OUTCOME_OK)
		drop_logs(&w);
	out->cost_s = (double)(clock_now_ns() - start) / CLOCK_S;
	crew_fini(&w);
	free(us);
	return r;
}
