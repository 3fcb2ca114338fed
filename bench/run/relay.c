/* SPDX-License-Identifier: Apache-2.0 */
/* See relay.h. What the workers are asked is decided in shift.c. */
#include "run/relay.h"

#include "run/campaign.h"
#include "run/crew.h"
#include "run/fault.h"
#include "run/step.h"

static struct crew_spec spec_of(struct campaign *k, size_t config, int restart)
{
	struct config_state *cs = &k->configs[config];
	struct crew_spec spec = k->crew;

	spec.transport = k->plan.configs[config].transport;
	spec.nranks = k->plan.configs[config].nranks;
	spec.names_ranks = k->request.n_counts > 0;
	spec.environment.one_host = cs->n_hosts == 1;
	spec.environment.fake_hosts = k->fake_hosts;
	spec.restart = restart;
	spec.attempt = cs->attempt++;
	spec.environment.tuning = !cs->ascended;
	spec.environment.arm = campaign_arm(k, config);
	return spec;
}

/* Whose turn it is after this one, if it needs workers at all: then its process comes up while this
 * one's worker ends. Equal on all ranks, as are all states it is told from. */
static int spawn_next(struct campaign *k)
{
	size_t open, turn = k->turn + 1, all = k->plan.n_configs * (size_t)k->plan.restarts;

	for (; turn < all; turn++) {
		int restart = (int)(turn / k->plan.n_configs);
		size_t config = plan_turn(&k->plan, restart, turn % k->plan.n_configs);

		if (k->configs[config].dead || !step_first_open(k, config, &open))
			continue;
		k->next_spec = spec_of(k, config, restart);
		k->next_config = config;
		k->have_next = true;
		crew_init(&k->next, k->c);
		k->next.beside = true;
		return crew_spawn(&k->next, &k->next_spec);
	}
	return 0;
}

/* What nobody came for: the sweep ended, or went another way. */
void relay_drop(struct campaign *k)
{
	if (!k->have_next)
		return;
	(void)session_stop(&k->next.session, SESSION_KILL);
	crew_fini(&k->next);
	k->have_next = false;
}

/* The crew before this one has been ending meanwhile. Collective; nothing is measured before. */
int relay_finish(struct campaign *k)
{
	struct config_state *cs = &k->configs[k->last_config];
	int64_t teardown_us = -1;
	int r;

	if (!k->have_last)
		return 0;
	k->have_last = false;
	r = crew_gone(&k->last, &teardown_us);
	if (cs->teardown_us < 0) {
		cs->teardown_us = teardown_us;
		cs->teardown_beside = k->last_beside;
	}
	crew_fini(&k->last);
	return r;
}

/* A start beside it makes a teardown up to twice as long. One restart is for speed; where there are
 * more, the first shows it as it is. */
static bool ends_alone(const struct campaign *k, size_t config)
{
	return k->watch || k->checks_only ||
	       (k->plan.restarts > 1 && k->configs[config].teardown_us < 0);
}

/* Teardown is learned once per configuration; after that NCCL's part of it is left out. Takes the
 * crew: it ends while the next one comes up, unless it has to end alone. */
int relay_stop(struct campaign *k, struct crew *w, size_t config, bool polite)
{
	enum session_end how = !polite                              ? SESSION_KILL
			       : k->configs[config].teardown_us < 0 ? SESSION_DESTROY
								    : SESSION_LEAVE;
	int64_t teardown_us = -1;
	int r = 0;

	if (!polite || ends_alone(k, config)) {
		r = crew_stop(w, how, &teardown_us);
		if (polite && k->configs[config].teardown_us < 0)
			k->configs[config].teardown_us = teardown_us;
		return r;
	}
	r = spawn_next(k);
	if (k->have_next)
		crew_announce(&k->next, &k->next_spec);
	crew_bye(w, how);
	k->last = *w;
	k->last_config = config;
	k->have_last = true;
	k->last_beside = k->have_next;
	crew_init(w, k->c);
	return r < 0 || k->have_next ? r : relay_finish(k);
}

/* The one that came up meanwhile, or a new one. */
void relay_take(struct campaign *k, size_t config, int restart, struct crew *w,
		struct crew_spec *spec)
{
	if (k->have_next && k->next_config == config && k->next_spec.restart == restart) {
		*w = k->next;
		*spec = k->next_spec;
		k->have_next = false;
		return;
	}
	relay_drop(k);
	*spec = spec_of(k, config, restart);
	crew_init(w, k->c);
}

/* One that came up beside another worker may not get the GPU while that one has it (compute mode of
 * one process, a card that is nearly full): then once more, alone. */
int relay_start(struct campaign *k, size_t config, int restart, struct crew *w,
		struct crew_spec *spec, struct fault *worst)
{
	int64_t unused;
	int r = crew_start(w, spec, worst);

	if (r == 0)
		r = relay_finish(k);
	if (r < 0 || !fault_is(worst) || !w->beside || w->stop)
		return r;
	r = crew_stop(w, SESSION_KILL, &unused);
	crew_fini(w);
	if (r < 0)
		return r;
	relay_take(k, config, restart, w, spec);
	w->broken = k->broken;
	fault_clear(worst);
	return crew_start(w, spec, worst);
}
