/* SPDX-License-Identifier: Apache-2.0 */
/* The journal of trials comes back as it was written, and nothing else does. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "search/journal.h"
#include "spec/outcome.h"

static const struct journal_row good = {
	.transport = "shm",
	.restart = 2,
	.t = { .outcome = OUTCOME_OK, .us = { 0.1 + 0.2, 5.75 }, .cost_s = 1.5 },
};

static void comes_back(void **state)
{
	struct journal_row row = good, hang = { .transport = "p2p",
						.t = { .outcome = OUTCOME_HANG, .cost_s = 30 } };
	struct setting none = { .n = 0 };
	const struct trial *t;
	struct buf b = { 0 };
	struct journal j;
	char why[200];

	assert_int_equal(setting_parse("NCCL_MIN_NCHANNELS=8", &row.s), 0);
	strcpy(hang.t.detail, "rank 1: \"no\nanswer\" \xff");
	assert_int_equal(journal_head(&b, "two ranks"), 0);
	assert_int_equal(journal_line(&b, &row, 2), 0);
	assert_int_equal(journal_line(&b, &hang, 2), 0);
	assert_int_equal(journal_parse(buf_text(&b), b.len, 2, &j, why, sizeof(why)), 0);
	assert_string_equal(j.identity, "two ranks");
	assert_int_equal(j.n, 2);
	assert_int_equal(j.good_bytes, b.len);
	t = journal_find(&j, "shm", &row.s, 2);
	assert_non_null(t);
	assert_true(t->us[0] == 0.1 + 0.2 && t->us[1] == 5.75 && t->cost_s == 1.5 && t->known);
	assert_null(journal_find(&j, "shm", &row.s, 1));
	assert_null(journal_find(&j, "p2p", &row.s, 2));
	assert_null(journal_find(&j, "shm", &none, 2));
	t = journal_find(&j, "p2p", &none, 0);
	assert_non_null(t);
	assert_int_equal(t->outcome, OUTCOME_HANG);
	assert_string_equal(t->detail, "rank 1: \"no\nanswer\" ?");
	journal_fini(&j);
	buf_fini(&b);
}

#define HEAD "{\"schema\":1,\"measured\":\"x\"}\n"
#define ROW(setting, restart, outcome, us)                                        \
	"{\"transport\":\"shm\",\"setting\":\"" setting "\",\"restart\":" restart \
	",\"outcome\":\"" outcome "\",\"detail\":\"\",\"cost_s\":1,\"us\":" us "}\n"

/* Killed in the middle of a line: what is whole counts, and the next line goes where the torn one
 * began. */
static void torn_line(void **state)
{
	static const char text[] = HEAD ROW("", "0", "ok", "[1.0]") "{\"transport\":\"sh";
	struct journal j;
	char why[200];

	assert_int_equal(journal_parse(text, strlen(text), 1, &j, why, sizeof(why)), 0);
	assert_int_equal(j.n, 1);
	assert_int_equal(j.good_bytes, strlen(HEAD ROW("", "0", "ok", "[1.0]")));
	journal_fini(&j);
	assert_int_equal(journal_parse("", 0, 1, &j, why, sizeof(why)), 0);
	assert_string_equal(j.identity, "");
	journal_fini(&j);
}

/* Of an editor elsewhere: CR LF is read; CR alone would look like one line that was cut off. */
static void other_line_ends(void **state)
{
	static const char crlf[] = "{\"schema\":1,\"measured\":\"x\"}\r\n"
				   "{\"transport\":\"shm\",\"setting\":\"\",\"restart\":0,"
				   "\"outcome\":\"ok\",\"detail\":\"\",\"cost_s\":1,"
				   "\"us\":[1.0]}\r\n",
			  torn[] = HEAD "{\"transport\":\"shm\"}\r{\"transport\"";
	char cr[] = HEAD ROW("", "0", "ok", "[1.0]"), why[200] = "";
	struct journal j = { 0 };

	assert_int_equal(journal_parse(crlf, strlen(crlf), 1, &j, why, sizeof(why)), 0);
	assert_int_equal(j.n, 1);
	assert_string_equal(j.identity, "x");
	assert_int_equal(j.good_bytes, strlen(crlf));
	journal_fini(&j);
	for (char *p = cr; *p; p++)
		*p = *p == '\n' ? '\r' : *p;
	assert_int_equal(journal_parse(cr, strlen(cr), 1, &j, why, sizeof(why)), -EBADMSG);
	assert_non_null(strstr(why, "line 1: its lines end with CR alone"));
	assert_int_equal(journal_parse(torn, strlen(torn), 1, &j, why, sizeof(why)), -EBADMSG);
	assert_non_null(strstr(why, "line 2: its lines end with CR alone"));
}

static void hostile(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "hello\n", "line 1: no JSON object" },
		{ "[]\n", "line 1: no JSON object" },
		{ "{\"schema\":2}\n", "line 1: another schema" },
		{ HEAD "{}\n", "line 2: unknown outcome" },
		{ HEAD ROW("", "-1", "ok", "[1.0]"), "line 2: restart" },
		{ HEAD ROW("", "0", "fine", "[1.0]"), "line 2: unknown outcome" },
		{ HEAD ROW("LD_PRELOAD=x", "0", "ok", "[1.0]"), "line 2: a setting" },
		{ HEAD ROW("NCCL_NVLS_ENABLE=1", "0", "ok", "[1.0]"), "line 2: a setting" },
		{ HEAD ROW("", "0", "ok", "[1.0,2.0]"), "line 2: not one time" },
		{ HEAD ROW("", "0", "ok", "[0.0]"), "line 2: not one time" },
		{ HEAD ROW("", "0", "ok", "[-1.0]"), "line 2: not one time" },
		{ HEAD ROW("", "0", "ok", "[\"1\"]"), "line 2: not one time" },
		{ HEAD ROW("", "0", "ok", "7"), "line 2: not one time" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct journal j = { 0 };
		char why[200] = "";

		assert_int_equal(
		    journal_parse(bad[i].text, strlen(bad[i].text), 1, &j, why, sizeof(why)),
		    -EBADMSG);
		if (!strstr(why, bad[i].says))
			fail_msg("'%s' is not '%s'", why, bad[i].says);
		assert_null(j.rows);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back),
		cmocka_unit_test(torn_line),
		cmocka_unit_test(other_line_ends),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
