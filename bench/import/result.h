/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Imported tables -> a run directory, and the summaries of them. A table is one start of the tool,
 * that is a restart; equal rows of a table (-N) are its batches; equal tables of equal method are
 * restarts of the same points.
 */
#pragma once

#include "base/attr.h"

struct buf;
struct imported;
struct store;

/* points.csv and samples.csv into a created store. 0 or a negative errno (store's `failed` names
 * the file). */
int import_write_points(const struct imported *im, struct store *store) ATTR_MUST;
/* run.json. Heap text or NULL. */
char *import_run_json(const struct imported *im, const char *command) ATTR_MUST;
/* {"tables": [...], "run": DIR}: what --json prints; `dir` may be NULL. Heap text or NULL. */
char *import_tables_json(const struct imported *im, const char *dir) ATTR_MUST;
void import_tables_text(const struct imported *im, struct buf *out);
