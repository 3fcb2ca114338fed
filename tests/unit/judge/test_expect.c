/* SPDX-License-Identifier: Apache-2.0 */
/* Expected failures: what a file may say, what it matches. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "base/attr.h"
#include "judge/expect.h"
#include "judge/verdict.h"
#include "rows.h"

static void rows_match_by_key(void **state)
{
	static const char csv[] =
	    EXPECT_HEADER "transport=shm,any,all of shm,2026-01-01\n"
			  "\"transport=shm bytes=1M\",REGRESSED,\"one, size\",2027-01-01\n"
			  "op=broadcast,failed,other,2028-01-01\n";
	struct expectations e;
	struct pool pool = { 0 };
	struct record r;
	char text[SERIES_KEY_MAX], why[200];
	const struct expectation *x;
	uint32_t group;

	row_start(&r, "shm", 8);
	series_group_text(&r, text, sizeof(text));
	assert_int_equal(pool_add(&pool, text, &group), 0);
	assert_int_equal(expect_parse(csv, sizeof(csv) - 1, &e, why, sizeof(why)), 0);
	assert_int_equal(e.n, 3);
	x = expect_find(&e, &pool, group, 1 << 20, VERDICT_REGRESSED);
	assert_string_equal(x->reason, "one, size"); /* both match, the later day wins */
	x = expect_find(&e, &pool, group, 1 << 20, VERDICT_MISSING);
	assert_string_equal(x->reason, "all of shm");
	x = expect_find(&e, &pool, group, UINT64_MAX,
			VERDICT_REGRESSED); /* a group: no row that names bytes */
	assert_string_equal(x->reason, "all of shm");
	row_start(&r, "p2p", 8);
	series_group_text(&r, text, sizeof(text));
	assert_int_equal(pool_add(&pool, text, &group), 0);
	assert_null(expect_find(&e, &pool, group, 1 << 20, VERDICT_FAILED));
	expect_fini(&e);
	pool_fini(&pool);
}

static const struct {
	const char *match;
	bool never;
} ever[] = {
	{ "transport=shm op=broadcast bytes=64K", false },
	{ "backend=ucx transport=tcp", false },
	{ "dtype=half redop=none timing=graph variant=user", false },
	{ "ranks=2 root=0 inplace=1", false },
	{ "load= arm= map= pair=", false }, /* a row may be without them */
	{ "op=", true },
	{ "op=all_reduce op=broadcast", true },
	{ "op=all_reduce bytes=8 op=all_reduce", true },
	{ "bytes=08", false }, /* sizes are read, not compared as text */
	{ "bytes=8Q", true },
	{ "bytes=8 bytes=8", true },
	{ "bytes=many", true },
	{ "transport=*", true },
	{ "transport=SHM", true },
	{ "dtype=fp16", true }, /* rows say half */
	{ "ranks=02", true },
	{ "ranks=+2", true },
	{ "backend=mpi", true },
};

static void what_can_never_match(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(ever); i++) {
		struct expectation e = { .verdict = -1, .reason = "r", .until = "2030-01-01" };

		strcpy(e.match, ever[i].match);
		assert_null(expect_fault(&e));
		if ((expect_never(&e) != NULL) != ever[i].never)
			fail_msg("%s: %s", ever[i].match, ever[i].never ? "never" : "may");
	}
}

static const struct {
	const char *csv, *says;
} faults[] = {
	{ "match,verdict,reason\n", "line 1: the header must be" },
	{ EXPECT_HEADER "transport=shm,any,why\n", "line 2: not 4 fields" },
	{ EXPECT_HEADER ",any,why,2026-12-31\n", "line 2: match is empty" },
	{ EXPECT_HEADER "trans=shm,any,why,2026-12-31\n", "line 2: match must be words" },
	{ EXPECT_HEADER "time_us=3,any,why,2026-12-31\n", "line 2: match must be words" },
	{ EXPECT_HEADER "shm,any,why,2026-12-31\n", "line 2: match must be words" },
	{ EXPECT_HEADER "transport=shm,slow,why,2026-12-31\n", "line 2: the verdict is none" },
	{ EXPECT_HEADER "transport=shm,any,,2026-12-31\n", "line 2: the reason is empty" },
	{ EXPECT_HEADER "transport=shm,any,why,tomorrow\n", "line 2: until must be a day" },
	{ EXPECT_HEADER "transport=shm,any,why,2026-13-01\n", "line 2: until must be a day" },
	{ EXPECT_HEADER "transport=shm,any,why,2026-00-10\n", "line 2: until must be a day" },
	{ EXPECT_HEADER "transport=shm,any,why,2026-04-31\n", "line 2: until must be a day" },
	{ EXPECT_HEADER "transport=shm,any,why,2026-01-00\n", "line 2: until must be a day" },
	{ EXPECT_HEADER "transport=shm,any,why,2026-02-29\n", "line 2: until must be a day" },
	{ EXPECT_HEADER "transport=shm,any,why,2100-02-29\n", "line 2: until must be a day" },
	{ EXPECT_HEADER "transport=shm,any,why,2000-02-29\n"
			"transport=shm,any,why,2028-02-29\n"
			"transport=shm,any,why,2028-02-30\n",
	  "line 4: until must be a day" },
	{ EXPECT_HEADER "transport=shm,any,\"why,2026-12-31\n",
	  "line 2: the quote is never closed" },
};

static void faults_name_line_and_reason(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(faults); i++) {
		struct expectations e = { .n = 9 };
		char why[200];

		assert_int_equal(
		    expect_parse(faults[i].csv, strlen(faults[i].csv), &e, why, sizeof(why)),
		    -EBADMSG);
		if (strncmp(why, faults[i].says, strlen(faults[i].says)) != 0)
			fail_msg("said '%s', wanted '%s'", why, faults[i].says);
		assert_int_equal(e.n, 9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_can_never_match),
					    cmocka_unit_test(rows_match_by_key),
					    cmocka_unit_test(faults_name_line_and_reason) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
