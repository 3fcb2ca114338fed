/* SPDX-License-Identifier: Apache-2.0 */
/* Variables: the tables are in order, and each kind of mistake is called by its name. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "explain/variable.h"

static void tables_are_sorted(void **state)
{
	for (size_t i = 1; i < variable_n_rows; i++)
		assert_true(strcmp(variable_rows[i - 1].name, variable_rows[i].name) < 0);
	for (size_t i = 1; i < variable_n_foreigns; i++)
		assert_true(strcmp(variable_foreigns[i - 1].name, variable_foreigns[i].name) < 0);
	for (size_t i = 0; i < variable_n_foreigns; i++)
		assert_null(variable_find(variable_foreigns[i].name));
	assert_true(variable_n_rows > 250 && variable_n_rows < 512 && variable_n_foreigns > 100);
	assert_non_null(variable_find("NCCL_P2P_DISABLE"));
	assert_null(variable_find("NCCL_P2P"));
	assert_non_null(variable_find_foreign("NCCL_TIMEOUT"));
}

static void versions(void **state)
{
	assert_int_equal(variable_version("2.28.3"), 22803);
	assert_int_equal(variable_version("2.4.8+cuda10.1"), 20408);
	assert_int_equal(variable_version("2.30"), 23000);
	assert_int_equal(variable_version("nonsense"), 0);
	assert_int_equal(variable_version(""), 0);
}

static const struct {
	const char *name, *value;
	int version;
	int rule; /* -1: nothing is wrong */
	const char *words;
} cases[] = {
	/* right */
	{ "NCCL_DEBUG", "INFO", 0, -1, NULL },
	{ "NCCL_DEBUG", "info", 22803, -1, NULL },
	{ "NCCL_SHM_DISABLE", "1", 22803, -1, NULL },
	{ "NCCL_SHM_DISABLE", "0x1", 22803, -1, NULL },
	{ "NCCL_SHM_DISABLE", "", 22803, -1, NULL },
	{ "NCCL_BUFFSIZE", "-2", 0, -1, NULL },
	{ "NCCL_ALGO", "^Tree,ring", 22803, -1, NULL },
	{ "NCCL_ALGO", "allreduce:tree,ring;broadcast:ring", 22803, -1, NULL },
	{ "NCCL_PROTO", "LL,LL128,simple", 22803, -1, NULL },
	{ "NCCL_P2P_LEVEL", "NVL", 0, -1, NULL },
	{ "NCCL_P2P_LEVEL", "4", 0, -1, NULL },
	{ "NCCL_NET", "socket", 0, -1, NULL },
	{ "NCCL_NET", "AWS Libfabric", 0, -1, NULL },
	{ "NCCL_SOCKET_IFNAME", "^docker,lo", 0, -1, NULL },
	{ "NCCL_SOCKET_IFNAME", "=eth0", 0, -1, NULL },
	{ "NCCL_SOCKET_IFNAME", "$IFACE", 0, -1, NULL },
	{ "NCCL_DEBUG_SUBSYS", "INIT,NET", 0, -1, NULL },
	{ "TORCH_NCCL_ASYNC_ERROR_HANDLING", "1", 0, -1, NULL },
	{ "NCCL_TESTS_DEVICE", "0", 0, -1, NULL },
	{ "NCCL_IB_RETRY_CNT", "7", 0, -1, NULL },
	/* names */
	{ "NCCL_INIT_TIMEOUT", "180", 0, RULE_ENV_UNKNOWN, "does not exist" },
	{ "NCCL_P2P_NET_DISABLE", "1", 0, RULE_ENV_UNKNOWN, "NCCL_NET_DISABLE_INTRA" },
	{ "NCCL_SOCKET_IFNAMES", "eth0", 0, RULE_ENV_UNKNOWN, "did you mean NCCL_SOCKET_IFNAME" },
	{ "NCCL_XYZZY_PLUGH_QUUX_FROBNITZ", "1", 0, RULE_ENV_UNKNOWN, "does not exist" },
	{ "NCCL_ASYNC_ERROR_HANDLING", "1", 0, RULE_ENV_FOREIGN, "PyTorch" },
	{ "NCCL_TREE_THRESHOLD", "0", 22803, RULE_ENV_REMOVED, NULL },
	{ "NCCL_NVLS_ENABLE", "0", 21403, RULE_ENV_TOO_NEW, "2.17" },
	/* values */
	{ "NCCL_SHM_DISABLE", "true", 0, RULE_ENV_VALUE, "does nothing" },
	{ "NCCL_P2P_DISABLE", "yes", 0, RULE_ENV_VALUE, "does nothing" },
	{ "NCCL_P2P_DISABLE", "2", 0, RULE_ENV_VALUE, "only 1 acts" },
	{ "NCCL_NVLS_ENABLE", "true", 0, RULE_ENV_VALUE, "disables" },
	{ "NCCL_BUFFSIZE", "4M", 0, RULE_ENV_VALUE, "read as 4" },
	{ "NCCL_P2P_LEVEL", "nvl", 0, RULE_ENV_VALUE, "capital letters" },
	{ "NCCL_DEBUG", "verbose", 0, RULE_ENV_VALUE, "prints nothing" },
	{ "NCCL_NET", "tcp", 0, RULE_ENV_VALUE, "Socket" },
	{ "NCCL_NET", "", 0, RULE_ENV_VALUE, "empty" },
	{ "NCCL_HOSTID", "", 0, RULE_ENV_VALUE, "empty" },
	{ "NCCL_IB_RETRY_CNT", "22", 0, RULE_ENV_VALUE, "0 to 7" },
	{ "NCCL_SOCKET_IFNAME", "10.0.0.1", 0, RULE_ENV_VALUE, "not addresses" },
	{ "NCCL_SOCKET_IFNAME", "eth0, eth1", 0, RULE_ENV_VALUE, "blank" },
	{ "NCCL_ALGO", "simple", 0, RULE_ALGO_TOKEN, "Simple is a protocol: NCCL_PROTO=Simple" },
	{ "NCCL_ALGO", "Ring,ll128", 0, RULE_ALGO_TOKEN, "LL128 is a protocol" },
	{ "NCCL_PROTO", "tree", 0, RULE_ALGO_TOKEN, "Tree is an algorithm" },
	{ "NCCL_PROTO", "foo", 0, RULE_ALGO_TOKEN, "'foo'" },
};

static void each_case(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
		struct variable_note note;
		bool wrong =
		    variable_lint(cases[i].name, cases[i].value, cases[i].version, false, &note);

		if (wrong != (cases[i].rule >= 0))
			fail_msg("%s=%s: %s", cases[i].name, cases[i].value,
				 wrong ? note.text : "nothing was said");
		if (!wrong)
			continue;
		if ((int)note.rule != cases[i].rule ||
		    (cases[i].words && !strstr(note.text, cases[i].words)))
			fail_msg("%s=%s: %s", cases[i].name, cases[i].value, note.text);
		assert_true(note.text[0] && note.remedy[0]);
	}
}

static void what_nccl_read_is_known(void **state)
{
	struct variable_note note;

	assert_false(variable_lint("NCCL_OF_TOMORROW", "1", 23100, true, &note));
	assert_false(variable_lint("NCCL_NVLS_ENABLE", "0", 21403, true, &note));
	assert_true(variable_lint("NCCL_P2P_DISABLE", "2", 22803, true, &note));
	assert_true(variable_lint("NCCL_ASYNC_ERROR_HANDLING", NULL, 0, false, &note));
	assert_int_equal(note.severity, SEVERITY_INFO);
}

static const char *get(const void *arg, const char *name)
{
	const char *const *set = arg;

	for (; set[0]; set += 2)
		if (strcmp(set[0], name) == 0)
			return set[1];
	return NULL;
}

static size_t conflicts(const char *const *set, struct variable_note *last)
{
	size_t row = 0, n = 0;

	while (variable_lint_together(get, set, &row, last))
		n++;
	return n;
}

static void contradictions(void **state)
{
	static const char *const none[] = { "NCCL_P2P_DISABLE", "1", "NCCL_SHM_DISABLE", "0",
					    NULL };
	static const char *const two[] = { "NCCL_P2P_DISABLE", "1", "NCCL_SHM_DISABLE", "1", NULL };
	static const char *const three[] = { "NCCL_P2P_DISABLE",
					     "1",
					     "NCCL_SHM_DISABLE",
					     "1",
					     "NCCL_NET_DISABLE_INTRA",
					     "1",
					     NULL };
	static const char *const net[] = { "NCCL_NET", "IB", "NCCL_IB_DISABLE", "1", NULL };
	static const char *const level[] = { "NCCL_P2P_DISABLE", "1", "NCCL_P2P_LEVEL", "NVL",
					     NULL };
	struct variable_note note;

	assert_int_equal(conflicts(none, &note), 0);
	assert_int_equal(conflicts(two, &note), 1);
	assert_int_equal(note.severity, SEVERITY_WARNING);
	assert_int_equal(conflicts(three, &note), 1);
	assert_int_equal(note.severity, SEVERITY_ERROR);
	assert_int_equal(conflicts(net, &note), 1);
	assert_int_equal(conflicts(level, &note), 1);
	assert_non_null(strstr(note.text, "wins"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_sorted), cmocka_unit_test(versions),
		cmocka_unit_test(each_case),         cmocka_unit_test(what_nccl_read_is_known),
		cmocka_unit_test(contradictions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
