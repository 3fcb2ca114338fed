/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points.csv from a stranger: refused with line and column, never a crash. Run it under sanitizers
 * too.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "data/record.h"

static struct record *const untouched = (struct record *)(uintptr_t)0x10;

static void refused(const char *text, size_t len, const char *want)
{
	struct record *rows = untouched;
	char why[256];
	size_t n = 77;

	assert_int_equal(record_read_all(text, len, &rows, &n, why, sizeof(why)), -EBADMSG);
	assert_string_equal(why, want);
	assert_ptr_equal(rows, untouched); /* outputs change only on success */
	assert_int_equal(n, 77);
}
#define REFUSED(text, want) refused(text, sizeof(text) - 1, want)

static void test_refused(void **state)
{
	REFUSED("", "line 1, column 1: no header");
	REFUSED("# ncclbench points schema 1\n", "line 2, column 1: no header");
	REFUSED("op,bytes\n", "line 2, column 1 (op): no row after the header");
	REFUSED("a,b\n1,2\n", "line 1, column 1: not a header of points.csv: no known column");
	REFUSED("op,bytes,op\nx,1,y\n", "line 1, column 3: the column 'op' is there twice");
	REFUSED("op,bytes\nx,1\ny\n",
		"line 3, column 2 (bytes): missing: 1 fields where the header has 2 (cut short?)");
	REFUSED("op,bytes\nx,1,2\n", "line 2, column 3: 3 fields where the header has 2");
	REFUSED("op,bytes\nx,1\0\n", "line 2, column 2 (bytes): NUL byte");
	REFUSED("op,bytes\n\"x,1\n", "line 2, column 1 (op): the quote is never closed");
	REFUSED("op,bytes\nx,-1\n", "line 2, column 2 (bytes): not a whole number in range: '-1'");
	REFUSED("op,bytes\nx,1e3\n",
		"line 2, column 2 (bytes): not a whole number in range: '1e3'");
	REFUSED("op,root\nx,99999999999\n",
		"line 2, column 2 (root): not a whole number in range: '99999999999'");
	REFUSED("op,time_us\nx,nan\n", "line 2, column 2 (time_us): not a number: 'nan'");
	REFUSED("op,time_us\nx,\"1,5\"\n", "line 2, column 2 (time_us): not a number: '1,5'");
	REFUSED("op,time_us\nx,\"1\033[2J\"\n",
		"line 2, column 2 (time_us): not a number: '1?[2J'");
	REFUSED("dtype\n12345678901234567\n",
		"line 2, column 1 (dtype): text too long: '12345678901234567'");
	REFUSED("# ncclbench samples schema 1\nop\nx\n",
		"line 1, column 1: this is samples.csv, not points.csv");
}

static void test_why_may_be_small(void **state)
{
	struct record *rows = NULL;
	char why[8] = "";
	size_t n = 0;

	assert_int_equal(record_read_all("x", 1, &rows, &n, why, sizeof(why)), -EBADMSG);
	assert_string_equal(why, "line 1,");
	assert_int_equal(record_read_all("x", 1, &rows, &n, NULL, 0), -EBADMSG);
}

static void test_long_lines(void **state)
{
	const size_t size = 10u << 20;
	char *text = malloc(size);

	assert_non_null(text);
	memset(text, 'x', size);
	memcpy(text, "op\n", 3);
	refused(text, size,
		"line 2, column 1 (op): text too long: "
		"'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'");
	memset(text, ',', size);
	refused(text, size, "line 1, column 1025: more than 1024 columns");
	memset(text, '"', size); /* escaped quotes up to the end */
	text[size - 1] = '\n';
	refused(text, size, "line 1, column 1: the quote is never closed");
	free(text);
}

static void test_too_many_rows(void **state)
{
	const size_t rows = (1u << 17) + 1;
	char *text = malloc(3 + 2 * rows);

	assert_non_null(text);
	memcpy(text, "op\n", 3);
	for (size_t i = 0; i < rows; i++)
		memcpy(text + 3 + 2 * i, "x\n", 2);
	refused(text, 3 + 2 * rows, "line 131074, column 1 (op): more than 131072 rows");
	free(text);
}

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

static void make_valid(struct buf *b)
{
	struct record r;

	record_init(&r);
	record_set(r.op, sizeof(r.op), "all_reduce");
	record_set(r.detail, sizeof(r.detail), "a \"quoted\", text");
	r.ranks = 2;
	r.time_us = 5.5;
	record_header(b, 0);
	for (r.bytes = 8; r.bytes <= 64; r.bytes *= 2)
		record_write(b, &r);
}

/*
 * One to four bytes changed, or the end cut off: accepted or refused with a reason, nothing else.
 */
static void test_mutations(void **state)
{
	static const char nasty[] = "\0\"\",,\n\r#-9e.\xff";
	struct buf valid = { 0 };
	uint64_t seed = 20260101;
	int accepted = 0;

	make_valid(&valid);
	for (int i = 0; i < 4000; i++) {
		size_t len = next_random(&seed) % 8 ? valid.len : next_random(&seed) % valid.len;
		char *copy = malloc(len + 1),
		     why[200]; /* its own block: reads past the end are seen */
		struct record *rows = NULL;
		size_t n = 0;
		int rc;

		assert_non_null(copy);
		memcpy(copy, buf_text(&valid), len);
		for (uint32_t k = 0; len > 0 && k <= next_random(&seed) % 4; k++)
			copy[next_random(&seed) % len] =
			    nasty[next_random(&seed) % (sizeof(nasty) - 1)];
		copy = realloc(copy, len ? len : 1);
		rc = record_read_all(copy, len, &rows, &n, why, sizeof(why));
		assert_true(rc == 0 ? n > 0 && rows != NULL : rc == -EBADMSG);
		assert_true((rc == 0) == (why[0] == '\0'));
		accepted += rc == 0;
		free(rows);
		free(copy);
	}
	assert_in_range(accepted, 100, 3900); /* the loop reaches both ends */
	buf_fini(&valid);
}

/* What a run leaves when power is lost: rows are written whole, so only the last can be cut. */
static void run_gives(const char *text, size_t rows_wanted, const char *note_wanted)
{
	struct record *rows = NULL;
	char why[256], note[256];
	size_t n = 77;

	assert_int_equal(
	    record_read_run(text, strlen(text), &rows, &n, note, sizeof(note), why, sizeof(why)),
	    0);
	assert_int_equal(n, rows_wanted);
	assert_string_equal(note, note_wanted);
	free(rows);
}

static void run_refused(const char *text, const char *want)
{
	struct record *rows = untouched;
	char why[256], note[256];
	size_t n = 77;

	assert_int_equal(
	    record_read_run(text, strlen(text), &rows, &n, note, sizeof(note), why, sizeof(why)),
	    -EBADMSG);
	assert_string_equal(why, want);
	assert_ptr_equal(rows, untouched);
	assert_int_equal(n, 77);
}
#define CUT(line)    \
	"line " line \
	", the last one, is cut short and was left out (power lost while it was written?)"

/* No run writes a point twice; a newer version may know keys that tell such rows apart. */
static void test_run_of_another_hand(void **state)
{
	(void)state;
	run_gives("op,outcome,bytes\na,ok,8\nb,ok,8\na,skipped,8\n", 2,
		  "line 4 is the same point as line 2 and was left out (1 such row)");
	run_gives("op,outcome,bytes\nb,ok,8\na,ok,8\n\na,ok,8\nb,ok,8\na,ok,8\n", 2,
		  "line 5 is the same point as line 3 and was left out (3 such rows)");
	run_gives("op,outcome,bytes\na,ok,8\na,ok,8\nb,o", 1,
		  CUT("4") "; line 3 is the same point as line 2 and was left out (1 such row)");
	run_gives("# ncclbench points schema 2\nop,outcome,bytes\na,ok,8\n", 1, "");
	run_refused("# ncclbench points schema 3\nop,outcome,bytes\na,ok,8\n",
		    "line 1, column 1: schema 3; this version knows up to 2: a newer ncclbench "
		    "wrote it");
}

static void test_torn_run(void **state)
{
	(void)state;
	run_gives("op,outcome,bytes\na,ok,8\nb,ok,16\n", 2, "");
	run_gives("op,outcome,bytes\na,ok,8\nb,ok", 1, CUT("3"));
	run_gives("op,outcome,bytes\na,ok,8\n\"b", 1, CUT("3"));
	run_gives("op,outcome,bytes\na,o", 0, CUT("2"));
	run_gives("op,outcome,bytes\na,ok,8", 1, ""); /* whole, written by another tool */
	run_gives("op,outcome,bytes\n", 0, "");
	/* damage elsewhere is no power loss */
	run_refused(
	    "op,outcome,bytes\na,ok\nb,ok,16\nc",
	    "line 2, column 3 (bytes): missing: 2 fields where the header has 3 (cut short?)");
}

static void test_run_outcomes(void **state)
{
	(void)state;
	run_refused("op,outcome\na,ok\nb,fine\n",
		    "line 3: unknown outcome 'fine'; ncclbench list outcomes names them");
	run_refused("op,bytes\na,8\n",
		    "line 2: unknown outcome ''; ncclbench list outcomes names them");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),      cmocka_unit_test(test_why_may_be_small),
		cmocka_unit_test(test_long_lines),   cmocka_unit_test(test_too_many_rows),
		cmocka_unit_test(test_mutations),    cmocka_unit_test(test_torn_run),
		cmocka_unit_test(test_run_outcomes), cmocka_unit_test(test_run_of_another_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
