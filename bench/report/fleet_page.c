/* SPDX-License-Identifier: Apache-2.0 */
/* See fleet_page.h. */
#include "report/fleet_page.h"

#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "report/fleet.h"
#include "report/fleet_chart.h"
#include "report/fleet_compare.h"
#include "report/sheet.h"

#define NAMED 8 /* machines below the title */

const struct fleet_section fleet_sections[] = {
	{ .id = "answer", .title = "The answer", .write = fleet_write_answer },
	{ .id = "comparison",
	  .title = "Comparison",
	  .charts = { "comparison" },
	  .write = fleet_write_comparison },
	{ .id = "ratio",
	  .title = "Against the reference machine",
	  .charts = { "ratio" },
	  .machines_least = 2,
	  .write = fleet_write_ratio },
	{ .id = "topology",
	  .title = "How the GPUs are connected",
	  .charts = { "topology" },
	  .write = fleet_write_topology },
	{ .id = "bandwidth",
	  .title = "Bandwidth by size",
	  .charts = { "bandwidth" },
	  .write = fleet_write_bandwidth },
	{ .id = "latency",
	  .title = "Time by size",
	  .charts = { "latency" },
	  .write = fleet_write_latency },
	{ .id = "scaling",
	  .title = "By number of ranks",
	  .wanted = fleet_has_scaling,
	  .write = fleet_write_scaling },
	{ .id = "overlap",
	  .title = "Beside computation",
	  .wanted = fleet_has_overlap,
	  .write = fleet_write_overlap },
	{ .id = "ceilings",
	  .title = "What the links can do",
	  .charts = { "ceilings" },
	  .write = fleet_write_ceilings },
	{ .id = "communicator",
	  .title = "Time to create a communicator",
	  .charts = { "communicator", "init" },
	  .write = fleet_write_communicator },
	{ .id = "outcomes",
	  .title = "What became of the points",
	  .charts = { "outcomes" },
	  .write = fleet_write_outcomes },
	{ .id = "findings", .title = "What the logs say", .write = fleet_write_findings },
	{ .id = "environment", .title = "Machines and versions", .write = fleet_write_environment },
	{ .id = "measured", .title = "How it was measured", .write = fleet_write_measured },
	{ .id = "assumed", .title = "What is assumed", .write = fleet_write_assumed },
};
const size_t fleet_sections_n = N_ELEMENTS(fleet_sections);

void fleet_page_picture_name(const char *id, const char *op, char *out, size_t max)
{
	snprintf(out, max, "report_%s%s%s", id, op ? "_" : "", op ? op : "");
}

static void write_picture(struct sheet *s, const struct fleet_page *p,
			  const struct fleet_picture *q)
{
	char name[96], file[200];
	char title[300];
	struct sheet_picture picture = { .svg = buf_text(&q->svg), .alt = q->alt, .title = title };

	snprintf(title, sizeof(title), "%s%s%s%s%s%s", q->op ? q->op : "", q->timing[0] ? " (" : "",
		 q->timing, q->timing[0] ? " timing)" : "", q->op ? ": " : "", q->chart->help);
	fleet_page_picture_name(q->chart->id, q->op, name, sizeof(name));
	snprintf(file, sizeof(file), "%s/%s.svg", p->charts ? p->charts : "", name);
	picture.file = p->charts ? file : NULL;
	s->form->picture(s, &picture);
}

static bool listed(const struct fleet_section *section, const char *id)
{
	for (size_t i = 0; i < N_ELEMENTS(section->charts) && section->charts[i]; i++)
		if (strcmp(section->charts[i], id) == 0)
			return true;
	return false;
}

static bool has_picture(const struct fleet_page *p, const struct fleet_section *section)
{
	for (size_t i = 0; p->pictures && i < p->pictures->n; i++)
		if (p->pictures->list[i].svg.len && listed(section, p->pictures->list[i].chart->id))
			return true;
	return false;
}

/* A chart that no section names is not lost: it stands with the comparison. */
static bool belongs(const struct fleet_section *section, const char *id)
{
	if (listed(section, id))
		return true;
	for (size_t i = 0; i < fleet_sections_n; i++)
		if (listed(&fleet_sections[i], id))
			return false;
	return listed(section, "comparison");
}

static void write_pictures(struct sheet *s, const struct fleet_page *p,
			   const struct fleet_section *section)
{
	for (size_t i = 0; p->pictures && i < p->pictures->n; i++)
		if (p->pictures->list[i].svg.len &&
		    belongs(section, p->pictures->list[i].chart->id))
			write_picture(s, p, &p->pictures->list[i]);
}

/* The topology is a picture or nothing. */
static bool is_wanted(const struct fleet_page *p, const struct fleet_section *section)
{
	if (p->f->n < section->machines_least || (section->wanted && !section->wanted(p)))
		return false;
	return section->write != fleet_write_topology || has_picture(p, section);
}

static void title_of(const struct fleet_page *p, char *out, size_t max)
{
	const struct fleet *f = p->f;

	if (f->n == 1)
		snprintf(out, max, "Transports of %s", f->machine[0].name);
	else if (f->n == 2)
		snprintf(out, max, "Transports of %s and %s", f->machine[0].name,
			 f->machine[1].name);
	else
		snprintf(out, max, "Transports of %zu machines", f->n);
}

static void sub_of(const struct fleet_page *p, struct buf *b)
{
	const struct view *v = &p->f->machine[0].run.view;

	if (p->f->n == 1) {
		buf_printf(b, "%s%s%s%s%s", v->machine[0] ? v->machine : "unknown machine",
			   v->versions[0] ? "; " : "", v->versions, v->when[0] ? "; measured " : "",
			   v->when);
		return;
	}
	for (size_t i = 0; i < p->f->n && i < NAMED; i++)
		buf_printf(b, "%s%s", i ? ", " : "Side by side: ", p->f->machine[i].name);
	if (p->f->n > NAMED)
		buf_printf(b, " and %zu more", p->f->n - NAMED);
	buf_printf(b, ". Ratios are against %s.", p->f->machine[p->f->reference].name);
}

static void begin(struct sheet *s, const struct fleet_page *p)
{
	struct sheet_link link[N_ELEMENTS(fleet_sections)];
	struct buf sub = { 0 };
	char title[300];
	size_t n = 0;

	title_of(p, title, sizeof(title));
	sub_of(p, &sub);
	s->form->begin(s, title, buf_text(&sub));
	for (size_t i = 0; i < fleet_sections_n; i++)
		if (is_wanted(p, &fleet_sections[i]))
			link[n++] =
			    (struct sheet_link){ fleet_sections[i].id, fleet_sections[i].title };
	s->form->contents(s, link, n);
	s->out.failed |= sub.failed;
	buf_fini(&sub);
}

static void picture_notes(struct sheet *s, const struct fleet_page *p)
{
	const char *line = p->picture_notes ? p->picture_notes : "";

	while (*line) {
		size_t n = strcspn(line, "\n");

		sheet_text(s, SHEET_NOTE, "%.*s", (int)n, line);
		line += n + (line[n] != '\0');
	}
}

void fleet_page_write(struct sheet *s, const struct fleet_page *p)
{
	begin(s, p);
	for (size_t i = 0; i < fleet_sections_n; i++) {
		const struct fleet_section *section = &fleet_sections[i];

		if (!is_wanted(p, section))
			continue;
		s->form->section(s, section->id, section->title);
		section->write(s, p);
		write_pictures(s, p, section);
		if (section->write == fleet_write_comparison)
			picture_notes(s, p);
	}
	s->form->end(s);
}

void fleet_page_summary(struct sheet *s, const struct fleet_page *p)
{
	fleet_write_answer(s, p);
	fleet_write_comparison(s, p);
}
