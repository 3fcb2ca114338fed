/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The question answered: which machine, which transport is fastest and by how much; what could not
 * be had and why. Sentences only. Where two intervals overlap no winner is claimed.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "report/fleet.h"
#include "report/fleet_compare.h"
#include "report/fleet_page.h"
#include "report/sheet.h"
#include "report/text.h"

#define CHOSEN_WELL 0.95
#define MUCH_SLOWER 0.5
#define NAMED 3 /* rows in a sentence; the rest is in the table */

static const char *name_of(const struct fleet_page *p, const struct fleet_row *r)
{
	return p->f->machine[r->machine].name;
}

static void add_gbps(struct buf *b, const struct summary_value *v)
{
	char number[32];

	text_number(v->value, number, sizeof(number));
	buf_printf(b, "%s GB/s", number);
}

static void add_what(struct buf *b, const struct fleet_page *p, const struct fleet_row *r)
{
	const struct summary_figure *f = &p->c->figures.bandwidth[0];
	char size[32];

	num_format_size(f->bytes, size, sizeof(size));
	buf_printf(b, " of bus bandwidth in %s of %s (%s timing)", f->op, size,
		   r->s.bandwidth[0].timing ? r->s.bandwidth[0].timing : f->timing);
}

/* "three times", but never a percentage: 1.04 times, 10.3 times. */
static void add_factor(struct buf *b, const struct fleet_row *a, const struct fleet_row *z)
{
	char number[32];

	text_number(a->s.bandwidth[0].value / z->s.bandwidth[0].value, number, sizeof(number));
	buf_printf(b, "%s times", number);
}

static bool is_own_choice(const struct fleet_row *r)
{
	return strcmp(r->s.transport, "auto") == 0;
}

/* Beside NCCL's own choice, which may be a little faster, a winner is one of those forced. */
static bool beside_own_choice(const struct fleet_page *p, const struct fleet_class *k)
{
	for (size_t i = 0; i < p->c->n; i++) {
		const struct fleet_row *r = &p->c->row[i];
		const char *timing = r->s.bandwidth[0].timing;

		if (is_own_choice(r) && isfinite(r->s.bandwidth[0].value) &&
		    strcmp(r->backend, k->backend) == 0 && timing && strcmp(timing, k->timing) == 0)
			return !is_own_choice(&p->c->row[k->best]);
	}
	return false;
}

/* The row as a subject: "p2p" on one machine, "node7 over p2p" of several. */
static void add_subject(struct buf *b, const struct fleet_page *p, const struct fleet_row *r)
{
	if (p->f->n > 1)
		buf_printf(b, "%s over %s", name_of(p, r), r->s.label);
	else
		buf_puts(b, r->s.label);
}

static void add_peak(struct buf *b, const struct fleet_row *r)
{
	char number[32];

	if (!isfinite(r->s.peak_pct))
		return;
	text_number(r->s.peak_pct, number, sizeof(number));
	buf_printf(b, ", %s %% of its link's peak", number);
}

static void add_lead(struct buf *b, const struct fleet_page *p, const struct fleet_class *k)
{
	const struct fleet_row *best = &p->c->row[k->best];
	const struct fleet_row *next = k->next == FLEET_NONE ? NULL : &p->c->row[k->next];
	bool tied = next && fleet_compare_overlap(&best->s.bandwidth[0], &next->s.bandwidth[0]);

	add_subject(b, p, best);
	if (!next) {
		buf_puts(b, " reaches ");
	} else if (tied) {
		buf_puts(b, " and ");
		add_subject(b, p, next);
		buf_puts(b, " cannot be told apart by their intervals: ");
	} else {
		buf_puts(b, beside_own_choice(p, k) ? " is the fastest forced transport: "
						    : " is fastest: ");
	}
	add_gbps(b, &best->s.bandwidth[0]);
	if (tied) {
		buf_puts(b, " and ");
		add_gbps(b, &next->s.bandwidth[0]);
	}
	add_what(b, p, best);
	add_peak(b, best);
	if (next && !tied) {
		buf_puts(b, "; that is ");
		add_factor(b, best, next);
		buf_puts(b, " the ");
		add_gbps(b, &next->s.bandwidth[0]);
		buf_puts(b, " of ");
		add_subject(b, p, next);
	}
	buf_puts(b, next ? "." : "; there is nothing else that it could be ranked against.");
}

/* Machines without a champion, named once. */
static void add_unranked(struct buf *b, const struct fleet_page *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->f->n; i++) {
		if (fleet_compare_champion(p->c, i))
			continue;
		buf_printf(b, "%s%s",
			   n == 0 ? "Nothing that could be ranked was measured on " : ", ",
			   p->f->machine[i].name);
		n++;
	}
	buf_puts(b, n ? "." : "");
}

static bool loopback_only(const struct fleet_compare *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->row[i].s.loopback && isfinite(c->row[i].s.bandwidth[0].value))
			return true;
	return false;
}

static void add_first(struct buf *b, const struct fleet_page *p)
{
	if (p->c->n_classes > 0) {
		add_lead(b, p, &p->c->class[0]);
		return;
	}
	buf_puts(b, p->c->n == 0 ? "Nothing was measured: the run has no points."
		    : loopback_only(p->c)
			? "Nothing can be ranked: what was measured went over "
			  "loopback, which shows the kernel and no link."
			: "Nothing can be ranked: no transport has a proven figure.");
}

/* ---- what is not there, and why ---- */

static bool same_trouble(const struct fleet_row *a, const struct fleet_row *b)
{
	return strcmp(a->s.why, b->s.why) == 0 && strcmp(a->s.label, b->s.label) == 0;
}

static bool told_before(const struct fleet_compare *c, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_trouble(&c->row[k], &c->row[i]))
			return true;
	return false;
}

static void add_trouble(struct buf *b, const struct fleet_page *p, size_t i)
{
	const struct fleet_row *r = &p->c->row[i];
	size_t n = 0;
	char why[200];

	text_clean(r->s.why, why, sizeof(why));
	buf_puts(b, r->s.label);
	for (size_t k = i; p->f->n > 1 && k < p->c->n; k++) {
		if (!same_trouble(&p->c->row[k], r))
			continue;
		if (n < NAMED)
			buf_printf(b, "%s%s", n == 0 ? " on " : ", ", name_of(p, &p->c->row[k]));
		n++;
	}
	if (n > NAMED)
		buf_printf(b, " and %zu more", n - NAMED);
	buf_printf(b, " %s%s", strncmp(why, "N/A", 3) == 0 ? "is " : "failed: ", why);
}

static void add_second(struct buf *b, const struct fleet_page *p)
{
	size_t told = 0, left = 0;

	for (size_t i = 0; i < p->c->n; i++) {
		if (p->c->row[i].s.why[0] == '\0' || told_before(p->c, i))
			continue;
		if (told == NAMED) {
			left++;
			continue;
		}
		buf_puts(b, told++ ? "; " : "Without a figure: ");
		add_trouble(b, p, i);
	}
	if (left)
		buf_printf(b, "; %zu more in the table", left);
	if (told)
		buf_puts(b, ".");
	else if (p->c->n)
		buf_puts(b, "Every transport that was asked for gave a figure.");
}

/* ---- below the two sentences ---- */

/* A small share is a number that nobody reads: 0.0914 times the bandwidth is 10.9 times slower. */
static void add_share(struct buf *b, double share)
{
	char number[32];

	text_number(share <= MUCH_SLOWER ? 1 / share : share, number, sizeof(number));
	buf_printf(b,
		   share <= MUCH_SLOWER ? "is %s times slower than"
					: "reaches %s times the bandwidth of",
		   number);
}

/* What NCCL's own choice reaches of the machine's fastest; NaN where they cannot be compared. */
static double own_share(const struct fleet_page *p, size_t machine, const struct fleet_row **own)
{
	const struct fleet_row *best = fleet_compare_champion(p->c, machine);

	*own = best ? fleet_compare_row(p->c, machine, best->backend, "auto") : NULL;
	if (!*own || *own == best ||
	    !summary_comparable(&(*own)->s.bandwidth[0], &best->s.bandwidth[0]))
		return NAN;
	return (*own)->s.bandwidth[0].value / best->s.bandwidth[0].value;
}

/* Of many machines only those are named on which NCCL chose badly. */
static void write_own_choices(struct sheet *s, const struct fleet_page *p)
{
	const struct fleet_row *own;
	size_t good = 0, which = 0;

	for (size_t m = 0; m < p->f->n; m++) {
		double share = own_share(p, m, &own);
		struct buf said = { 0 };

		if (p->f->n > 1 && share >= CHOSEN_WELL) {
			good++;
			which = m;
			continue;
		}
		if (!isfinite(share))
			continue;
		add_share(&said, share);
		sheet_item(s, "%s%sNCCL's own choice (auto) used %s and %s %s.",
			   p->f->n > 1 ? p->f->machine[m].name : "", p->f->n > 1 ? ": " : "",
			   own->s.used, buf_text(&said), fleet_compare_champion(p->c, m)->s.label);
		s->out.failed |= said.failed;
		buf_fini(&said);
	}
	if (good == 1)
		sheet_item(
		    s,
		    "%s: NCCL's own choice (auto) reaches at least 95 %% of the fastest transport.",
		    p->f->machine[which].name);
	else if (good)
		sheet_item(s,
			   "On %zu machines NCCL's own choice (auto) reaches at least 95 %% of the "
			   "fastest transport.",
			   good);
}

static void write_impossible(struct sheet *s, const struct fleet_page *p)
{
	for (size_t i = 0; i < p->c->n; i++) {
		const struct fleet_row *r = &p->c->row[i];
		char number[32];

		if (!r->impossible)
			continue;
		text_number(r->s.peak_pct, number, sizeof(number));
		sheet_item(s,
			   "IMPOSSIBLE: %s%s%s at %s %% of its link's specification; it is not "
			   "ranked. The "
			   "specification of this run or its clock is wrong.",
			   p->f->n > 1 ? name_of(p, r) : "", p->f->n > 1 ? ": " : "", r->s.label,
			   number);
	}
}

static void write_latency(struct sheet *s, const struct fleet_page *p)
{
	const struct summary_figure *f = &p->c->figures.latency[0];
	const struct fleet_row *best = NULL;
	struct buf b = { 0 };
	char number[32], size[32];

	for (size_t i = 0; i < p->c->n && f->op; i++) {
		const struct fleet_row *r = &p->c->row[i];
		const struct summary_value *v = &r->s.latency[0];

		if (r->s.loopback || v->unproven || !isfinite(v->value) ||
		    strcmp(r->backend, p->c->row[0].backend) != 0)
			continue;
		if (!best || v->value < best->s.latency[0].value ||
		    (v->value == best->s.latency[0].value && is_own_choice(best)))
			best = r;
	}
	if (!best)
		return;
	text_number(best->s.latency[0].value, number, sizeof(number));
	num_format_size(f->bytes, size, sizeof(size));
	add_subject(&b, p, best);
	sheet_item(s, "Shortest time of a small message: %s us for %s of %s, by %s.", number, f->op,
		   size, buf_text(&b));
	s->out.failed |= b.failed;
	buf_fini(&b);
}

static void write_classes(struct sheet *s, const struct fleet_page *p)
{
	for (size_t i = 1; i < p->c->n_classes; i++) {
		struct buf b = { 0 };

		add_lead(&b, p, &p->c->class[i]);
		sheet_item(
		    s, "Not comparable with that, since it was measured with %s and %s timing: %s",
		    p->c->class[i].backend, p->c->class[i].timing, buf_text(&b));
		s->out.failed |= b.failed;
		buf_fini(&b);
	}
}

static void write_loopback(struct sheet *s, const struct fleet_page *p)
{
	if (loopback_only(p->c))
		sheet_item(
		    s, "Figures marked loopback are TCP within one host: they show its kernel and "
		       "CPUs, no network, and rank nothing.");
}

static void write_notes(struct sheet *s, const struct fleet_page *p)
{
	for (size_t i = 0; i < p->f->n; i++) {
		const struct view *v = &p->f->machine[i].run.view;

		for (size_t k = 0; k < v->n_notes; k++)
			sheet_item(s, "%s%s%s", p->f->n > 1 ? p->f->machine[i].name : "",
				   p->f->n > 1 ? ": " : "", v->notes[k]);
	}
}

void fleet_write_answer(struct sheet *s, const struct fleet_page *p)
{
	struct buf b = { 0 };

	add_first(&b, p);
	sheet_text(s, SHEET_LEAD, "%s", buf_text(&b));
	buf_clear(&b);
	add_second(&b, p);
	sheet_text(s, SHEET_LEAD, "%s", buf_text(&b));
	buf_clear(&b);
	if (p->c->n_classes > 0)
		add_unranked(&b, p);
	s->form->list(s, true);
	write_classes(s, p);
	write_impossible(s, p);
	write_own_choices(s, p);
	write_latency(s, p);
	write_loopback(s, p);
	if (b.len)
		sheet_item(s, "%s", buf_text(&b));
	write_notes(s, p);
	s->form->list(s, false);
	s->out.failed |= b.failed;
	buf_fini(&b);
}
