/* SPDX-License-Identifier: Apache-2.0 */
/* See space.h. */
#include "search/space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "search/tunable.h"
#include "spec/transport.h"

#define RANKS 3 /* of a row: 1 first */

static bool in_list(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *w = list; w; w = strchr(w, ',') ? strchr(w, ',') + 1 : NULL)
		if (strncmp(w, name, len) == 0 && (w[len] == ',' || w[len] == '\0'))
			return true;
	return false;
}

/* What makes the transport what it is stays; its base (copy engines off, ...) may be tuned. */
static bool belongs_to_row(const struct transport *t, const char *name)
{
	for (const struct env_pair *p = t->set; p->name; p++)
		if (strcmp(p->name, name) == 0)
			return true;
	for (const struct env_pair *p = t->one_host_set; p->name; p++)
		if (strcmp(p->name, name) == 0)
			return true;
	return false;
}

static bool acts(const struct tunable *t, const struct space_request *r)
{
	return t->transports >> r->transport & 1 &&
	       t->backend == transport_table[r->transport].backend && t->ops & r->ops &&
	       tunable_in_version(t, r->version) &&
	       !belongs_to_row(&transport_table[r->transport], t->name) &&
	       (!r->only || in_list(r->only, t->name));
}

/* A value that is in force already is the control. */
static void add_axis(const struct space_request *r, size_t row, struct space *s)
{
	const struct tunable *t = &tunable_table[row];
	const char *now = r->inherited ? r->inherited(r->arg, t->name) : NULL;
	struct axis *a = &s->axes[s->n_axes];

	*a = (struct axis){ .tunable = row };
	for (size_t i = 0; i < TUNABLE_VALUES && t->values[i]; i++)
		if (!now || strcmp(now, t->values[i]) != 0)
			a->value[a->n++] = i;
	if (now && strcmp(now, t->otherwise) != 0)
		a->value[a->n++] = SETTING_OTHERWISE;
	s->n_axes += a->n > 0;
}

static const struct axis *axis_of(const struct space *s, size_t tunable)
{
	for (size_t i = 0; i < s->n_axes; i++)
		if (s->axes[i].tunable == tunable)
			return &s->axes[i];
	return NULL;
}

static bool on_axes(const struct space *s, const struct setting *what)
{
	for (size_t i = 0; i < what->n; i++) {
		const struct axis *a = axis_of(s, what->v[i].tunable);
		bool found = false;

		for (size_t k = 0; a && k < a->n; k++)
			found |= a->value[k] == what->v[i].value;
		if (!found)
			return false;
	}
	return true;
}

static void add_recipes(const struct space_request *r, struct space *s)
{
	for (size_t i = 0; i < n_recipes; i++) {
		struct setting *to = &s->first[s->n_first];

		if (recipe_table[i].transports >> r->transport & 1 &&
		    setting_parse(recipe_table[i].words, to) == 0 && on_axes(s, to))
			s->n_first++;
	}
}

/* What the environment sets is suspect first; then by rank of the row; from the middle of an axis
 * outwards, since a short budget then still sees every axis. */
static void add_singles(struct space *s, int rank, size_t nth)
{
	for (size_t i = 0; i < s->n_axes; i++) {
		const struct axis *a = &s->axes[i];
		size_t at, mid = a->n / 2;

		if (tunable_table[a->tunable].rank != rank || nth >= a->n)
			continue;
		at = nth % 2 ? mid - (nth + 1) / 2 : mid + nth / 2;
		s->first[s->n_first] = (struct setting){ .n = 0 };
		if (setting_put(&s->first[s->n_first], a->tunable, a->value[at]))
			s->n_first++;
	}
}

static void add_otherwise(struct space *s)
{
	for (size_t i = 0; i < s->n_axes; i++) {
		struct axis *a = &s->axes[i];

		if (a->value[a->n - 1] != SETTING_OTHERWISE)
			continue;
		s->first[s->n_first] = (struct setting){ .n = 0 };
		if (setting_put(&s->first[s->n_first], a->tunable, SETTING_OTHERWISE))
			s->n_first++;
	}
}

static void drop_doubles(struct space *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n_first; i++) {
		bool known = false;

		for (size_t k = 0; k < kept; k++)
			known |= setting_equal(&s->first[k], &s->first[i]);
		if (!known)
			s->first[kept++] = s->first[i];
	}
	s->n_first = kept;
}

int space_build(const struct space_request *r, struct space *out)
{
	struct space s = { .axes = calloc(n_tunables, sizeof(*s.axes)) };
	size_t most = n_recipes + n_tunables * (TUNABLE_VALUES + 2);

	s.first = calloc(most, sizeof(*s.first));
	if (!s.axes || !s.first) {
		space_fini(&s);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n_tunables; i++)
		if (acts(&tunable_table[i], r))
			add_axis(r, i, &s);
	add_otherwise(&s);
	add_recipes(r, &s);
	for (int rank = 1; rank <= RANKS; rank++)
		for (size_t nth = 0; nth < TUNABLE_VALUES + 1; nth++)
			add_singles(&s, rank, nth);
	drop_doubles(&s);
	*out = s;
	return 0;
}

void space_fini(struct space *s)
{
	free(s->axes);
	free(s->first);
	*s = (struct space){ 0 };
}

size_t space_neighbours(const struct space *s, const struct setting *of, struct setting *out,
			size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < of->n; i++) {
		const struct axis *a = axis_of(s, of->v[i].tunable);

		for (size_t k = 0; a && k < a->n; k++) {
			size_t gap = a->value[k] > of->v[i].value ? a->value[k] - of->v[i].value
								  : of->v[i].value - a->value[k];
			struct setting moved = *of;

			if (gap != 1 || n == max)
				continue;
			moved.v[i].value = (uint8_t)a->value[k];
			if (setting_allowed(&moved))
				out[n++] = moved;
		}
	}
	return n;
}
