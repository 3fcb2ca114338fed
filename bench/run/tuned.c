/* SPDX-License-Identifier: Apache-2.0 */
/* See tuned.h. */
#include "run/tuned.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "run/arm.h"
#include "search/setting.h"
#include "spec/plan.h"
#include "spec/transport.h"

#define FILE_MAX (16u << 20)
#define PLACES 600 /* of a name in a message */

static int add_pair(struct arm *a, const char *name, const char *value, int transport)
{
	if (a->n == ARM_SETTINGS_MAX)
		return -EINVAL;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->set[i].name, name) == 0 && a->only[i] == 1ULL << transport)
			return 0; /* two rows of a transport: the first one's */
	a->set[a->n].name = strdup(name);
	a->set[a->n].value = strdup(value);
	a->only[a->n] = 1ULL << transport;
	a->n++;
	return a->set[a->n - 1].name && a->set[a->n - 1].value ? 0 : -ENOMEM;
}

static int class_setting(json_t *set, struct setting *out)
{
	const char *name;
	json_t *value;
	int r = 0;

	*out = (struct setting){ .n = 0 };
	json_object_foreach(set, name, value)
	{
		char word[200];
		struct setting s;

		snprintf(word, sizeof(word), "%s=%s", name,
			 json_string_value(value) ? json_string_value(value) : "?");
		if (setting_parse(word, &s) < 0 || s.n != 1 ||
		    !setting_put(out, s.v[0].tunable, s.v[0].value))
			r = -EINVAL;
	}
	return r;
}

/* Classes of a transport: what contradicts those before it is left out as a whole, for half of a
 * setting was never measured. */
static int join_classes(json_t *classes, struct setting *all)
{
	json_t *c;
	size_t i;
	int r = 0;

	*all = (struct setting){ .n = 0 };
	json_array_foreach(classes, i, c)
	{
		const char *verdict = json_string_value(json_object_get(c, "verdict"));
		struct setting one;

		if (r < 0 || !verdict || strcmp(verdict, "gain") != 0)
			continue;
		r = class_setting(json_object_get(c, "set"), &one);
		if (r < 0 || !setting_join(all, &one, all))
			continue;
	}
	return r;
}

static int add_row(struct arm *a, json_t *row)
{
	const char *backend = json_string_value(json_object_get(row, "backend"));
	const char *name = json_string_value(json_object_get(row, "transport"));
	int b = backend ? backend_find(backend) : -1,
	    transport = b >= 0 && name ? transport_find(b, name) : -1, r;
	struct setting all;

	if (transport < 0)
		return -EINVAL;
	r = join_classes(json_object_get(row, "classes"), &all);
	for (size_t i = 0; i < all.n && r == 0; i++)
		r = add_pair(a, setting_name(&all, i), setting_value(&all, i), transport);
	return r;
}

static int fill_arm(struct arm *a, json_t *rows)
{
	json_t *row;
	size_t i;
	int r;

	a->set = calloc(ARM_SETTINGS_MAX, sizeof(*a->set));
	a->only = calloc(ARM_SETTINGS_MAX, sizeof(*a->only));
	r = a->set && a->only ? 0 : -ENOMEM;
	json_array_foreach(rows, i, row) r = r ? r : add_row(a, row);
	snprintf(a->label, sizeof(a->label), "%s", PLAN_ARM_TUNED);
	snprintf(a->tag, sizeof(a->tag), "tuned");
	a->beats_base = true;
	return r;
}

/* 0; -EINVAL with a line in `why`. */
static int read_file(const char *run, char **data, size_t *len, char *why, size_t max)
{
	char *inside = file_join(run, "tune.json");
	int r = inside ? file_read_all(inside, FILE_MAX, data, len) : -ENOMEM;

	if (r == -ENOTDIR)
		r = file_read_all(run, FILE_MAX, data, len);
	if (r < 0)
		snprintf(why, max, "cannot read tune.json of '%.*s': %s", PLACES / 4, run,
			 strerror(-r));
	free(inside);
	return r == -ENOMEM ? r : r < 0 ? -EINVAL : 0;
}

int tuned_read(const char *run, char **text, char *why, size_t max)
{
	char *data = NULL;
	size_t len = 0;
	int r = read_file(run, &data, &len, why, max);
	json_t *o = r == 0 ? json_loadb(data, len, 0, NULL) : NULL,
	       *rows = json_object_get(o, "rows");

	free(data);
	if (r == 0 && !json_is_array(rows)) {
		snprintf(why, max, "'%.*s' holds no result of ncclbench tune", PLACES / 4, run);
		r = -EINVAL;
	}
	if (r == 0) {
		*text = json_dumps(rows, JSON_COMPACT);
		r = *text ? 0 : -ENOMEM;
	}
	json_decref(o);
	return r;
}

int tuned_arms(const char *run, const char *text, struct arm **out, size_t *n, char *why,
	       size_t max)
{
	json_t *rows = json_loads(text, 0, NULL);
	struct arm *arms = calloc(3, sizeof(*arms));
	int r = rows && arms ? 0 : -ENOMEM;

	if (r == 0) {
		snprintf(arms[0].tag, sizeof(arms[0].tag), "plain");
		arms[0].text = strdup("");
		arms[1].text = strdup(run);
		r = fill_arm(&arms[1], rows);
		if (r == -EINVAL)
			snprintf(why, max,
				 "'%.*s' holds what this version does not know; tune again",
				 PLACES / 4, run);
	}
	if (r == 0 && arms[1].n == 0) {
		snprintf(why, max, "'%.*s' recommends nothing: the defaults are best there",
			 PLACES / 4, run);
		r = -EINVAL;
	}
	json_decref(rows);
	if (r < 0) {
		arms_free(arms, 2);
		return r;
	}
	*out = arms;
	*n = 2;
	return 0;
}

void tuned_plan(struct plan *p, const struct arm *arms)
{
	for (size_t c = 0; c < p->n_configs; c++) {
		const struct plan_config *pc = &p->configs[c];
		unsigned long long any = 0;

		for (size_t i = 0; i < arms[1].n; i++)
			any |= arms[1].only[i];
		if (pc->arm != 1 || any >> pc->transport & 1)
			continue;
		for (size_t i = pc->first; i < pc->first + pc->n; i++)
			if (!p->points[i].impossible) {
				p->points[i].impossible = PLAN_NOT_TUNED;
				p->points[i].unavailable = true;
			}
	}
}
