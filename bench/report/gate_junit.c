/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judgement as JUnit XML: a suite per group, a case for the group and one per point. Only
 * elements and attributes that GitLab and Jenkins both read (tests/golden/gate/junit.xsd).
 */
#include <string.h>

#include "base/buf.h"
#include "base/visible.h"
#include "base/num.h"
#include "judge/groups.h"
#include "judge/judge.h"
#include "judge/series.h"
#include "judge/verdict.h"
#include "report/gate.h"

struct counts {
	size_t tests, failures, errors, skipped;
};

static void escaped(struct buf *b, const char *text)
{
	static const struct {
		char c;
		const char *as;
	} table[] = { { '&', "&amp;" },
		      { '<', "&lt;" },
		      { '>', "&gt;" },
		      { '"', "&quot;" },
		      { '\'', "&apos;" } };

	for (; *text; text++) {
		size_t i = 0, n = visible_char(text);

		while (i < sizeof(table) / sizeof(table[0]) && table[i].c != *text)
			i++;
		if (i < sizeof(table) / sizeof(table[0]))
			buf_puts(b, table[i].as);
		else
			buf_add(b, n ? text : " ", n ? n : 1);
		text += n ? n - 1 : 0;
	}
}

static const char *kind(const struct gate_view *v, const struct finding *f)
{
	if (f->expected || (f->verdict == VERDICT_MISSING && v->o->missing_warns))
		return "skipped";
	return verdict_table[f->verdict].junit;
}

static void count(struct counts *c, const char *what)
{
	c->tests++;
	c->failures += strcmp(what, "failure") == 0;
	c->errors += strcmp(what, "error") == 0;
	c->skipped += strcmp(what, "skipped") == 0;
}

static void count_group(const struct gate_view *v, const struct group_finding *g, struct counts *c)
{
	if (g->n_tested > 0)
		count(c, kind(v, &g->f));
	for (size_t i = 0; i < g->n; i++)
		count(c, kind(v, &v->j->points[g->first + i].f));
}

static void write_case(struct buf *b, const struct gate_view *v, const char *suite,
		       const char *name, const struct finding *f)
{
	const char *what = kind(v, f);
	struct buf said = { 0 };

	gate_sentence(&said, f);
	buf_puts(b, "    <testcase classname=\"ncclbench.");
	escaped(b, suite);
	buf_puts(b, "\" name=\"");
	escaped(b, name);
	buf_puts(b, "\" time=\"0\"");
	if (*what == '\0' && f->unconfirmed) {
		buf_puts(b, ">\n      <system-out>");
		escaped(b, buf_text(&said));
		buf_puts(b, "</system-out>\n    </testcase>\n");
	} else if (*what == '\0') {
		buf_puts(b, "/>\n");
	} else if (strcmp(what, "skipped") == 0) {
		buf_printf(b, ">\n      <skipped message=\"%s: ", verdict_table[f->verdict].name);
		escaped(b, buf_text(&said));
		buf_puts(b, "\"/>\n    </testcase>\n");
	} else {
		buf_printf(b, ">\n      <%s type=\"%s\" message=\"", what,
			   verdict_table[f->verdict].name);
		escaped(b, buf_text(&said));
		buf_puts(b, "\">");
		escaped(b, verdict_table[f->verdict].help);
		buf_printf(b, "</%s>\n    </testcase>\n", what);
	}
	buf_fini(&said);
}

static void attributes(struct buf *b, const struct counts *c)
{
	buf_printf(b, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", c->tests, c->failures,
		   c->errors);
}

static void write_suite(struct buf *b, const struct gate_view *v, const struct group_finding *g)
{
	struct buf name = { 0 };
	struct counts c = { 0 };

	gate_group_name(&name, v, g);
	count_group(v, g, &c);
	buf_puts(b, "  <testsuite name=\"");
	escaped(b, buf_text(&name));
	buf_putc(b, '"');
	attributes(b, &c);
	buf_printf(b, " skipped=\"%zu\" time=\"0\">\n", c.skipped);
	if (g->n_tested > 0)
		write_case(b, v, buf_text(&name), "group", &g->f);
	for (size_t i = 0; i < g->n; i++) {
		const struct point_finding *p = &v->j->points[g->first + i];
		char size[32];

		num_format_size(p->bytes, size, sizeof(size));
		write_case(b, v, buf_text(&name), size, &p->f);
	}
	buf_puts(b, "  </testsuite>\n");
	buf_fini(&name);
}

/* No group was judged, and that is no success. */
static void write_refusal(struct buf *b, const struct gate_view *v)
{
	buf_puts(b, "  <testsuite name=\"gate\" tests=\"1\" failures=\"1\" errors=\"0\" "
		    "skipped=\"0\" time=\"0\">\n"
		    "    <testcase classname=\"ncclbench.gate\" name=\"comparable\" time=\"0\">\n"
		    "      <failure type=\"INCOMPARABLE\" message=\"");
	escaped(b, buf_text(&v->j->notes));
	buf_puts(b, "\"/>\n    </testcase>\n  </testsuite>\n");
}

void gate_junit(struct buf *b, const struct gate_view *v)
{
	struct counts c = { 0 };

	for (size_t i = 0; i < v->j->n_groups; i++)
		count_group(v, &v->j->groups[i], &c);
	if (v->j->n_groups == 0)
		c = (struct counts){ .tests = 1, .failures = 1 };
	buf_puts(b,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ncclbench gate\"");
	attributes(b, &c);
	buf_puts(b, " time=\"0\">\n");
	for (size_t i = 0; i < v->j->n_groups; i++)
		write_suite(b, v, &v->j->groups[i]);
	if (v->j->n_groups == 0)
		write_refusal(b, v);
	buf_puts(b, "</testsuites>\n");
}
