/* SPDX-License-Identifier: Apache-2.0 */
/* See fleet.h. */
#include "report/fleet.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"

static bool is_taken(const struct fleet *f, size_t i, const char *name)
{
	for (size_t k = 0; k < f->n; k++)
		if (k != i && strcmp(f->machine[k].name, name) == 0)
			return true;
	return false;
}

void fleet_name(struct fleet *f, size_t i, const char *name)
{
	char clean[FLEET_NAME], *out = f->machine[i].name;
	int cut = FLEET_NAME - 8; /* room for " (64)" */

	text_clean(name[0] ? name : "unknown machine", clean, sizeof(clean));
	snprintf(out, FLEET_NAME, "%s", clean);
	for (int n = 2; is_taken(f, i, out) && n < 1000; n++) {
		while (cut > 0 && ((unsigned char)clean[cut] & 0xc0) == 0x80)
			cut--; /* not within a character */
		snprintf(out, FLEET_NAME, "%.*s (%d)", cut, clean, n);
	}
}

/* Last part of a path, without slashes at the end; length in *n. */
static const char *last_part(const char *path, size_t *n)
{
	size_t end = strlen(path), start;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (start = end; start > 0 && path[start - 1] != '/'; start--)
		;
	*n = end - start;
	return path + start;
}

static bool begins(const char *word, const char *name, size_t n, const char **rest)
{
	if (n == 0 || strncmp(word, name, n) != 0)
		return false;
	while (word[n] == '/')
		n++;
	if (word[n] != '=' && word[n] != '\0')
		return false;
	*rest = word + n + (word[n] == '=');
	return true;
}

static size_t path_length(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return n;
}

size_t fleet_find(const struct fleet *f, const char *word, const char **rest)
{
	for (size_t i = 0; i < f->n; i++)
		if (begins(word, f->machine[i].path, path_length(f->machine[i].path), rest))
			return i;
	for (size_t i = 0; i < f->n; i++) {
		size_t n;
		const char *last = last_part(f->machine[i].path, &n);

		if (begins(word, last, n, rest))
			return i;
	}
	return f->n;
}

static bool shares_host(const struct fleet *f, size_t i)
{
	for (size_t k = 0; k < f->n; k++)
		if (k != i && strcmp(f->machine[k].run.view.host, f->machine[i].run.view.host) == 0)
			return true;
	return false;
}

/* The host; where several runs have the same, or none, the folder too. */
static void default_name(struct fleet *f, size_t i)
{
	struct fleet_machine *m = &f->machine[i];
	const char *host = m->run.view.host;
	char name[2 * FLEET_NAME];
	size_t n;
	const char *folder = last_part(m->path, &n);

	if (host[0] && !shares_host(f, i))
		snprintf(name, sizeof(name), "%s", host);
	else
		snprintf(name, sizeof(name), "%.30s%s%.*s", host, host[0] ? " " : "",
			 (int)(n < FLEET_NAME ? n : FLEET_NAME), folder);
	fleet_name(f, i, name);
}

int fleet_load(struct fleet *f, const char *const *paths, size_t n, char *why, size_t why_max)
{
	int rc = 0;

	memset(f, 0, sizeof(*f));
	if (n == 0 || n > FLEET_MACHINES_MAX) {
		snprintf(why, why_max, "%zu runs; 1 to %d can stand side by side", n,
			 FLEET_MACHINES_MAX);
		return -EINVAL;
	}
	f->machine = calloc(n, sizeof(*f->machine));
	if (!f->machine) {
		snprintf(why, why_max, "out of memory");
		return -ENOMEM;
	}
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct fleet_machine *m = &f->machine[i];

		m->path = paths[i];
		m->price = m->power = NAN;
		rc = run_view_load(&m->run, paths[i], why, why_max);
		f->n += rc == 0;
	}
	for (size_t i = 0; i < f->n; i++)
		default_name(f, i);
	if (rc < 0)
		fleet_fini(f);
	return rc;
}

void fleet_fini(struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++)
		run_view_fini(&f->machine[i].run);
	free(f->machine);
	memset(f, 0, sizeof(*f));
}
