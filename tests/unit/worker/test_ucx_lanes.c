/* SPDX-License-Identifier: Apache-2.0 */
/* Texts printed by UCX 1.13.1, 1.18.1 and 1.23 (its table has the title in two lines and column
 * names). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "worker/ucx_lanes.h"

static const char old_cma[] = "#\n# UCP endpoint \n#\n#               peer: <no debug data>\n"
			      "#                 lane[0]:  0:posix/memory.0 md[0]          -> "
			      "md[0]/posix/sysdev[255] am am_bw#0\n"
			      "#                 lane[1]:  1:cma/memory.0 md[1]            -> "
			      "md[1]/cma/sysdev[255] rma_bw#0\n"
			      "#\n"
			      "#                tag_send: 0..<rndv>..(inf)\n"
			      "#            tag_send_nbr: 0..<egr/short>..93..<rndv>..(inf)\n"
			      "#\n#                  rma_bw: mds rndv_rkey_size 9\n#\n";

static const char old_posix[] =
    "#                 lane[0]:  0:posix/memory.0 md[0]          -> md[0]/posix/sysdev[255] am "
    "am_bw#0\n"
    "#\n"
    "#                tag_send: 0..<egr/short>..93..<egr/bcopy>..8256..<rndv>..(inf)\n"
    "#            tag_send_nbr: 0..<egr/short>..93..<egr/bcopy>..262144..<rndv>..(inf)\n";

static const char old_mixed[] = /* thresholds left to the library: small ones go through posix */
    "#                 lane[0]:  0:posix/memory.0 md[0]          -> md[0]/posix/sysdev[255] am "
    "am_bw#0\n"
    "#                 lane[1]:  1:cma/memory.0 md[1]            -> md[1]/cma/sysdev[255] "
    "rma_bw#0\n"
    "#                tag_send: 0..<egr/short>..93..<egr/bcopy>..8256..<rndv>..(inf)\n";

static const char old_two_nics[] =
    "#                 lane[0]:  0:tcp/lo.0 md[0]                -> md[0]/tcp/sysdev[255] rma_bw#1 "
    "am am_bw#0 wireup\n"
    "#                 lane[1]:  1:tcp/eth0.0 md[0]              -> md[0]/tcp/sysdev[255] rma_bw#0 "
    "am_bw#1\n"
    "#                tag_send: 0..<egr/short>..8185..<egr/zcopy>..20553..<rndv>..(inf)\n";

static const char new_cma[] = "#                 lane[0]:  0:posix/memory.0 md[0]          -> "
			      "md[0]/posix/sysdev[255] seg 4294967295 am\n"
			      "#                 lane[1]:  1:cma/memory.0 md[1]            -> "
			      "md[1]/cma/sysdev[255] seg 4294967295 rma_bw#0\n"
			      "#\n"
			      "# "
			      "+--------------------------------+----------------------------------"
			      "------------------------------------+\n"
			      "# | ucp_context_0 intra-node cfg#0 | tagged message by "
			      "ucp_tag_send*(fast-completion) from host memory    |\n"
			      "# "
			      "+--------------------------------+----------------------------------"
			      "---------------------+--------------+\n"
			      "# |                         0..inf | eager short                    "
			      "                       | tcp/lo       |\n"
			      "# "
			      "+--------------------------------+----------------------------------"
			      "---------------------+--------------+\n"
			      "# \n"
			      "# "
			      "+--------------------------------+----------------------------------"
			      "-------------------------+\n"
			      "# | ucp_context_0 intra-node cfg#0 | tagged message by "
			      "ucp_tag_send* from host memory          |\n"
			      "# "
			      "+--------------------------------+----------------------------------"
			      "----------+--------------+\n"
			      "# |                              0 | (?) rendezvous no data fetch   "
			      "            |              |\n"
			      "# |                          1..2K | (?) rendezvous fragmented "
			      "copy-in copy-out | posix/memory |\n"
			      "# |                      2049..inf | (?) rendezvous zero-copy read "
			      "from remote  | cma/memory   |\n"
			      "# "
			      "+--------------------------------+----------------------------------"
			      "----------+--------------+\n"
			      "# \n"
			      "# "
			      "+--------------------------------+----------------------------------"
			      "-------------------------+\n"
			      "# | ucp_context_0 intra-node cfg#0 | active message by ucp_am_send* "
			      "from host memory           |\n"
			      "# "
			      "+--------------------------------+----------------------------------"
			      "----------+--------------+\n"
			      "# |                         0..inf | eager short                    "
			      "            | sysv/memory  |\n"
			      "# "
			      "+--------------------------------+----------------------------------"
			      "----------+--------------+\n"
			      "# \n";

static const char newest[] =
    "#                 lane[0]:  2:rc_mlx5/mlx5_0:1.0 md[2]      -> md[2]/ib/sysdev[1] am rma_bw#0 "
    "wireup\n"
    "#                 lane[1]:  3:rc_mlx5/mlx5_1:1.0 md[3]      -> md[3]/ib/sysdev[2] rma_bw#1\n"
    "#\n"
    "# +--------------------------------------------------------------------------+\n"
    "# | ucp_context_0 inter-node cfg#1                                           |\n"
    "# | tagged message by ucp_tag_send* from host memory                         |\n"
    "# +------------+-------------------+-----------------------------------------+\n"
    "# |   Range    |    Description    |                 Config                  |\n"
    "# +------------+-------------------+-----------------------------------------+\n"
    "# |    0..1023 | eager short       | rc_mlx5/mlx5_0:1                        |\n"
    "# |    1K..inf | (?) rendezvous    | 50% on rc_mlx5/mlx5_0:1 and 50% on rc_mlx5/mlx5_1:1 |\n"
    "# +------------+-------------------+-----------------------------------------+\n";

static void expect(const char *text, uint64_t bytes, const char *data, const char *control,
		   const char *how, int n_data)
{
	struct ucx_lanes lanes;

	assert_int_equal(ucx_lanes_parse(text, bytes, &lanes), 0);
	assert_string_equal(lanes.data, data);
	assert_string_equal(lanes.control, control);
	assert_string_equal(lanes.how, how);
	assert_int_equal(lanes.n_data, n_data);
}

static void test_thresholds(void **state)
{
	expect(old_cma, 8, "cma", "posix", "rndv", 1);
	expect(old_cma, 1 << 30, "cma", "posix", "rndv", 1);
	expect(old_posix, 92, "posix", "", "egr/short", 1);
	expect(old_posix, 93, "posix", "", "egr/bcopy", 1);
	expect(old_posix, 8256, "posix", "", "rndv", 1);
	expect(old_mixed, 8255, "posix", "", "egr/bcopy", 1);
	expect(old_mixed, 8256, "cma", "posix", "rndv", 1);
	expect(old_two_nics, 8, "tcp", "", "egr/short", 1);
	expect(old_two_nics, 10000, "tcp", "", "egr/zcopy", 2);
	expect(old_two_nics, 1 << 20, "tcp", "", "rndv", 2);
}

static void test_tables(void **state)
{
	expect(new_cma, 8, "posix", "", "rendezvous fragmented copy-in copy-out", 1);
	expect(new_cma, 2048, "posix", "", "rendezvous fragmented copy-in copy-out", 1);
	expect(new_cma, 2049, "cma", "posix", "rendezvous zero-copy read from remote", 1);
	expect(newest, 1023, "rc_mlx5", "", "eager short", 1);
	expect(newest, 1024, "rc_mlx5", "", "rendezvous", 2);
}

static void test_all_lanes(void **state)
{
	struct ucx_lanes lanes;

	assert_int_equal(ucx_lanes_parse(old_cma, 8, &lanes), 0);
	assert_string_equal(lanes.all, "posix/memory,cma/memory");
	assert_int_equal(ucx_lanes_parse(old_two_nics, 8, &lanes), 0);
	assert_string_equal(lanes.all, "tcp/lo,tcp/eth0");
}

/* Lanes without thresholds or table: what carries the data is not known, and that is said. */
static void test_unknown(void **state)
{
	static const char lanes_only[] = "#                 lane[0]:  0:posix/memory.0 md[0]       "
					 "   -> md[0]/posix/sysdev[255] am am_bw#0\n";
	static const char strange[] = "#                 lane[0]:  0:posix/memory.0 md[0]          "
				      "-> md[0]/posix/sysdev[255] am am_bw#0\n"
				      "#                tag_send: 0..<telepathy>..(inf)\n";
	struct ucx_lanes lanes = { .n_data = 77 };

	expect(lanes_only, 8, "", "", "", 0);
	expect(strange, 8, "", "", "telepathy", 0);
	assert_int_equal(ucx_lanes_parse("", 8, &lanes), -EBADMSG);
	assert_int_equal(ucx_lanes_parse("lane[", 8, &lanes), -EBADMSG);
	assert_int_equal(ucx_lanes_parse("lane[0]: 0:x y -> am\n| 0..inf | a | b |\n", 8, &lanes),
			 -EBADMSG);
	assert_int_equal(lanes.n_data, 77); /* outputs change only on success */
}

static const char *wanted(const char *tls)
{
	static char out[32];

	ucx_lanes_wanted(tls, out, sizeof(out));
	return out;
}

static void test_wanted(void **state)
{
	assert_string_equal(wanted("cma,posix"), "cma");
	assert_string_equal(wanted("self,tcp"), "tcp");
	assert_string_equal(wanted("\\posix"), "posix");
	assert_string_equal(wanted("ud:aux,rc"), "ud");
	assert_string_equal(wanted("all"), "");
	assert_string_equal(wanted("^tcp"), "");
	assert_string_equal(wanted(""), "");
	assert_string_equal(wanted(NULL), "");
}

static void test_match(void **state)
{
	assert_true(ucx_lanes_match("cma", "cma"));
	assert_true(ucx_lanes_match("rc_mlx5", "rc"));
	assert_true(ucx_lanes_match("posix,sysv", "shm"));
	assert_false(ucx_lanes_match("posix,cma", "cma"));
	assert_false(ucx_lanes_match("tcp", "shm"));
	assert_false(ucx_lanes_match("cmax", "cma"));
	assert_false(ucx_lanes_match("", "cma"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thresholds), cmocka_unit_test(test_tables),
		cmocka_unit_test(test_all_lanes),  cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_wanted),     cmocka_unit_test(test_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
