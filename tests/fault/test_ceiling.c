/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ceilings and flags as the supervisors take them: two ranks as threads, the scripted worker, TCP
 * over this host's own interface. Every failure must cost rows only. How a worker measures is
 * test_worker_nccl's and test_worker_ucx's.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "coord_threads.h"
#include "run/campaign.h"
#include "run/ceiling.h"
#include "run/coord.h"
#include "run/launch.h"
#include "slack.h"
#include "spec/ceiling.h"
#include "spec/op.h"
#include "spec/timing.h"
#include "spec/transport.h"

#define PATIENCE_NS (2 * LONG_NS)

static const char *worker;
static char dir[] = "/tmp/ncclbench-ceiling-XXXXXX";
static const uint64_t sizes[] = { 8, 1024 };

struct plan_of { /* one test: in, and what rank 0 has at the end */
	int backend, transport;
	int gpu[2]; /* device of each rank */
	const char *script;
	const char *settings[4];
	bool tcp, copies, sweep;
	int64_t timeout_ns; /* of one answer; 0: long */
	struct campaign *k; /* rank 0's */
	char *text[2];
	char lines[2][400];
	char flags[RECORD_TEXT];
	size_t flagged, n_samples;
	int64_t elapsed_ns;
};

static void facts_of(struct plan_of *p, struct launch *l, int rank)
{
	for (int i = 0; i < 2; i++) {
		(void)snprintf(p->lines[i], sizeof(p->lines[i]),
			       "device=%d\nhost=here\nboot=1\ndevices=2\n", p->gpu[i]);
		p->text[i] = p->lines[i];
	}
	l->facts = (struct facts){ .text = p->text, .n = 2 };
	l->backend = p->backend;
	l->device = p->gpu[rank];
	/* As with a UCX_NET_DEVICES of the user's: what UCX takes is not known before it has. */
	l->net_device[0] = '\0';
}

static void make_environment(const struct plan_of *p, struct env *e)
{
	int i;

	if (env_inherit(e, environ) != 0)
		abort();
	env_drop_prefix(e, "NCCL");
	if (env_set(e, "NCCLBENCH_TEST_FAKE", p->script ? p->script : "") != 0)
		abort();
	for (i = 0; i < 4 && p->settings[i]; i++) {
		char name[64];
		size_t n = strcspn(p->settings[i], "=");

		(void)snprintf(name, sizeof(name), "%.*s", (int)n, p->settings[i]);
		if (env_set(e, name, p->settings[i] + n + 1) != 0)
			abort();
	}
}

static int set_up(struct plan_of *p, struct campaign *k, struct coord *c, struct env *e)
{
	char why[200];
	int r;

	k->c = c;
	k->request = (struct plan_request){
		.backend = p->backend,
		.nranks = 2,
		.ops = 1ULL << OP_ALL_REDUCE,
		.transports = 1ULL << p->transport,
		.timings = 1u << (p->backend == BACKEND_UCX ? TIMING_HOST : TIMING_STREAM),
		.sizes = sizes,
		.n_sizes = 2,
		.b = 1,
		.restarts = 1,
		.seed = 1,
	};
	r = plan_build(&k->request, &k->plan, why, sizeof(why));
	k->crew = (struct crew_spec){
		.worker = worker,
		.log_dir = dir,
		.timeout_ns = p->timeout_ns ? p->timeout_ns : LONG_NS,
		.inherited = e->vec,
		.environment = { .one_host = true },
		.device = p->gpu[c->rank],
	};
	return r < 0 ? r : campaign_prepare(k);
}

static void count_flags(struct plan_of *p, const struct campaign *k)
{
	for (size_t i = 0; i < k->plan.n_points; i++)
		for (size_t s = 0; s < k->points[i].merged.n; s++) {
			const char *flags = k->points[i].merged.samples[s].flags;

			p->n_samples++;
			p->flagged += flags[0] != '\0';
			if (flags[0])
				record_set(p->flags, sizeof(p->flags), flags);
		}
}

static int one_rank(struct coord *c, void *arg)
{
	struct plan_of *p = arg;
	struct campaign *k = calloc(1, sizeof(*k));
	struct launch *l = calloc(1, sizeof(*l));
	static struct plan_of copy[2]; /* facts name lines of their own */
	struct env e = { 0 };
	int r;

	if (!k || !l)
		abort();
	copy[c->rank] = *p;
	make_environment(p, &e);
	facts_of(&copy[c->rank], l, c->rank);
	k->reasons = (struct reason_context){ .facts = &l->facts, .nranks = 2, .n_hosts = 1 };
	r = set_up(p, k, c, &e);
	if (p->tcp && p->backend == BACKEND_UCX) {
		k->joined = ceiling_tcp_joined;
		k->joined_arg = l;
	}
	if (r == 0 && p->tcp && p->backend == BACKEND_NCCL)
		r = ceiling_tcp(k, l);
	if (r == 0 && p->sweep)
		r = campaign_run(k);
	if (r == 0 && p->copies)
		r = ceiling_copies(k, l);
	if (r == 0)
		r = campaign_gather_cards(k);
	if (c->rank == 0) {
		count_flags(p, k);
		p->k = k;
	} else {
		campaign_fini(k);
		free(k);
	}
	free(l);
	env_fini(&e);
	return r;
}

static void go(struct plan_of *p)
{
	static struct coord_threads_result result;
	int64_t began = clock_now_ns();

	if (coord_threads_run(2, clock_after_ns(PATIENCE_NS), one_rank, p, &result) != 0)
		abort();
	p->elapsed_ns = clock_now_ns() - began;
	assert_int_equal(result.code[0], 0);
	assert_int_equal(result.code[1], 0);
}

static void done(struct plan_of *p)
{
	campaign_fini(p->k);
	free(p->k);
}

static const struct view_peak *row(const struct plan_of *p, int id)
{
	for (size_t i = 0; i < p->k->n_peaks; i++)
		if (strcmp(p->k->peaks[i].name, ceiling_table[id].title) == 0)
			return &p->k->peaks[i];
	return NULL;
}

/* The fake takes 1 ns per byte: 1 GB/s whatever is copied. */
static void all_copies(void **state)
{
	struct plan_of p = {
		.backend = BACKEND_NCCL, .transport = TRANSPORT_SHM, .gpu = { 0, 1 }, .copies = true
	};

	go(&p);
	assert_int_equal(p.k->n_peaks, CEILING_HOST_COPY + 1); /* all before TCP */
	for (int id = 0; id <= CEILING_HOST_COPY; id++) {
		const struct view_peak *peak = row(&p, id);

		assert_non_null(peak);
		assert_true(fabs(peak->gbps - 1) < 1e-9);
		assert_int_equal(peak->kind, VIEW_PEAK_MEASURED);
		assert_string_equal(peak->transport, "");
		assert_string_equal(peak->how, ceiling_table[id].how);
	}
	assert_string_equal(p.k->no_ceiling, "");
	done(&p);
}

static void one_gpu_has_no_peer(void **state)
{
	struct plan_of p = { .backend = BACKEND_NCCL,
			     .transport = TRANSPORT_SOCKET,
			     .gpu = { 0, 0 },
			     .copies = true };

	go(&p);
	assert_null(row(&p, CEILING_CE_WRITE));
	assert_null(row(&p, CEILING_SM_READ_BOTH));
	assert_non_null(row(&p, CEILING_HOST_TO_GPU));
	assert_non_null(row(&p, CEILING_LOCAL));
	assert_int_equal(p.k->n_peaks, 6);
	done(&p);
}

static void host_memory_has_no_gpu(void **state)
{
	struct plan_of p = { .backend = BACKEND_UCX,
			     .transport = TRANSPORT_UCX_SHM,
			     .copies = true,
			     .settings = { "NCCLBENCH_TEST_FAKE_BACKEND=ucx" } };

	go(&p);
	assert_int_equal(p.k->n_peaks, 1);
	assert_non_null(row(&p, CEILING_HOST_COPY));
	done(&p);
}

static void what_goes_wrong_costs_rows_only(void **state)
{
	static const struct {
		const char *script;
		size_t rows;
		const char *why;
	} rows[] = {
		{ "fail:unavailable@ceiling:1", CEILING_HOST_COPY, "ce-write" },
		{ "fail:oom@ceiling:2", CEILING_HOST_COPY, "ce-read" },
		{ "fatal:error@ceiling:3", 2, "ce-write-both" },
		{ "crash@ceiling:2", 1, "ended" },
		{ "nan@ceiling:1", CEILING_HOST_COPY, "" },
		{ "garbage@ceiling:2", 1, "no message" },
		{ "hang@ceiling:2", 1, "no answer within" },
		{ "crash@hello", 0, "copies" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan_of p = { .backend = BACKEND_NCCL,
				     .transport = TRANSPORT_SHM,
				     .gpu = { 0, 1 },
				     .copies = true,
				     .timeout_ns =
					 strncmp(rows[i].script, "hang", 4) == 0 ? 5 * CLOCK_S : 0,
				     .script = rows[i].script };

		go(&p);
		if (p.k->n_peaks != rows[i].rows || !strstr(p.k->no_ceiling, rows[i].why))
			fail_msg("%s: %zu rows, \"%s\"", rows[i].script, p.k->n_peaks,
				 p.k->no_ceiling);
		assert_false(p.k->interrupted);
		assert_true(p.elapsed_ns < SLACK_NS);
		done(&p);
	}
}

static void tcp_rows(void **state)
{
	struct plan_of p = {
		.backend = BACKEND_UCX,
		.transport = TRANSPORT_UCX_TCP,
		.settings = { "NCCLBENCH_TEST_FAKE_BACKEND=ucx",
			      "NCCLBENCH_TEST_FAKE_STATE=lanes=tcp/lo" },
		.tcp = true,
		.sweep = true,
	};
	size_t of_socket = 0;
	double best = 0;

	go(&p);
	assert_string_equal(p.k->no_ceiling, "");
	assert_int_equal(p.k->n_peaks, 4);
	assert_string_equal(p.k->tcp_interface, "lo");
	for (size_t i = 0; i < 3; i++) {
		assert_true(p.k->peaks[i].gbps > 0);
		best = fmax(best, p.k->peaks[i].gbps);
		of_socket += p.k->peaks[i].transport[0] != '\0';
	}
	assert_int_equal(of_socket, 1);
	assert_true(peak_of(p.k->peaks, p.k->n_peaks, TRANSPORT_UCX_TCP) == best);
	assert_non_null(row(&p, CEILING_TCP_BOTH));
	assert_string_equal(row(&p, CEILING_TCP_BOTH)->transport, "");
	/* The rows of the sweep are held against it. */
	assert_true(p.k->points[0].done && isfinite(p.k->points[1].record.peak_pct));
	done(&p);
}

/* Rank 1 listens, on the interface of its lanes to rank 0: no other stands in for it. */
static void tcp_on_the_interface_that_ucx_uses(void **state)
{
	static const struct {
		const char *lanes, *interface, *why;
	} cases[] = {
		{ "lanes=1:tcp/nope1%200:tcp/lo", "lo", "" },
		{ "lanes=10:tcp/nope1%200:posix/memory,tcp/lo%202:tcp/nope2", "lo", "" },
		{ "lanes=tcp/nope0", "", "interface =nope0" },
		{ "lanes=0:posix/memory%202:tcp/lo", "",
		  "UCX does not say which interface it uses" },
		{ "lanes=unknown", "", "lanes: unknown" },
		{ "none=1", "", "lanes: not told" },
	};

	for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
		char state_of[200];
		struct plan_of p = {
			.backend = BACKEND_UCX,
			.transport = TRANSPORT_UCX_TCP,
			.settings = { "NCCLBENCH_TEST_FAKE_BACKEND=ucx", state_of },
			.tcp = true,
			.sweep = true,
		};

		(void)snprintf(state_of, sizeof(state_of), "NCCLBENCH_TEST_FAKE_STATE=%s",
			       cases[i].lanes);
		go(&p);
		assert_string_equal(p.k->tcp_interface, cases[i].interface);
		assert_int_equal(p.k->n_peaks, cases[i].interface[0] ? 4 : 0);
		assert_non_null(strstr(p.k->no_ceiling, cases[i].why));
		assert_true(p.k->points[0].done && p.k->points[1].done);
		done(&p);
	}
}

static void no_tcp_where_nothing_uses_it(void **state)
{
	struct plan_of p = {
		.backend = BACKEND_NCCL, .transport = TRANSPORT_SHM, .gpu = { 0, 1 }, .tcp = true
	};

	go(&p);
	assert_int_equal(p.k->n_peaks, 0);
	assert_string_equal(p.k->no_ceiling, "");
	done(&p);
}

static void no_interface_is_said(void **state)
{
	struct plan_of p = {
		.backend = BACKEND_NCCL, .transport = TRANSPORT_SOCKET, .gpu = { 0, 1 }, .tcp = true
	};

	assert_int_equal(setenv("NCCL_SOCKET_IFNAME", "=nope0", 1), 0);
	go(&p);
	assert_int_equal(unsetenv("NCCL_SOCKET_IFNAME"), 0);
	assert_int_equal(p.k->n_peaks, 0);
	assert_non_null(strstr(p.k->no_ceiling, "=nope0"));
	done(&p);
}

/* Rank 1's card decides as well as rank 0's. */
static void samples_are_flagged(void **state)
{
	static const struct {
		const char *joined, *run, *flags;
	} rows[] = {
		{ "NCCLBENCH_TEST_FAKE_STATE=sm_mhz=1980 throttle=0",
		  "NCCLBENCH_TEST_FAKE_STATE_RUN=sm_mhz=1980 throttle=1", "" },
		{ "NCCLBENCH_TEST_FAKE_STATE=sm_mhz=1980 throttle=0",
		  "NCCLBENCH_TEST_FAKE_STATE_RUN=sm_mhz=1980 throttle=4", "throttled" },
		{ "NCCLBENCH_TEST_FAKE_STATE=sm_mhz=1980 throttle=0",
		  "NCCLBENCH_TEST_FAKE_STATE_RUN=sm_mhz=1700 throttle=0", "clock-fell" },
		{ "NCCLBENCH_TEST_FAKE_STATE=sm_mhz=1980 throttle=40",
		  "NCCLBENCH_TEST_FAKE_STATE_RUN=sm_mhz=1700 throttle=40", "throttled clock-fell" },
		{ NULL, NULL, "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan_of p = { .backend = BACKEND_NCCL,
				     .transport = TRANSPORT_SHM,
				     .gpu = { 0, 1 },
				     .sweep = true,
				     .settings = { rows[i].joined, rows[i].run } };

		go(&p);
		assert_true(p.n_samples > 0);
		assert_int_equal(p.flagged, rows[i].flags[0] ? p.n_samples : 0);
		assert_string_equal(p.flags, rows[i].flags);
		assert_non_null(p.k->cards);
		assert_int_equal(strstr(p.k->cards[1], "start.sm_mhz=1980") != NULL,
				 rows[i].joined != NULL);
		done(&p);
	}
}

static int before(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int after(void **state)
{
	char command[80];

	(void)snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_copies),
		cmocka_unit_test(one_gpu_has_no_peer),
		cmocka_unit_test(host_memory_has_no_gpu),
		cmocka_unit_test(what_goes_wrong_costs_rows_only),
		cmocka_unit_test(tcp_rows),
		cmocka_unit_test(tcp_on_the_interface_that_ucx_uses),
		cmocka_unit_test(no_tcp_where_nothing_uses_it),
		cmocka_unit_test(no_interface_is_said),
		cmocka_unit_test(samples_are_flagged),
	};

	if (argc != 2)
		return 2;
	worker = argv[1];
	return cmocka_run_group_tests(tests, before, after);
}
