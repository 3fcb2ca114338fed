/* SPDX-License-Identifier: Apache-2.0 */
/* See gate.h: the table, and the words that all forms use. */
#include "report/gate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "judge/groups.h"
#include "judge/judge.h"
#include "judge/verdict.h"
#include "report/text.h"

const struct gate_writer gate_writers[] = {
	{ "text", "table for the terminal (the default)", gate_text, true },
	{ "json", "everything, for programs", gate_json, false },
	{ "markdown", "for a comment or a job summary", gate_markdown, true },
	{ "junit", "XML that CI servers show as tests", gate_junit, false },
	{ "github", "annotations of GitHub Actions", gate_github, true },
};
const size_t gate_n_writers = N_ELEMENTS(gate_writers);

void gate_clean(struct buf *b, const char *text)
{
	char clean[1024];

	text_clean(text, clean, sizeof(clean));
	buf_puts(b, clean);
}

void gate_group_name(struct buf *b, const struct gate_view *v, const struct group_finding *g)
{
	struct buf label = { 0 };

	group_label(v->pool, g->group, &label);
	gate_clean(b, buf_text(&label));
	buf_printf(b, ", %s", size_classes[g->size_class].name);
	buf_fini(&label);
}

static void percent(struct buf *b, double log_shift)
{
	if (isinf(log_shift))
		buf_puts(b, log_shift < 0 ? "-inf" : "+inf");
	else
		buf_printf(b, "%+.1f", 100 * expm1(log_shift));
}

void gate_figures(struct buf *b, const struct finding *f)
{
	if (!f->tested)
		return;
	percent(b, f->shift);
	buf_puts(b, " % (");
	percent(b, f->lo);
	buf_puts(b, " .. ");
	percent(b, f->hi);
	buf_printf(b, " %%), limit %.1f %%", 100 * expm1(f->limit));
}

void gate_sentence(struct buf *b, const struct finding *f)
{
	size_t start = b->len;

	gate_figures(b, f);
	if (f->why[0]) {
		buf_puts(b, b->len > start ? "; " : "");
		gate_clean(b, f->why);
	}
	if (f->expected) {
		buf_puts(b, b->len > start ? "; expected: " : "expected: ");
		gate_clean(b, f->expected);
	}
}

static bool dull(int verdict)
{
	return verdict == VERDICT_NONE || verdict == VERDICT_PASS || verdict == VERDICT_NEW;
}

bool gate_group_matters(const struct group_finding *g)
{
	return !dull(g->f.verdict);
}

bool gate_point_matters(const struct group_finding *g, const struct point_finding *p)
{
	if (dull(p->f.verdict) || p->f.verdict == VERDICT_INCONCLUSIVE)
		return false;
	return g->n_tested > 0 || p->f.verdict != g->f.verdict;
}

void gate_headline(struct buf *b, const struct gate_view *v)
{
	static const struct {
		int verdict;
		const char *one, *many;
	} parts[] = {
		{ VERDICT_FAILED, "point failed", "points failed" },
		{ VERDICT_IMPOSSIBLE, "point impossible", "points impossible" },
		{ VERDICT_REGRESSED, "point slower", "points slower" },
		{ VERDICT_PATH_CHANGED, "point on another path", "points on another path" },
		{ VERDICT_INCOMPARABLE, "point not comparable", "points not comparable" },
		{ VERDICT_MISSING, "point missing", "points missing" },
	};
	size_t slower = 0, unsure = 0, cleared = 0, tested = 0;
	const char *sep = ": ";

	buf_puts(b, verdict_exit_word(v->j->exit_code));
	for (size_t i = 0; i < v->j->n_groups; i++) {
		slower +=
		    v->j->groups[i].f.verdict == VERDICT_REGRESSED && !v->j->groups[i].f.expected;
		unsure += v->j->groups[i].f.verdict == VERDICT_INCONCLUSIVE;
		cleared += v->j->groups[i].f.unconfirmed;
	}
	for (size_t i = 0; i < v->j->n_points; i++) {
		cleared += v->j->points[i].f.unconfirmed;
		tested += v->j->points[i].f.tested;
	}
	if (slower > 0) {
		buf_printf(b, "%s%zu group%s slower", sep, slower, slower == 1 ? "" : "s");
		sep = ", ";
	}
	for (size_t k = 0; k < N_ELEMENTS(parts); k++) {
		size_t n = 0;

		for (size_t i = 0; i < v->j->n_points; i++)
			n += v->j->points[i].f.verdict == parts[k].verdict &&
			     !v->j->points[i].f.expected;
		if (n == 0)
			continue;
		buf_printf(b, "%s%zu %s", sep, n, n == 1 ? parts[k].one : parts[k].many);
		sep = ", ";
	}
	if (unsure > 0) {
		buf_printf(b, "%s%zu group%s inconclusive", sep, unsure, unsure == 1 ? "" : "s");
		sep = ", ";
	}
	if (cleared > 0) {
		buf_printf(b, "%s%zu slower at first, not confirmed", sep, cleared);
		sep = ", ";
	}
	if (tested == 0)
		buf_printf(b, "%sno point was compared", sep);
}
