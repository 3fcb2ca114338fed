/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of a judgement, with texts that mean something in XML, Markdown or annotations. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>

#include "base/attr.h"
#include "judge/judge.h"
#include "report/gate.h"
#include "rows.h"

#define HOSTILE "<b>&\"'|`@all`]]>\x01\xff::error::%0A, :"
#define SERIES 3

struct bench {
	struct pool pool;
	struct text_run text[SERIES + 1];
	struct series series[SERIES + 1];
	const struct series *base[SERIES];
	struct judge_options o;
	struct judgement j;
	struct gate_view v;
};

/* p2p 8 B 50 % slower, shm 8 B corrupt with a hostile text, socket 8 B gone, ib 8 B new, p2p 1 KiB
 * the same. */
static void setup(struct bench *b)
{
	char why[400];

	memset(b, 0, sizeof(*b));
	judge_defaults(&b->o);
	for (int i = 0; i <= SERIES; i++) {
		char boot[16];

		snprintf(boot, sizeof(boot), "b%d", i);
		run_start(&b->text[i], boot, "2.28");
		run_row(&b->text[i], "p2p", 8, i < SERIES ? 10 + i * .01 : 15);
		run_row(&b->text[i], "p2p", 1024, 10 + i * .01);
		if (i < SERIES) {
			run_row(&b->text[i], "shm", 8, 20);
			run_row(&b->text[i], "socket", 8, 30);
		} else {
			run_outcome(&b->text[i], "shm", 8, "corrupt", HOSTILE);
			run_row(&b->text[i], "ib", 8, 5);
		}
		assert_int_equal(run_parse(&b->pool, &b->text[i], &b->series[i], why, sizeof(why)),
				 0);
		b->series[i].path = strdup("runs/a & b");
		if (i < SERIES)
			b->base[i] = &b->series[i];
	}
	assert_int_equal(
	    judge_run(&b->pool, b->base, SERIES, &b->series[SERIES], NULL, &b->o, &b->j), 0);
	assert_int_equal(b->j.exit_code, 5);
	b->v = (struct gate_view){ &b->pool, &b->j, &b->o, &b->series[SERIES], false, false };
}

static void teardown(struct bench *b)
{
	judge_fini(&b->j);
	for (int i = 0; i <= SERIES; i++) {
		series_fini(&b->series[i]);
		run_fini(&b->text[i]);
	}
	pool_fini(&b->pool);
}

static void printable(const struct buf *b)
{
	assert_false(b->failed);
	for (size_t i = 0; i < b->len; i++)
		assert_true((unsigned char)b->data[i] >= 0x20 || b->data[i] == '\n');
}

static void has(const struct buf *b, const char *text)
{
	if (!strstr(buf_text(b), text))
		fail_msg("no '%s' in:\n%s", text, buf_text(b));
}

static void has_not(const struct buf *b, const char *text)
{
	if (strstr(buf_text(b), text))
		fail_msg("'%s' in:\n%s", text, buf_text(b));
}

static void terminal(void **state)
{
	struct buf out = { 0 };
	struct bench b;

	setup(&b);
	gate_text(&out, &b.v);
	printable(&out);
	has(&out, "p2p all_reduce graph, small");
	has(&out, "FAILED       corrupt: <b>");
	has(&out, "MISSING");
	has(&out, "gate: broken: 1 group slower, 1 point failed");
	has(&out, "(exit 5)");
	has_not(&out, "1 KiB"); /* passed */
	buf_clear(&out);
	b.v.all = true;
	gate_text(&out, &b.v);
	has(&out, "1 KiB");
	buf_fini(&out);
	teardown(&b);
}

static const json_t *row_of(const json_t *all, const char *transport, int bytes)
{
	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *o = json_array_get(all, i);

		if (strcmp(json_string_value(json_object_get(o, "transport")), transport) == 0 &&
		    json_integer_value(json_object_get(o, "bytes")) == bytes)
			return o;
	}
	return NULL;
}

static void json_has_it_all(void **state)
{
	struct buf out = { 0 };
	struct bench b;
	json_t *o;
	const json_t *rows, *row;

	setup(&b);
	gate_json(&out, &b.v);
	o = json_loads(buf_text(&out), 0, NULL);
	assert_non_null(o);
	assert_int_equal(json_integer_value(json_object_get(o, "schema")), 1);
	assert_string_equal(json_string_value(json_object_get(o, "command")), "gate");
	assert_string_equal(json_string_value(json_object_get(o, "verdict")), "broken");
	assert_int_equal(json_integer_value(json_object_get(o, "exit_code")), 5);
	rows = json_object_get(o, "rows");
	assert_int_equal(json_array_size(rows), 5);
	row = row_of(rows, "p2p", 8);
	assert_string_equal(json_string_value(json_object_get(row, "verdict")), "REGRESSED");
	assert_true(fabs(json_real_value(json_object_get(row, "change_pct")) - 49.85) <
		    .2); /* 15 / 10.01 */
	assert_int_equal(json_array_size(json_object_get(row, "new_restarts_us")), 7);
	row = row_of(rows, "shm", 8);
	assert_string_equal(json_string_value(json_object_get(row, "verdict")), "FAILED");
	assert_null(json_object_get(row, "change_pct"));
	row = row_of(json_object_get(o, "suspects"), "p2p", 8);
	assert_non_null(row);
	assert_string_equal(json_string_value(json_object_get(row, "timing")), "graph");
	json_decref(o);
	buf_fini(&out);
	teardown(&b);
}

static void markdown_has_no_foreign_markup(void **state)
{
	struct buf out = { 0 };
	struct bench b;

	setup(&b);
	gate_markdown(&out, &b.v);
	printable(&out);
	has(&out, "| 🔻 REGRESSED | p2p all\\_reduce graph, small");
	has(&out, "&lt;b&gt;&amp;");
	has_not(&out, "<b>");
	has_not(&out, "@all");
	has(&out, "\\|");
	buf_fini(&out);
	teardown(&b);
}

static void junit_counts_and_escapes(void **state)
{
	struct buf out = { 0 };
	struct bench b;

	setup(&b);
	gate_junit(&out, &b.v);
	printable(&out);
	/* cases: 5 points and the one group that was tested; slower group and point, missing point;
	 * corrupt point */
	has(&out, "<testsuites name=\"ncclbench gate\" tests=\"6\" failures=\"3\" errors=\"1\" "
		  "time=\"0\">");
	has(&out, "<failure type=\"REGRESSED\" message=\"+49.");
	has(&out, "<error type=\"FAILED\" message=\"corrupt: "
		  "&lt;b&gt;&amp;&quot;&apos;|`@all`]]&gt; ?::error");
	has(&out, "<skipped message=\"NEW: ");
	has_not(&out, "<b>");
	buf_fini(&out);
	teardown(&b);
}

static void annotations_stay_one_line(void **state)
{
	struct buf out = { 0 };
	struct bench b;

	setup(&b);
	gate_github(&out, &b.v);
	printable(&out);
	has(&out, "::error title=ncclbench%3A p2p all_reduce graph%2C small::REGRESSED: +");
	has(&out, "\n::error title=ncclbench gate::broken: 1 group slower");
	has(&out, "%250A"); /* the %0A of the hostile text is text */
	for (const char *p = buf_text(&out); *p; p = strchr(p, '\n') + 1)
		assert_true(strncmp(p, "::error title=", 14) == 0 ||
			    strncmp(p, "::notice title=", 15) == 0 ||
			    strncmp(p, "::warning title=", 16) == 0);
	buf_fini(&out);
	teardown(&b);
}

/* No series may be compared: every form says so, none looks like a success. */
static void nothing_to_compare(void **state)
{
	struct buf out = { 0 };
	struct bench b;

	setup(&b);
	judge_fini(&b.j);
	strcpy(b.series[SERIES].facts.value[FACT_DRIVER], "999");
	assert_int_equal(judge_run(&b.pool, b.base, SERIES, &b.series[SERIES], NULL, &b.o, &b.j),
			 0);
	assert_int_equal(b.j.exit_code, 4);
	for (size_t i = 0; i < gate_n_writers; i++) {
		gate_writers[i].write(&out, &b.v);
		assert_false(out.failed);
		if (strcmp(gate_writers[i].name, "github") != 0)
			has(&out, "driver");
		buf_clear(&out);
	}
	gate_junit(&out, &b.v);
	has(&out, "tests=\"1\" failures=\"1\"");
	buf_fini(&out);
	teardown(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terminal),
		cmocka_unit_test(json_has_it_all),
		cmocka_unit_test(markdown_has_no_foreign_markup),
		cmocka_unit_test(junit_counts_and_escapes),
		cmocka_unit_test(annotations_stay_one_line),
		cmocka_unit_test(nothing_to_compare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
