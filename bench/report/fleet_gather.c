/* SPDX-License-Identifier: Apache-2.0 */
/* See fleet_plot.h. Curves of one panel are of one timing where all have one: in another timing a
 * time means something else. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/fleet.h"
#include "report/fleet_plot.h"
#include "report/view.h"

const struct view *plot_view(const struct plot *s, size_t machine)
{
	return &s->f->machine[machine].run.view;
}

static const char *backend_of(const struct view *v)
{
	return v->n_rows > 0 ? v->rows[0].backend : "";
}

static int take_points(struct plot *s, struct curve *c, const struct record *const *rows, size_t n)
{
	c->p = calloc(n, sizeof(*c->p));
	if (c->p == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct place p = { .x = (double)rows[i]->bytes };

		s->kind->place(rows[i], &p);
		if (!isfinite(p.y) || p.y <= 0 || (c->n > 0 && c->p[c->n - 1].x == p.x))
			continue;
		c->p[c->n++] = p;
		c->unproven |= view_unproven(rows[i]);
		s->ranks_least = s->ranks_least == 0 || rows[i]->ranks < s->ranks_least
				     ? rows[i]->ranks
				     : s->ranks_least;
		s->ranks_most = rows[i]->ranks > s->ranks_most ? rows[i]->ranks : s->ranks_most;
	}
	return 0;
}

/* The first timing in which every machine that has the curve has it; else NULL, each its own. */
static const char *common_timing(const struct plot *s, const char *backend, const char *transport)
{
	for (const char *const *t = view_timings_graph; *t != NULL; t++) {
		const char *only[] = { *t, NULL };
		bool all = true, any = false;

		for (size_t m = 0; m < s->f->n; m++) {
			const struct view *v = plot_view(s, m);

			if (strcmp(backend_of(v), backend) != 0 ||
			    view_timing(v, transport, s->op, view_timings_graph) == NULL)
				continue;
			any = true;
			all = all && view_timing(v, transport, s->op, only) != NULL;
		}
		if (any && all)
			return *t;
	}
	return NULL;
}

static int add_curve(struct plot *s, size_t panel, size_t machine, const char *transport, int style)
{
	const struct view *v = plot_view(s, machine);
	const char *timing = s->panel[panel].timing;
	struct curve *c = &s->curve[s->n];
	const struct record **rows;
	size_t n;
	int rc;

	if (timing == NULL)
		timing = view_timing(v, transport, s->op, view_timings_graph);
	if (timing == NULL || s->n == PLOT_CURVES_MAX)
		return 0;
	rows = calloc(v->n_rows + 1, sizeof(*rows));
	if (rows == NULL)
		return -ENOMEM;
	*c = (struct curve){ .panel = panel, .machine = machine, .style = style, .timing = timing };
	n = view_curve(v, transport, s->op, timing, rows);
	rc = n > 0 ? take_points(s, c, rows, n) : 0;
	free(rows);
	if (rc == 0 && c->n > 0)
		s->n++;
	else
		free(c->p);
	return rc;
}

const char *plot_transport(const struct plot *s, const struct curve *c)
{
	const char *names[VIEW_TRANSPORTS_MAX];

	if (s->panel[c->panel].transport[0] != '\0')
		return s->panel[c->panel].transport;
	(void)view_transports(plot_view(s, c->machine), names, VIEW_TRANSPORTS_MAX);
	return names[c->style - 1];
}

static size_t panel_find(const struct plot *s, const char *backend, const char *transport)
{
	size_t i;

	for (i = 0; i < s->n_panels; i++)
		if (strcmp(s->panel[i].backend, backend) == 0 &&
		    strcmp(s->panel[i].transport, transport) == 0)
			break;
	return i;
}

static void add_panels(struct plot *s, size_t machine)
{
	const char *names[VIEW_TRANSPORTS_MAX];
	const struct view *v = plot_view(s, machine);
	size_t n = view_transports(v, names, VIEW_TRANSPORTS_MAX);

	for (size_t i = 0; i < n; i++) {
		struct panel *p = &s->panel[s->n_panels];

		if (view_timing(v, names[i], s->op, view_timings_graph) == NULL ||
		    panel_find(s, backend_of(v), names[i]) < s->n_panels ||
		    s->n_panels == PLOT_PANELS_MAX)
			continue;
		*p = (struct panel){ .backend = backend_of(v), .transport = names[i] };
		draw_transport(s->f, v, names[i], p->title, sizeof(p->title));
		s->n_panels++;
	}
}

static int gather_one(struct plot *s)
{
	const char *names[VIEW_TRANSPORTS_MAX];
	size_t n = view_transports(plot_view(s, 0), names, VIEW_TRANSPORTS_MAX);
	int rc = 0;

	s->panel[0] = (struct panel){ .backend = "", .transport = "" };
	s->n_panels = 1;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = add_curve(s, 0, 0, names[i], (int)i + 1);
	s->panel[0].n = s->n;
	return rc;
}

static int gather_several(struct plot *s)
{
	int rc = 0;

	for (size_t m = 0; m < s->f->n; m++)
		add_panels(s, m);
	for (size_t p = 0; p < s->n_panels && rc == 0; p++) {
		s->panel[p].first = s->n;
		s->panel[p].timing = common_timing(s, s->panel[p].backend, s->panel[p].transport);
		for (size_t m = 0; m < s->f->n && rc == 0; m++)
			if (strcmp(backend_of(plot_view(s, m)), s->panel[p].backend) == 0)
				rc = add_curve(s, p, m, s->panel[p].transport, (int)m + 1);
		s->panel[p].n = s->n - s->panel[p].first;
	}
	return rc;
}

/* ---- against the reference ---- */

static const struct place *place_at(const struct curve *c, double x)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->p[i].x == x)
			return &c->p[i];
	return NULL;
}

static void divide(struct curve *c, const struct curve *by)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct place *b = place_at(by, c->p[i].x), a = c->p[i];

		if (b == NULL)
			continue;
		c->p[n++] = (struct place){ a.x, a.y / b->y, a.lo / b->hi, a.hi / b->lo };
	}
	c->n = n;
}

static const struct curve *reference_of(const struct plot *s, const struct panel *p)
{
	for (size_t i = p->first; i < p->first + p->n; i++)
		if (s->curve[i].machine == s->f->reference)
			return &s->curve[i];
	return NULL;
}

static bool is_compared(const struct plot *s, const struct curve *c)
{
	const struct curve *by = reference_of(s, &s->panel[c->panel]);

	/* in another timing a time means something else */
	return by != NULL && by != c && strcmp(by->timing, c->timing) == 0;
}

void plot_compare(struct plot *s)
{
	size_t curves = 0, panels = 0;

	for (size_t i = 0; i < s->n; i++)
		if (is_compared(s, &s->curve[i]))
			divide(&s->curve[i], reference_of(s, &s->panel[s->curve[i].panel]));
		else if (s->curve[i].machine != s->f->reference)
			s->curve[i].n = 0;
	for (size_t p = 0; p < s->n_panels; p++) {
		struct panel panel = s->panel[p];
		size_t first = curves;

		for (size_t i = panel.first; i < panel.first + panel.n; i++) {
			struct curve c = s->curve[i];

			if (c.n == 0 || c.machine == s->f->reference) {
				free(c.p);
				continue;
			}
			c.panel = panels;
			s->curve[curves++] = c;
		}
		panel.first = first;
		panel.n = curves - first;
		if (panel.n > 0)
			s->panel[panels++] = panel;
	}
	s->n = curves;
	s->n_panels = panels;
}

int plot_gather(struct plot *s)
{
	return s->f->n == 1 ? gather_one(s) : gather_several(s);
}

void plot_fini(struct plot *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->curve[i].p);
	s->n = 0;
}
