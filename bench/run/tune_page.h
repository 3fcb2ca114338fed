/* SPDX-License-Identifier: Apache-2.0 */
/* What a tune found, in words, as JSON, as settings to paste. Rank 0 only. */
#pragma once

#include "base/attr.h"

struct buf;
struct tune;

void tune_page_text(const struct tune *t, struct buf *out);
/* Heap text or NULL. */
char *tune_page_json(const struct tune *t, int exit_code) ATTR_MUST;
/* tune.json, report.md and run.json of the run directory. */
int tune_page_write(struct tune *t, int exit_code) ATTR_MUST;
int tune_page_print(const struct tune *t, int exit_code) ATTR_MUST;
