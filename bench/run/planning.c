/* SPDX-License-Identifier: Apache-2.0 */
/* See planning.h. */
#include "run/planning.h"

#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "ncclbench/exitcode.h"
#include "run/compare.h"
#include "run/given.h"
#include "run/matrix.h"
#include "run/option_check.h"
#include "run/run.h"
#include "run/tuned.h"
#include "search/tunable.h"
#include "spec/timing.h"
#include "spec/transport.h"

int planning_conditions(const struct run *r)
{
	char machine[160], versions[160], why[400];

	launch_titles(&r->launch, r->coord.size, machine, sizeof(machine), versions,
		      sizeof(versions));
	return confirm_conditions(&r->confirm, &r->launch.facts, machine, why, sizeof(why)) < 0
		   ? given_refuse_verdict(&r->coord, &r->options, why)
		   : 0;
}

static int keep_suspects(struct run *r)
{
	char why[400];
	int rc;

	launch_map(&r->launch, r->campaign.map, sizeof(r->campaign.map));
	rc = confirm_plan(&r->confirm, r->campaign.map, &r->campaign.plan, why, sizeof(why));
	return rc == -EINVAL ? given_refuse_verdict(&r->coord, &r->options, why) : rc;
}

/* So many comparisons need so many pairs, or none of them could be decided. */
static int enough_restarts(struct run *r, char *why, size_t why_max)
{
	struct plan_request *q = &r->campaign.request;
	int restarts = compare_restarts(&r->campaign.plan);

	if (restarts <= r->campaign.plan.restarts)
		return 0;
	q->restarts = restarts;
	plan_fini(&r->campaign.plan);
	return plan_build(q, &r->campaign.plan, why, why_max);
}

static int nccl_version(const struct run *r)
{
	char text[64] = "";

	facts_get(&r->launch.facts, 0, "lib_version", text, sizeof(text));
	return tunable_version(text);
}

static int refuse(const struct run *r, const char *why)
{
	if (r->coord.rank == 0)
		log_error("%s", why);
	return GIVEN_STOP(NB_EXIT_USAGE);
}

/* What a command or an option asks for by itself. */
static int complete_request(struct run *r, char *why, size_t why_max)
{
	static const uint64_t pairs_nccl[] = { 8, 64 << 20 }, pairs_ucx[] = { 8, 4 << 20 };
	struct plan_request *q = &r->campaign.request;
	int rc = 0;

	if (r->options.confirm)
		rc = confirm_request(&r->confirm, q, &r->options.sizes, why, why_max);
	if (rc < 0)
		return rc == -EINVAL ? given_refuse_verdict(&r->coord, &r->options, why) : rc;
	if (r->options.tune)
		rc = tune_request(&r->options, q, &r->options.sizes, why, why_max);
	if (rc < 0)
		return rc == -EINVAL ? refuse(r, why) : rc;
	if (q->all_pairs && !q->sizes && !q->begin && !q->end && !q->factor && !q->step) {
		q->sizes = q->backend == BACKEND_UCX ? pairs_ucx : pairs_nccl;
		q->n_sizes = N_ELEMENTS(pairs_nccl);
	}
	if (r->options.health)
		health_request(&r->options, &r->launch, r->coord.n_hosts, r->finish.required, q);
	return 0;
}

/* What is required is measured, also when the default would leave it out. */
static int add_required(struct run *r, char *why, size_t why_max)
{
	struct plan_request *q = &r->campaign.request;
	struct plan probe = { 0 };
	int rc;

	if (q->transports != 0 || !r->finish.required)
		return 0;
	rc = plan_build(q, &probe, why, why_max);
	for (size_t i = 0; rc == 0 && i < probe.n_configs; i++)
		q->transports |= 1ULL << probe.configs[i].transport;
	q->transports |= r->finish.required;
	plan_fini(&probe);
	return rc;
}

static int adapt_plan(struct run *r, char *why, size_t why_max)
{
	struct plan *p = &r->campaign.plan;
	int rc = 0;

	if (r->options.confirm)
		rc = keep_suspects(r);
	if (rc == 0 && r->options.matrix)
		matrix_plan(p, r->options.arms, nccl_version(r));
	else if (rc == 0 && r->options.tuned)
		tuned_plan(p, r->options.arms);
	else if (rc == 0 && r->options.n_arms && !r->options.restarts_given)
		rc = enough_restarts(r, why, why_max);
	if (rc == 0 && r->options.tune)
		rc = tune_check(&r->options, p, why, why_max);
	return rc;
}

int planning_make(struct run *r)
{
	struct plan_request *q = &r->campaign.request;
	const char *wrong;
	char why[400] = "";
	int rc;

	*q = r->options.plan;
	q->backend = r->launch.backend;
	q->nranks = r->coord.size;
	q->have_ib = launch_ib_devices(&r->launch) > 0;
	wrong = option_misfit(&r->options, q->backend, q->nranks, r->coord.n_hosts);
	rc = wrong ? refuse(r, wrong) : 0;
	if (rc == 0)
		rc = options_transports(&r->options, q->backend, &q->transports,
					&r->finish.required) < 0
			 ? GIVEN_STOP(NB_EXIT_USAGE)
			 : 0;
	if (rc == 0)
		rc = complete_request(r, why, sizeof(why));
	if (rc == 0)
		rc = add_required(r, why, sizeof(why));
	if (rc == 0)
		rc = plan_build(q, &r->campaign.plan, why, sizeof(why));
	if (rc == 0)
		rc = adapt_plan(r, why, sizeof(why));
	return rc == -EINVAL ? refuse(r, why) : rc;
}

void planning_print(const struct run *r)
{
	const struct plan *p = &r->campaign.plan;

	printf("backend %s, %d ranks, %d restart%s, seed %llu, plan %016llx\n",
	       backend_names[r->launch.backend], r->coord.size, p->restarts,
	       p->restarts == 1 ? "" : "s", (unsigned long long)r->campaign.request.seed,
	       (unsigned long long)p->fingerprint);
	for (size_t i = 0; i < p->n_configs; i++) {
		const struct plan_config *c = &p->configs[i];

		printf("%s", transport_table[c->transport].name);
		if (r->campaign.request.n_counts)
			printf(", %d ranks", c->nranks);
		printf("%s%s: %zu points\n", p->n_arms > 1 ? ", arm " : "",
		       p->n_arms > 1 ? r->options.arms[c->arm].label : "", c->n);
		for (size_t k = c->first; k < c->first + c->n; k++) {
			const struct plan_point *q = &p->points[k];

			printf("  %s %llu B %s%s%s\n", op_table[q->c.op].name,
			       (unsigned long long)q->asked_bytes, timing_table[q->timing].name,
			       q->impossible ? ": " : "", q->impossible ? q->impossible : "");
		}
	}
}
