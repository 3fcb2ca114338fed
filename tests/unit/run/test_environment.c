/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker's environment holds: exactly what was inherited, minus the launcher's, plus the
 * row; and never multicast under a veto. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/arm.h"
#include "run/environment.h"
#include "spec/transport.h"

static struct environment built;

static void build(int transport, const char *const *inherited, struct environment_request r)
{
	r.transport = transport;
	environment_fini(&built);
	assert_int_equal(environment_build(&built, (char *const *)inherited, &r), 0);
}

static void plain(int transport, const char *const *inherited)
{
	build(transport, inherited, (struct environment_request){ .one_host = true, .rank = 1 });
}

static void expect(const char *name, const char *value)
{
	const char *got = env_get(&built.env, name);

	if (!value && got)
		fail_msg("%s is \"%s\", must be absent", name, got);
	if (value && (!got || strcmp(got, value) != 0))
		fail_msg("%s is \"%s\", must be \"%s\"", name, got ? got : "(absent)", value);
}

static int done(void **state)
{
	environment_fini(&built);
	return 0;
}

/* ---- what is dropped and kept ---- */

static void launcher_variables_do_not_reach_a_worker(void **state)
{
	static const char *const inherited[] = {
		"PATH=/bin",
		"OMPI_COMM_WORLD_RANK=1",
		"OMPI_MCA_btl=self",
		"PMIX_RANK=1",
		"PMI_FD=7",
		"PMI_RANK=1",
		"PRTE_X=1",
		"HYDRA_LAUNCHER=x",
		"HFI_NO_BACKTRACE=1",
		"IPATH_NO_BACKTRACE=1",
		"MPI_LOCALNRANKS=2",
		"MPI_LOCALRANKID=1",
		"MPIR_CVAR_CH3_INTERFACE_HOSTNAME=h",
		"GFORTRAN_UNBUFFERED_PRECONNECTED=y",
		"PMIXED=kept",
		"HOME=/root",
		NULL,
	};

	plain(TRANSPORT_AUTO, inherited);
	/* PATH, PMIXED, HOME; three of NCCL_DEBUG*; two of ours */
	assert_int_equal(built.env.n, 3 + 3 + 2);
	expect("PATH", "/bin");
	expect("PMIXED", "kept");
	expect("HOME", "/root");
}

static void auto_gets_only_the_log(void **state)
{
	static const char *const inherited[] = { "NCCL_P2P_DISABLE=1", "NCCL_DEBUG=WARN",
						 "NCCL_ALGO=Tree", NULL };

	plain(TRANSPORT_AUTO, inherited);
	assert_int_equal(built.env.n, 2 + 3 + 2);
	expect("NCCL_P2P_DISABLE", "1");
	expect("NCCL_ALGO", "Tree");
	expect("NCCL_DEBUG", "INFO");
	expect("NCCL_DEBUG_FILE", "/proc/self/fd/4");
	expect("NCCL_HOSTID", NULL);
	/* Nothing that steers was taken away: nothing is said. */
	assert_string_equal(buf_text(&built.overruled), "");
}

static void our_own_two(void **state)
{
	static const char *const inherited[] = { "NCCLBENCH_RANK=9", "NCCLBENCH_PPID=1", NULL };
	char pid[32];

	snprintf(pid, sizeof(pid), "%ld", (long)getpid());
	build(TRANSPORT_UCX_SHM, inherited, (struct environment_request){ .rank = 17 });
	expect("NCCLBENCH_RANK", "17");
	expect("NCCLBENCH_PPID", pid);
}

/* ---- rows ---- */

static void a_forced_row_blocks_the_others(void **state)
{
	static const char *const none[] = { NULL };

	plain(TRANSPORT_SHM, none);
	expect("NCCL_P2P_DISABLE", "1");
	expect("NCCL_SHM_DISABLE", "0");
	expect("NCCL_NET_DISABLE_INTRA", "1");
	expect("NCCL_NVLS_ENABLE", "0");
	expect("NCCL_GRAPH_REGISTER", "0");
	expect("NCCL_NET_PLUGIN", "none");
	plain(TRANSPORT_P2P, none);
	expect("NCCL_P2P_DISABLE", "0");
	expect("NCCL_SHM_DISABLE", "1");
	expect("NCCL_CUMEM_ENABLE", NULL);
	plain(TRANSPORT_P2P_IPC, none);
	expect("NCCL_CUMEM_ENABLE", "0");
	/* The row comes after the base and wins. */
	plain(TRANSPORT_P2P_CE, none);
	expect("NCCL_P2P_USE_CUDA_MEMCPY", "1");
	plain(TRANSPORT_UCX_CMA, none);
	expect("UCX_TLS", "cma,posix");
	expect("UCX_RNDV_THRESH", "0");
	for (size_t i = 0; i < built.env.n; i++)
		assert_int_not_equal(strncmp(built.env.vec[i], "NCCL_", 5), 0);
}

static void a_rank_has_its_own_host_id_on_a_shared_host(void **state)
{
	static const char *const inherited[] = { "NCCL_HOSTID=mine", NULL };

	build(TRANSPORT_SOCKET, inherited,
	      (struct environment_request){ .one_host = true, .rank = 3 });
	expect("NCCL_HOSTID", "ncclbench-rank3");
	build(TRANSPORT_IB, inherited,
	      (struct environment_request){ .share_gpu = true, .rank = 511 });
	expect("NCCL_HOSTID", "ncclbench-rank511");
	build(TRANSPORT_SOCKET, inherited, (struct environment_request){ .rank = 3 });
	expect("NCCL_HOSTID", "mine");
	build(TRANSPORT_SHM, inherited,
	      (struct environment_request){ .one_host = true, .rank = 3 });
	expect("NCCL_HOSTID", "mine");
}

static void tuning_lines_only_when_asked_for(void **state)
{
	static const char *const none[] = { NULL };
	const char *subsystems;

	build(TRANSPORT_SHM, none, (struct environment_request){ .tuning = true });
	assert_non_null(strstr(env_get(&built.env, "NCCL_DEBUG_SUBSYS"), ",TUNING"));
	build(TRANSPORT_SHM, none, (struct environment_request){ .tuning = false });
	subsystems = env_get(&built.env, "NCCL_DEBUG_SUBSYS");
	assert_null(strstr(subsystems, "TUNING"));
	assert_non_null(strstr(subsystems, "INIT,"));
	assert_int_not_equal(subsystems[strlen(subsystems) - 1], ',');
}

/* ---- what is said ---- */

static void overruled_settings_are_named_once(void **state)
{
	static const char *const inherited[] = {
		"NCCL_NET=IB",
		"NCCL_P2P_DISABLE=1",
		"NCCL_SOCKET_IFNAME=eth1",
		"NCCL_IB_DISABLE=1",
		"NCCL_DEBUG=VERSION",
		"NCCL_NVLS_ENABLE=1",
		NULL,
	};

	plain(TRANSPORT_SOCKET, inherited);
	/* In the order in which the base and the row take them; NCCL_NET although NCCL_NET_PLUGIN
	 * came before it. IB_DISABLE is as the row wants it, SOCKET_IFNAME is nobody's, NCCL_DEBUG
	 * steers nothing. */
	assert_string_equal(buf_text(&built.overruled),
			    "NCCL_NVLS_ENABLE=1 NCCL_NET=IB NCCL_P2P_DISABLE=1");
	expect("NCCL_NET", "Socket");
	expect("NCCL_P2P_DISABLE", "");
	expect("NCCL_SOCKET_IFNAME", "eth1");
	assert_non_null(strstr(buf_text(&built.set), "NCCL_NVLS_ENABLE=0 NCCL_WIN_ENABLE=0"));
	assert_non_null(strstr(buf_text(&built.set), " NCCL_NET=Socket "));
	assert_non_null(strstr(buf_text(&built.set), " NCCL_HOSTID=ncclbench-rank1"));
	assert_false(built.vetoed);
}

static void steering(void **state)
{
	static const char *const inherited[] = {
		"PATH=/bin",
		"NCCL_P2P_DISABLE=1",
		"NCCL_DEBUG=INFO",
		"NCCL_ALGO=Ring",
		"NCCL_SOCKET_IFNAME=eth0",
		"NCCL_HOSTID=x",
		"XNCCL_NET=IB",
		"NCCL_NET",
		"NCCL_NETS=1",
		"NCCL_NET=IB",
		"UCX_TLS=tcp",
		NULL,
	};
	struct buf text = { 0 };

	environment_steering((char *const *)inherited, &text);
	assert_string_equal(buf_text(&text),
			    "NCCL_P2P_DISABLE=1 NCCL_ALGO=Ring NCCL_HOSTID=x NCCL_NET=IB");
	buf_fini(&text);
	environment_steering(NULL, &text);
	assert_string_equal(buf_text(&text), "");
}

static void only_what_somebody_chose_is_recorded(void **state)
{
	static const char *const yes[] = { "NCCL_P2P_DISABLE",     "UCX_TLS",
					   "CUDA_VISIBLE_DEVICES", "OMPI_MCA_btl",
					   "OMPI_MCA_pml",         "NVIDIA_VISIBLE_DEVICES" };
	static const char *const no[] = { "PATH",
					  "HOME",
					  "AWS_SECRET_ACCESS_KEY",
					  "SLURM_JOB_ID",
					  "NCCL",
					  "MY_NCCL_X",
					  "OMPI_COMM_WORLD_RANK",
					  "OMPI_MCA_orte_hnp_uri",
					  "OMPI_MCA_ess_base_jobid",
					  "OMPI_MCA_initial_wdir",
					  "" };

	for (size_t i = 0; i < N_ELEMENTS(yes); i++)
		assert_true(environment_recordable(yes[i]));
	for (size_t i = 0; i < N_ELEMENTS(no); i++)
		if (environment_recordable(no[i]))
			fail_msg("%s must not be recorded", no[i]);
}

/* ---- options ---- */

static void another_library_is_loaded_first(void **state)
{
	static const char *const none[] = { NULL },
				 *const some[] = { "LD_PRELOAD=/a.so:/b.so", NULL },
				 *const empty[] = { "LD_PRELOAD=", NULL };
	const struct environment_request r = { .nccl_lib = "/opt/libnccl.so.2" };

	build(TRANSPORT_AUTO, none, r);
	expect("LD_PRELOAD", "/opt/libnccl.so.2");
	build(TRANSPORT_SHM, some, r);
	expect("LD_PRELOAD", "/opt/libnccl.so.2:/a.so:/b.so");
	build(TRANSPORT_SHM, empty, r);
	expect("LD_PRELOAD", "/opt/libnccl.so.2");
	build(TRANSPORT_UCX_TCP, none, r);
	expect("LD_PRELOAD", NULL);
}

static void one_interface_for_ucx(void **state)
{
	static const char *const inherited[] = { "UCX_NET_DEVICES=eth7", NULL };

	build(TRANSPORT_UCX_TCP, inherited, (struct environment_request){ .net_device = "lo" });
	expect("UCX_NET_DEVICES", "lo");
	build(TRANSPORT_UCX_TCP, inherited, (struct environment_request){ .net_device = NULL });
	expect("UCX_NET_DEVICES", "eth7");
}

static void another_tools_communicator(void **state)
{
	static const char *const inherited[] = { "NCCL_NVLINK_UTIL_CENTRIC_SCHED_ENABLE=0", NULL };

	build(TRANSPORT_P2P, inherited,
	      (struct environment_request){ .method = environment_nccl_tests(true) });
	expect("NCCL_NVLINK_UTIL_CENTRIC_SCHED_ENABLE", "1");
	expect("NCCL_P2P_MAX_PEERS", "2");
	assert_non_null(
	    strstr(buf_text(&built.overruled), "NCCL_NVLINK_UTIL_CENTRIC_SCHED_ENABLE=0"));
	build(TRANSPORT_AUTO, NULL,
	      (struct environment_request){ .method = environment_nccl_tests(false) });
	expect("NCCL_NVLINK_UTIL_CENTRIC_SCHED_ENABLE", "1");
	expect("NCCL_P2P_MAX_PEERS", NULL);
	build(TRANSPORT_AUTO, NULL, (struct environment_request){ .method = NULL });
	expect("NCCL_NVLINK_UTIL_CENTRIC_SCHED_ENABLE", NULL);
}

/* ---- the veto ---- */

struct spelling {
	const char *text; /* NULL: absent */
	bool veto;
};

/* As NCCL reads it: strtoll with base 0; text that is no number counts as 0, the empty text as not
 * set. */
static const struct spelling spellings[] = {
	{ "0", true },     { "0x0", true },   { "00", true },   { " 0", true },  { "-0", true },
	{ "off", true },   { "false", true }, { "n1", true },   { "0 1", true }, { "", false },
	{ "1", false },    { "2", false },    { "0x1", false }, { "01", false }, { "-1", false },
	{ "1off", false }, { NULL, false },
};

static void veto_of(const struct spelling *s, int transport)
{
	const char *own = transport == TRANSPORT_NVLS                           ? "1"
			  : transport_table[transport].flags & TRANSPORT_FORCED ? "0"
										: s->text;
	char setting[64];
	const char *const inherited[] = { "PATH=/bin", setting, NULL };

	snprintf(setting, sizeof(setting), "NCCL_NVLS_ENABLE=%s", s->text ? s->text : "");
	if (!s->text)
		snprintf(setting, sizeof(setting), "X=1");
	assert_int_equal(environment_multicast_veto((char *const *)inherited), s->veto);
	plain(transport, inherited);
	expect("NCCL_NVLS_ENABLE", s->veto ? "0" : own);
	assert_int_equal(built.vetoed, s->veto && transport == TRANSPORT_NVLS);
	/* A row that says 0 as well overrules nothing; nvls' 1 and a user's 1 are overruled. */
	if (s->veto && transport != TRANSPORT_NVLS)
		assert_string_equal(buf_text(&built.overruled), "");
}

static void the_veto_holds_for_every_row_and_spelling(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(spellings); i++)
		for (int t = 0; t < TRANSPORT_COUNT; t++)
			veto_of(&spellings[i], t);
	assert_false(environment_multicast_veto(NULL));
}

/* Of a rank on another host, whose environment did not come along. */
/* NCCL's own plugin for its environment could answer something else than what is set. */
static void no_plugin_undoes_the_veto(void **state)
{
	static const char *const with[] = { "NCCL_NVLS_ENABLE=0", "NCCL_ENV_PLUGIN=mine.so", NULL };
	static const char *const without[] = { "NCCL_NVLS_ENABLE=0", NULL };
	static const char *const no_veto[] = { "NCCL_ENV_PLUGIN=mine.so", NULL };

	plain(TRANSPORT_AUTO, with);
	expect("NCCL_ENV_PLUGIN", "none");
	assert_non_null(strstr(buf_text(&built.overruled), "NCCL_ENV_PLUGIN=mine.so"));
	plain(TRANSPORT_AUTO, without);
	expect("NCCL_ENV_PLUGIN", "none");
	assert_string_equal(buf_text(&built.overruled), "");
	plain(TRANSPORT_AUTO, no_veto);
	expect("NCCL_ENV_PLUGIN", "mine.so");
}

static void another_ranks_veto_holds_here(void **state)
{
	static const char *const inherited[] = { "PATH=/bin", NULL };

	for (int t = 0; t < TRANSPORT_COUNT; t++) {
		build(t, inherited, (struct environment_request){ .veto = true });
		expect("NCCL_NVLS_ENABLE", "0");
		assert_int_equal(built.vetoed, t == TRANSPORT_NVLS);
	}
}

/* After the user's own, before the row: a forced row wins, and says so. */
static void an_arm_comes_between_the_user_and_the_row(void **state)
{
	static const char *const inherited[] = { "NCCL_BUFFSIZE=1", "NCCL_NVLS_ENABLE=0",
						 "UCX_TLS=tcp", NULL };
	struct env_pair set[] = { { "NCCL_BUFFSIZE", "2" },
				  { "NCCL_P2P_DISABLE", "1" },
				  { "UCX_NET_DEVICES", "eth9" } };
	const struct arm arm = { .set = set, .n = 3, .nccl_lib = (char *)"/opt/b.so" };

	build(TRANSPORT_AUTO, inherited,
	      (struct environment_request){ .arm = &arm, .nccl_lib = "/opt/a.so" });
	expect("NCCL_BUFFSIZE", "2");
	expect("NCCL_P2P_DISABLE", "1");
	expect("NCCL_NVLS_ENABLE", "0");
	expect("LD_PRELOAD", "/opt/b.so");
	build(TRANSPORT_P2P, inherited,
	      (struct environment_request){ .arm = &arm, .one_host = true });
	expect("NCCL_BUFFSIZE", "2");
	expect("NCCL_P2P_DISABLE", "0");
	assert_non_null(strstr(buf_text(&built.overruled), "NCCL_P2P_DISABLE=1"));
	build(TRANSPORT_UCX_TCP, inherited,
	      (struct environment_request){ .arm = &arm, .net_device = "lo" });
	expect("UCX_NET_DEVICES", "eth9");
	expect("LD_PRELOAD", NULL);
}

/* What no command line may set, whatever the spelling. */
/* tune tries copy engines, which the base of forced rows switches off; what the row itself sets
 * stays. */
static void an_arm_may_stand_over_the_base(void **state)
{
	static const char *const inherited[] = { "NCCL_NVLS_ENABLE=0", NULL };
	struct env_pair set[] = { { "NCCL_P2P_USE_CUDA_MEMCPY", "1" },
				  { "NCCL_P2P_DISABLE", "1" },
				  { "NCCL_NVLS_ENABLE", "1" } };
	struct arm arm = { .set = set, .n = 3 };
	struct environment_request r = { .one_host = true, .arm = &arm };

	build(TRANSPORT_P2P, inherited, r);
	expect("NCCL_P2P_USE_CUDA_MEMCPY", "0");
	arm.beats_base = true;
	build(TRANSPORT_P2P, inherited, r);
	expect("NCCL_P2P_USE_CUDA_MEMCPY", "1");
	expect("NCCL_P2P_DISABLE", "0");
	expect("NCCL_WIN_ENABLE", "0");
	/* Fixed: the veto is over everything. */
	expect("NCCL_NVLS_ENABLE", "0");
}

/* Blocks of ranks; what cannot be dealt evenly differs by one. */
static void a_faked_host_has_a_block_of_ranks(void **state)
{
	static const int of_eight[8] = { 0, 0, 0, 0, 1, 1, 1, 1 };
	static const int of_five[5] = { 0, 0, 0, 1, 1 };

	for (int i = 0; i < 8; i++)
		assert_int_equal(environment_fake_host(i, 8, 2), of_eight[i]);
	for (int i = 0; i < 5; i++)
		assert_int_equal(environment_fake_host(i, 5, 2), of_five[i]);
	for (int i = 0; i < 3; i++)
		assert_int_equal(environment_fake_host(i, 3, 3), i);
}

/* Every row of NCCL gets it, auto too, instead of the socket's own id per rank; UCX none. */
static void faked_hosts_reach_every_row(void **state)
{
	static const char *const inherited[] = { "NCCL_HOSTID=mine", NULL };
	struct environment_request r = { .rank = 5, .nranks = 8, .fake_hosts = 2 };

	build(TRANSPORT_AUTO, inherited, r);
	expect("NCCL_HOSTID", "ncclbench-host1");
	assert_string_equal(buf_text(&built.overruled), "NCCL_HOSTID=mine");
	assert_non_null(strstr(buf_text(&built.set), "NCCL_HOSTID=ncclbench-host1"));
	build(TRANSPORT_SOCKET, inherited, r);
	expect("NCCL_HOSTID", "ncclbench-host1");
	r.one_host = true;
	r.rank = 3;
	build(TRANSPORT_SOCKET, inherited, r);
	expect("NCCL_HOSTID", "ncclbench-host0");
	build(TRANSPORT_UCX_TCP, inherited, r);
	expect("NCCL_HOSTID", "mine");
}

static void settings_that_touch_multicast(void **state)
{
	assert_true(environment_touches_multicast("NCCL_NVLS_ENABLE", "0"));
	assert_true(environment_touches_multicast("NCCL_NVLS_CHUNKSIZE", "1"));
	assert_true(environment_touches_multicast("NCCL_ALGO", "^nVlS"));
	assert_false(environment_touches_multicast("NCCL_ALGO", "Tree,Ring"));
	assert_false(environment_touches_multicast("NCCL_PROTO", "nvls"));
	assert_false(environment_touches_multicast("UCX_NVLS", "1"));
}

/* getenv finds the first; so must the veto. */
static void the_first_of_two_counts(void **state)
{
	static const char *const off_first[] = { "NCCL_NVLS_ENABLE=0", "NCCL_NVLS_ENABLE=1", NULL };
	static const char *const on_first[] = { "NCCL_NVLS_ENABLE=1", "NCCL_NVLS_ENABLE=0", NULL };

	plain(TRANSPORT_AUTO, off_first);
	expect("NCCL_NVLS_ENABLE", "0");
	plain(TRANSPORT_AUTO, on_first);
	expect("NCCL_NVLS_ENABLE", "1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launcher_variables_do_not_reach_a_worker),
		cmocka_unit_test(auto_gets_only_the_log),
		cmocka_unit_test(our_own_two),
		cmocka_unit_test(a_forced_row_blocks_the_others),
		cmocka_unit_test(a_rank_has_its_own_host_id_on_a_shared_host),
		cmocka_unit_test(tuning_lines_only_when_asked_for),
		cmocka_unit_test(overruled_settings_are_named_once),
		cmocka_unit_test(steering),
		cmocka_unit_test(only_what_somebody_chose_is_recorded),
		cmocka_unit_test(another_library_is_loaded_first),
		cmocka_unit_test(one_interface_for_ucx),
		cmocka_unit_test(another_tools_communicator),
		cmocka_unit_test(the_veto_holds_for_every_row_and_spelling),
		cmocka_unit_test(another_ranks_veto_holds_here),
		cmocka_unit_test(no_plugin_undoes_the_veto),
		cmocka_unit_test(an_arm_comes_between_the_user_and_the_row),
		cmocka_unit_test(an_arm_may_stand_over_the_base),
		cmocka_unit_test(a_faked_host_has_a_block_of_ranks),
		cmocka_unit_test(faked_hosts_reach_every_row),
		cmocka_unit_test(settings_that_touch_multicast),
		cmocka_unit_test(the_first_of_two_counts),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
