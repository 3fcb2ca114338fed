/* SPDX-License-Identifier: Apache-2.0 */
/* The variables of NCCL's environment as tables, and what is wrong with one or several settings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "explain/rule.h"

enum variable_type {
	ENV_INT, /* strtoll: text becomes 0 without a word */
	ENV_TEXT,
	ENV_WORDS, /* one or several of the words in variable.c */
};

struct variable_row {
	const char *name;
	enum variable_type type;
	const char *dflt, *since, *last;
};

enum variable_owner {
	FOREIGN_RENAMED,
	FOREIGN_FRAMEWORK,
	FOREIGN_APPLICATION,
	FOREIGN_PLUGIN,
	FOREIGN_NOBODY
};

struct variable_foreign {
	const char *name;
	enum variable_owner status;
	const char *owner, *instead;
};

extern const struct variable_row variable_rows[];
extern const size_t variable_n_rows;
extern const struct variable_foreign variable_foreigns[];
extern const size_t variable_n_foreigns;

const struct variable_row *variable_find(const char *name);
const struct variable_foreign *variable_find_foreign(const char *name);

/* "2.28.3" -> 22803; 0 when it is not a version. */
int variable_version(const char *text);

struct variable_note {
	enum rule_id rule;
	enum severity severity;
	char text[500];
	char remedy[240];
};

/*
 * True when something is wrong with NAME=value for that NCCL (variable_version; 0: unknown).
 * `value` NULL: only the name is known. `logged`: NCCL itself printed the value, so the name is
 * read.
 */
bool variable_lint(const char *name, const char *value, int version, bool logged,
		   struct variable_note *out) ATTR_MUST;

/* `get` answers the value of a variable or NULL. Finds the next contradiction from *row on, which
 * it moves; false: no more. */
bool variable_lint_together(const char *(*get)(const void *arg, const char *name), const void *arg,
			    size_t *row, struct variable_note *out) ATTR_MUST;
/* What `token` should have been in NCCL_ALGO or NCCL_PROTO (`name` may be ""); always says
 * something. */
void variable_explain_token(const char *name, const char *token, struct variable_note *out);
