/* SPDX-License-Identifier: Apache-2.0 */
/* ncclbench-run: one supervisor per rank. Options before MPI_Init, then facts, plan, campaign,
 * results, in that order; how each is done is in its own file. Never touches CUDA. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/launcher.h"
#include "base/log.h"
#include "base/output.h"
#include "ncclbench/exitcode.h"
#include "run/agree.h"
#include "run/ceiling.h"
#include "run/given.h"
#include "run/planning.h"
#include "run/run.h"
#include "run/run_dir.h"
#include "run/session.h"
#include "spec/transport.h"

#define SPEAK_NS                                                                                   \
	(5 * CLOCK_S) /* for rank 0 to start and for its line to get to the terminal; its end ends \
			 the others */
#define LIBRARY_PROBE_NS (60 * CLOCK_S)
/* Of health's one deadline: RAS 0.4 s, the stop ladder 3 x 0.2 s, logs and words. mpirun takes 2 s
 * more to end after a bad exit. */
#define HEALTH_RESERVE_NS (1600 * CLOCK_MS)
#define HEALTH_GRACE_NS (200 * CLOCK_MS)

/* ---- campaign ---- */

/* What the arms' own libraries are; only for run.json and the table, so one rank asks. */
static void ask_libraries(struct run *r)
{
	for (size_t i = 0; i < r->options.n_arms && r->coord.rank == 0; i++) {
		struct arm *a = &r->options.arms[i];
		char *probed = NULL, why[300];

		if (!a->nccl_lib)
			continue;
		if (!facts_probe(r->launch.worker, a->nccl_lib, LIBRARY_PROBE_NS, &probed, why,
				 sizeof(why))) {
			log_note("--ab: the version of %s is not known: %s", a->nccl_lib, why);
			continue;
		}
		facts_text_get(probed, "lib_version", a->lib_version, sizeof(a->lib_version));
		free(probed);
	}
}

static struct crew_spec crew_of(struct run *r)
{
	const struct options *o = &r->options;
	unsigned long long ops = o->plan.ops;
	struct crew_spec crew = {
		.worker = r->launch.worker,
		.log_dir = r->log_dir,
		.timeout_ns = o->timeout_ns,
		.inherited = environ,
		.environment = { .one_host = r->coord.n_hosts == 1,
				 .share_gpu = r->launch.shared_gpu,
				 .veto = r->veto,
				 .nccl_lib = o->nccl_lib,
				 .net_device =
				     r->launch.net_device[0] ? r->launch.net_device : NULL },
		.place = &r->place,
		.device = r->launch.device,
		.deadline_ns = o->deadline_ns,
		.grace_ns = o->health ? HEALTH_GRACE_NS : 0,
	};

	if (o->match)
		crew.environment.method =
		    environment_nccl_tests(ops == 0 || ops >> OP_SENDRECV & 1);
	return crew;
}

static void set_up_finish(struct run *r)
{
	r->finish.options = &r->options;
	r->finish.launch = &r->launch;
	r->finish.when = r->when;
	r->finish.inherited = environ;
	r->finish.n_hosts = r->coord.n_hosts;
	r->finish.place = r->place.text;
}

static void choose_place(struct run *r)
{
	int policy = r->options.bind;

	if (policy < 0)
		policy = r->launch.backend == BACKEND_NCCL ? PLACE_NEAR : PLACE_INHERIT;
	place_choose(policy, r->launch.bus, &r->place);
}

static void set_up_campaign(struct run *r)
{
	struct campaign *k = &r->campaign;

	choose_place(r);
	k->c = &r->coord;
	k->arms = r->options.arms;
	ask_libraries(r);
	if (!r->options.matrix && !r->options.tuned && !r->options.n_channels)
		arms_lint(k->arms, r->options.n_arms, r->launch.backend);
	k->reasons = (struct reason_context){
		.facts = &r->launch.facts,
		.nranks = r->coord.size,
		.n_hosts = r->coord.n_hosts,
		.shared_gpu = r->launch.shared_gpu,
		.veto = r->veto,
		.ib_devices = launch_ib_devices(&r->launch),
	};
	k->fake_hosts = r->launch.fake_hosts;
	k->crew = crew_of(r);
	if (r->launch.backend == BACKEND_NCCL) {
		k->n_peaks = peak_spec(&r->launch.facts, r->coord.size, k->peaks);
		k->n_peaks += peak_other(&r->launch.facts, r->coord.size, k->peaks + k->n_peaks);
	}
	launch_map(&r->launch, k->map, sizeof(k->map));
	set_up_finish(r);
	if (r->coord.rank == 0 && !r->options.health) {
		progress_init(&r->progress, r->options.json);
		k->progress = &r->progress;
	}
	if (r->place.text[0])
		log_note("%s (--bind inherit keeps it)", r->place.text);
}

static void say_what(const struct run *r)
{
	char machine[160], versions[160];

	launch_titles(&r->launch, r->coord.size, machine, sizeof(machine), versions,
		      sizeof(versions));
	log_note("%s; %s; %zu points, %s", machine, versions, r->campaign.plan.n_points,
		 r->campaign.store.dir);
}

static int measure(struct run *r)
{
	bool ceilings =
	    r->options.ceilings < 0 ? r->launch.backend == BACKEND_NCCL : r->options.ceilings;
	int64_t start = clock_now_ns();
	int rc;

	if (r->coord.rank == 0) {
		say_what(r);
		rc = finish_meta(&r->campaign, &r->finish, false, 0);
		if (rc < 0) {
			log_error("cannot write %s/run.json: %s", r->campaign.store.dir,
				  strerror(-rc));
			r->campaign.broken = true; /* the first round tells the others */
		}
	}
	/* NCCL's choice of an interface is known before, UCX's when it has connected. */
	if (ceilings && r->launch.backend == BACKEND_UCX) {
		r->campaign.joined = ceiling_tcp_joined;
		r->campaign.joined_arg = &r->launch;
	}
	rc = ceilings && r->launch.backend == BACKEND_NCCL ? ceiling_tcp(&r->campaign, &r->launch)
							   : 0;
	if (rc == 0)
		rc = campaign_run(&r->campaign);
	if (rc == 0 && ceilings && !r->campaign.interrupted)
		rc = ceiling_copies(&r->campaign, &r->launch);
	if (rc == 0)
		rc = campaign_gather_cards(&r->campaign);
	if (rc < 0)
		return rc;
	r->finish.seconds = (double)(clock_now_ns() - start) / CLOCK_S;
	return given_code(
	    &r->coord, r->coord.rank == 0 ? GIVEN_STOP(finish_run(&r->campaign, &r->finish)) : 0);
}

static double seconds_since_start(const struct run *r)
{
	return (double)(clock_now_ns() - r->start_ns) / CLOCK_S;
}

static int check_health(struct run *r)
{
	struct campaign *k = &r->campaign;
	int code = 0, rc;

	k->checks_only = true;
	k->watch = health_watch;
	k->watch_arg = &r->health;
	rc = campaign_run(k);
	r->finish.seconds = seconds_since_start(r);
	if (rc == 0)
		rc = health_finish(&r->health, k, &r->finish, &code);
	return rc < 0 ? rc : given_code(&r->coord, GIVEN_STOP(code));
}

static int tune(struct run *r)
{
	struct campaign *k = &r->campaign;
	int code = NB_EXIT_BROKEN, rc;

	if (r->coord.rank == 0)
		say_what(r);
	rc = tune_run(&r->tune, k, &r->finish, &code);
	tune_fini(&r->tune);
	return rc < 0 ? rc : given_code(&r->coord, GIVEN_STOP(code));
}

static int open_logs(struct run *r)
{
	int rc = health_open(&r->health, &r->coord, &r->options);

	snprintf(r->log_dir, sizeof(r->log_dir), "%s", r->health.dir);
	return rc;
}

static int run(struct run *r, int launcher_size)
{
	int rc = agree_on_ranks(r, launcher_size);

	if (rc == 0)
		rc = agree_on_words(r);
	if (rc == 0)
		rc = agree_on_veto(r);
	if (rc == 0 && r->options.confirm)
		rc = given_verdict(&r->coord, &r->options, &r->confirm);
	if (rc == 0 && r->options.tuned)
		rc = given_tuned(&r->coord, &r->options);
	if (rc == 0)
		rc = launch_decide(&r->coord, &r->options, &r->launch);
	if (rc > 0 && r->launch.refusal[0] && r->coord.rank == 0)
		health_refused(&r->launch, &r->options, seconds_since_start(r));
	if (rc == 0 && r->options.confirm)
		rc = planning_conditions(r);
	if (rc == 0)
		rc = agree_on_seed(r);
	if (rc == 0) {
		rc = planning_make(r);
		rc = rc < 0 ? rc : agree_on_plan(r, rc);
	}
	if (rc == 0 && r->options.dry_run) {
		if (r->coord.rank == 0)
			planning_print(r);
		if (r->coord.rank == 0 && r->options.tune)
			tune_print_space(&r->campaign, &r->options, &r->launch, environ);
		return GIVEN_STOP(NB_EXIT_OK);
	}
	if (rc == 0)
		rc = r->options.health ? open_logs(r) : run_dir_open(r);
	if (rc != 0)
		return rc;
	set_up_campaign(r);
	rc = campaign_prepare(&r->campaign);
	if (rc < 0)
		return rc;
	return r->options.health ? check_health(r) : r->options.tune ? tune(r) : measure(r);
}

static void set_deadline(struct run *r)
{
	int64_t all = r->options.timeout_ns;
	/* Who gives more time in all has a slower machine, and that ends its workers slower, too.
	 */
	int64_t after = all / 5 > HEALTH_RESERVE_NS ? all / 5 : HEALTH_RESERVE_NS;

	r->options.deadline_ns = r->start_ns + all - (all / 2 < after ? all / 2 : after);
	health_arm(r->options.deadline_ns + after);
}

int main(int argc, char **argv)
{
	static struct run r;
	struct launcher place;
	int rc;

	r.start_ns = clock_now_ns();
	output_guard();
	(void)launcher_find(&place);
	log_setup("ncclbench", place.rank, place.rank == 0);
	rc = options_parse(&r.options, argc, argv, place.rank == 0);
	if (rc > 0) {
		options_fini(&r.options);
		/* mpirun kills the others when the first one fails: let rank 0 have its word. */
		if (place.rank != 0 && rc - 1 != NB_EXIT_OK)
			clock_sleep_ns(SPEAK_NS);
		return rc - 1;
	}
	if (r.options.health)
		set_deadline(&r);
	clock_utc(0, r.when, sizeof(r.when));
	rc = coord_open(&r.coord);
	if (rc < 0)
		return NB_EXIT_BROKEN;
	log_setup("ncclbench", r.coord.rank, r.coord.rank == 0);
	session_catch_signals();
	rc = run(&r, place.size);
	if (rc < 0) {
		log_error("the supervisors cannot go on: %s", strerror(-rc));
		r.coord.ops->abort(&r.coord, NB_EXIT_BROKEN);
		return NB_EXIT_BROKEN;
	}
	r.coord.ops->close(&r.coord);
	health_fini(&r.health);
	campaign_fini(&r.campaign);
	confirm_fini(&r.confirm);
	facts_free(&r.launch.facts);
	options_fini(&r.options);
	return rc > 0 ? rc - 1 : NB_EXIT_OK;
}
