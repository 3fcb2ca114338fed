/* SPDX-License-Identifier: Apache-2.0 */
/* Baseline series as a user names them: run directories, files, or a folder that holds runs. Judges
 * nothing. */
#pragma once

#include <stddef.h>

#include "base/attr.h"
#include "judge/expect.h"
#include "judge/pool.h"
#include "judge/series.h"

#define SHELF_DEFAULT "results/baseline"
#define SHELF_EXPECTED "expected.csv"

struct shelf { /* zeroed is empty */
	struct pool pool;
	struct series *series;
	size_t n;
	struct expectations expected;
};

int shelf_no_memory(const char *what); /* says so; an exit code that is no verdict */
void shelf_fini(struct shelf *s);
/* Adds what `path` names; says on standard error what is wrong. 0 or an exit code (enum nb_exit).
 */
int shelf_add(struct shelf *s, const char *path) ATTR_MUST;
/* Adds a file of expected failures; an absent file is none unless `must`. 0 or an exit code. */
int shelf_expect(struct shelf *s, const char *path, int must) ATTR_MUST;
/* Oldest first by the time in run.json; series without one keep their place in front. */
void shelf_sort(struct shelf *s);
/* Names of the runs in a folder, sorted; heap strings in a heap array (free all). Negative errno.
 */
int shelf_names(const char *dir, char ***names, size_t *n) ATTR_MUST;
void shelf_free_names(char **names, size_t n);
