/* SPDX-License-Identifier: Apache-2.0 */
/* What is not shown below a table is counted there. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "run/notes.h"

static void add_ranks(struct notes *s, int from, int to)
{
	char text[64];

	for (int i = from; i <= to; i++) {
		snprintf(text, sizeof(text), "GPU of rank %d is used by others, too", i);
		notes_add(s, text);
	}
}

static void few_are_all_shown(void **state)
{
	struct notes s = { 0 };

	notes_add(&s, "");
	add_ranks(&s, 1, 16);
	notes_close(&s);
	assert_int_equal(s.n, 16);
	assert_string_equal(s.list[0], "GPU of rank 1 is used by others, too");
	assert_string_equal(s.list[15], "GPU of rank 16 is used by others, too");
}

static void the_seventeenth_is_told(void **state)
{
	struct notes s = { 0 };

	add_ranks(&s, 1, 17);
	notes_close(&s);
	assert_int_equal(s.n, 17);
	assert_string_equal(s.list[15], "GPU of rank 16 is used by others, too");
	assert_string_equal(s.list[16],
			    "1 more note is not shown; run.json has the facts of every rank");
}

static void hundreds_are_counted(void **state)
{
	struct notes s = { 0 };

	add_ranks(&s, 0, 511);
	notes_close(&s);
	assert_int_equal(s.n, 17);
	assert_string_equal(s.list[16],
			    "496 more notes are not shown; run.json has the facts of every rank");
}

static void a_long_one_says_that_it_is_cut(void **state)
{
	struct notes s = { 0 };
	char text[NOTE_LENGTH + 1];

	memset(text, 'x', sizeof(text));
	text[NOTE_LENGTH - 1] = '\0';
	notes_add(&s, text);
	assert_string_equal(s.list[0], text);
	text[NOTE_LENGTH - 1] = 'x';
	text[NOTE_LENGTH] = '\0';
	notes_add(&s, text);
	assert_int_equal(strlen(s.list[1]), NOTE_LENGTH - 1);
	assert_string_equal(s.list[1] + NOTE_LENGTH - 5, "x...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_are_all_shown),
		cmocka_unit_test(the_seventeenth_is_told),
		cmocka_unit_test(hundreds_are_counted),
		cmocka_unit_test(a_long_one_says_that_it_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
