/* SPDX-License-Identifier: Apache-2.0 */
/* See matrix.h. */
#include "report/matrix.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/num.h"
#include "data/record.h"
#include "report/view.h"

static bool requested(const struct record *r)
{
	return r->algo_req[0] || r->proto_req[0];
}

void matrix_name(const struct record *r, char *out, size_t max)
{
	const char *algo = requested(r) ? r->algo_req : r->algo,
		   *proto = requested(r) ? r->proto_req : r->proto;

	snprintf(out, max, "%s%s%s", algo, algo[0] && proto[0] ? "/" : "", proto);
	for (char *c = out; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (!out[0])
		snprintf(out, max, "?");
}

static const struct record *representative(const struct matrix_cell *c)
{
	return c->own ? c->own : c->best;
}

/* But for the arm and its columns. */
static bool same_place(const struct record *a, const struct record *b)
{
	return record_compare(a, b,
			      RECORD_BIT(RECORD_ARM) | RECORD_BIT(RECORD_ALGO_REQ) |
				  RECORD_BIT(RECORD_PROTO_REQ)) == 0;
}

static void take_row(struct matrix_cell *c, const struct record *r)
{
	bool ok = strcmp(r->outcome, "ok") == 0 && r->time_us > 0;

	if (!requested(r)) {
		c->own = ok ? r : c->own;
		return;
	}
	c->measured += ok;
	c->declined += strcmp(r->outcome, "unavailable") == 0;
	if (ok && (!c->best || r->time_us < c->best->time_us))
		c->best = r;
}

/* What was taken where the log tells it, else what was asked for; what neither tells differs from
 * nothing. */
static bool same_part(const char *took, const char *asked, const char *took2, const char *asked2)
{
	const char *a = took[0] ? took : asked, *b = took2[0] ? took2 : asked2;

	return !a[0] || !b[0] || strcasecmp(a, b) == 0;
}

/* Then a difference is one between workers, not between choices. */
static bool same_choice(const struct record *a, const struct record *b)
{
	return same_part(a->algo, a->algo_req, b->algo, b->algo_req) &&
	       same_part(a->proto, a->proto_req, b->proto, b->proto_req);
}

static void judge(struct matrix_cell *c)
{
	bool apart;

	c->gain = NAN;
	if (!c->own || !c->best)
		return;
	c->gain = c->own->time_us / c->best->time_us - 1;
	apart = !(c->best->ci_hi_us >=
		  c->own->ci_lo_us); /* an interval that is not known is no objection */
	c->worse = c->gain > MATRIX_WORSE && apart && !same_choice(c->own, c->best);
}

static int by_bytes(const void *a, const void *b)
{
	const struct record *x = representative(a), *y = representative(b);
	int d = strcmp(x->transport, y->transport);

	d = d ? d : strcmp(x->op, y->op);
	d = d ? d : strcmp(x->timing, y->timing);
	return d ? d : x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

int matrix_cells(const struct view *v, struct matrix_cell **out, size_t *n)
{
	struct matrix_cell *c;
	size_t cells = 0, kept = 0, any = 0;

	*out = NULL;
	*n = 0;
	for (size_t i = 0; i < v->n_all; i++)
		any += requested(&v->rows[i]);
	if (any == 0)
		return 0;
	c = calloc(v->n_all, sizeof(*c));
	if (!c)
		return -ENOMEM;
	/* NCCL's own rows come first and make the cells. */
	for (size_t i = 0; i < v->n_rows; i++)
		c[cells++].own = &v->rows[i];
	for (size_t k = 0; k < cells; k++) {
		const struct record *place = c[k].own;

		c[k].own = NULL;
		for (size_t i = 0; i < v->n_all; i++)
			if (same_place(&v->rows[i], place))
				take_row(&c[k], &v->rows[i]);
		judge(&c[k]);
		if (c[k].own || c[k].best)
			c[kept++] = c[k];
	}
	qsort(c, kept, sizeof(*c), by_bytes);
	*out = c;
	*n = kept;
	return 0;
}

/* ---- text ---- */

static bool same_block(const struct matrix_cell *a, const struct matrix_cell *b)
{
	const struct record *x = representative(a), *y = representative(b);

	return strcmp(x->transport, y->transport) == 0 && strcmp(x->op, y->op) == 0 &&
	       strcmp(x->timing, y->timing) == 0;
}

static void heading(const struct view *v, const struct matrix_cell *c, struct buf *out)
{
	const struct record *r = representative(c);

	buf_printf(out, "\n%s, %s, %s: fastest algorithm and protocol, and NCCL's own choice\n",
		   view_transport_label(v, r->backend, r->transport), r->op, r->timing);
	buf_printf(out, "  %10s  %-14s %10s  %-14s %10s\n", "size", "fastest", "time", "own choice",
		   "time");
}

static void one_line(const struct matrix_cell *c, bool crossover, struct buf *out)
{
	char size[32], best[48] = "-", own[48] = "-", best_time[32] = "", own_time[32] = "";

	num_format_size(representative(c)->bytes, size, sizeof(size));
	if (c->best) {
		matrix_name(c->best, best, sizeof(best));
		num_format_time(c->best->time_us * 1e3, 0, best_time, sizeof(best_time));
	}
	if (c->own) {
		matrix_name(c->own, own, sizeof(own));
		num_format_time(c->own->time_us * 1e3, 0, own_time, sizeof(own_time));
	}
	buf_printf(out, "  %10s  %-14s %10s  %-14s %10s%s", size, best, best_time, own, own_time,
		   crossover ? "  <- crossover" : "");
	if (c->worse)
		buf_printf(out, "  own choice takes %.0f %% longer", 100 * c->gain);
	buf_puts(out, "\n");
}

static bool crosses(const struct matrix_cell *before, const struct matrix_cell *c)
{
	return before->best && c->best && !same_choice(before->best, c->best);
}

int matrix_text(const struct view *v, struct buf *out)
{
	struct matrix_cell *c;
	size_t n, worse = 0, declined = 0;
	int rc = matrix_cells(v, &c, &n);

	for (size_t i = 0; i < n; i++) {
		bool first = i == 0 || !same_block(&c[i - 1], &c[i]);

		if (first)
			heading(v, &c[i], out);
		one_line(&c[i], !first && crosses(&c[i - 1], &c[i]), out);
		worse += c[i].worse;
		declined += c[i].declined;
	}
	if (n > 0)
		buf_printf(out,
			   "\nNCCL's own choice is another and slower one at %zu of %zu sizes (by "
			   "more than %.0f %%, intervals apart; one run: "
			   "--ab or tune confirms).\n",
			   worse, n, 100 * MATRIX_WORSE);
	if (declined > 0)
		buf_printf(out, "%zu combinations are not available here; points.csv says why.\n",
			   declined);
	free(c);
	return rc < 0 ? rc : out->failed ? -ENOMEM : 0;
}
