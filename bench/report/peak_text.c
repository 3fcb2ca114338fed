/* SPDX-License-Identifier: Apache-2.0 */
/* See peak_text.h. Repeats the arithmetic of peak_use.c in words; docs/ceilings.md has the reasons.
 */
#include "report/peak_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "report/fleet.h"
#include "report/fleet_compare.h"
#include "report/peak_use.h"
#include "report/text.h"

static void add_clean(struct buf *b, const char *text)
{
	char clean[512];

	text_clean(text, clean, sizeof(clean));
	buf_puts(b, clean);
}

static void add_number(struct buf *b, double v)
{
	char number[32];

	text_number(v, number, sizeof(number));
	buf_puts(b, number);
}

static void add_peak(struct buf *b, const struct view_peak *p)
{
	buf_puts(b, "  ");
	add_clean(b, p->name);
	buf_puts(b, ": ");
	if (isfinite(p->gbps)) {
		add_number(b, p->gbps);
		buf_puts(b, " GB/s");
	} else {
		buf_puts(b, "unknown");
	}
	if (p->how && p->how[0]) {
		buf_puts(b, "; ");
		add_clean(b, p->how);
	}
	if (p->transport[0]) {
		buf_puts(b, "; the peak of ");
		add_clean(b, p->transport);
	}
	buf_putc(b, '\n');
}

static void add_sum(struct buf *b, const struct record *r, const struct peak_use *u)
{
	double pct = u->peak ? 100 * u->gbps / u->peak->gbps : NAN;

	if (u->algorithm) {
		buf_puts(b, "algorithm ");
		add_clean(b, r->algo);
		buf_puts(b, " reduces on the way, so algorithm bandwidth against the line rate: ");
	}
	add_number(b, u->gbps);
	buf_printf(b, " GB/s of %s bandwidth", u->algorithm ? "algorithm" : "bus");
	if (u->peak) {
		buf_puts(b, " / ");
		add_number(b, u->peak->gbps);
		buf_puts(b, " GB/s, ");
		add_clean(b, u->peak->name);
		buf_puts(b, " = ");
		add_number(b, pct);
		buf_puts(b, " %");
	}
	if (u->recorded && !(fabs(pct - u->pct) < 0.01 * fabs(u->pct))) {
		buf_puts(b, "; the run recorded ");
		add_number(b, u->pct);
		buf_puts(b, " %");
	} else if (!u->peak) {
		buf_puts(b,
			 u->algorithm ? "; the run names no line rate" : "; held against no peak");
	}
}

static void add_row(struct buf *b, const struct fleet *f, const struct fleet_compare *c,
		    const struct fleet_row *row)
{
	const struct summary_figure *figure = &c->figures.bandwidth[0];
	const struct view *v = &f->machine[row->machine].run.view;
	const struct record *r = NULL;
	struct peak_use use;
	char size[40];

	if (figure->op && isfinite(row->s.bandwidth[0].value))
		r = view_measured(v, row->s.transport, figure->op, row->s.bandwidth[0].bytes,
				  fleet_compare_timing(v, row->s.transport, figure, false));
	buf_puts(b, "  ");
	add_clean(b, row->s.label);
	buf_printf(b, "%s: ", summary_other_size(figure, &row->s.bandwidth[0], size, sizeof(size)));
	if (!r) {
		add_clean(b, row->s.why[0] ? row->s.why : "not measured at this size");
	} else {
		peak_use_of(v, r, &use);
		add_sum(b, r, &use);
		if (strcmp(row->s.transport, "auto") == 0 && !use.algorithm)
			buf_puts(b, ": NCCL chooses its link itself");
	}
	buf_putc(b, '\n');
}

void peak_text(struct buf *b, const struct fleet *f, const struct fleet_compare *c)
{
	const struct summary_figure *figure = &c->figures.bandwidth[0];
	char size[32];

	num_format_size(figure->bytes, size, sizeof(size));
	for (size_t m = 0; m < f->n; m++) {
		const struct view *v = &f->machine[m].run.view;

		buf_printf(b, "%s%s\nceilings, one direction\n", m ? "\n" : "", f->machine[m].name);
		for (size_t i = 0; i < v->n_peaks; i++)
			add_peak(b, &v->peaks[i]);
		if (v->n_peaks == 0)
			buf_puts(b, "  the run names none\n");
		if (figure->op)
			buf_printf(b, "percent of peak, %s of %s\n", figure->op, size);
		for (size_t i = 0; figure->op && i < c->n; i++)
			if (c->row[i].machine == m)
				add_row(b, f, c, &c->row[i]);
	}
}
