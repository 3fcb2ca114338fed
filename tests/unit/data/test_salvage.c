/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of a killed run become rows; expected figures are worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/salvage.h"

#define HEAD                                                                                       \
	"# ncclbench samples schema 2\n"                                                           \
	"backend,transport,variant,op,dtype,redop,inplace,root,ranks,map,pair,algo_req,proto_req," \
	"load,bytes,timing,arm,restart,batch,ops_per_batch,max_us,mean_us,min_us\n"
#define KEY(transport, bytes) \
	"nccl," transport ",plain,all_reduce,float,sum,0,0,2,,,,,," bytes ",stream,,"
#define SAMPLE(transport, bytes, restart, us) \
	KEY(transport, bytes) restart ",0,20," us "," us "," us "\n"

/* 1000000 bytes in 50 us: 20 GB/s, and the bus bandwidth of 2 ranks is the same. */
static const char killed[] = HEAD SAMPLE("shm", "1000000", "0", "40")
    SAMPLE("shm", "1000000", "0", "60") SAMPLE("shm", "8", "0", "5") SAMPLE("p2p", "8", "0", "3")
	SAMPLE("shm", "1000000", "1", "50") SAMPLE("shm", "8", "1", "7") "nccl,shm,pl";

static void samples_become_rows(void **state)
{
	struct record *rows = NULL;
	size_t n = 0, added = 0;
	char why[200] = "";

	if (salvage_rows(killed, strlen(killed), &rows, &n, &added, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	assert_int_equal(n, 3);
	assert_int_equal(added, 3);
	assert_string_equal(rows[0].transport, "shm");
	assert_true(rows[0].bytes == 1000000);
	assert_true(fabs(rows[0].time_us - 50) < 1e-9); /* median of 50 and 50 */
	assert_true(fabs(rows[0].busbw_gbps - 20) < 1e-9);
	assert_true(rows[0].samples == 3 && rows[0].restarts == 2);
	assert_true(rows[0].min_us == 40 && rows[0].max_us == 60);
	assert_string_equal(rows[0].outcome, "ok");
	assert_string_equal(rows[0].proof, "unknown");
	assert_string_equal(rows[0].used, "");
	assert_string_equal(rows[0].detail, SALVAGE_DETAIL);
	assert_true(fabs(rows[1].time_us - 6) < 1e-9); /* of 5 and 7 */
	assert_string_equal(rows[2].transport, "p2p");
	assert_true(rows[2].restarts == 1);
	free(rows);
}

/* What has a row keeps it, whatever its samples say: it may have failed later. */
static void a_row_is_not_replaced(void **state)
{
	static const char points[] =
	    "backend,transport,variant,op,dtype,redop,inplace,root,ranks,map,pair,algo_req,"
	    "proto_req,load,bytes,timing,outcome\n"
	    "nccl,shm,plain,all_reduce,float,sum,0,0,2,,,,,,8,stream,hang\n";
	struct record *rows = NULL;
	size_t n = 0, added = 0;
	char why[200] = "";

	assert_int_equal(record_read_all(points, strlen(points), &rows, &n, why, sizeof(why)), 0);
	assert_int_equal(salvage_rows(killed, strlen(killed), &rows, &n, &added, why, sizeof(why)),
			 0);
	assert_int_equal(n, 3);
	assert_int_equal(added, 2);
	assert_string_equal(rows[0].outcome, "hang");
	assert_true(isnan(rows[0].time_us));
	free(rows);
}

static void hostile(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ HEAD SAMPLE("shm", "8", "-1", "5"), "line 3: restart is out of range" },
		{ HEAD SAMPLE("shm", "8", "0", "0"), "line 3: times must be above 0" },
		{ HEAD SAMPLE("shm", "8", "0", "-5"), "line 3: times must be above 0" },
		{ HEAD SAMPLE("shm", "8", "1", "5") SAMPLE("shm", "8", "0", "5"),
		  "line 4: an earlier restart" },
		{ HEAD "nccl,shm\n", "line 3" },
		{ "# ncclbench points schema 2\nop\n", "not samples.csv" },
	};

	for (size_t i = 0; i < N_ELEMENTS(bad); i++) {
		struct record *rows = NULL;
		size_t n = 0, added = 0;
		char why[200] = "";

		assert_int_equal(salvage_rows(bad[i].text, strlen(bad[i].text), &rows, &n, &added,
					      why, sizeof(why)),
				 -EBADMSG);
		if (!strstr(why, bad[i].says))
			fail_msg("'%s' is not '%s'", why, bad[i].says);
		assert_null(rows);
		assert_int_equal(n, 0);
	}
}

static void nothing_is_nothing(void **state)
{
	struct record *rows = NULL;
	size_t n = 0, added = 9;
	char why[200] = "";

	assert_int_equal(salvage_rows(HEAD, strlen(HEAD), &rows, &n, &added, why, sizeof(why)), 0);
	assert_int_equal(n, 0);
	assert_int_equal(added, 0);
	free(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_become_rows),
		cmocka_unit_test(a_row_is_not_replaced),
		cmocka_unit_test(hostile),
		cmocka_unit_test(nothing_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
