/* SPDX-License-Identifier: Apache-2.0 */
/* run.json and the object of --json. */
#pragma once

#include <stdbool.h>

struct campaign;
struct json_t;
struct finish;
struct view;

/* A JSON string; bytes that are no UTF-8 become '?'. */
struct json_t *meta_text(const char *s);
struct meta_end { /* how the run ended, as far as it did */
	bool complete;
	int exit_code;
	const char *steering; /* line about the user's own variables, "" none */
};

/* Heap text or NULL. Only whitelisted environment variables are recorded. `v`: what was measured,
 * or NULL. */
char *meta_run_json(const struct campaign *k, const struct finish *f, const struct view *v,
		    const struct meta_end *end);
/* {schema, command, verdict, exit_code, run, rows: what the table shows}. */
/* `comparison`: of the arms, as JSON; NULL none. */
char *meta_sweep_json(const struct campaign *k, const struct finish *f, const struct view *v,
		      const char *comparison, int exit_code);
