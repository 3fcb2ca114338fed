/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of option_check.h. A new contradiction is a row; a new thing to contradict is a fact. */
#include "run/option_check.h"

#include <stdbool.h>
#include <stddef.h>

#include "run/options.h"
#include "spec/timing.h"
#include "spec/transport.h"

/* What is known of a command line and of where it runs. */
enum fact {
	SIZES,
	RANGE,
	FACTOR,
	STEP,
	RANGE_REVERSED,
	TIMING,
	TIMING_OF_HOST,
	TIMING_OF_GPU,
	TIMING_WITHOUT_LOAD,
	PLACE_IN,
	REGISTER,
	REGISTER_MEMORY,
	POINTS,
	TRANSPORTS,
	REQUIRE,
	ALL_PAIRS,
	RANKS,
	RANKS_BELOW_HOSTS,
	OVERLAP,
	CHANNELS,
	MATRIX,
	AB,
	TUNED,
	CONFIRM,
	MATCH,
	SHARE_GPU,
	FAKE_HOSTS,
	LIBRARY,
	LIBRARY_OF_ARM,
	OUT,
	RESUME,
	DRY_RUN,
	JSON,
	HEALTH,
	SEARCH,
	ON_NCCL,
	ON_UCX,
	ON_SEVERAL_HOSTS,
	ON_FEWER_RANKS,
	FACTS
};

#define IS(fact) (1ULL << (fact))
#define ARMS (IS(MATRIX) | IS(AB) | IS(CONFIRM) | IS(TUNED))

struct row {
	unsigned long long one, other; /* it holds when a fact of each is there */
	const char *says;
};

static const struct row contradictions[] = {
	{ IS(CHANNELS), ARMS,
	  "--channels makes its own arms; leave --ab, --algos, --protos, --tuned and --confirm "
	  "out" },
	{ IS(CHANNELS) | IS(OVERLAP), IS(ON_UCX),
	  "--overlap and --channels are of GPUs and NCCL; --backend ucx has neither" },
	{ IS(OVERLAP), IS(MATCH),
	  "--overlap and --match contradict each other: nccl-tests measures nothing beside; give "
	  "one" },
	{ IS(OVERLAP), IS(ALL_PAIRS),
	  "--overlap and --pairs contradict each other: pairs are compared with each other, not "
	  "with a load; use --pair I,J" },
	{ IS(OVERLAP), IS(TIMING_WITHOUT_LOAD),
	  "--overlap needs timing stream or graph: in others the host waits" },
	{ IS(SIZES), IS(RANGE),
	  "--sizes cannot go with -b, -e, -f or -i; give the list or the range" },
	{ IS(FACTOR), IS(STEP), "-f and -i contradict each other; give one" },
	{ IS(RANGE_REVERSED), IS(RANGE), "-b is larger than -e; exchange them" },
	{ IS(CONFIRM), IS(POINTS) | IS(TRANSPORTS) | IS(REQUIRE),
	  "--confirm takes what to measure and the profile from the verdict; leave the options "
	  "that choose points out" },
	{ IS(TUNED), IS(MATRIX) | IS(AB) | IS(CONFIRM),
	  "--tuned makes its own arm; leave --ab, --algos, --protos and --confirm out" },
	{ IS(MATRIX), IS(AB) | IS(CONFIRM),
	  "--algos and --protos make their own arms; leave --ab and --confirm out" },
	{ IS(MATRIX), IS(ON_UCX),
	  "--algos and --protos are NCCL's; UCX has neither algorithms nor protocols to choose "
	  "from here" },
	{ IS(RANKS), IS(ALL_PAIRS),
	  "--ranks and --pairs contradict each other: pairs do not grow with the number of ranks; "
	  "give one" },
	{ IS(RANKS), IS(MATRIX) | IS(TUNED) | IS(CHANNELS),
	  "--ranks takes no --algos, --protos, --channels or --tuned; run it again for them with "
	  "one number of ranks, or use --ab" },
	{ IS(FAKE_HOSTS), IS(SHARE_GPU),
	  "--fake-hosts and --share-gpu contradict each other: the latter makes each rank a host "
	  "of its own; leave one out" },
	{ IS(FAKE_HOSTS), IS(ON_UCX),
	  "--fake-hosts is NCCL's (NCCL_HOSTID) and has no meaning with --backend ucx; leave one "
	  "out" },
	{ IS(FAKE_HOSTS), IS(RANKS_BELOW_HOSTS),
	  "--ranks has a number below that of --fake-hosts: a host without a rank is none; begin "
	  "higher" },
	{ IS(CONFIRM), IS(AB), "--confirm and --ab contradict each other; give one" },
	{ IS(DRY_RUN), IS(JSON), "--dry-run prints the plan as text; leave out --json" },
	{ IS(HEALTH), IS(SEARCH), "health and tune are two commands; give one" },
	{ IS(RESUME), IS(OUT), "--resume names the run directory; leave out --out" },
	{ IS(LIBRARY) | IS(LIBRARY_OF_ARM), IS(ON_UCX),
	  "--nccl-lib has no meaning with --backend ucx; leave one out" },
	{ IS(MATCH), IS(TIMING) | IS(REGISTER) | IS(PLACE_IN),
	  "--match nccl-tests fixes timing, memory and place; leave out --timing, --register and "
	  "--place" },
	{ IS(MATCH), IS(ON_UCX),
	  "--match nccl-tests needs the NCCL backend; leave out --backend ucx" },
	{ IS(REGISTER_MEMORY), IS(ON_UCX),
	  "--register has no meaning with --backend ucx; leave one out" },
	{ IS(TIMING_OF_GPU), IS(ON_UCX), "--backend ucx has only --timing host" },
	{ IS(TIMING_OF_HOST), IS(ON_NCCL),
	  "--timing host is of the UCX backend; on GPUs give graph, stream or blocking" },
};

static const struct row misfits[] = {
	{ IS(TIMING_OF_HOST), IS(ON_NCCL),
	  "--timing host is of the UCX backend; on GPUs give graph, stream or blocking" },
	{ IS(MATRIX), IS(ON_UCX),
	  "--algos and --protos are NCCL's; this is host memory through UCX, which has neither to "
	  "choose from here" },
	{ IS(OVERLAP) | IS(CHANNELS), IS(ON_UCX),
	  "--overlap and --channels are of GPUs and NCCL; this is host memory through UCX, leave "
	  "them out" },
	{ IS(FAKE_HOSTS), IS(ON_UCX),
	  "--fake-hosts is NCCL's (NCCL_HOSTID); this is host memory through UCX, leave it out" },
	{ IS(FAKE_HOSTS), IS(ON_SEVERAL_HOSTS),
	  "--fake-hosts: the ranks are on several hosts already; leave it out, or start them on "
	  "one" },
	{ IS(FAKE_HOSTS), IS(ON_FEWER_RANKS),
	  "--fake-hosts: there are fewer ranks than hosts; start more ranks, or fake fewer "
	  "hosts" },
	{ IS(LIBRARY_OF_ARM), IS(ON_UCX),
	  "--ab: --nccl-lib has no meaning on host memory through UCX; leave it out" },
};

static bool arms_have_library(const struct options *o)
{
	for (size_t i = 0; i < o->n_arms; i++)
		if (o->arms[i].nccl_lib)
			return true;
	return false;
}

/* As they were given: 0 stands for "not given" in all of them. */
static unsigned long long facts_of(const struct options *o)
{
	const unsigned host = 1u << TIMING_HOST, loaded = 1u << TIMING_STREAM | 1u << TIMING_GRAPH;
	const struct plan_request *p = &o->plan;
	const bool is[FACTS] = {
		[SIZES] = p->sizes,
		[RANGE] = p->begin || p->end || p->factor || p->step,
		[FACTOR] = p->factor,
		[STEP] = p->step,
		[RANGE_REVERSED] = p->end && p->begin > p->end,
		[TIMING] = p->timings,
		[TIMING_OF_HOST] = p->timings & host,
		[TIMING_OF_GPU] = p->timings & ~host,
		[TIMING_WITHOUT_LOAD] = p->timings && !(p->timings & loaded),
		[PLACE_IN] = p->in_place & 2u,
		[REGISTER] = p->variants,
		[REGISTER_MEMORY] = p->variants & ~1u,
		[POINTS] = o->points_given,
		[TRANSPORTS] = o->transports,
		[REQUIRE] = o->require,
		[ALL_PAIRS] = p->all_pairs,
		[RANKS] = p->n_counts,
		[RANKS_BELOW_HOSTS] = p->n_counts && p->counts[0] < o->fake_hosts,
		[OVERLAP] = o->overlap,
		[CHANNELS] = o->n_channels,
		[MATRIX] = o->algos || o->protos,
		[AB] = o->n_ab,
		[TUNED] = o->tuned,
		[CONFIRM] = o->confirm,
		[MATCH] = o->match,
		[SHARE_GPU] = o->share_gpu,
		[FAKE_HOSTS] = o->fake_hosts,
		[LIBRARY] = o->nccl_lib,
		[LIBRARY_OF_ARM] = arms_have_library(o),
		[OUT] = o->out,
		[RESUME] = o->resume,
		[DRY_RUN] = o->dry_run,
		[JSON] = o->json,
		[HEALTH] = o->health,
		[SEARCH] = o->tune,
	};
	unsigned long long set = 0;

	for (int i = 0; i < FACTS; i++)
		set |= is[i] ? IS(i) : 0;
	return set;
}

static unsigned long long fact_of_backend(int backend)
{
	return backend == BACKEND_NCCL ? IS(ON_NCCL) : backend == BACKEND_UCX ? IS(ON_UCX) : 0;
}

static const char *first_that_holds(const struct row *rows, size_t n, unsigned long long facts)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].one & facts && rows[i].other & facts)
			return rows[i].says;
	return NULL;
}

const char *option_contradiction(const struct options *o)
{
	unsigned long long facts = facts_of(o) | fact_of_backend(o->backend);

	return first_that_holds(contradictions, N_ELEMENTS(contradictions), facts);
}

const char *option_misfit(const struct options *o, int backend, int nranks, int n_hosts)
{
	unsigned long long facts = facts_of(o) | fact_of_backend(backend);

	facts |= n_hosts > 1 ? IS(ON_SEVERAL_HOSTS) : 0;
	facts |= o->fake_hosts > nranks ? IS(ON_FEWER_RANKS) : 0;
	return first_that_holds(misfits, N_ELEMENTS(misfits), facts);
}
