/* SPDX-License-Identifier: Apache-2.0 */
/* A private environment vector for a child: start from ours or empty, set, drop, posix_spawn. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct env {
	char **vec; /* NULL-terminated "NAME=value" strings, owned; NULL while empty */
	size_t n;
};

void env_fini(struct env *e);
/* Copies; later duplicates lose; what is not NAME=value is left out. */
int env_inherit(struct env *e, char *const *environ_like) ATTR_MUST;
int env_set(struct env *e, const char *name, const char *value) ATTR_MUST; /* replaces */
bool env_drop(struct env *e, const char *name); /* true if it was there */
size_t env_drop_prefix(struct env *e, const char *prefix);
const char *env_get(const struct env *e, const char *name); /* NULL when absent; "" is a value */
