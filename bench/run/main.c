/* SPDX-License-Identifier: Apache-2.0 */
/* ncclbench-run: one supervisor per rank. Options before MPI_Init, then facts, plan, campaign,
 * results. Never touches CUDA. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/launcher.h"
#include "base/log.h"
#include "base/num.h"
#include "base/output.h"
#include "ncclbench/exitcode.h"
#include "run/campaign.h"
#include "run/ceiling.h"
#include "run/compare.h"
#include "run/confirm.h"
#include "run/coord.h"
#include "run/finish.h"
#include "run/given.h"
#include "run/health.h"
#include "run/launch.h"
#include "run/matrix.h"
#include "run/option_check.h"
#include "run/options.h"
#include "run/progress.h"
#include "run/session.h"
#include "run/tune.h"
#include "run/tuned.h"
#include "search/tunable.h"
#include "spec/outcome.h"
#include "spec/timing.h"
#include "spec/transport.h"

#define SPEAK_NS                                                                                   \
	(5 * CLOCK_S) /* for rank 0 to start and for its line to get to the terminal; its end ends \
			 the others */
#define LIBRARY_PROBE_NS (60 * CLOCK_S)
/* Of health's one deadline: RAS 0.4 s, the stop ladder 3 x 0.2 s, logs and words. mpirun takes 2 s
 * more to end after a bad exit. */
#define HEALTH_RESERVE_NS (1600 * CLOCK_MS)
#define HEALTH_GRACE_NS (200 * CLOCK_MS)

struct run {
	struct options options;
	struct coord coord;
	struct launch launch;
	struct campaign campaign;
	struct finish finish;
	struct place place;
	struct health health;
	struct confirm confirm;
	struct tune tune;
	int64_t start_ns;
	struct progress progress;
	int64_t veto; /* some rank's environment has NCCL_NVLS_ENABLE=0 */
	char when[32], log_dir[4096];
};

static int check_ranks(struct run *r, int launcher_size)
{
	if (r->coord.size == 1 && launcher_size > 1) {
		log_error(
		    "the launcher started %d processes but MPI sees one: this program was built "
		    "with another MPI than the mpirun "
		    "that started it; use the mpirun of the same MPI, or build with -Dmpi=NAME",
		    launcher_size);
		return GIVEN_STOP(NB_EXIT_USAGE);
	}
	if (r->coord.size == 1) {
		log_error("one rank: transports are measured between at least two; start mpirun "
			  "-np 2 ncclbench %s",
			  r->options.health ? "health"
			  : r->options.tune ? "tune"
					    : "--sweep");
		return GIVEN_STOP(NB_EXIT_USAGE);
	}
	return 0;
}

/* One rank's veto is everybody's: launchers do not carry variables to other hosts. */
static int agree_on_veto(struct run *r)
{
	r->veto = environment_multicast_veto(environ);
	return r->coord.ops->max(&r->coord, &r->veto, 1, clock_after_ns(GIVEN_ROUND_NS));
}

/* Ranks started with different words would gather different things, or not at all, and wait for
 * each other. */
static int agree_on_words(struct run *r)
{
	uint64_t hash = 14695981039346656037ULL; /* FNV-1a */
	int64_t v[2];
	int rc;

	for (const char *p = r->options.command; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 1099511628211ULL;
	v[0] = (int64_t)(hash >> 1);
	v[1] = -v[0];
	rc = r->coord.ops->max(&r->coord, v, 2, clock_after_ns(GIVEN_ROUND_NS));
	if (rc < 0 || v[0] == -v[1])
		return rc;
	if (r->coord.rank == 0)
		log_error("the ranks were given different options; start all ranks with the same "
			  "command line");
	return GIVEN_STOP(NB_EXIT_USAGE);
}

/* ---- plan ---- */

static int fewest_ib(const struct facts *f)
{
	int fewest = INT32_MAX;

	for (int i = 0; i < f->n; i++) {
		int n = (int)facts_int(f, i, "ib_devices", 0);

		fewest = n < fewest ? n : fewest;
	}
	return fewest;
}

static int agree_on_seed(struct run *r)
{
	uint64_t seed = r->options.plan.seed;
	int rc;

	if (!r->options.seed_given)
		seed = (uint64_t)clock_now_ns() ^ ((uint64_t)getpid() << 40);
	seed &= INT64_MAX;
	rc = r->coord.ops->bcast(&r->coord, &seed, sizeof(seed), 0, clock_after_ns(GIVEN_ROUND_NS));
	r->options.plan.seed = seed;
	return rc;
}

/* What decides the order of collective calls: the plan, and options that are not in it. */
static int64_t plan_words(const struct run *r)
{
	const int also[] = { r->options.plan.profile, r->options.dry_run, r->options.ceilings,
			     r->options.health, r->options.tune };
	uint64_t words = r->campaign.plan.fingerprint;

	for (size_t i = 0; i < N_ELEMENTS(also); i++)
		words = words * 31 + (uint64_t)(also[i] + 1);
	return (int64_t)(words >> 1);
}

/* Ranks started with different words would wait for each other for ever. `code` is what make_plan
 * said on this rank. */
static int agree_on_plan(struct run *r, int code)
{
	int64_t words = plan_words(r), v[3] = { words, -words, code };
	int rc = r->coord.ops->max(&r->coord, v, 3, clock_after_ns(GIVEN_ROUND_NS));

	if (rc < 0)
		return rc;
	if (v[2] == 0 && v[0] == -v[1])
		return 0;
	if (code == 0 && r->coord.rank == 0)
		log_error("the ranks were given different options or see different devices, so "
			  "their plans differ; start all ranks with the "
			  "same command line");
	return GIVEN_STOP(NB_EXIT_USAGE);
}

static void describe_map(const struct launch *l, char *out, size_t max)
{
	struct buf b = { 0 };

	for (int i = 0; l->backend == BACKEND_NCCL && i < l->facts.n; i++)
		buf_printf(&b, "%s%d:gpu%d", i ? " " : "", i, facts_device(&l->facts, i));
	/* Many ranks: what fits whole. */
	record_set(out, max, buf_text(&b));
	buf_fini(&b);
}

/* ---- --confirm ---- */

static int check_conditions(const struct run *r)
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

	describe_map(&r->launch, r->campaign.map, sizeof(r->campaign.map));
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

static int make_plan(struct run *r)
{
	struct plan_request *q = &r->campaign.request;
	const char *wrong;
	char why[400] = "";
	int rc;

	*q = r->options.plan;
	q->backend = r->launch.backend;
	q->nranks = r->coord.size;
	q->have_ib = fewest_ib(&r->launch.facts) > 0;
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

static void print_plan(const struct run *r)
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

/* ---- run directory ---- */

static int create_store(struct run *r)
{
	char host[256] = "";
	const char *named = r->options.resume ? r->options.resume : r->options.out;
	char *dir = named ? strdup(named) : NULL;
	int rc;

	store_init(&r->campaign.store);
	facts_get(&r->launch.facts, 0, "host", host, sizeof(host));
	if (!dir && !named)
		dir = store_default_dir(host);
	if (!dir)
		return -ENOMEM;
	rc = r->options.resume ? store_reopen(&r->campaign.store, dir)
			       : store_create(&r->campaign.store, dir);
	if (rc < 0 && r->options.resume)
		log_error("--resume: %s is no run directory of ncclbench that can be written: %s",
			  dir, strerror(-rc));
	else if (rc == -ENOTEMPTY)
		log_error("--out %s is not empty; earlier results are never overwritten: name a "
			  "new folder",
			  dir);
	else if (rc < 0)
		log_error("cannot create the run directory %s: %s; choose another place with --out",
			  dir, strerror(-rc));
	r->campaign.have_store = rc == 0;
	snprintf(r->campaign.dir, sizeof(r->campaign.dir), "%s", dir);
	free(dir);
	return rc < 0 ? GIVEN_STOP(NB_EXIT_USAGE) : 0;
}

/* Ranks on other hosts may not see rank 0's folder: their logs then stay in a temporary one, which
 * is named. */
static void choose_log_dir(struct run *r, const char *shared)
{
	char points[4200], template[] = "/tmp/ncclbench-logs-XXXXXX";

	snprintf(r->log_dir, sizeof(r->log_dir), "%s/logs", shared);
	snprintf(points, sizeof(points), "%s/points.csv", shared);
	if (access(r->log_dir, W_OK) == 0 && access(points, F_OK) == 0)
		return;
	if (mkdtemp(template)) {
		snprintf(r->log_dir, sizeof(r->log_dir), "%s", template);
		log_error("rank %d does not see the run directory; its workers' logs go to %s on "
			  "its own host",
			  r->coord.rank, r->log_dir);
	}
}

static int open_store(struct run *r)
{
	char *path = NULL;
	int code = r->coord.rank == 0 ? create_store(r) : 0;

	code = given_code(&r->coord, code);
	if (code != 0)
		return code;
	if (r->coord.rank == 0)
		path = realpath(r->campaign.store.dir, NULL);
	if (r->coord.rank == 0 && !path)
		return -errno;
	code = coord_bcast_text(&r->coord, &path, clock_after_ns(GIVEN_ROUND_NS));
	if (code == 0)
		choose_log_dir(r, path);
	free(path);
	return code;
}

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

static void set_up_campaign(struct run *r)
{
	struct campaign *k = &r->campaign;
	unsigned long long ops = r->options.plan.ops;
	int policy = r->options.bind;

	if (policy < 0)
		policy = r->launch.backend == BACKEND_NCCL ? PLACE_NEAR : PLACE_INHERIT;
	place_choose(policy, r->launch.bus, &r->place);
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
		.ib_devices = fewest_ib(&r->launch.facts),
	};
	k->fake_hosts = r->launch.fake_hosts;
	k->crew = (struct crew_spec){
		.worker = r->launch.worker,
		.log_dir = r->log_dir,
		.timeout_ns = r->options.timeout_ns,
		.inherited = environ,
		.environment = { .one_host = r->coord.n_hosts == 1,
				 .share_gpu = r->launch.shared_gpu,
				 .veto = r->veto,
				 .nccl_lib = r->options.nccl_lib,
				 .net_device =
				     r->launch.net_device[0] ? r->launch.net_device : NULL },
		.place = &r->place,
		.device = r->launch.device,
		.deadline_ns = r->options.deadline_ns,
		.grace_ns = r->options.health ? HEALTH_GRACE_NS : 0,
	};
	if (r->options.match)
		k->crew.environment.method =
		    environment_nccl_tests(ops == 0 || ops >> OP_SENDRECV & 1);
	if (r->launch.backend == BACKEND_NCCL) {
		k->n_peaks = peak_spec(&r->launch.facts, r->coord.size, k->peaks);
		k->n_peaks += peak_other(&r->launch.facts, r->coord.size, k->peaks + k->n_peaks);
	}
	describe_map(&r->launch, k->map, sizeof(k->map));
	r->finish.options = &r->options;
	r->finish.launch = &r->launch;
	r->finish.when = r->when;
	r->finish.inherited = environ;
	r->finish.n_hosts = r->coord.n_hosts;
	r->finish.place = r->place.text;
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
	int rc = check_ranks(r, launcher_size);

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
		rc = check_conditions(r);
	if (rc == 0)
		rc = agree_on_seed(r);
	if (rc == 0) {
		rc = make_plan(r);
		rc = rc < 0 ? rc : agree_on_plan(r, rc);
	}
	if (rc == 0 && r->options.dry_run) {
		if (r->coord.rank == 0)
			print_plan(r);
		if (r->coord.rank == 0 && r->options.tune)
			tune_print_space(&r->campaign, &r->options, &r->launch, environ);
		return GIVEN_STOP(NB_EXIT_OK);
	}
	if (rc == 0)
		rc = r->options.health ? open_logs(r) : open_store(r);
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
