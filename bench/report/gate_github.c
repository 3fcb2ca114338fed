/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations of GitHub Actions: one command a line. GitHub shows ten of a kind per step; the worst
 * come first. */
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "judge/groups.h"
#include "judge/judge.h"
#include "judge/series.h"
#include "judge/verdict.h"
#include "report/gate.h"

#define SHOWN_MAX 9 /* and one line that counts the rest */

static void escaped(struct buf *b, const char *text, const char *also)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '%' || c < 0x20 || strchr(also, c))
			buf_printf(b, "%%%02X", c);
		else
			buf_putc(b, *text);
	}
}

static void annotate(struct buf *b, const struct finding *f, const char *title)
{
	struct buf said = { 0 };

	gate_sentence(&said, f);
	buf_printf(b, "::%s title=", f->expected ? "notice" : verdict_table[f->verdict].github);
	escaped(b, title, ":,");
	buf_printf(b, "::%s: ", verdict_table[f->verdict].name);
	escaped(b, buf_text(&said), "");
	buf_putc(b, '\n');
	buf_fini(&said);
}

static void title_of(struct buf *t, const struct gate_view *v, const struct group_finding *g,
		     const struct point_finding *p)
{
	char size[32];

	buf_clear(t);
	buf_puts(t, "ncclbench: ");
	gate_group_name(t, v, g);
	if (!p)
		return;
	num_format_size(p->bytes, size, sizeof(size));
	buf_printf(t, ": %s", size);
}

/* All findings of one verdict; returns how many there are, writes the first few. */
static size_t of_verdict(struct buf *b, const struct gate_view *v, int verdict, size_t room)
{
	struct buf title = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < v->j->n_groups; i++) {
		const struct group_finding *g = &v->j->groups[i];

		if (g->f.verdict == verdict && n++ < room) {
			title_of(&title, v, g, NULL);
			annotate(b, &g->f, buf_text(&title));
		}
		for (size_t k = 0; k < g->n; k++) {
			const struct point_finding *p = &v->j->points[g->first + k];

			if (p->f.verdict != verdict || !gate_point_matters(g, p) || n++ >= room)
				continue;
			title_of(&title, v, g, p);
			annotate(b, &p->f, buf_text(&title));
		}
	}
	buf_fini(&title);
	return n;
}

void gate_github(struct buf *b, const struct gate_view *v)
{
	size_t room = SHOWN_MAX, rest = 0;

	for (int verdict = VERDICT_COUNT; verdict-- > 0;) {
		size_t n;

		if (!verdict_table[verdict].github[0])
			continue;
		n = of_verdict(b, v, verdict, room);
		rest += n > room ? n - room : 0;
		room -= n < room ? n : room;
	}
	buf_printf(b, "::%s title=ncclbench gate::", v->j->exit_code == 0 ? "notice" : "error");
	struct buf head = { 0 };

	gate_headline(&head, v);
	if (rest > 0)
		buf_printf(&head, " (%zu more findings)", rest);
	escaped(b, buf_text(&head), "");
	buf_putc(b, '\n');
	buf_fini(&head);
}
