/* SPDX-License-Identifier: Apache-2.0 */
/* See campaign.h. One configuration's turn is in shift.c. */
#include "run/campaign.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "run/arm.h"
#include "run/coord.h"
#include "run/progress.h"
#include "run/relay.h"
#include "run/shift.h"
#include "run/step.h"
#include "spec/outcome.h"

#define ROUND_NS (900 * CLOCK_S)

/* ---- before ---- */

static bool same_host(const struct campaign *k, int a, int b, int nranks)
{
	if (k->fake_hosts)
		return environment_fake_host(a, nranks, k->fake_hosts) ==
		       environment_fake_host(b, nranks, k->fake_hosts);
	return facts_same_host(k->reasons.facts, a, b);
}

/* Of the first n ranks; the lowest rank of a host is its number. */
static int fill_hosts(const struct campaign *k, int n, int *host)
{
	int hosts = 0;

	for (int i = 0; i < n; i++) {
		host[i] = i;
		for (int j = 0; j < i && host[i] == i; j++)
			if (host[j] == j && same_host(k, i, j, n))
				host[i] = j;
		hosts += host[i] == i;
	}
	/* Of all ranks MPI knows best. */
	return n == k->c->size && !k->fake_hosts ? k->reasons.n_hosts : hosts;
}

/* With --share-gpu each rank is a host of its own for NCCL. */
static int number_hosts(struct campaign *k, size_t config)
{
	struct config_state *cs = &k->configs[config];
	int n = k->plan.configs[config].nranks;

	cs->n_hosts = k->reasons.n_hosts;
	if (k->reasons.n_hosts < 2 && !k->fake_hosts)
		return 0;
	cs->host = calloc((size_t)n + 1, sizeof(*cs->host));
	if (!cs->host)
		return -ENOMEM;
	cs->n_hosts = fill_hosts(k, n, cs->host);
	if (cs->n_hosts > 1 && !k->crew.environment.share_gpu)
		return 0;
	free(cs->host);
	cs->host = NULL;
	return 0;
}

const struct arm *campaign_arm(const struct campaign *k, size_t config)
{
	return k->arms ? &k->arms[k->plan.configs[config].arm] : NULL;
}

int campaign_prepare(struct campaign *k)
{
	k->points = calloc(k->plan.n_points + 1, sizeof(*k->points));
	k->configs = calloc(k->plan.n_configs + 1, sizeof(*k->configs));
	if (!k->points || !k->configs)
		return -ENOMEM;
	card_init(&k->card);
	k->crew.card = &k->card;
	k->crew.spent_ns = k->spent_ns;
	for (size_t i = 0; i < k->plan.n_points; i++)
		k->points[i].est_us = k->points[i].wrong = NAN;
	for (size_t i = 0; i < k->plan.n_configs; i++)
		k->configs[i].context_us = k->configs[i].init_us = k->configs[i].first_op_us =
		    k->configs[i].teardown_us = -1;
	for (size_t i = 0; i < k->plan.n_configs; i++) {
		int r = number_hosts(k, i);

		if (r < 0)
			return r;
	}
	return 0;
}

void campaign_fini(struct campaign *k)
{
	for (size_t i = 0; k->points && i < k->plan.n_points; i++)
		merged_fini(&k->points[i].merged);
	for (size_t i = 0; k->configs && i < k->plan.n_configs; i++) {
		free(k->configs[i].host);
		pairs_fini(&k->configs[i].pairs);
	}
	if (k->have_last) { /* the run broke off before its answer was due */
		(void)session_stop(&k->last.session, SESSION_KILL);
		crew_fini(&k->last);
	}
	free(k->points);
	free(k->configs);
	if (k->cards)
		coord_free_texts(k->cards, k->request.nranks);
	k->cards = NULL;
	plan_fini(&k->plan);
}

/* A point takes a turn in each restart; its row is final in the last one only. */
void campaign_show(struct campaign *k, const char *what)
{
	progress_show(k->progress, what, k->n_turns, k->plan.n_points * (size_t)k->plan.restarts);
}

/* ---- all ---- */

/* Rank 0 knows the reasons; the others learn which configurations are out. */
static int rule_out(struct campaign *k)
{
	int r = 0;

	for (size_t i = 0; i < k->plan.n_configs && r == 0; i++) {
		char why[RECORD_DETAIL] = "";

		struct reason_context x = k->reasons;

		x.nranks = k->plan.configs[i].nranks;
		x.n_hosts = k->configs[i].n_hosts;
		if (k->c->rank == 0)
			reason_before(k->plan.configs[i].transport, &x, why, sizeof(why));
		r = k->c->ops->bcast(k->c, why, sizeof(why), 0, clock_after_ns(ROUND_NS));
		if (r == 0 && why[0])
			shift_give_up(&k->configs[i], OUTCOME_UNAVAILABLE, why);
	}
	return r;
}

/* Points that had only some of their restarts when the sweep was stopped: what they have is a row.
 */
static void keep_unfinished(struct campaign *k)
{
	for (size_t i = 0; i < k->plan.n_points; i++)
		if (step_has_figures(k, i))
			step_finish(k, i);
}

/* Rank 0's environment stands for all: rounds must be equal on all ranks. */
static int find_pairs(struct campaign *k)
{
	struct buf steering = { 0 };
	bool steered = k->plan.n_arms > 1;
	int r;

	if (k->crew.inherited)
		environment_steering(k->crew.inherited, &steering);
	steered |= steering.len > 0 || steering.failed;
	buf_fini(&steering);
	r = k->c->ops->bcast(k->c, &steered, sizeof(steered), 0, clock_after_ns(ROUND_NS));
	for (size_t i = 0; i < k->plan.n_configs && r == 0; i++)
		r = pairs_build(k, i, steered, &k->configs[i].pairs);
	return r;
}

int campaign_run(struct campaign *k)
{
	size_t turns = k->plan.n_configs * (size_t)k->plan.restarts;
	int r = rule_out(k);

	if (r == 0)
		r = find_pairs(k);
	for (k->turn = 0; k->turn < turns && r == 0 && !k->interrupted; k->turn++) {
		int restart = (int)(k->turn / k->plan.n_configs);

		r = shift_run(k, plan_turn(&k->plan, restart, k->turn % k->plan.n_configs),
			      restart);
	}
	relay_drop(k);
	if (r == 0)
		r = relay_finish(k);
	if (k->interrupted)
		keep_unfinished(k);
	progress_clear(k->progress);
	return r;
}

int campaign_gather_cards(struct campaign *k)
{
	struct buf mine = { 0 };
	int r;

	card_lines(&k->card, &mine);
	r = mine.failed
		? -ENOMEM
		: coord_gather_text(k->c, buf_text(&mine), &k->cards, clock_after_ns(ROUND_NS));
	buf_fini(&mine);
	return r;
}
