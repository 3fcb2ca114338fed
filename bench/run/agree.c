/* SPDX-License-Identifier: Apache-2.0 */
/* See agree.h. */
#include "run/agree.h"

#include <stdint.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "ncclbench/exitcode.h"
#include "run/given.h"
#include "run/run.h"

int agree_on_ranks(const struct run *r, int launcher_size)
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
			  options_start(&r->options));
		return GIVEN_STOP(NB_EXIT_USAGE);
	}
	return 0;
}

int agree_on_veto(struct run *r)
{
	r->veto = environment_multicast_veto(environ);
	return r->coord.ops->max(&r->coord, &r->veto, 1, clock_after_ns(GIVEN_ROUND_NS));
}

int agree_on_words(struct run *r)
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

int agree_on_seed(struct run *r)
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

int agree_on_plan(struct run *r, int code)
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
