/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of memory, and whether a step fits. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "doctor/check.h"
#include "doctor/headroom.h"

static void decimal_and_binary(void **state)
{
	uint64_t v = 7;

	assert_int_equal(headroom_parse("21.48GB", &v), 0);
	assert_int_equal(v, 21480000000ULL);
	assert_int_equal(headroom_parse("20GiB", &v), 0);
	assert_int_equal(v, 21474836480ULL);
	assert_int_equal(headroom_parse("1.5 kB", &v), 0);
	assert_int_equal(v, 1500);
	assert_int_equal(headroom_parse("12b", &v), 0);
	assert_int_equal(v, 12);
}

static void refused(void **state)
{
	static const char *const words[] = { "",      "GB",     "21.48", "21.48G", "-1GB",
					     "1e3GB", "1..5GB", "1GBx",  "0x10GB", "99999999999TB",
					     "nan" };
	uint64_t v = 7;

	for (size_t i = 0; i < N_ELEMENTS(words); i++)
		assert_int_equal(headroom_parse(words[i], &v), -EINVAL);
	assert_int_equal(v, 7);
}

static enum level memory_level(const struct headroom *h, const char *said)
{
	static struct doctor d;
	struct judgements v;
	enum level level = LEVEL_COUNT;

	check_all(&d, h, &v);
	for (size_t i = 0; i < v.n; i++)
		if (strcmp(v.list[i].check->id, "memory") == 0) {
			level = v.list[i].level;
			assert_non_null(strstr(v.list[i].seen, said));
		}
	judgements_fini(&v);
	return level;
}

static void short_by_three_and_a_half(void **state)
{
	struct headroom h = { .asked = true,
			      .has_free = true,
			      .shard = 21480000000ULL,
			      .unshard = 4170000000ULL,
			      .free = 22150000000ULL };

	assert_int_equal(memory_level(&h, "short by 3.50 GB"), LEVEL_ERROR);
	h.free = 26000000000ULL;
	assert_int_equal(memory_level(&h, "0.35 GB to spare"), LEVEL_OK);
	h.has_free = false;
	assert_int_equal(memory_level(&h, "no GPU's free memory is known"), LEVEL_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimal_and_binary),
		cmocka_unit_test(refused),
		cmocka_unit_test(short_by_three_and_a_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
