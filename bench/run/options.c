/* SPDX-License-Identifier: Apache-2.0 */
#include "run/options.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "doctor/emit.h"
#include "ncclbench/exitcode.h"
#include "run/matrix.h"
#include "run/order.h"
#include "run/tune_class.h"
#include "search/tunable.h"
#include "spec/dtype.h"
#include "spec/profile.h"
#include "spec/redop.h"
#include "spec/load.h"
#include "spec/timing.h"
#include "spec/transport.h"

#define SIZES_MAX 4096
#define WORDS_MAX 64
#define ANY_BACKEND (-1)
#define TIMEOUT_MAX_NS \
	(300 *         \
	 CLOCK_S) /* JOIN may take twice it, and other ranks wait 900 s for a round (fault.c) */
#define AB_RESTARTS 10
#define BUDGET_MAX_NS (86400 * CLOCK_S)
#define CHANNELS_MAX 64 /* of NCCL (MAXCHANNELS) */
#define QUOTED_MAX 120  /* of a word in a message: what follows it must still be read */

const char *argp_program_version = "ncclbench " NCCLBENCH_VERSION;
const char *argp_program_bug_address = NULL;

enum key {
	KEY_OPS = 256,
	KEY_TRANSPORTS,
	KEY_SIZES,
	KEY_TIMING,
	KEY_PROFILE,
	KEY_RESTARTS,
	KEY_BACKEND,
	KEY_REQUIRE,
	KEY_BIND,
	KEY_PAIR,
	KEY_MAP,
	KEY_REGISTER,
	KEY_NCCL_LIB,
	KEY_OUT,
	KEY_TIMEOUT,
	KEY_SEED,
	KEY_JSON,
	KEY_COLOR,
	KEY_NO_CHARTS,
	KEY_DRY_RUN,
	KEY_PLACE,
	KEY_ROOT,
	KEY_SHARE_GPU,
	KEY_CEILINGS,
	KEY_NO_CEILINGS,
	KEY_KEEP,
	KEY_AB,
	KEY_CONFIRM,
	KEY_BUDGET,
	KEY_OBJECTIVE,
	KEY_EMIT,
	KEY_RESUME,
	KEY_ONLY,
	KEY_ALGOS,
	KEY_PROTOS,
	KEY_PAIRS,
	KEY_TUNED,
	KEY_MATCH,
	KEY_RANKS,
	KEY_FAKE_HOSTS,
	KEY_OVERLAP,
	KEY_CHANNELS,
};

static const struct argp_option rows[] = {
	{ 0, 0, 0, 0, "What to measure", 1 },
	{ "ops", KEY_OPS, "LIST", 0,
	  "operations, comma separated, or all (default all_reduce,broadcast,sendrecv,pingpong); "
	  "ncclbench list ops",
	  0 },
	{ "transports", KEY_TRANSPORTS, "LIST", 0,
	  "transports, comma separated (default auto,p2p,shm,socket, ib with a device; cma,shm,tcp "
	  "on UCX); ncclbench list transports",
	  0 },
	{ "minbytes", 'b', "SIZE", 0,
	  "smallest size (default 8); suffixes K M G are powers of 1024", 0 },
	{ "maxbytes", 'e', "SIZE", 0, "largest size (default 1G on GPUs, by profile on UCX)", 0 },
	{ "stepfactor", 'f', "N", 0, "multiply sizes by N (default 2)", 0 },
	{ "stepbytes", 'i', "SIZE", 0, "add SIZE instead", 0 },
	{ "sizes", KEY_SIZES, "LIST", 0, "exactly these sizes instead of a range", 0 },
	{ "datatype", 'd', "LIST", 0, "element types, or all (default float)", 0 },
	{ "op", 'o', "LIST", 0, "reductions: sum prod max min avg, or all (default sum)", 0 },
	{ "place", KEY_PLACE, "WHERE", 0,
	  "out, in or both: result in another buffer or in place (default out)", 0 },
	{ "root", KEY_ROOT, "RANK", 0, "root of broadcast, reduce, gather, scatter (default 0)",
	  0 },
	{ "pair", KEY_PAIR, "I,J", 0, "ranks of pingpong, send and send_bidir (default 0,1)", 0 },
	{ "pairs", KEY_PAIRS, "HOW", 0,
	  "one-way, two-way and ping-pong for every ordered pair of ranks. all: pairs that share "
	  "nothing, as far as the topology tells, at once, held against pairs alone; alone: one "
	  "after another; together: all that have no rank in common",
	  0 },
	{ "overlap", KEY_OVERLAP, "LIST", OPTION_ARG_OPTIONAL,
	  "each point also while the GPU computes: mem (limited by memory), fma (by arithmetic; "
	  "default both). How much the two slow each other; --ops all_reduce, --timing stream by "
	  "default",
	  0 },
	{ "ranks", KEY_RANKS, "LIST", 0,
	  "the same points on communicators over the first so many ranks, ascending, for example "
	  "2,4,8; the others are idle. Says how the figures grow (--map chooses the GPUs)",
	  0 },
	{ "register", KEY_REGISTER, "LIST", 0,
	  "add rows with other memory: user, graph, symmetric (registered), memalloc", 0 },
	{ 0, 0, 0, 0, "How to measure", 2 },
	{ "timing", KEY_TIMING, "LIST", 0,
	  "graph, stream, blocking (default graph,stream; UCX: host)", 0 },
	{ "match", KEY_MATCH, "TOOL", 0,
	  "nccl-tests: measure by its method (20 launches, mean over ranks, its memory and "
	  "communicator settings), for comparing with its figures",
	  0 },
	{ "profile", KEY_PROFILE, "NAME", 0,
	  "quick, standard or gate: time spent per point and restarts (default quick)", 0 },
	{ "restarts", KEY_RESTARTS, "N", 0, "fresh workers per transport (default: the profile's)",
	  0 },
	{ "seed", KEY_SEED, "N", 0, "order of the points (default: from the clock, recorded)", 0 },
	{ "ceilings", KEY_CEILINGS, 0, 0,
	  "measure plain copies and TCP beside it, about one second (default with NCCL)", 0 },
	{ "no-ceilings", KEY_NO_CEILINGS, 0, 0, "do not", 0 },
	{ "timeout", KEY_TIMEOUT, "SEC", 0, "longest wait for one answer of a worker (default 30s)",
	  0 },
	{ 0, 0, 0, 0, "Where", 3 },
	{ "backend", KEY_BACKEND, "NAME", 0,
	  "auto, nccl or ucx (default auto: NCCL where there are as many GPUs as ranks)", 0 },
	{ "bind", KEY_BIND, "HOW", 0,
	  "CPUs of the workers: inherit, near (widen a one-core binding to the GPU's NUMA node) or "
	  "all (default near with NCCL, inherit with UCX)",
	  0 },
	{ "map", KEY_MAP, "LIST", 0,
	  "GPU of each rank of a host (default 0,1,2...); or near, far: each next GPU as near to "
	  "or "
	  "as far from those before it as the PCI tree says; or numa: node by node",
	  0 },
	{ "fake-hosts", KEY_FAKE_HOSTS, "N", 0,
	  "make NCCL take the ranks of one host for N hosts, in blocks (NCCL_HOSTID): its own way "
	  "inside of a block, the network between them",
	  0 },
	{ "share-gpu", KEY_SHARE_GPU, 0, 0,
	  "allow several ranks on one GPU: only network transports, time-sliced, for trying things "
	  "out",
	  0 },
	{ "nccl-lib", KEY_NCCL_LIB, "PATH", 0, "measure with this libnccl.so.2", 0 },
	{ 0, 0, 0, 0, "Compare", 4 },
	{ "ab", KEY_AB, "\"NAME=VALUE...\"", 0,
	  "measure with these settings, or with --nccl-lib PATH, in turns with another --ab or, "
	  "when it is "
	  "the only one, with the plain environment (\"\"); at least 10 restarts; says what is "
	  "faster and how sure",
	  0 },
	{ "algos", KEY_ALGOS, "LIST", 0,
	  "rows for each of these algorithms beside NCCL's own choice: ring, tree, pat (--ops "
	  "all_reduce by default)",
	  0 },
	{ "protos", KEY_PROTOS, "LIST", 0,
	  "rows for each of these protocols: ll, ll128, simple; with --algos for each combination",
	  0 },
	{ "channels", KEY_CHANNELS, "LIST", 0,
	  "rows for each of these numbers of channels (SMs that NCCL takes) beside NCCL's own "
	  "choice",
	  0 },
	{ "tuned", KEY_TUNED, "RUN", 0,
	  "add rows with the settings that an `ncclbench tune` recommends: shm (tuned)", 0 },
	{ "confirm", KEY_CONFIRM, "VERDICT", 0,
	  "measure again what `ncclbench gate --json` found slower, and nothing else, with its "
	  "profile and "
	  "fresh workers; then: ncclbench gate BASELINE... NEW --confirm RUN",
	  0 },
	{ 0, 0, 0, 0, "Results", 5 },
	{ "require", KEY_REQUIRE, "LIST", 0, "exit 1 unless these transports are ok and proven",
	  0 },
	{ "out", KEY_OUT, "DIR", 0,
	  "run directory (default results/runs/<time>-<host>); refused if not empty", 0 },
	{ "json", KEY_JSON, 0, 0,
	  "print one JSON object on standard output, everything else on standard error", 0 },
	{ "color", KEY_COLOR, "WHEN", 0, "auto, always or never", 0 },
	{ "no-charts", KEY_NO_CHARTS, 0, 0, "do not draw", 0 },
	{ "dry-run", KEY_DRY_RUN, 0, 0, "print the plan and stop", 0 },
	{ 0, 0, 0, 0, "Help", -1 },
	{ 0 },
};

static const char doc[] =
    "Measure NCCL's transports between the GPUs of a job, prove which one was really used, check "
    "the data, write CSV, a table "
    "and charts. On a machine without GPUs the same through UCX on host memory."
    "\vExamples:\n"
    "  mpirun -np 2 ncclbench --sweep\n"
    "  mpirun -np 2 ncclbench sweep --ops all --profile standard\n"
    "  mpirun -np 2 ncclbench sweep --transports p2p,shm -b 1M -e 1G --require p2p\n"
    "  mpirun -np 8 ncclbench sweep --ranks 2,4,8 --ops all_reduce\n\n"
    "Exit status: 0 measured (N/A and skipped included); 1 a --require'd transport is not ok and "
    "proven; 2 usage; 5 a point "
    "was corrupt, hung, crashed or failed; 130 interrupted.";

static const struct argp_option health_rows[] = {
	{ "timeout", KEY_TIMEOUT, "SEC", 0,
	  "the verdict is there by then, whatever hangs (default 8s)", 0 },
	{ "backend", KEY_BACKEND, "NAME", 0,
	  "auto, nccl or ucx (default auto: NCCL where there is a GPU or its driver; name nccl on "
	  "a "
	  "GPU node, so that a lost driver is not taken for a machine without GPUs)",
	  0 },
	{ "require", KEY_REQUIRE, "LIST", 0,
	  "exit 1 unless every operation is proven to have used one of these transports", 0 },
	{ "nccl-lib", KEY_NCCL_LIB, "PATH", 0, "check with this libnccl.so.2", 0 },
	{ "map", KEY_MAP, "LIST", 0,
	  "GPU of each rank of a host (default 0,1,2...); or near, far, numa", 0 },
	{ "share-gpu", KEY_SHARE_GPU, 0, 0,
	  "allow several ranks on one GPU: by the socket transport, for trying things out", 0 },
	{ "bind", KEY_BIND, "HOW", 0,
	  "CPUs of the workers: inherit, near (widen a one-core binding to the GPU's NUMA node) or "
	  "all (default near with NCCL, inherit with UCX)",
	  0 },
	{ "keep", KEY_KEEP, "DIR", 0,
	  "write the workers' logs there and keep them (default: a temporary folder, kept only on "
	  "failure)",
	  0 },
	{ "json", KEY_JSON, 0, 0,
	  "print one JSON object on standard output, everything else on standard error", 0 },
	{ 0, 0, 0, 0, "Help", -1 },
	{ 0 },
};

static const char health_doc[] =
    "Do the ranks of this job connect and exchange right data, in this environment, and over which "
    "transport? One all_reduce "
    "and one sendrecv, small and large, each checked. Ends in seconds, also when something hangs, "
    "and says who is behind."
    "\vExamples:\n"
    "  mpirun -np 2 ncclbench health\n"
    "  mpirun -np 8 ncclbench health --backend nccl --require p2p --json\n\n"
    "Exit status: 0 healthy; 1 a --require'd transport was not proven; 2 usage; 5 not healthy; 130 "
    "interrupted.";

static const struct argp_option tune_rows[] = {
	{ 0, 0, 0, 0, "What to search", 1 },
	{ "budget", KEY_BUDGET, "SEC", 0,
	  "time for measuring, all transports together (default 120s)", 0 },
	{ "objective", KEY_OBJECTIVE, "WHAT", 0,
	  "bandwidth (sizes above 64 KiB), latency (up to it) or model:NAME, the messages of a "
	  "model's training (default bandwidth)",
	  0 },
	{ "transports", KEY_TRANSPORTS, "LIST", 0,
	  "transports, comma separated (default p2p,shm,socket, ib with a device; cma,shm,tcp on "
	  "UCX)",
	  0 },
	{ "ops", KEY_OPS, "LIST", 0, "operations, comma separated (default all_reduce)", 0 },
	{ "sizes", KEY_SIZES, "LIST", 0,
	  "sizes: those of the objective, and others to watch (default 8,64M; UCX 8,4M)", 0 },
	{ "only", KEY_ONLY, "LIST", 0, "try these variables only; ncclbench list tunables", 0 },
	{ 0, 0, 0, 0, "How to measure", 2 },
	{ "timing", KEY_TIMING, "NAME", 0, "graph, stream or blocking (default graph; UCX: host)",
	  0 },
	{ "profile", KEY_PROFILE, "NAME", 0,
	  "quick, standard or gate: time spent per point (default quick)", 0 },
	{ "timeout", KEY_TIMEOUT, "SEC", 0, "longest wait for one answer of a worker (default 30s)",
	  0 },
	{ 0, 0, 0, 0, "Where", 3 },
	{ "backend", KEY_BACKEND, "NAME", 0,
	  "auto, nccl or ucx (default auto: NCCL where there are as many GPUs as ranks)", 0 },
	{ "bind", KEY_BIND, "HOW", 0,
	  "CPUs of the workers: inherit, near (widen a one-core binding to the GPU's NUMA node) or "
	  "all (default near with NCCL, inherit with UCX)",
	  0 },
	{ "map", KEY_MAP, "LIST", 0,
	  "GPU of each rank of a host (default 0,1,2...); or near, far, numa", 0 },
	{ "share-gpu", KEY_SHARE_GPU, 0, 0,
	  "allow several ranks on one GPU: only network transports, time-sliced, for trying things "
	  "out",
	  0 },
	{ "nccl-lib", KEY_NCCL_LIB, "PATH", 0, "tune for this libnccl.so.2", 0 },
	{ 0, 0, 0, 0, "Results", 4 },
	{ "emit", KEY_EMIT, "FORM", 0,
	  "add what to paste: env, python, accelerate, torchrun, docker, k8s or slurm", 0 },
	{ "out", KEY_OUT, "DIR", 0,
	  "run directory (default results/runs/<time>-<host>); refused if not empty", 0 },
	{ "resume", KEY_RESUME, "DIR", 0,
	  "go on with an interrupted tune: the same options, and its run directory", 0 },
	{ "json", KEY_JSON, 0, 0,
	  "print one JSON object on standard output, everything else on standard error", 0 },
	{ "dry-run", KEY_DRY_RUN, 0, 0, "print what would be tried and stop", 0 },
	{ 0, 0, 0, 0, "Help", -1 },
	{ 0 },
};

static const char tune_doc[] =
    "Search the settings that make this machine's transports faster, and prove the gain: fresh "
    "workers for each setting, in turns "
    "with the defaults, data checked; the best one again, against the defaults there and back. "
    "What hangs, crashes or corrupts is "
    "told and never recommended. NCCL_NVLS_ENABLE=0 of the environment holds for all that is tried."
    "\vExamples:\n"
    "  mpirun -np 2 ncclbench tune\n"
    "  mpirun -np 2 ncclbench tune --transports socket --budget 60 --emit torchrun\n"
    "  mpirun -np 8 ncclbench tune --objective model:llama3-8b --out results/tune\n\n"
    "Exit status: 0 searched, whatever was found; 2 usage; 5 the defaults themselves hung, "
    "crashed, failed or gave wrong data; "
    "130 interrupted (--resume goes on).";

/* ---- values ---- */

typedef int (*find_fn)(const char *word);

struct word_table {
	const char *what;   /* "operation" */
	const char *option; /* "--ops" */
	int n;
	const char *(*name)(int i);
	find_fn find; /* knows aliases too */
};

static const char *op_name(int i)
{
	return op_table[i].name;
}
static const char *dtype_name(int i)
{
	return dtype_table[i].name;
}
static const char *redop_name(int i)
{
	return redop_table[i].name;
}
static const char *timing_name(int i)
{
	return timing_table[i].name;
}
static const char *variant_name(int i)
{
	return variant_table[i].name;
}
static const char *profile_name(int i)
{
	return profile_table[i].name;
}
static const char *bind_name(int i)
{
	return place_names[i];
}
static const char *backend_name(int i)
{
	return backend_names[i];
}

static const struct word_table ops_words = { "operation", "--ops", OP_COUNT, op_name, op_find };
static const struct word_table dtype_words = { "element type", "-d", DTYPE_COUNT, dtype_name,
					       dtype_find };
static const struct word_table redop_words = { "reduction", "-o", REDOP_COUNT, redop_name,
					       redop_find };
static const struct word_table timing_words = { "timing", "--timing", TIMING_COUNT, timing_name,
						timing_find };
static const struct word_table variant_words = { "registration", "--register", VARIANT_COUNT,
						 variant_name, variant_find };
static const struct word_table bind_words = { "binding", "--bind", PLACE_COUNT, bind_name,
					      place_find };
static const struct word_table backend_words = { "backend", "--backend", BACKEND_COUNT,
						 backend_name, backend_find };

static int unknown_word(const struct word_table *t, const char *word)
{
	const char *names[WORDS_MAX], *near;
	struct buf all = { 0 };

	for (int i = 0; i < t->n; i++) {
		names[i] = t->name(i);
		buf_printf(&all, "%s%s", i ? " " : "", names[i]);
	}
	near = num_nearest(word, names, (size_t)t->n);
	if (near)
		log_error("%s: unknown %s '%.*s'; did you mean %s? Known: %s", t->option, t->what,
			  QUOTED_MAX, word, near, buf_text(&all));
	else
		log_error("%s: unknown %s '%.*s'; known: %s", t->option, t->what, QUOTED_MAX, word,
			  buf_text(&all));
	buf_fini(&all);
	return -EINVAL;
}

static int one_word(const struct word_table *t, const char *word, int *out)
{
	int id = t->find(word);

	if (id < 0)
		return unknown_word(t, word);
	*out = id;
	return 0;
}

/* "8,,64K" and "1," are slips of the hand: what is missing is not guessed. */
static int whole_list(const char *option, const char *text)
{
	size_t n = strlen(text);

	if (strspn(text, ",") == n)
		return 0; /* nothing at all: the caller says what belongs there */
	if (text[0] != ',' && text[n - 1] != ',' && !strstr(text, ",,"))
		return 0;
	log_error("%s: '%.*s' has an empty element; give the words with one comma between them",
		  option, QUOTED_MAX, text);
	return -EINVAL;
}

/* "a,b,c" or "all" -> bits. */
static int word_bits(const struct word_table *t, const char *text, unsigned long long *bits)
{
	char *copy = strdup(text), *save = NULL;
	int r = copy ? whole_list(t->option, text) : -ENOMEM;

	*bits = 0;
	for (char *w = r == 0 ? strtok_r(copy, ",", &save) : NULL; w && r == 0;
	     w = strtok_r(NULL, ",", &save)) {
		int id = 0;

		if (strcmp(w, "all") == 0) {
			*bits |= (1ULL << t->n) - 1;
			continue;
		}
		r = one_word(t, w, &id);
		if (r == 0)
			*bits |= 1ULL << id;
	}
	if (r == 0 && *bits == 0) {
		log_error("%s: the list is empty; give at least one %s, for example %s", t->option,
			  t->what, t->name(0));
		r = -EINVAL;
	}
	free(copy);
	return r;
}

static int word_bits32(const struct word_table *t, const char *text, unsigned *bits)
{
	unsigned long long wide = 0;
	int r = word_bits(t, text, &wide);

	if (r == 0)
		*bits = (unsigned)wide;
	return r;
}

static int size_value(const char *option, const char *text, uint64_t *out)
{
	int r = num_parse_size(text, out);

	if (r < 0)
		log_error("%s: '%.*s' is no size; give a whole number of bytes with an optional K, "
			  "M or G (powers of 1024), for "
			  "example 64K",
			  option, QUOTED_MAX, text);
	return r;
}

/* 0 would be taken for "not given". */
static int positive_size(const char *option, const char *text, uint64_t *out)
{
	int r = size_value(option, text, out);

	if (r < 0 || *out > 0)
		return r;
	log_error("%s: must be at least 1 byte", option);
	return -EINVAL;
}

static int int_value(const char *option, const char *text, int64_t min, int64_t max, int64_t *out)
{
	int r = num_parse_i64(text, min, max, out);

	if (r < 0)
		log_error("%s: '%.*s' is no whole number from %lld to %lld", option, QUOTED_MAX,
			  text, (long long)min, (long long)max);
	return r;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int size_list(struct options *o, const char *text)
{
	char *copy = strdup(text), *save = NULL;
	uint64_t *list = calloc(SIZES_MAX, sizeof(*list));
	size_t n = 0;
	int r = copy && list ? whole_list("--sizes", text) : -ENOMEM;

	for (char *w = r == 0 ? strtok_r(copy, ",", &save) : NULL; w && r == 0;
	     w = strtok_r(NULL, ",", &save)) {
		if (n == SIZES_MAX) {
			log_error("--sizes: more than %d sizes", SIZES_MAX);
			r = -EINVAL;
			break;
		}
		r = size_value("--sizes", w, &list[n]);
		n += r == 0;
	}
	if (r == 0 && n == 0) {
		log_error("--sizes: the list is empty; give for example --sizes 8,1M,1G");
		r = -EINVAL;
	}
	free(copy);
	if (r < 0) {
		free(list);
		return r;
	}
	qsort(list, n, sizeof(*list), by_size);
	size_t kept = 1;
	for (size_t i = 1; i < n; i++)
		if (list[i] != list[kept - 1])
			list[kept++] = list[i];
	free(o->sizes);
	o->sizes = list;
	o->plan.sizes = list;
	o->plan.n_sizes = kept;
	return 0;
}

static int int_list(const char *option, const char *text, int *out, int max, int *n)
{
	char *copy = strdup(text), *save = NULL;
	int r = copy ? whole_list(option, text) : -ENOMEM, count = 0;

	for (char *w = r == 0 ? strtok_r(copy, ",", &save) : NULL; w && r == 0;
	     w = strtok_r(NULL, ",", &save)) {
		int64_t v;

		if (count == max) {
			log_error("%s: more than %d numbers in '%.*s'", option, max, QUOTED_MAX,
				  text);
			r = -EINVAL;
			break;
		}
		r = int_value(option, w, 0, 65535, &v);
		if (r == 0)
			out[count++] = (int)v;
	}
	if (r == 0 && count == 0) {
		log_error("%s: the list is empty; give at least one number", option);
		r = -EINVAL;
	}
	free(copy);
	*n = count;
	return r;
}

static int channels_value(struct options *o, const char *text)
{
	int r = int_list("--channels", text, o->channels, ARMS_MAX - 1, &o->n_channels);

	for (int i = 0; r == 0 && i < o->n_channels; i++) {
		bool twice = false;

		for (int k = 0; k < i; k++)
			twice |= o->channels[k] == o->channels[i];
		if (o->channels[i] >= 1 && o->channels[i] <= CHANNELS_MAX && !twice)
			continue;
		log_error("--channels: %d is %s; give different numbers from 1 to %d",
			  o->channels[i], twice ? "there twice" : "no number of channels",
			  CHANNELS_MAX);
		r = -EINVAL;
	}
	return r;
}

/* Rows without a load are always there: what the others are held against. */
static int overlap_value(struct options *o, const char *text)
{
	char *copy = strdup(text ? text : "mem,fma"), *save = NULL;
	int r = copy ? whole_list("--overlap", copy) : -ENOMEM;

	o->overlap = true;
	o->plan.loads = 1u << LOAD_NONE;
	for (char *w = r == 0 ? strtok_r(copy, ",", &save) : NULL; w && r == 0;
	     w = strtok_r(NULL, ",", &save)) {
		int id = load_find(w);

		if (id > LOAD_NONE)
			o->plan.loads |= 1u << id;
		else
			r = -EINVAL;
		if (r < 0)
			log_error("--overlap: unknown word '%.*s'; known: %s, %s", QUOTED_MAX, w,
				  load_table[LOAD_MEM].name, load_table[LOAD_FMA].name);
	}
	free(copy);
	return r;
}

static int pair_value(struct options *o, const char *text)
{
	int v[2], n = 0;

	if (int_list("--pair", text, v, 2, &n) < 0)
		return -EINVAL;
	if (n != 2 || v[0] == v[1]) {
		log_error("--pair: '%.*s' is not two different ranks; give for example --pair 0,3",
			  QUOTED_MAX, text);
		return -EINVAL;
	}
	o->plan.a = v[0];
	o->plan.b = v[1];
	return 0;
}

static int pairs_value(struct options *o, const char *text)
{
	static const char *const words[PAIRS_RULES] = {
		[PAIRS_BY_TOPOLOGY] = "all",
		[PAIRS_ALONE] = "alone",
		[PAIRS_TOGETHER] = "together",
	};

	o->plan.all_pairs = true;
	for (int i = 0; i < PAIRS_RULES; i++)
		if (strcmp(text, words[i]) == 0) {
			o->plan.pairs_rule = i;
			return 0;
		}
	log_error("--pairs: '%.*s' is none of all, alone, together; one pair is --pair I,J",
		  QUOTED_MAX, text);
	return -EINVAL;
}

static int counts_refused(const char *text, const char *why)
{
	log_error("--ranks: '%.*s' %s; give for example --ranks 2,4,8", QUOTED_MAX, text, why);
	return -EINVAL;
}

static int counts_value(struct options *o, const char *text)
{
	int *v = o->plan.counts;

	if (int_list("--ranks", text, v, PLAN_COUNTS_MAX, &o->plan.n_counts) < 0)
		return -EINVAL;
	for (int i = 0; i < o->plan.n_counts; i++) {
		if (v[i] < 2)
			return counts_refused(text, "has a number below 2: one rank has nobody "
						    "to exchange data with");
		if (i > 0 && v[i] == v[i - 1])
			return counts_refused(text, "names a number twice");
		if (i > 0 && v[i] < v[i - 1])
			return counts_refused(text, "does not ascend");
	}
	return 0;
}

static int map_value(struct options *o, const char *text)
{
	o->order = order_find(text);
	o->n_map = 0;
	if (o->order >= 0)
		return 0;
	if (isalpha((unsigned char)text[0])) {
		log_error("--map: '%.*s' is none of near, far, numa; or give the GPU of each rank, "
			  "for example --map 0,1",
			  QUOTED_MAX, text);
		return -EINVAL;
	}
	return int_list("--map", text, o->map, OPTIONS_MAP_MAX, &o->n_map);
}

static const char *const place_words[] = { "out", "in", "both" };
static const char *const color_words[] = { "auto", "always", "never" };

static int choice(const char *option, const char *text, const char *const *words, int n, int *out)
{
	for (int i = 0; i < n; i++)
		if (strcmp(text, words[i]) == 0) {
			*out = i;
			return 0;
		}
	log_error("%s: '%.*s' is not one of %s, %s, %s", option, QUOTED_MAX, text, words[0],
		  words[1], words[2]);
	return -EINVAL;
}

static int profile_value(struct options *o, const char *text)
{
	struct word_table t = { "profile", "--profile", profile_count, profile_name, profile_find };

	return one_word(&t, text, &o->plan.profile);
}

static int backend_value(struct options *o, const char *text)
{
	if (strcmp(text, "auto") == 0) {
		o->backend = -1;
		return 0;
	}
	return one_word(&backend_words, text, &o->backend);
}

static int timeout_value(struct options *o, const char *text)
{
	if (num_parse_duration(text, &o->timeout_ns) == 0 && o->timeout_ns >= 100 * CLOCK_MS &&
	    o->timeout_ns <= TIMEOUT_MAX_NS)
		return 0;
	log_error("--timeout: '%.*s' is no duration from 0.1 s to 5 minutes; give for example 30, "
		  "1.5 or 2m",
		  QUOTED_MAX, text);
	return -EINVAL;
}

static int budget_value(struct options *o, const char *text)
{
	if (num_parse_duration(text, &o->budget_ns) == 0 && o->budget_ns >= CLOCK_S &&
	    o->budget_ns <= BUDGET_MAX_NS)
		return 0;
	log_error("--budget: '%.*s' is no duration from 1 s to a day; give for example 120, 5m",
		  QUOTED_MAX, text);
	return -EINVAL;
}

static int objective_value(struct options *o, const char *text)
{
	char why[300];

	o->objective = text;
	if (tune_objective_check(text, why, sizeof(why)) == 0)
		return 0;
	log_error("--objective: %s", why);
	return -EINVAL;
}

static int emit_value(struct options *o, const char *text)
{
	const char *names[16], *near;
	size_t n = 0;

	o->emit = text;
	if (emit_find(text))
		return 0;
	for (; n < emit_count && n < N_ELEMENTS(names); n++)
		names[n] = emit_formats[n].name;
	near = num_nearest(text, names, n);
	log_error("--emit: unknown form '%.*s'%s%s; ncclbench tune --help names all", QUOTED_MAX,
		  text, near ? "; did you mean " : "", near ? near : "");
	return -EINVAL;
}

static int only_value(struct options *o, const char *text)
{
	char *copy = strdup(text), *save = NULL;
	int r = copy ? whole_list("--only", text) : -ENOMEM;

	o->only = text;
	for (char *w = r == 0 ? strtok_r(copy, ",", &save) : NULL; w && r == 0;
	     w = strtok_r(NULL, ",", &save)) {
		if (tunable_find(w) >= 0)
			continue;
		log_error(
		    "--only: '%.*s' is nothing that tune tries; ncclbench list tunables shows all",
		    QUOTED_MAX, w);
		r = -EINVAL;
	}
	free(copy);
	return r;
}

static int library_value(struct options *o, const char *text)
{
	char why[300];

	free((char *)o->nccl_lib);
	o->nccl_lib = arm_library(text, why, sizeof(why));
	if (o->nccl_lib)
		return 0;
	log_error("%s", why);
	return -EINVAL;
}

static int positive(const char *option, const char *text, int64_t min, int64_t max, int *out)
{
	int64_t v;
	int r = int_value(option, text, min, max, &v);

	if (r == 0)
		*out = (int)v;
	return r;
}

static int what_value(int key, char *arg, struct options *o)
{
	int64_t v = 0;
	int place, r;

	switch (key) {
	case KEY_OPS:
		return word_bits(&ops_words, arg, &o->plan.ops);
	case 'd':
		return word_bits32(&dtype_words, arg, &o->plan.dtypes);
	case 'o':
		return word_bits32(&redop_words, arg, &o->plan.redops);
	case 'b':
		return positive_size("-b", arg, &o->plan.begin);
	case 'e':
		return positive_size("-e", arg, &o->plan.end);
	case 'i':
		return positive_size("-i", arg, &o->plan.step);
	case KEY_SIZES:
		return size_list(o, arg);
	case KEY_ROOT:
		return positive("--root", arg, 0, 65535, &o->plan.root);
	case KEY_PAIR:
		return pair_value(o, arg);
	case KEY_PAIRS:
		return pairs_value(o, arg);
	case KEY_OVERLAP:
		return overlap_value(o, arg);
	case KEY_CHANNELS:
		return channels_value(o, arg);
	case KEY_RANKS:
		return counts_value(o, arg);
	case KEY_REGISTER:
		return word_bits32(&variant_words, arg, &o->plan.variants);
	case 'f':
		r = int_value("-f", arg, 2, 1 << 20, &v);
		o->plan.factor = (uint64_t)v;
		return r;
	case KEY_PLACE:
		r = choice("--place", arg, place_words, 3, &place);
		if (r == 0)
			o->plan.in_place = place == 0 ? 1u : place == 1 ? 2u : 3u;
		return r;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int how_value(int key, char *arg, struct options *o)
{
	int64_t v = 0;
	int r;

	switch (key) {
	case KEY_TIMING:
		o->points_given = true;
		return word_bits32(&timing_words, arg, &o->plan.timings);
	case KEY_PROFILE:
		o->points_given = true;
		return profile_value(o, arg);
	case KEY_RESTARTS:
		o->restarts_given = true;
		return positive("--restarts", arg, 1, 1000, &o->plan.restarts);
	case KEY_TIMEOUT:
		return timeout_value(o, arg);
	case KEY_BACKEND:
		return backend_value(o, arg);
	case KEY_BIND:
		return one_word(&bind_words, arg, &o->bind);
	case KEY_MAP:
		return map_value(o, arg);
	case KEY_FAKE_HOSTS:
		return positive("--fake-hosts", arg, 2, 65535, &o->fake_hosts);
	case KEY_NCCL_LIB:
		return library_value(o, arg);
	case KEY_BUDGET:
		return budget_value(o, arg);
	case KEY_OBJECTIVE:
		return objective_value(o, arg);
	case KEY_EMIT:
		return emit_value(o, arg);
	case KEY_ONLY:
		return only_value(o, arg);
	case KEY_COLOR:
		return choice("--color", arg, color_words, 3, &o->color);
	case KEY_SEED:
		r = int_value("--seed", arg, 0, INT64_MAX, &v);
		o->plan.seed = (uint64_t)v;
		o->seed_given = true;
		return r;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int arm_value_text(struct options *o, const char *text)
{
	if (o->n_ab == N_ELEMENTS(o->ab)) {
		log_error(
		    "--ab: more than %d environments; at most that many are compared in one run",
		    ARMS_MAX);
		return -EINVAL;
	}
	o->ab[o->n_ab++] = text;
	return 0;
}

static int match_value(struct options *o, const char *text)
{
	o->match = strcmp(text, "nccl-tests") == 0;
	if (o->match)
		return 0;
	log_error("--match: '%.*s' is no tool whose method is known; give nccl-tests", QUOTED_MAX,
		  text);
	return -EINVAL;
}

static int named(const char *option, const char *text)
{
	if (text[0])
		return 0;
	log_error("%s is empty; give a name", option);
	return -EINVAL;
}

static int plain_value(int key, char *arg, struct options *o)
{
	switch (key) {
	case KEY_TRANSPORTS:
		o->transports = arg;
		return 0;
	case KEY_REQUIRE:
		o->require = arg;
		return 0;
	case KEY_AB:
		return arm_value_text(o, arg);
	case KEY_MATCH:
		return match_value(o, arg);
	case KEY_TUNED:
		o->tuned = arg;
		return named("--tuned", arg);
	case KEY_ALGOS:
		o->algos = arg;
		return whole_list("--algos", arg);
	case KEY_PROTOS:
		o->protos = arg;
		return whole_list("--protos", arg);
	case KEY_CONFIRM:
		o->confirm = arg;
		return named("--confirm", arg);
	case KEY_OUT:
		o->out = arg;
		return named("--out", arg);
	case KEY_RESUME:
		o->resume = arg;
		return named("--resume", arg);
	case KEY_KEEP:
		o->keep = arg;
		return 0;
	case KEY_JSON:
		o->json = true;
		return 0;
	case KEY_NO_CHARTS:
		o->charts = false;
		return 0;
	case KEY_DRY_RUN:
		o->dry_run = true;
		return 0;
	case KEY_CEILINGS:
		o->ceilings = 1;
		return 0;
	case KEY_NO_CEILINGS:
		o->ceilings = 0;
		return 0;
	case KEY_SHARE_GPU:
		o->share_gpu = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const char *options_command(const struct options *o)
{
	return o->health ? "health" : o->tune ? "tune" : "sweep";
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static int (*const groups[])(int, char *, struct options *) = { what_value, how_value,
									plain_value };
	int r = ARGP_ERR_UNKNOWN;

	if (key == ARGP_KEY_INIT) {
		state->err_stream =
		    NULL; /* getopt has said what is wrong; "Try ..." would be a second line */
		return 0;
	}
	if (key == ARGP_KEY_ARG) {
		const struct options *o = state->input;

		log_error("unexpected word '%.*s'; %s takes options only (ncclbench %s --help)",
			  QUOTED_MAX, arg,
			  o->health ? "health"
			  : o->tune ? "tune"
				    : "a sweep",
			  options_command(o));
		return EINVAL;
	}
	for (size_t i = 0; i < N_ELEMENTS(groups) && r == ARGP_ERR_UNKNOWN; i++) {
		r = groups[i](key, arg, state->input);
		if (i == 0 && r != ARGP_ERR_UNKNOWN)
			((struct options *)state->input)->points_given = true;
	}
	return r < 0 ? -r : r;
}

/* ---- contradictions: one row each ---- */

static bool arms_have_library(const struct options *o)
{
	for (size_t i = 0; i < o->n_arms; i++)
		if (o->arms[i].nccl_lib)
			return true;
	return false;
}

static const char *overlap_contradiction(const struct options *o)
{
	if (o->n_channels && (o->algos || o->protos || o->n_ab || o->confirm || o->tuned))
		return "--channels makes its own arms; leave --ab, --algos, --protos, --tuned and "
		       "--confirm out";
	if ((o->n_channels || o->overlap) && o->backend == BACKEND_UCX)
		return "--overlap and --channels are of GPUs and NCCL; --backend ucx has neither";
	if (o->overlap && o->match)
		return "--overlap and --match contradict each other: nccl-tests measures nothing "
		       "beside; give one";
	if (o->overlap && o->plan.all_pairs)
		return "--overlap and --pairs contradict each other: pairs are compared with each "
		       "other, not with a load; use --pair I,J";
	if (o->overlap && !(o->plan.timings & (1u << TIMING_STREAM | 1u << TIMING_GRAPH)))
		return "--overlap needs timing stream or graph: in others the host waits";
	return NULL;
}

static const char *contradiction(const struct options *o)
{
	const struct plan_request *p = &o->plan;

	if (p->sizes && (p->begin || p->end || p->factor || p->step))
		return "--sizes cannot go with -b, -e, -f or -i; give the list or the range";
	if (p->factor && p->step)
		return "-f and -i contradict each other; give one";
	if (p->end && p->begin > p->end)
		return "-b is larger than -e; exchange them";
	if (o->confirm && (o->points_given || o->transports || o->require))
		return "--confirm takes what to measure and the profile from the verdict; leave "
		       "the options that choose points out";
	if (o->tuned && (o->algos || o->protos || o->n_ab || o->confirm))
		return "--tuned makes its own arm; leave --ab, --algos, --protos and --confirm out";
	if ((o->algos || o->protos) && (o->n_ab || o->confirm))
		return "--algos and --protos make their own arms; leave --ab and --confirm out";
	if ((o->algos || o->protos) && o->backend == BACKEND_UCX)
		return "--algos and --protos are NCCL's; UCX has neither algorithms nor protocols "
		       "to choose from here";
	if (p->n_counts && p->all_pairs)
		return "--ranks and --pairs contradict each other: pairs do not grow with the "
		       "number of ranks; give one";
	if (p->n_counts && (o->algos || o->protos || o->tuned || o->n_channels))
		return "--ranks takes no --algos, --protos, --channels or --tuned; run it again "
		       "for them with "
		       "one number of ranks, or use --ab";
	if (o->fake_hosts && o->share_gpu)
		return "--fake-hosts and --share-gpu contradict each other: the latter makes each "
		       "rank a host of its own; leave one out";
	if (o->fake_hosts && o->backend == BACKEND_UCX)
		return "--fake-hosts is NCCL's (NCCL_HOSTID) and has no meaning with --backend "
		       "ucx; leave one out";
	if (o->fake_hosts && p->n_counts && p->counts[0] < o->fake_hosts)
		return "--ranks has a number below that of --fake-hosts: a host without a rank "
		       "is none; begin higher";
	if (o->confirm && o->n_ab)
		return "--confirm and --ab contradict each other; give one";
	if (o->resume && o->out)
		return "--resume names the run directory; leave out --out";
	if (o->backend == BACKEND_UCX && (o->nccl_lib || arms_have_library(o)))
		return "--nccl-lib has no meaning with --backend ucx; leave one out";
	if (o->match && (p->timings || p->variants || p->in_place & 2u))
		return "--match nccl-tests fixes timing, memory and place; leave out --timing, "
		       "--register and --place";
	if (o->match && o->backend == BACKEND_UCX)
		return "--match nccl-tests needs the NCCL backend; leave out --backend ucx";
	if (o->backend == BACKEND_UCX && p->variants & ~1u)
		return "--register has no meaning with --backend ucx; leave one out";
	if (o->backend == BACKEND_UCX && p->timings & ~(1u << TIMING_HOST))
		return "--backend ucx has only --timing host";
	if (o->backend == BACKEND_NCCL && p->timings & (1u << TIMING_HOST))
		return "--timing host is of the UCX backend; on GPUs give graph, stream or "
		       "blocking";
	return NULL;
}

/* argp's own text for an unknown option names no neighbour. */
static int check_option_names(const struct options *o, const struct argp_option *known_rows,
			      int argc, char **argv)
{
	const char *names[N_ELEMENTS(rows) + 3], *command = options_command(o);
	size_t n = 0;

	_Static_assert(N_ELEMENTS(health_rows) <= N_ELEMENTS(rows), "names must hold either");
	_Static_assert(N_ELEMENTS(tune_rows) <= N_ELEMENTS(rows), "names must hold either");
	for (const struct argp_option *row = known_rows; row->name || row->doc; row++)
		if (row->name)
			names[n++] = row->name;
	names[n++] = "help";
	names[n++] = "usage";
	names[n++] = "version";
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *word = argv[i] + 2, *near;
		char name[64];
		bool known = false;

		if (argv[i][0] == '-' && argv[i][1] && !isgraph((unsigned char)argv[i][1])) {
			log_error("unknown option '%.*s'; ncclbench %s --help lists all",
				  QUOTED_MAX, argv[i], command);
			return -EINVAL;
		}
		if (strncmp(argv[i], "--", 2) != 0)
			continue;
		i += strcmp(argv[i], "--ab") == 0; /* what follows may begin with --nccl-lib */
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
		for (size_t k = 0; k < n; k++)
			known |= strncmp(names[k], name, strlen(name)) == 0;
		if (known)
			continue;
		near = num_nearest(name, names, n);
		if (near)
			log_error("unknown option '--%s'; did you mean --%s? (ncclbench %s --help "
				  "lists all)",
				  name, near, command);
		else
			log_error("unknown option '--%s'; ncclbench %s --help lists all", name,
				  command);
		return -EINVAL;
	}
	return 0;
}

static char *join_words(int argc, char **argv)
{
	struct buf b = { 0 };

	for (int i = 1; i < argc; i++)
		buf_printf(&b, "%s%s", i > 1 ? " " : "", argv[i]);
	return buf_take(&b);
}

/* All ranks get the same words; only one may print help or complain. argp prints to 1 and 2 by
 * itself. */
static void mute(int keep[2])
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		keep[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 10);
		if (null >= 0)
			dup2(null, i + 1);
	}
	if (null >= 0)
		close(null);
}

static void unmute(const int keep[2])
{
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		if (keep[i] < 0)
			continue;
		dup2(keep[i], i + 1);
		close(keep[i]);
	}
}

/* A comparison needs enough pairs for its smallest p: see docs/ab.md. */
static int make_arms(struct options *o)
{
	char why[400] = "";
	int r = o->n_ab ? arms_parse(o->ab, o->n_ab, &o->arms, &o->n_arms, why, sizeof(why)) : 0;

	if (r == -EINVAL)
		log_error("--ab: %s", why);
	if (r < 0 || !o->n_ab)
		return r;
	o->plan.n_arms = (int)o->n_arms;
	if (!o->restarts_given && profile_table[o->plan.profile].restarts < AB_RESTARTS)
		o->plan.restarts = AB_RESTARTS; /* more where the plan has many groups */
	return 0;
}

static int make_matrix(struct options *o)
{
	char why[400] = "";
	int r;

	if (!o->algos && !o->protos)
		return 0;
	if (o->n_ab || o->confirm || o->tuned)
		return 0; /* contradiction() says it */
	r = matrix_arms(o->algos, o->protos, &o->arms, &o->n_arms, why, sizeof(why));
	if (r == -EINVAL)
		log_error("%s", why);
	if (r < 0)
		return r;
	o->matrix = true;
	o->plan.n_arms = (int)o->n_arms;
	if (!o->plan.ops)
		o->plan.ops = 1ULL << OP_ALL_REDUCE;
	return 0;
}

static int make_channels(struct options *o)
{
	int r;

	if (!o->n_channels || o->n_ab || o->algos || o->protos || o->confirm || o->tuned)
		return 0; /* contradiction() says it */
	r = matrix_channels(o->channels, (size_t)o->n_channels, &o->arms, &o->n_arms);
	if (r == 0)
		o->plan.n_arms = (int)o->n_arms;
	return r;
}

static void default_overlap(struct options *o)
{
	if (!o->overlap)
		return;
	if (!o->plan.ops)
		o->plan.ops = 1ULL << OP_ALL_REDUCE;
	if (!o->plan.timings)
		o->plan.timings = 1u << TIMING_STREAM;
}

/* Three operations at a small and a large size, unless somebody chose others. */
static void default_pairs(struct options *o)
{
	if (o->plan.all_pairs && !o->plan.ops)
		o->plan.ops = 1ULL << OP_SEND | 1ULL << OP_SEND_BIDIR | 1ULL << OP_PINGPONG;
}

static int parse_words(struct options *o, int argc, char **argv)
{
	static const struct argp argps[] = {
		{ .options = rows, .parser = parse, .doc = doc },
		{ .options = health_rows, .parser = parse, .doc = health_doc },
		{ .options = tune_rows, .parser = parse, .doc = tune_doc },
	};
	const struct argp *argp = &argps[o->health ? 1 : o->tune ? 2 : 0];
	unsigned long long wanted, required;
	const char *wrong;
	int r = check_option_names(o, argp->options, argc, argv);

	if (r < 0)
		return NB_EXIT_USAGE + 1;
	argp_err_exit_status = NB_EXIT_USAGE;
	r = argp_parse(argp, argc, argv, 0, NULL, o);
	if (r != 0)
		return NB_EXIT_USAGE + 1;
	if (make_arms(o) < 0 || make_matrix(o) < 0 || make_channels(o) < 0)
		return NB_EXIT_USAGE + 1;
	default_pairs(o);
	default_overlap(o);
	wrong =
	    overlap_contradiction(o); /* first: what it chose by itself is not the user's mistake */
	wrong = wrong ? wrong : contradiction(o);
	if (wrong) {
		log_error("%s", wrong);
		return NB_EXIT_USAGE + 1;
	}
	if (o->match) {
		o->backend = BACKEND_NCCL;
		o->plan.timings = 1u << TIMING_NCCL_TESTS;
		o->plan.variants = 1u << VARIANT_MEMALLOC;
	}
	return options_transports(o, o->backend, &wanted, &required) < 0 ? NB_EXIT_USAGE + 1 : 0;
}

int options_parse(struct options *o, int argc, char **argv, bool speaks)
{
	static char health_title[] = "ncclbench health", tune_title[] = "ncclbench tune";
	int keep[2] = { -1, -1 }, r;

	*o = (struct options){
		.backend = -1,
		.bind = -1,
		.ceilings = -1,
		.order = -1,
		.timeout_ns = 30 * CLOCK_S,
		.charts = true,
		.plan = { .a = 0, .b = 1 },
	};
	o->plan.profile = profile_find("quick");
	o->command = join_words(argc, argv);
	if (argc > 1 && strcmp(argv[1], "--health") == 0) {
		o->health = true;
		o->timeout_ns = 8 * CLOCK_S;
		argv[1] = health_title;
		argc--;
		argv++;
	}
	if (argc > 1 && strcmp(argv[1], "--search") == 0) {
		o->tune = true;
		o->objective = "bandwidth";
		o->budget_ns = 120 * CLOCK_S;
		argv[1] = tune_title;
		argc--;
		argv++;
	}
	if (!o->command)
		return NB_EXIT_BROKEN + 1;
	if (!speaks)
		mute(keep);
	r = parse_words(o, argc, argv);
	if (!speaks)
		unmute(keep);
	return r;
}

void options_fini(struct options *o)
{
	free(o->sizes);
	free((char *)o->nccl_lib);
	arms_free(o->arms, o->n_arms);
	free(o->command);
	memset(o, 0, sizeof(*o));
}

/* ---- transports: of any backend at first, of one when that is known ---- */

static int transport_of(int backend, const char *word)
{
	int id = -1;

	if (backend != ANY_BACKEND)
		return transport_find(backend, word);
	for (int i = 0; i < BACKEND_COUNT && id < 0; i++)
		id = transport_find(i, word);
	return id;
}

/* A right word for another backend than the one that runs here: no typing mistake, so no neighbour.
 */
static bool of_other_backend(int backend, const char *option, const char *word)
{
	static const char *const remedies[BACKEND_COUNT] = {
		[BACKEND_NCCL] = "the NCCL backend and at least two GPUs, one per rank: start it "
				 "on a machine where ncclbench doctor "
				 "finds them, without --backend ucx",
		[BACKEND_UCX] = "the UCX backend: add --backend ucx",
	};

	for (int i = 0; i < BACKEND_COUNT; i++) {
		struct buf own = { 0 };

		if (i == backend || transport_find(i, word) < 0)
			continue;
		for (int t = 0; t < TRANSPORT_COUNT; t++)
			if (transport_table[t].backend == backend)
				buf_printf(&own, "%s%s", own.len ? ", " : "",
					   transport_table[t].name);
		log_note("%s: %s needs %s; %s has %s", option, word, remedies[i],
			 backend_names[backend], buf_text(&own));
		buf_fini(&own);
		return true;
	}
	return false;
}

/* Called by all ranks: notes, which only one of them prints. */
static int transport_bits(int backend, const char *option, const char *text,
			  unsigned long long *bits)
{
	const char *names[TRANSPORT_COUNT], *near;
	char *copy = strdup(text), *save = NULL;
	int r = copy ? 0 : -ENOMEM, n = 0;

	for (int i = 0; i < TRANSPORT_COUNT; i++)
		if (backend == ANY_BACKEND || transport_table[i].backend == backend)
			names[n++] = transport_table[i].name;
	for (char *w = r == 0 ? strtok_r(copy, ",", &save) : NULL; w && r == 0;
	     w = strtok_r(NULL, ",", &save)) {
		int id = transport_of(backend, w);

		if (id >= 0) {
			*bits |= 1ULL << id;
			continue;
		}
		r = -EINVAL;
		if (backend != ANY_BACKEND && of_other_backend(backend, option, w))
			continue;
		near = num_nearest(w, names, (size_t)n);
		log_note("%s: %s%s transport '%.*s'%s%s; ncclbench list transports shows all",
			 option, backend == ANY_BACKEND ? "unknown" : backend_names[backend],
			 backend == ANY_BACKEND ? "" : " has no", QUOTED_MAX, w,
			 near ? "; did you mean " : "", near ? near : "");
	}
	free(copy);
	if (r == 0 && *bits == 0) {
		log_note("%s: the list is empty; give for example %s", option, names[0]);
		r = -EINVAL;
	}
	return r;
}

int options_transports(const struct options *o, int backend, unsigned long long *wanted,
		       unsigned long long *required)
{
	int r = 0;

	*wanted = *required = 0;
	if (o->transports)
		r = transport_bits(backend, "--transports", o->transports, wanted);
	if (r == 0 && o->require)
		r = transport_bits(backend, "--require", o->require, required);
	if (r == 0 && *wanted && *required & ~*wanted) {
		log_note(
		    "--require names a transport that --transports leaves out; name it in both");
		r = -EINVAL;
	}
	return r;
}
