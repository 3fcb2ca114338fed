/* SPDX-License-Identifier: Apache-2.0 */
/* See join.h. Each series is sorted already: a merge. */
#include "judge/join.h"

#include <errno.h>
#include <stdlib.h>

#include "judge/series.h"

void join_fini(struct joined *j)
{
	free(j->rows);
	free(j->cells);
	*j = (struct joined){ 0 };
}

static const struct point *least(const struct series *const *s, size_t n, const size_t *next)
{
	const struct point *found = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct point *p = next[i] < s[i]->n ? &s[i]->points[next[i]] : NULL;

		if (p && (!found || series_order(p, found) < 0))
			found = p;
	}
	return found;
}

/* One pass counts the rows (out NULL), one fills them. */
static size_t pass(const struct series *const *s, size_t n, size_t *next, struct joined *out)
{
	const struct point *key;
	size_t rows = 0;

	for (size_t i = 0; i < n; i++)
		next[i] = 0;
	while ((key = least(s, n, next)) != NULL) {
		struct row *row = out ? &out->rows[rows] : NULL;

		if (row)
			*row = (struct row){ key->group, key->bytes, out->cells + rows * n };
		for (size_t i = 0; i < n; i++) {
			if (next[i] >= s[i]->n || series_order(&s[i]->points[next[i]], key) != 0)
				continue;
			if (row)
				row->at[i] = &s[i]->points[next[i]];
			next[i]++;
		}
		rows++;
	}
	return rows;
}

int join_series(const struct series *const *s, size_t n_series, struct joined *out)
{
	size_t *next = calloc(n_series + 1, sizeof(*next));
	struct joined j = { 0 };

	if (next == NULL)
		return -ENOMEM;
	j.n = pass(s, n_series, next, NULL);
	j.rows = calloc(j.n + 1, sizeof(*j.rows));
	j.cells = calloc(j.n * n_series + 1, sizeof(*j.cells));
	if (j.rows && j.cells)
		pass(s, n_series, next, &j);
	free(next);
	if (!j.rows || !j.cells) {
		join_fini(&j);
		return -ENOMEM;
	}
	*out = j;
	return 0;
}
