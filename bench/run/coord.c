/* SPDX-License-Identifier: Apache-2.0 */
/* What every way to agree shares: texts of any length on top of fixed-size collectives. */
#include "run/coord.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COORD_TEXT_MAX (64L << 20)

void coord_free_texts(char **all, int n)
{
	if (!all)
		return;
	for (int i = 0; i < n; i++)
		free(all[i]);
	free(all);
}

static char **split(const char *flat, size_t each, int n)
{
	char **texts = calloc((size_t)n, sizeof(*texts));

	for (int i = 0; texts && i < n; i++) {
		texts[i] = strndup(flat + (size_t)i * each, each);
		if (!texts[i]) {
			coord_free_texts(texts, n);
			return NULL;
		}
	}
	return texts;
}

int coord_gather_text(struct coord *c, const char *text, char ***all, int64_t deadline_ns)
{
	int64_t len = (int64_t)strlen(text) + 1;
	char *mine = NULL, *flat = NULL;
	int r = c->ops->max(c, &len, 1, deadline_ns);

	if (r < 0)
		return r;
	if (len * c->size > COORD_TEXT_MAX)
		return -EMSGSIZE;
	mine = calloc(1, (size_t)len);
	flat = calloc((size_t)c->size, (size_t)len);
	/* An allocation that fails on one rank only would leave the others waiting: it ends at
	 * their deadline. */
	if (!mine || !flat) {
		r = -ENOMEM;
		goto out;
	}
	strcpy(mine, text);
	r = c->ops->allgather(c, mine, (size_t)len, flat, deadline_ns);
	if (r < 0)
		goto out;
	*all = split(flat, (size_t)len, c->size);
	r = *all ? 0 : -ENOMEM;
out:
	free(mine);
	free(flat);
	return r;
}

int coord_bcast_text(struct coord *c, char **text, int64_t deadline_ns)
{
	int64_t len = c->rank == 0 ? (int64_t)strlen(*text) + 1 : 0;
	char *copy;
	int r = c->ops->max(c, &len, 1, deadline_ns);

	if (r < 0)
		return r;
	if (len > COORD_TEXT_MAX)
		return -EMSGSIZE;
	copy = c->rank == 0 ? *text : calloc(1, (size_t)len);
	if (!copy)
		return -ENOMEM;
	r = c->ops->bcast(c, copy, (size_t)len, 0, deadline_ns);
	if (c->rank == 0)
		return r;
	if (r < 0) {
		free(copy);
		return r;
	}
	copy[len - 1] = '\0';
	free(*text);
	*text = copy;
	return 0;
}
