/* SPDX-License-Identifier: Apache-2.0 */
/* The verb table against ncclbench/protocol.h, written out here a second time by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/attr.h"
#include "spec/outcome.h"
#include "wire/msg.h"
#include "wire/verb.h"

static const struct {
	int id;
	const char *complete;
	bool from_worker;
	int answers;
} rows[] = {
	{ VERB_HELLO, "HELLO version=1 backend=nccl pid=7", true, PHASE_HELLO },
	{ VERB_ID, "ID", false, PHASE_NONE },
	{ VERB_IDENT, "IDENT blob=00", true, PHASE_ID },
	{ VERB_PEER, "PEER rank=0 blob=00", false, PHASE_NONE },
	{ VERB_JOIN, "JOIN rank=0 nranks=2 device=0", false, PHASE_NONE },
	{ VERB_JOINED, "JOINED context_us=1 init_us=2", true, PHASE_JOIN },
	{ VERB_PREPARE,
	  "PREPARE op=all_reduce dtype=float redop=sum inplace=0 root=0 a=0 b=1 bytes=8 "
	  "timing=graph variant=plain",
	  false, PHASE_NONE },
	{ VERB_READY, "READY device_bytes=16", true, PHASE_PREPARE },
	{ VERB_RUN, "RUN mode=single batches=1 ops=1 replays=1 warmup=0", false, PHASE_NONE },
	{ VERB_DONE, "DONE ns=1,2 first_us=3", true, PHASE_RUN },
	{ VERB_CHECK, "CHECK", false, PHASE_NONE },
	{ VERB_CHECKED, "CHECKED wrong=0 checked=2 first=0 got= want= poisoned=0", true,
	  PHASE_CHECK },
	{ VERB_DEVICE, "DEVICE device=1", false, PHASE_NONE },
	{ VERB_BYE, "BYE", false, PHASE_NONE },
	{ VERB_GONE, "GONE teardown_us=4", true, PHASE_BYE },
	{ VERB_CEILING, "CEILING name=ce-write device=0 peer=1 bytes=8 copies=1 samples=1", false,
	  PHASE_NONE },
	{ VERB_CEILED, "CEILED ns=1,2", true, PHASE_CEILING },
	{ VERB_FAIL, "FAIL kind=oom code=2 text=no", true, PHASE_NONE },
	{ VERB_NOTE, "NOTE", true, PHASE_NONE },
};

static void table_is_the_protocol(void **state)
{
	const char *missing = "untouched";
	struct words w;

	assert_int_equal(N_ELEMENTS(rows), VERB_COUNT);
	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		assert_int_equal(words_parse(&w, rows[i].complete, strlen(rows[i].complete)), 0);
		assert_int_equal(verb_check(&w, &missing), rows[i].id);
		assert_string_equal(verb_table[rows[i].id].name, w.verb);
		assert_int_equal(verb_table[rows[i].id].from_worker, rows[i].from_worker);
		assert_int_equal(verb_table[rows[i].id].answers, rows[i].answers);
		words_fini(&w);
	}
	assert_string_equal(missing, "untouched");
}

/* Every key written above is required: without any one of them the check names it. */
static void each_key_is_required(void **state)
{
	const char *missing, *gone;
	struct words w;

	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		assert_int_equal(words_parse(&w, rows[i].complete, strlen(rows[i].complete)), 0);
		for (size_t k = 0; k < w.n; k++) {
			gone = w.pair[k].key;
			w.pair[k].key = "other";
			missing = NULL;
			assert_int_equal(verb_check(&w, &missing), -2);
			assert_string_equal(missing, gone);
			w.pair[k].key = gone;
		}
		words_fini(&w);
	}
}

static void others_are_unknown(void **state)
{
	static const char *const unknown[] = { "SURPRISE version=1", "HELL", "HELLOO",
					       "IDENTITY blob=00" };
	const char *missing = NULL;
	struct words w;

	for (size_t i = 0; i < N_ELEMENTS(unknown); i++) {
		assert_int_equal(words_parse(&w, unknown[i], strlen(unknown[i])), 0);
		assert_int_equal(verb_check(&w, &missing), -1);
		words_fini(&w);
	}
	assert_int_equal(words_parse(&w, "CHECK extra=fine", 16), 0);
	assert_int_equal(verb_check(&w, &missing), VERB_CHECK);
	words_fini(&w);
	assert_null(missing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_the_protocol),
		cmocka_unit_test(each_key_is_required),
		cmocka_unit_test(others_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
