/* SPDX-License-Identifier: Apache-2.0 */
/* The tables are whole, settings are what they say, a space holds what acts and nothing else. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/attr.h"
#include "base/buf.h"
#include "search/setting.h"
#include "search/space.h"
#include "search/tunable.h"
#include "spec/transport.h"

static struct setting parsed(const char *text)
{
	struct setting s;

	if (setting_parse(text, &s) != 0)
		fail_msg("cannot read '%s'", text);
	return s;
}

static void rows_are_whole(void **state)
{
	assert_true(n_tunables < SETTING_OTHERWISE);
	for (size_t i = 0; i < n_tunables; i++) {
		const struct tunable *t = &tunable_table[i];
		const char *prefix = t->backend == BACKEND_NCCL ? "NCCL_" : "UCX_";

		assert_int_equal(tunable_find(t->name), i); /* unique */
		assert_int_equal(strncmp(t->name, prefix, strlen(prefix)), 0);
		assert_non_null(t->values[0]);
		assert_null(t->values[TUNABLE_VALUES - 1]);
		assert_non_null(t->otherwise);
		assert_true(t->transports != 0 && (t->ops & ~TUNE_ANY) == 0 && t->ops);
		assert_in_range(t->rank, 1, 3);
		assert_true(t->acts[0] && t->source[0]);
		for (int k = 0; k < TRANSPORT_COUNT; k++)
			if (t->transports >> k & 1)
				assert_int_equal(transport_table[k].backend, t->backend);
	}
	for (size_t i = 0; i < n_recipes; i++) {
		struct setting s = parsed(recipe_table[i].words);

		assert_true(s.n > 1 && setting_allowed(&s));
	}
	for (size_t i = 0; i < n_limits; i++)
		assert_true(tunable_find(limit_table[i].a) >= 0 &&
			    tunable_find(limit_table[i].b) >= 0);
}

/* Fixed: whatever is tried, multicast is not switched on, on no transport. */
static void nothing_switches_multicast_on(void **state)
{
	for (size_t i = 0; i < n_tunables; i++) {
		assert_null(strcasestr(tunable_table[i].name, "NVLS"));
		assert_null(strcasestr(tunable_table[i].name, "COLLNET"));
		assert_null(strcasestr(tunable_table[i].name, "CTA_POLICY"));
		assert_null(strcasestr(tunable_table[i].name, "MNNVL"));
		assert_false(tunable_table[i].transports >> TRANSPORT_NVLS & 1);
		for (const char *const *v = tunable_table[i].values; *v; v++) {
			assert_null(strcasestr(*v, "nvls"));
			assert_null(strcasestr(*v, "collnet"));
			/* An exclusion would allow all others. */
			assert_false(strcmp(tunable_table[i].name, "NCCL_ALGO") == 0 && **v == '^');
		}
	}
	assert_int_equal(setting_parse("NCCL_NVLS_ENABLE=1", &(struct setting){ 0 }), -EINVAL);
	assert_int_equal(setting_parse("NCCL_ALGO=NVLS", &(struct setting){ 0 }), -EINVAL);
	assert_int_equal(setting_parse("NCCL_ALGO=NVLSTree", &(struct setting){ 0 }), -EINVAL);
}

static void versions(void **state)
{
	const struct tunable *shm = &tunable_table[tunable_find("NCCL_SHM_USE_CUDA_MEMCPY")];

	assert_int_equal(tunable_version("2.28.3"), 22803);
	assert_int_equal(tunable_version("2.28.3+cuda13.0"), 22803);
	assert_int_equal(tunable_version("1.13.1"), 11301);
	assert_int_equal(tunable_version("2.5"), 20500);
	assert_int_equal(tunable_version(""), 0);
	assert_int_equal(tunable_version("unknown"), 0);
	assert_int_equal(tunable_version("2."), 0);
	assert_int_equal(tunable_version("-2.3.4"), 0);
	assert_int_equal(tunable_version("2.999.1"), 0);
	assert_false(tunable_in_version(shm, 21303));
	assert_true(tunable_in_version(shm, 21304));
	assert_true(tunable_in_version(shm, 23004));
	assert_false(tunable_in_version(shm, 23007));
	assert_true(tunable_in_version(shm, 0));
}

static void settings(void **state)
{
	struct setting a = parsed("NCCL_SOCKET_NTHREADS=4"),
		       b = parsed("NCCL_NSOCKS_PERTHREAD=8 NCCL_MIN_NCHANNELS=8"), c;
	struct buf text = { 0 };

	assert_true(setting_join(&a, &b, &c));
	setting_text(&c, &text);
	assert_string_equal(buf_text(&text),
			    "NCCL_MIN_NCHANNELS=8 NCCL_SOCKET_NTHREADS=4 NCCL_NSOCKS_PERTHREAD=8");
	b = parsed(buf_text(&text));
	assert_true(setting_equal(&b, &c));
	buf_fini(&text);
	/* 16 x 8 sockets are more than NCCL takes; 8 x 8 are not. */
	a = parsed("NCCL_SOCKET_NTHREADS=16");
	b = parsed("NCCL_NSOCKS_PERTHREAD=8");
	assert_false(setting_join(&a, &b, &c));
	a = parsed("NCCL_SOCKET_NTHREADS=8");
	assert_true(setting_join(&a, &b, &c));
	/* two values of one variable */
	b = parsed("NCCL_SOCKET_NTHREADS=4");
	assert_false(setting_join(&a, &b, &c));
	/* least above most */
	a = parsed("NCCL_MIN_NCHANNELS=16");
	b = parsed("NCCL_MAX_NCHANNELS=8");
	assert_false(setting_join(&a, &b, &c));
	a = parsed("NCCL_MIN_NCHANNELS=8");
	assert_true(setting_join(&a, &b, &c));
	setting_drop(&c, 0);
	assert_true(setting_equal(&c, &b));
	assert_int_equal(setting_parse("", &c), 0);
	assert_int_equal(c.n, 0);
	assert_int_equal(setting_parse("UCX_RNDV_THRESH=auto", &c), 0);
	assert_string_equal(setting_value(&c, 0), "auto");
	assert_int_equal(setting_parse("NCCL_MIN_NCHANNELS=5", &c), -EINVAL);
	assert_int_equal(setting_parse("NCCL_MIN_NCHANNELS", &c), -EINVAL);
	assert_int_equal(setting_parse("PATH=/", &c), -EINVAL);
}

static const char *environment(void *arg, const char *name)
{
	for (const char *const *p = arg; p && *p; p += 2)
		if (strcmp(*p, name) == 0)
			return p[1];
	return NULL;
}

static bool holds(const struct space *s, const char *text)
{
	struct setting want = parsed(text);

	for (size_t i = 0; i < s->n_first; i++)
		if (setting_equal(&s->first[i], &want))
			return true;
	return false;
}

static void what_acts_here(void **state)
{
	struct space_request q = { .transport = TRANSPORT_SOCKET,
				   .version = 22803,
				   .ops = TUNE_COLLECTIVE };
	struct space s;

	assert_int_equal(space_build(&q, &s), 0);
	assert_true(holds(&s, "NCCL_SOCKET_NTHREADS=16"));
	assert_true(
	    holds(&s, "NCCL_SOCKET_NTHREADS=4 NCCL_NSOCKS_PERTHREAD=4 NCCL_MIN_NCHANNELS=8"));
	assert_false(holds(&s, "NCCL_P2P_NET_CHUNKSIZE=262144")); /* send and receive only */
	assert_false(holds(&s, "NCCL_IB_QPS_PER_CONNECTION=2"));  /* another transport */
	assert_false(holds(&s, "NCCL_SOCKET_SNDBUF=-1"));         /* the default is the control */
	space_fini(&s);
	q.version = 21000; /* before NCCL_SOCKET_SNDBUF, NCCL_MIN_CTAS */
	assert_int_equal(space_build(&q, &s), 0);
	assert_false(holds(&s, "NCCL_SOCKET_SNDBUF=1048576"));
	assert_false(holds(&s, "NCCL_MIN_CTAS=8"));
	assert_true(holds(&s, "NCCL_MIN_NCHANNELS=8"));
	space_fini(&s);
	q.ops = TUNE_SEND_RECV;
	q.version = 22803;
	assert_int_equal(space_build(&q, &s), 0);
	assert_true(holds(&s, "NCCL_P2P_NET_CHUNKSIZE=262144"));
	assert_false(holds(&s, "NCCL_MIN_NCHANNELS=8"));
	/* a recipe that needs what does not act is none */
	assert_false(
	    holds(&s, "NCCL_SOCKET_NTHREADS=4 NCCL_NSOCKS_PERTHREAD=4 NCCL_MIN_NCHANNELS=8"));
	assert_true(holds(&s, "NCCL_SOCKET_NTHREADS=4 NCCL_NSOCKS_PERTHREAD=4"));
	space_fini(&s);
	q.only = "NCCL_NTHREADS,NCCL_PROTO";
	assert_int_equal(space_build(&q, &s), 0);
	assert_int_equal(s.n_axes, 2);
	assert_int_equal(s.n_first, 6);
	space_fini(&s);
}

/* The cma row needs its threshold; the copy engine is switched off by the base only. */
static void rows_keep_what_they_need(void **state)
{
	struct space_request q = { .transport = TRANSPORT_UCX_CMA, .ops = TUNE_ANY };
	struct space s;

	assert_int_equal(space_build(&q, &s), 0);
	for (size_t i = 0; i < s.n_axes; i++)
		for (const struct env_pair *p = transport_table[TRANSPORT_UCX_CMA].set; p->name;
		     p++)
			assert_string_not_equal(tunable_table[s.axes[i].tunable].name, p->name);
	assert_true(holds(&s, "UCX_CMA_SEG_SIZE=2m"));
	space_fini(&s);
	q.transport = TRANSPORT_P2P_CE;
	assert_int_equal(space_build(&q, &s), 0);
	assert_false(holds(&s, "NCCL_P2P_USE_CUDA_MEMCPY=1"));
	assert_false(holds(&s, "NCCL_PROTO=LL"));
	space_fini(&s);
	q.transport = TRANSPORT_P2P;
	assert_int_equal(space_build(&q, &s), 0);
	assert_true(holds(&s, "NCCL_P2P_USE_CUDA_MEMCPY=1"));
	space_fini(&s);
}

/* What the environment sets is the control; the way back to the default is tried before all else.
 */
static void environment_is_the_control(void **state)
{
	static const char *const sets[] = { "UCX_RNDV_THRESH", "8k", "UCX_POSIX_FIFO_SIZE", "64",
					    NULL };
	struct space_request q = { .transport = TRANSPORT_UCX_SHM,
				   .ops = TUNE_ANY,
				   .inherited = environment,
				   .arg = (void *)sets };
	struct setting way_back = parsed("UCX_RNDV_THRESH=auto");
	struct space s;

	assert_int_equal(space_build(&q, &s), 0);
	assert_false(holds(&s, "UCX_RNDV_THRESH=8k"));
	assert_true(setting_equal(&s.first[0], &way_back));
	assert_false(holds(&s, "UCX_POSIX_FIFO_SIZE=64"));
	assert_true(holds(&s, "UCX_POSIX_FIFO_SIZE=128"));
	space_fini(&s);
}

static void neighbours(void **state)
{
	struct space_request q = { .transport = TRANSPORT_SOCKET,
				   .version = 22803,
				   .ops = TUNE_COLLECTIVE };
	struct setting of = parsed("NCCL_SOCKET_NTHREADS=16 NCCL_NSOCKS_PERTHREAD=4"), near[8],
		       one = parsed("NCCL_SOCKET_NTHREADS=8 "
				    "NCCL_NSOCKS_PERTHREAD=4"),
		       two = parsed("NCCL_SOCKET_NTHREADS=16 NCCL_NSOCKS_PERTHREAD=2");
	struct space s;

	assert_int_equal(space_build(&q, &s), 0);
	/* 32 threads are none, 16 x 8 sockets too many */
	assert_int_equal(space_neighbours(&s, &of, near, N_ELEMENTS(near)), 2);
	assert_true(setting_equal(&near[0], &one));
	assert_true(setting_equal(&near[1], &two));
	assert_int_equal(space_neighbours(&s, &of, near, 1), 1);
	space_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_whole),
		cmocka_unit_test(nothing_switches_multicast_on),
		cmocka_unit_test(versions),
		cmocka_unit_test(settings),
		cmocka_unit_test(what_acts_here),
		cmocka_unit_test(rows_keep_what_they_need),
		cmocka_unit_test(environment_is_the_control),
		cmocka_unit_test(neighbours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
