/* SPDX-License-Identifier: Apache-2.0 */
/* A private environment vector. Never touches environ: setenv after MPI_Init races with threads. */
#include "base/env.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void truncate_to(struct env *e, size_t n)
{
	while (e->n > n) {
		free(e->vec[--e->n]);
		e->vec[e->n] = NULL;
	}
	if (!e->n) {
		free(e->vec);
		e->vec = NULL;
	}
}

void env_fini(struct env *e)
{
	truncate_to(e, 0);
}

/* Index of NAME (len bytes, without '='), or e->n. */
static size_t find(const struct env *e, const char *name, size_t len)
{
	size_t i = 0;

	while (i < e->n && (strncmp(e->vec[i], name, len) || e->vec[i][len] != '='))
		i++;
	return i;
}

/* Takes over `text`, also on failure. */
static int append(struct env *e, char *text)
{
	char **vec = text ? realloc(e->vec, (e->n + 2) * sizeof(*vec)) : NULL;

	if (!vec) {
		free(text);
		return -ENOMEM;
	}
	vec[e->n++] = text;
	vec[e->n] = NULL;
	e->vec = vec;
	return 0;
}

int env_inherit(struct env *e, char *const *environ_like)
{
	size_t before = e->n;
	int rc = 0;

	for (; environ_like && *environ_like && !rc; environ_like++) {
		const char *eq = strchr(*environ_like, '=');

		if (!eq || eq == *environ_like)
			continue; /* not NAME=value: no program can ask for it */
		if (find(e, *environ_like, (size_t)(eq - *environ_like)) == e->n)
			rc = append(e, strdup(*environ_like));
	}
	if (rc)
		truncate_to(e, before);
	return rc;
}

int env_set(struct env *e, const char *name, const char *value)
{
	char *text = NULL;
	size_t i;

	if (!name[0] || strchr(name, '='))
		return -EINVAL;
	if (asprintf(&text, "%s=%s", name, value) < 0)
		return -ENOMEM;
	i = find(e, name, strlen(name));
	if (i == e->n)
		return append(e, text);
	free(e->vec[i]);
	e->vec[i] = text;
	return 0;
}

/* Keeps the order of the others: the recorded environment should read as the user's does. */
static void remove_at(struct env *e, size_t i)
{
	char *gone = e->vec[i];

	memmove(&e->vec[i], &e->vec[i + 1], (e->n - i - 1) * sizeof(e->vec[0]));
	e->vec[e->n - 1] = gone;
	truncate_to(e, e->n - 1);
}

bool env_drop(struct env *e, const char *name)
{
	size_t i = find(e, name, strlen(name));

	if (i == e->n)
		return false;
	remove_at(e, i);
	return true;
}

size_t env_drop_prefix(struct env *e, const char *prefix)
{
	size_t len = strlen(prefix), dropped = 0, i = 0;

	while (i < e->n) {
		if (strncmp(e->vec[i], prefix, len)) {
			i++;
			continue;
		}
		remove_at(e, i);
		dropped++;
	}
	return dropped;
}

const char *env_get(const struct env *e, const char *name)
{
	size_t len = strlen(name), i = find(e, name, len);

	return i < e->n ? e->vec[i] + len + 1 : NULL;
}
