/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of a sweep: what good words become, and one line with the way out for every bad
 * one. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "ncclbench/exitcode.h"
#include "run/option_check.h"
#include "run/options.h"
#include "run/order.h"
#include "spec/op.h"
#include "spec/profile.h"
#include "spec/timing.h"
#include "spec/transport.h"

#define WORDS_MAX 32

static char said[8192]; /* standard error of the last call */

/* Splits at blanks; '~' stands for a blank inside a word. */
static int split(const char *line, char *copy, size_t max, char **argv)
{
	int n = 1;

	argv[0] = (char *)"ncclbench";
	snprintf(copy, max, "%s", line);
	for (char *save = NULL, *w = strtok_r(copy, " ", &save); w;
	     w = strtok_r(NULL, " ", &save)) {
		for (char *p = w; *p; p++)
			*p = *p == '~' ? ' ' : *p;
		argv[n++] = w;
	}
	argv[n] = NULL;
	return n;
}

static char words[4096];

static int parse_as(struct options *o, const char *line, bool speaks)
{
	char *argv[WORDS_MAX];
	int n = split(line, words, sizeof(words), argv), keep = dup(2),
	    fd = memfd_create("said", MFD_CLOEXEC), r;
	ssize_t got;

	assert_true(keep >= 0 && fd >= 0);
	fflush(NULL);
	dup2(fd, 2);
	log_setup("ncclbench", 0, speaks);
	r = options_parse(o, n, argv, speaks);
	fflush(NULL);
	dup2(keep, 2);
	close(keep);
	got = pread(fd, said, sizeof(said) - 1, 0);
	said[got > 0 ? got : 0] = '\0';
	close(fd);
	return r;
}

static void good(struct options *o, const char *line)
{
	int r = parse_as(o, line, true);

	if (r != 0 || said[0])
		fail_msg("\"%s\" gives %d and \"%s\"", line, r, said);
}

/* ---- good ---- */

static void defaults(void **state)
{
	struct options o;

	good(&o, "");
	assert_int_equal(o.backend, -1);
	assert_int_equal(o.bind, -1);
	assert_int_equal(o.timeout_ns, 30 * CLOCK_S);
	assert_int_equal(o.plan.profile, profile_find("quick"));
	assert_true(o.charts && !o.json && !o.dry_run && !o.share_gpu && !o.seed_given);
	assert_int_equal(o.plan.ops, 0);
	assert_int_equal(o.plan.a, 0);
	assert_int_equal(o.plan.b, 1);
	assert_null(o.transports);
	assert_null(o.out);
	assert_string_equal(o.command, "");
	options_fini(&o);
}

static void what_to_measure(void **state)
{
	struct options o;

	good(&o, "--ops all_reduce,pingpong -b 8 -e 64M -f 4 -d float,half -o sum,max --place both "
		 "--root 3 --pair 2,5 --register user");
	assert_int_equal(o.plan.ops, 1 << OP_ALL_REDUCE | 1 << OP_PINGPONG);
	assert_int_equal(o.plan.begin, 8);
	assert_int_equal(o.plan.end, 64 << 20);
	assert_int_equal(o.plan.factor, 4);
	assert_int_equal(o.plan.in_place, 3);
	assert_int_equal(o.plan.root, 3);
	assert_int_equal(o.plan.a, 2);
	assert_int_equal(o.plan.b, 5);
	assert_int_equal(o.plan.variants, 1 << VARIANT_USER);
	options_fini(&o);
	good(&o, "--ops all --place in --sizes 1M,8,1M,64K");
	assert_int_equal(o.plan.ops, (1 << OP_COUNT) - 1);
	assert_int_equal(o.plan.in_place, 2);
	assert_int_equal(o.plan.n_sizes, 3); /* ascending, without doubles */
	assert_int_equal(o.plan.sizes[0], 8);
	assert_int_equal(o.plan.sizes[1], 64 << 10);
	assert_int_equal(o.plan.sizes[2], 1 << 20);
	options_fini(&o);
}

static void the_method_of_another_tool(void **state)
{
	struct options o;

	good(&o, "--match nccl-tests --ops all_reduce");
	assert_true(o.match);
	assert_int_equal(o.plan.timings, 1 << TIMING_NCCL_TESTS);
	assert_int_equal(o.plan.variants, 1 << VARIANT_MEMALLOC);
	assert_int_equal(o.backend, BACKEND_NCCL);
	options_fini(&o);
}

static void how_and_where(void **state)
{
	struct options o;

	good(&o, "--timing graph,blocking --profile gate --restarts 4 --seed 0 --timeout 1.5 "
		 "--backend nccl --bind all --map 3,1 "
		 "--share-gpu --out /tmp/x --json --color never --no-charts --transports "
		 "p2p,shm --require shm");
	assert_int_equal(o.plan.timings, 1 << TIMING_GRAPH | 1 << TIMING_BLOCKING);
	assert_int_equal(o.plan.profile, profile_find("gate"));
	assert_int_equal(o.plan.restarts, 4);
	assert_true(o.seed_given);
	assert_int_equal(o.plan.seed, 0);
	assert_int_equal(o.timeout_ns, 1500 * CLOCK_MS);
	assert_int_equal(o.backend, BACKEND_NCCL);
	assert_int_equal(o.bind, PLACE_ALL);
	assert_int_equal(o.n_map, 2);
	assert_int_equal(o.map[0], 3);
	assert_int_equal(o.map[1], 1);
	assert_string_equal(o.out, "/tmp/x");
	assert_int_equal(o.color, COLOR_NEVER);
	assert_true(o.share_gpu && o.json && !o.charts && !o.dry_run);
	assert_string_equal(o.transports, "p2p,shm");
	assert_string_equal(o.require, "shm");
	options_fini(&o);
	good(&o, "--dry-run");
	assert_true(o.dry_run && !o.json);
	options_fini(&o);
}

static void numbers_of_ranks(void **state)
{
	struct options o;

	good(&o, "--ops all_reduce");
	assert_int_equal(o.plan.n_counts, 0);
	assert_int_equal(o.order, -1);
	assert_int_equal(o.fake_hosts, 0);
	options_fini(&o);
	good(&o, "--ranks 2,3,8 --map far --fake-hosts 2 --pair 0,1 --ab NCCL_BUFFSIZE=1");
	assert_int_equal(o.plan.n_counts, 3);
	assert_int_equal(o.plan.counts[0], 2);
	assert_int_equal(o.plan.counts[1], 3);
	assert_int_equal(o.plan.counts[2], 8);
	assert_int_equal(o.order, ORDER_FAR);
	assert_int_equal(o.fake_hosts, 2);
	options_fini(&o);
	good(&o, "--map numa --map 1,0"); /* the last one */
	assert_int_equal(o.order, -1);
	assert_int_equal(o.n_map, 2);
	options_fini(&o);
	good(&o, "--map 1,0 --map near");
	assert_int_equal(o.order, ORDER_NEAR);
	assert_int_equal(o.n_map, 0);
	options_fini(&o);
}

/* Rows of several tables could choose; the first that was asked for does. */
static void operations_that_nobody_chose(void **state)
{
	static const struct {
		const char *line;
		unsigned long long ops;
		unsigned timings;
	} rows[] = {
		{ "--algos ring", 1ULL << OP_ALL_REDUCE, 0 },
		{ "--overlap", 1ULL << OP_ALL_REDUCE, 1u << TIMING_STREAM },
		{ "--pairs all", 1ULL << OP_SEND | 1ULL << OP_SEND_BIDIR | 1ULL << OP_PINGPONG, 0 },
		{ "--pairs all --algos ring", 1ULL << OP_ALL_REDUCE, 0 },
		{ "--overlap --ops broadcast --timing graph", 1ULL << OP_BROADCAST,
		  1u << TIMING_GRAPH },
		{ "--channels 4", 0, 0 },
		{ "--ab X=1", 0, 0 },
	};

	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		struct options o;

		good(&o, rows[i].line);
		assert_int_equal(o.plan.ops, rows[i].ops);
		assert_int_equal(o.plan.timings, rows[i].timings);
		options_fini(&o);
	}
}

static void words_are_kept_for_the_record(void **state)
{
	struct options o;

	good(&o, "--profile=standard --minbytes 4K -e1M");
	assert_string_equal(o.command, "--profile=standard --minbytes 4K -e1M");
	assert_int_equal(o.plan.begin, 4096);
	assert_int_equal(o.plan.end, 1 << 20);
	options_fini(&o);
}

/* ---- bad ---- */

static const struct bad {
	const char *line, *says, *way_out;
} bads[] = {
	{ "--ops allreduce", "--ops: unknown operation 'allreduce'", "did you mean all_reduce?" },
	{ "--ops xyzzyplugh", "--ops: unknown operation 'xyzzyplugh'",
	  "known: all_reduce broadcast" },
	{ "--ops ,", "--ops: the list is empty", "for example all_reduce" },
	{ "--ops=", "--ops: the list is empty", "for example all_reduce" },
	{ "--transports shmm", "unknown transport 'shmm'", "did you mean shm" },
	{ "--transports ,", "--transports: the list is empty", "for example auto" },
	{ "--require p3p", "--require: unknown transport 'p3p'", "did you mean p2p" },
	{ "--transports shm --require p2p",
	  "--require names a transport that --transports leaves out", "name it in both" },
	{ "--backend ucx --transports p2p",
	  "--transports: p2p needs the NCCL backend and at least two GPUs",
	  "ucx has cma, shm, tcp" },
	{ "--backend nccl --require cma", "--require: cma needs the UCX backend: add --backend ucx",
	  "nccl has auto, p2p, " },
	{ "--timing grph", "--timing: unknown timing 'grph'", "did you mean graph?" },
	{ "--profile fast", "--profile: unknown profile 'fast'", "known: quick standard gate" },
	{ "--profile qick", "--profile: unknown profile 'qick'", "did you mean quick?" },
	{ "--backend cuda", "--backend: unknown backend 'cuda'", "nccl" },
	{ "--bind far", "--bind: unknown binding 'far'", "inherit near all" },
	{ "--register usr", "--register: unknown registration 'usr'", "did you mean user?" },
	{ "-d flaot", "-d: unknown element type 'flaot'", "did you mean float?" },
	{ "-o summ", "-o: unknown reduction 'summ'", "did you mean sum?" },
	{ "-b x", "-b: 'x' is no size", "for example 64K" },
	{ "-b -8", "-b: '-8' is no size", "for example 64K" },
	{ "-e 1.5M", "-e: '1.5M' is no size", "whole number of bytes" },
	{ "-e 99999999999999999999", "-e: '99999999999999999999' is no size", "K, M or G" },
	{ "-i 12q", "-i: '12q' is no size", "for example 64K" },
	{ "-f 1", "-f: '1' is no whole number from 2 to 1048576", "2" },
	{ "-f 2.5", "-f: '2.5' is no whole number", "from 2" },
	{ "--sizes 8,x", "--sizes: 'x' is no size", "for example 64K" },
	{ "--sizes ,", "--sizes: the list is empty", "for example --sizes 8,1M,1G" },
	{ "--restarts 0", "--restarts: '0' is no whole number from 1 to 1000", "1000" },
	{ "--restarts many", "--restarts: 'many' is no whole number", "from 1" },
	{ "--seed -1", "--seed: '-1' is no whole number", "from 0" },
	{ "--timeout 0", "--timeout: '0' is no duration from 0.1 s to 5 minutes",
	  "for example 30, 1.5 or 2m" },
	{ "--timeout 50ms", "--timeout: '50ms' is no duration from 0.1 s to 5 minutes", "2m" },
	{ "--timeout 301", "--timeout: '301' is no duration from 0.1 s to 5 minutes", "2m" },
	{ "-b 0", "-b: must be at least 1 byte", "1 byte" },
	{ "-e 0K", "-e: must be at least 1 byte", "1 byte" },
	{ "-i 0", "-i: must be at least 1 byte", "1 byte" },
	{ "--timeout soon", "--timeout: 'soon' is no duration", "2m" },
	{ "--root -1", "--root: '-1' is no whole number", "from 0" },
	{ "--pair 1", "--pair: '1' is not two different ranks", "for example --pair 0,3" },
	{ "--pair 2,2", "--pair: '2,2' is not two different ranks", "for example --pair 0,3" },
	{ "--pair 0,1,2", "--pair: more than 2 numbers", "2 numbers" },
	{ "--pair 0,b", "--pair: 'b' is no whole number", "from 0" },
	{ "--ranks 0", "--ranks: '0' has a number below 2", "for example --ranks 2,4,8" },
	{ "--ranks 1,2", "--ranks: '1,2' has a number below 2", "for example --ranks 2,4,8" },
	{ "--ranks 2,4,4", "--ranks: '2,4,4' names a number twice", "for example --ranks 2,4,8" },
	{ "--ranks 8,4,2", "--ranks: '8,4,2' does not ascend", "for example --ranks 2,4,8" },
	{ "--ranks 2,,4", "--ranks: '2,,4' has an empty element", "one comma" },
	{ "--ranks ,", "--ranks: the list is empty", "at least one" },
	{ "--ranks all", "--ranks: 'all' is no whole number", "from 0" },
	{ "--ranks -2", "--ranks: '-2' is no whole number", "from 0" },
	{ "--ranks 2,99999", "--ranks: '99999' is no whole number", "to 65535" },
	{ "--pairs some", "'some' is none of all, alone, together", "--pair I,J" },
	{ "--overlap=tea", "--overlap: unknown word 'tea'", "mem, fma" },
	{ "--overlap --match nccl-tests", "--overlap and --match contradict", "give one" },
	{ "--overlap --pairs all", "--overlap and --pairs contradict", "--pair I,J" },
	{ "--overlap --timing blocking", "--overlap needs timing stream or graph", "waits" },
	{ "--channels 4 --algos ring", "--channels makes its own arms", "leave --ab" },
	{ "--channels 65", "--channels: 65 is no number of channels", "from 1 to 64" },
	{ "--ranks 2,4 --pairs all", "--ranks and --pairs contradict each other", "give one" },
	{ "--ranks 2,4 --algos ring", "--ranks takes no --algos", "use --ab" },
	{ "--ranks 2,4 --protos ll", "--ranks takes no --algos, --protos", "use --ab" },
	{ "--ranks 2,4 --confirm v.json", "--confirm takes what to measure", "leave the options" },
	{ "--fake-hosts 1", "--fake-hosts: '1' is no whole number from 2", "65535" },
	{ "--fake-hosts two", "--fake-hosts: 'two' is no whole number", "from 2" },
	{ "--fake-hosts 2 --share-gpu", "--fake-hosts and --share-gpu contradict",
	  "leave one out" },
	{ "--fake-hosts 2 --backend ucx", "--fake-hosts is NCCL's", "leave one out" },
	{ "--fake-hosts 4 --ranks 2,4", "--ranks has a number below that of --fake-hosts",
	  "begin higher" },
	{ "--map nera", "--map: 'nera' is none of near, far, numa", "for example --map 0,1" },
	{ "--map 0,x", "--map: 'x' is no whole number", "from 0" },
	{ "--place here", "--place: 'here' is not one of", "out, in, both" },
	{ "--color red", "--color: 'red' is not one of", "auto, always, never" },
	{ "--nccl-lib /proc/nonexistent/libnccl.so.2",
	  "--nccl-lib: cannot read '/proc/nonexistent/libnccl.so.2'", "No such file" },
	{ "--ab NCCL_ALGO", "--ab: 'NCCL_ALGO' is not NAME=VALUE", "as NCCL_ALGO=Tree" },
	{ "--ab =x", "--ab: '=x' is not NAME=VALUE", "as NCCL_ALGO=Tree" },
	{ "--ab 9X=1", "--ab: '9X=1' is not NAME=VALUE", "as NCCL_ALGO=Tree" },
	{ "--ab A-B=1", "--ab: 'A-B=1' is not NAME=VALUE", "as NCCL_ALGO=Tree" },
	{ "--ab A=1~A=2", "--ab: 'A=2' sets a name", "already" },
	{ "--ab NCCL_NVLS_ENABLE=1", "--ab: 'NCCL_NVLS_ENABLE=1' steers NVLink multicast",
	  "in the environment" },
	{ "--ab NCCL_NVLS_ENABLE=0", "--ab: 'NCCL_NVLS_ENABLE=0' steers NVLink multicast",
	  "in the environment" },
	{ "--ab NCCL_NVLS_NCHANNELS=4", "--ab: 'NCCL_NVLS_NCHANNELS=4' steers",
	  "in the environment" },
	{ "--ab NCCL_NVLSTREE_MAX_CHUNKSIZE=4", "steers NVLink multicast", "in the environment" },
	{ "--ab NCCL_ALGO=Ring,nvls", "--ab: 'NCCL_ALGO=Ring,nvls' steers NVLink multicast",
	  "in the environment" },
	{ "--ab NCCL_ALGO=allreduce:NVLSTree", "steers NVLink multicast", "in the environment" },
	{ "--ab NCCL_DEBUG=TRACE", "--ab: 'NCCL_DEBUG=TRACE' is set by ncclbench", "leave it out" },
	{ "--ab LD_PRELOAD=/x", "--ab: 'LD_PRELOAD=/x' cannot be set here", "--nccl-lib PATH" },
	{ "--ab OMPI_COMM_WORLD_RANK=0", "belongs to the launcher", "leave it out" },
	{ "--ab NCCLBENCH_RANK=0", "belongs to the launcher or to ncclbench", "leave it out" },
	{ "--ab A=1 --ab A=1", "--ab: 'A=1' is the same environment as 'A=1'",
	  "nothing to compare" },
	{ "--ab A=1~B=2 --ab B=2~A=1", "is the same environment", "nothing to compare" },
	{ "--ab ~", "--ab: ' ' is the same environment as ''", "nothing to compare" },
	{ "--ab --nccl-lib=/proc/nonexistent", "--nccl-lib: cannot read '/proc/nonexistent'",
	  "No such file" },
	{ "--ab --nccl-lib", "--ab: '--nccl-lib' needs a path", "after it" },
	{ "--ab --nccl-lib~/dev/null~--nccl-lib~/dev/null", "is a second --nccl-lib", "give one" },
	{ "--backend ucx --ab --nccl-lib~/dev/null", "--nccl-lib has no meaning with --backend ucx",
	  "leave one out" },
	{ "--ab A=1 --ab A=2 --ab A=3 --ab A=4 --ab A=5 --ab A=6 --ab A=7 --ab A=8 --ab A=9",
	  "--ab: 9 environments", "at most 8" },
	{ "--ab A=1 --ab A=2 --ab A=3 --ab A=4 --ab A=5 --ab A=6 --ab A=7 --ab A=8 --ab A=9 --ab "
	  "A=0",
	  "--ab: more than 8 environments", "at most" },
	{ "--confirm v.json --ops all_reduce", "--confirm takes what to measure",
	  "leave the options" },
	{ "--confirm v.json -b 8", "--confirm takes what to measure", "leave the options" },
	{ "--confirm v.json --profile gate", "--confirm takes what to measure and the profile",
	  "leave the options" },
	{ "--confirm v.json --timing stream", "--confirm takes what to measure",
	  "leave the options" },
	{ "--confirm v.json --transports p2p", "--confirm takes what to measure",
	  "leave the options" },
	{ "--confirm v.json --ab X=1", "--confirm and --ab contradict each other", "give one" },
	{ "--confirm=", "--confirm is empty", "give a name" },
	{ "--nccl-lib /a~b", "--nccl-lib: '/a b' holds a blank or a colon",
	  "use a link without them" },
	{ "--sizes 8 -b 8", "--sizes cannot go with -b, -e, -f or -i",
	  "give the list or the range" },
	{ "-f 2 -i 8", "-f and -i contradict each other", "give one" },
	{ "-b 1M -e 1K", "-b is larger than -e", "exchange them" },
	{ "--backend ucx --register user", "--register has no meaning with --backend ucx",
	  "leave one out" },
	{ "--backend ucx --timing graph", "--backend ucx has only --timing host", "host" },
	{ "--backend nccl --timing host", "--timing host is of the UCX backend",
	  "give graph, stream or blocking" },
	{ "--match osu", "--match: 'osu' is no tool whose method is known", "give nccl-tests" },
	{ "--match nccl-tests --timing graph", "--match nccl-tests fixes timing, memory and place",
	  "leave out --timing" },
	{ "--match nccl-tests --place both", "--match nccl-tests fixes timing, memory and place",
	  "--place" },
	{ "--match nccl-tests --backend ucx", "--match nccl-tests needs the NCCL backend",
	  "leave out --backend ucx" },
	{ "--overlap --backend ucx", "--overlap and --channels are of GPUs and NCCL",
	  "--backend ucx has neither" },
	{ "--channels 4 --backend ucx", "--overlap and --channels are of GPUs and NCCL",
	  "--backend ucx has neither" },
	{ "--channels 4 --protos ll", "--channels makes its own arms", "leave --ab" },
	{ "--channels 4 --ab X=1", "--channels makes its own arms", "leave --ab" },
	{ "--channels 4 --tuned d", "--channels makes its own arms", "leave --ab" },
	{ "--channels 4,8,4", "--channels: 4 is there twice", "different numbers from 1 to 64" },
	{ "--channels ,", "--channels: the list is empty", "at least one number" },
	{ "--ranks 2,4 --channels 4", "--ranks takes no --algos, --protos, --channels",
	  "use --ab" },
	{ "--ranks 2,4 --tuned d", "--ranks takes no --algos", "use --ab" },
	{ "--tuned d --algos ring", "--tuned makes its own arm", "leave --ab, --algos" },
	{ "--tuned d --ab X=1", "--tuned makes its own arm", "leave --ab, --algos" },
	{ "--tuned d --confirm v.json", "--tuned makes its own arm", "--confirm out" },
	{ "--tuned=", "--tuned is empty", "give a name" },
	{ "--algos ring --ab X=1", "--algos and --protos make their own arms", "leave --ab" },
	{ "--protos ll --confirm v.json", "--algos and --protos make their own arms",
	  "--confirm out" },
	{ "--algos ring --backend ucx", "--algos and --protos are NCCL's",
	  "UCX has neither algorithms nor protocols" },
	{ "--protos=ll,,simple", "--protos: 'll,,simple' has an empty element", "one comma" },
	/* The first mistake in the order of the rows is told, and words of arms before them. */
	{ "--algos rnig --ranks 2,4", "--algos: unknown word 'rnig'", "did you mean ring" },
	{ "--overlap --backend ucx --match nccl-tests", "--overlap and --channels are of GPUs",
	  "--backend ucx has neither" },
	{ "--require shm --confirm v.json", "--confirm takes what to measure",
	  "leave the options" },
	{ "--match nccl-tests --register user", "--match nccl-tests fixes timing, memory",
	  "--register" },
	{ "--sizes 8 -e 1M", "--sizes cannot go with -b", "the list or the range" },
	{ "--out=", "--out is empty", "give a name" },
	{ "--search --resume d --out e", "--resume names the run directory", "leave out --out" },
	{ "--search --budget 0.5", "--budget: '0.5' is no duration from 1 s to a day",
	  "give for example 120, 5m" },
	{ "--search --only NCCL_NOTHING", "--only: 'NCCL_NOTHING' is nothing that tune tries",
	  "ncclbench list tunables" },
	{ "--search --only a,,b", "--only: 'a,,b' has an empty element", "one comma" },
	{ "--search --emit pyhton", "--emit: unknown form 'pyhton'", "did you mean python" },
	{ "--search tune", "unexpected word 'tune'; tune takes options only",
	  "ncclbench tune --help" },
	{ "--search --overlap", "unknown option '--overlap'", "ncclbench tune --help lists all" },
	{ "--health --ops all", "unknown option '--ops'", "ncclbench health --help lists all" },
	{ "--health health", "unexpected word 'health'; health takes options only",
	  "ncclbench health --help" },
	{ "sweep", "unexpected word 'sweep'", "ncclbench sweep --help" },
	{ "--opps all", "unknown option '--opps'", "did you mean --ops?" },
	{ "--xyzzyplugh", "unknown option '--xyzzyplugh'", "ncclbench sweep --help lists all" },
	{ "--ops", "'--ops' requires an argument", "--ops" },
	{ "--json=yes", "doesn't allow an argument", "--json" },
	{ "-q", "invalid option -- 'q'", "q" },
};

static int lines(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void one_line_for_every_mistake(void **state)
{
	int wrong = 0;

	for (size_t i = 0; i < N_ELEMENTS(bads); i++) {
		struct options o;
		int r = parse_as(&o, bads[i].line, true);

		if (r == NB_EXIT_USAGE + 1 && lines(said) == 1 && strstr(said, bads[i].says) &&
		    strstr(said, bads[i].way_out) && strncmp(said, "ncclbench: ", 11) == 0) {
			options_fini(&o);
			continue;
		}
		print_error("\"%s\" gives %d and:\n%s", bads[i].line, r, said);
		options_fini(&o);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void arms_of_the_line(void **state)
{
	struct options o;

	good(&o, "--ab NCCL_ALGO=Tree~NCCL_PROTO=LL");
	assert_int_equal(o.n_arms, 2);
	assert_int_equal(o.plan.n_arms, 2);
	assert_int_equal(o.plan.restarts, 10);
	assert_string_equal(o.arms[0].label, "A");
	assert_string_equal(o.arms[0].text, "");
	assert_int_equal(o.arms[0].n, 0);
	assert_string_equal(o.arms[1].label, "B");
	assert_string_equal(arm_value(&o.arms[1], "NCCL_PROTO"), "LL");
	assert_null(arm_value(&o.arms[1], "NCCL_PROT"));
	options_fini(&o);
	good(&o, "--ab X=1 --ab X=a=b --restarts 4 --profile gate");
	assert_int_equal(o.n_arms, 2);
	assert_string_equal(arm_value(&o.arms[1], "X"), "a=b");
	assert_int_equal(o.plan.restarts, 4);
	options_fini(&o);
	good(&o, "--ab ~ --ab Y= --ab --nccl-lib~/dev/null~Y=1");
	assert_int_equal(o.n_arms, 3);
	assert_int_equal(o.arms[0].n, 0);
	assert_string_equal(arm_value(&o.arms[1], "Y"), "");
	assert_string_equal(o.arms[2].nccl_lib, "/dev/null");
	options_fini(&o);
	good(&o, "--restarts 2");
	assert_null(o.arms);
	assert_int_equal(o.plan.n_arms, 0);
	options_fini(&o);
}

/* All ranks get the same words; one speaks. */
static void the_others_are_quiet(void **state)
{
	static const char *const some[] = { "--ops allreduce",  "-b x", "--opps", "-q", "sweep",
					    "--transports shmm" };

	for (size_t i = 0; i < N_ELEMENTS(some); i++) {
		struct options o;

		assert_int_equal(parse_as(&o, some[i], false), NB_EXIT_USAGE + 1);
		if (said[0])
			fail_msg("\"%s\" by a quiet rank: %s", some[i], said);
		options_fini(&o);
	}
}

/* A mistake after a good list: what was taken is given back. */
static void nothing_is_kept_of_a_bad_line(void **state)
{
	struct options o;

	assert_int_equal(
	    parse_as(&o, "--sizes 8,16 --sizes 32 --nccl-lib /dev/null --ops nonsense", true),
	    NB_EXIT_USAGE + 1);
	options_fini(&o);
	assert_null(o.sizes);
	assert_null(o.command);
}

static void hostile_words_stay_on_one_line(void **state)
{
	struct options o;
	char line[2100] = "--ops ";

	memset(line + 6, 'z', 2000);
	assert_int_equal(parse_as(&o, line, true), NB_EXIT_USAGE + 1);
	assert_int_equal(lines(said), 1);
	assert_non_null(strstr(said, "known: all_reduce"));
	options_fini(&o);
	assert_int_equal(parse_as(&o, "--ops \033[31mred\n--json", true), NB_EXIT_USAGE + 1);
	assert_int_equal(lines(said), 1);
	assert_null(strchr(said, '\033'));
	options_fini(&o);
}

/* ---- transports, once the backend is known ---- */

static void transports_of_a_backend(void **state)
{
	unsigned long long wanted, required;
	struct options o;

	good(&o, "--transports shm,auto --require shm");
	assert_int_equal(options_transports(&o, BACKEND_NCCL, &wanted, &required), 0);
	assert_int_equal(wanted, 1ULL << TRANSPORT_SHM | 1ULL << TRANSPORT_AUTO);
	assert_int_equal(required, 1ULL << TRANSPORT_SHM);
	log_setup("ncclbench", 0, false);
	assert_int_not_equal(options_transports(&o, BACKEND_UCX, &wanted, &required),
			     0); /* has no auto */
	options_fini(&o);
	good(&o, "--transports shm");
	assert_int_equal(options_transports(&o, BACKEND_UCX, &wanted, &required), 0);
	assert_int_equal(wanted, 1ULL << TRANSPORT_UCX_SHM);
	assert_int_equal(required, 0);
	options_fini(&o);
	good(&o, "");
	assert_int_equal(options_transports(&o, BACKEND_NCCL, &wanted, &required), 0);
	assert_int_equal(wanted, 0);
	options_fini(&o);
}

/* ---- options and where they run, once that is known ---- */

static const struct misfit {
	const char *line;
	int backend, nranks, n_hosts;
	const char *says; /* NULL: it fits */
} misfits[] = {
	{ "--timing host", BACKEND_NCCL, 2, 1, "--timing host is of the UCX backend; on GPUs" },
	{ "--timing host", BACKEND_UCX, 2, 1, NULL },
	{ "--algos ring", BACKEND_UCX, 2, 1, "--algos and --protos are NCCL's; this is host" },
	{ "--protos ll", BACKEND_UCX, 2, 1, "--algos and --protos are NCCL's; this is host" },
	{ "--algos ring --protos ll", BACKEND_NCCL, 2, 1, NULL },
	{ "--overlap", BACKEND_UCX, 2, 1, "--overlap and --channels are of GPUs and NCCL; this" },
	{ "--channels 4", BACKEND_UCX, 2, 1,
	  "--overlap and --channels are of GPUs and NCCL; this" },
	{ "--overlap --channels 4", BACKEND_NCCL, 2, 1, NULL },
	{ "--fake-hosts 2", BACKEND_UCX, 2, 1, "--fake-hosts is NCCL's (NCCL_HOSTID); this is" },
	{ "--fake-hosts 2", BACKEND_NCCL, 4, 2, "--fake-hosts: the ranks are on several hosts" },
	{ "--fake-hosts 3", BACKEND_NCCL, 2, 1, "--fake-hosts: there are fewer ranks than hosts" },
	{ "--fake-hosts 2", BACKEND_NCCL, 2, 1, NULL },
	{ "--ab --nccl-lib~/dev/null", BACKEND_UCX, 2, 1, "--ab: --nccl-lib has no meaning on" },
	{ "--ab --nccl-lib~/dev/null", BACKEND_NCCL, 2, 1, NULL },
	{ "--ab X=1", BACKEND_UCX, 2, 2, NULL },
	{ "", BACKEND_UCX, 2, 2, NULL },
};

static void options_that_do_not_fit_the_backend(void **state)
{
	int wrong = 0;

	for (size_t i = 0; i < N_ELEMENTS(misfits); i++) {
		const struct misfit *m = &misfits[i];
		struct options o;
		const char *says;

		good(&o, m->line);
		says = option_misfit(&o, m->backend, m->nranks, m->n_hosts);
		if (m->says ? !says || strncmp(says, m->says, strlen(m->says)) != 0
			    : says != NULL) {
			print_error("\"%s\" on backend %d: %s\n", m->line, m->backend,
				    says ? says : "fits");
			wrong++;
		}
		options_fini(&o);
	}
	assert_int_equal(wrong, 0);
}

/* ---- help ---- */

/* argp prints and ends the process by itself. */
static int help_in_child(const char *line, char *out, size_t max)
{
	int fd = memfd_create("help", MFD_CLOEXEC), status = 0;
	struct options o;
	ssize_t n;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		dup2(fd, 1);
		_exit(100 + parse_as(&o, line, true));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	n = pread(fd, out, max - 1, 0);
	out[n > 0 ? n : 0] = '\0';
	close(fd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void help_names_every_option(void **state)
{
	static const char *const names[] = {
		"--ops",       "--transports", "-b",         "-e",
		"-f",          "-i",           "--sizes",    "-d",
		"-o",          "--place",      "--root",     "--pair",
		"--register",  "--timing",     "--profile",  "--restarts",
		"--seed",      "--timeout",    "--backend",  "--bind",
		"--map",       "--share-gpu",  "--nccl-lib", "--ab",
		"--confirm",   "--require",    "--out",      "--json",
		"--color",     "--no-charts",  "--dry-run",  "mpirun -np 2 ncclbench",
		"Exit status",
	};
	static char text[32768];

	assert_int_equal(help_in_child("--help", text, sizeof(text)), 0);
	for (size_t i = 0; i < N_ELEMENTS(names); i++)
		if (!strstr(text, names[i]))
			fail_msg("%s is not in the help", names[i]);
	assert_int_equal(help_in_child("--version", text, sizeof(text)), 0);
	assert_memory_equal(text, "ncclbench ", 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(what_to_measure),
		cmocka_unit_test(how_and_where),
		cmocka_unit_test(the_method_of_another_tool),
		cmocka_unit_test(numbers_of_ranks),
		cmocka_unit_test(operations_that_nobody_chose),
		cmocka_unit_test(words_are_kept_for_the_record),
		cmocka_unit_test(arms_of_the_line),
		cmocka_unit_test(one_line_for_every_mistake),
		cmocka_unit_test(the_others_are_quiet),
		cmocka_unit_test(nothing_is_kept_of_a_bad_line),
		cmocka_unit_test(hostile_words_stay_on_one_line),
		cmocka_unit_test(transports_of_a_backend),
		cmocka_unit_test(options_that_do_not_fit_the_backend),
		cmocka_unit_test(help_names_every_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
